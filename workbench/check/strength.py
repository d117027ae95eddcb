"""Contract strength: how many wrong versions of the policy the contract would refuse.

A clause kills a mutant if the mutant violates it on some input. The preview solver decides this, and a run
confirms it; inputs that killed one mutant are tried on the next first. A mutant that is proved to decide like
the policy on every input is equivalent, and is not counted. The others survive, each with an input on which
it differs and on which every clause allows either decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workbench.check.mutate import Mutant, mutants
from workbench.engines.smt.confirm import Runner
from workbench.engines.smt.formula import EngineDisagreement, Formula, SolverAnswer
from workbench.engines.smt.ground_parts import mentioned
from workbench.engines.smt.ground_terms import Grounder
from workbench.engines.smt.preview import preview, vacuity
from workbench.engines.smt.search import LIMIT_MS, Solved
from workbench.engines.smt.shrink import hints, shrink
from workbench.model import Arguments, ProofStatus, Verdict
from workbench.policy.connectives import TRUE, conjunction, disjunction, negate
from workbench.policy.evaluate import evaluate, evaluate_decision
from workbench.policy.flat.opening import narrowed
from workbench.policy.terms import PolicyTerms, Term
from workbench.policy.walk import subterms
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form

_MOST_KILLERS = 64
MOST_MUTANTS = 2000
"""The most mutants to decide; of a larger number, an even sample is decided."""
MOST_TERMS = 60_000
"""The most terms that mutants to decide may have in the rules that they change; of more, a sample is decided.

A mutant of a rule of hundreds of conditions takes a second.
"""


class Fate(StrEnum):
    """The fate of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class MutantResult:
    """One mutant and its fate.

    ``killed_by`` names the clauses that ``example`` violates. For a survivor ``example`` is an input on which
    the mutant and the policy differ and no clause is violated. ``realised`` says, for a policy of calls,
    whether a run was found on which a clause is violated; it is None where none was searched for.
    """

    mutant: Mutant
    fate: Fate
    killed_by: tuple[str, ...] = ()
    example: Arguments | None = None
    policy_decision: Verdict | None = None
    mutant_decision: Verdict | None = None
    why: str = ""
    realised: bool | None = None


json_form(
    MutantResult,
    *(("id", "mutant.id"), ("description", "mutant.description"), "fate", "killed_by"),
    *(
        ("where", "mutant.where"),
        ("line", "mutant.line"),
        "why",
        "policy_decision",
        "mutant_decision",
        "example",
        ("realised?", "realised"),
    ),
)


@dataclass(frozen=True, slots=True)
class StrengthReport:
    """The wrong versions that the contract refuses, and those that it lets pass.

    ``unused`` names, with the reason, the clauses that judge no mutant: they do not hold for the policy
    itself, or it is not known whether they do, or they hold for every policy. ``accepted`` gives by id the
    reason why a mutant may survive. ``left_out`` counts mutants beyond the limit; ``complete`` is False if
    the run was cancelled.
    """

    results: tuple[MutantResult, ...]
    clauses: tuple[str, ...]
    unused: Mapping[str, str] = field(default_factory=dict[str, str])
    left_out: int = 0
    complete: bool = True
    accepted: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def open(self) -> tuple[MutantResult, ...]:
        """The survivors for which no reason is stored."""
        return tuple(
            mutant_result
            for mutant_result in self.having(Fate.SURVIVED)
            if mutant_result.mutant.id not in self.accepted
        )

    @property
    def survived(self) -> tuple[MutantResult, ...]:
        """The mutants that every clause lets pass."""
        return self.having(Fate.SURVIVED)

    @property
    def undecided(self) -> tuple[MutantResult, ...]:
        """The mutants for which it is unknown whether a clause refuses them."""
        return self.having(Fate.UNKNOWN)

    @property
    def settled(self) -> bool:
        """Whether every mutant is decided, every survivor accepted, and every clause judges."""
        return not (self.open or self.undecided or self.unused)

    def having(self, fate: Fate) -> tuple[MutantResult, ...]:
        """Return the mutants with a fate."""
        return tuple(result for result in self.results if result.fate is fate)

    @property
    def killed(self) -> int:
        """The number of mutants that the contract refuses."""
        return len(self.having(Fate.KILLED))

    @property
    def not_realised(self) -> int:
        """The number of mutants that are refused on inputs that no run was found to give."""
        return sum(result.realised is False for result in self.results)

    @property
    def not_searched(self) -> int:
        """The number of refused mutants for which no run was searched, though for others one was."""
        refused = self.having(Fate.KILLED)
        unknown = sum(result.realised is None for result in refused)
        return unknown if unknown < len(refused) else 0

    @property
    def killable(self) -> int:
        """The number of mutants that are not equivalent, as far as is known."""
        return len(self.results) - self.equivalent

    @property
    def equivalent(self) -> int:
        """The number of mutants that are proved to decide every input as the policy does."""
        return len(self.having(Fate.EQUIVALENT))

    @property
    def score(self) -> float | None:
        """Killed over killable, in [0, 1]; None if there is nothing to kill."""
        return self.killed / self.killable if self.killable else None

    @property
    def kills(self) -> dict[str, int]:
        """The number of mutants seen to violate each clause, by clause."""
        return {clause: sum(clause in result.killed_by for result in self.results) for clause in self.clauses}


type JudgedMutant = tuple[StrengthReport, MutantResult]


def _reason(judged: JudgedMutant) -> str | None:
    report, result = judged
    return report.accepted.get(result.mutant.id)


def _judged(report: StrengthReport) -> tuple[JudgedMutant, ...]:
    return tuple((report, result) for result in report.results)


def _survived(report: StrengthReport) -> int:
    return len(report.open)


_MUTANT = JsonForm[JudgedMutant](JudgedMutant, fields(Nested(None, "1"), ("reason", _reason)))
json_form(
    StrengthReport,
    *("killed", "killable", "kills", "unused", "left_out", ("survived", _survived), "accepted"),
    ("mutants", Nested(_MUTANT, _judged, many=True)),
)


def strength(
    terms: PolicyTerms,
    *,
    on_progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    time_limit_ms: int = LIMIT_MS,
    most: int = MOST_MUTANTS,
    only: str = "",
    accepted: Mapping[str, str] | None = None,
    inputs: Iterable[Arguments] = (),
) -> StrengthReport:
    """Mutate a policy and measure how many of the wrong versions its contract refuses.

    ``on_progress(done, total)`` is called after each mutant, ``cancelled()`` before each. ``time_limit_ms``
    bounds each query of the solver. ``only`` is the id of the one mutant to decide; ``accepted`` are reasons
    by id, for the report. ``inputs``, for example those of cases, are tried before a solver is asked.
    """
    judge = Judge(terms, time_limit_ms, tuple(inputs))
    every = [mutant for mutant in mutants(terms) if not only or mutant.id == only]
    tried = _even_sample(every, min(most, _most_within(terms, every)))
    chosen = judge.distinct(tried)
    results: list[MutantResult] = []
    for mutant, bodies in chosen:
        if cancelled is not None and cancelled():
            break
        results.append(judge.decide(mutant, bodies))
        if on_progress is not None:
            on_progress(len(results), len(chosen))
    return StrengthReport(
        tuple(results),
        tuple(clause.id for clause in terms.clauses),
        judge.unused,
        len(every) - len(tried),
        len(results) == len(chosen),
        accepted or {},
    )


def _most_within(terms: PolicyTerms, every: Sequence[Mutant]) -> int:
    """The number of mutants that have at most ``MOST_TERMS`` terms in the rules that they change."""
    size_by_rule = {rule.name: sum(1 for _ in subterms(rule.body)) for rule in terms.rules}
    size = sum(size_by_rule.get(mutant.where, 0) for mutant in every)
    return len(every) if size <= MOST_TERMS else max(1, len(every) * MOST_TERMS // size)


def _even_sample(every: Sequence[Mutant], most: int) -> Sequence[Mutant]:
    return every if len(every) <= most else [every[index * len(every) // most] for index in range(most)]


type _Bodies = Mapping[str, Term]


class _Wrong:
    """Runs a mutant after a check whether a changed rule behaves differently at all."""

    def __init__(self, formula: Formula, mutant: PolicyTerms, theirs: _Bodies) -> None:
        self._formula, self._own, self._mutant = formula, formula.terms, mutant
        ours = formula.rules
        self._positions = {
            position for position, rule in enumerate(mutant.rules) if ours[rule.name] is not theirs[rule.name]
        }
        self._changed = [(self._own.rules[position], mutant.rules[position]) for position in self._positions]

    def allows(self, arguments: Arguments) -> bool:
        """Whether the mutant allows arguments that can be evaluated, by all its rules."""
        return evaluate_decision(self._mutant, arguments)

    def differs(self, arguments: Arguments) -> bool:
        """Whether the mutant decides an input differently; see ``Formula.trial``."""
        if not self._formula.runner.evaluable(arguments) or not self.may_differ(arguments):
            return False
        live = self._formula.may_fire(arguments)
        own_terms = replace(self._own, rules=tuple(self._own.rules[position] for position in live))
        positions = sorted(self._positions.union(live))
        mutant = replace(self._mutant, rules=tuple(self._mutant.rules[position] for position in positions))
        return evaluate_decision(own_terms, arguments) is not evaluate_decision(mutant, arguments)

    def may_differ(self, arguments: Arguments) -> bool:
        """Whether some changed rule, or the default, behaves differently on an input."""
        if self._own.default_allow is not self._mutant.default_allow:
            return True
        return any(
            evaluate(self._own, old.body, arguments) is not evaluate(self._mutant, new.body, arguments)
            for old, new in self._changed
        )


class Judge:
    """Decides mutants of one policy."""

    def __init__(self, terms: PolicyTerms, limit: int, inputs: Iterable[Arguments]) -> None:
        self._terms = terms
        self._limit = limit
        self._formula = Formula(terms)
        proof = preview(terms, time_limit_ms=limit)
        says = vacuity(terms, time_limit_ms=limit)
        # A clause that is vacuous only for this policy may still refuse another one.
        judging = {clause.id for clause in terms.clauses if not says[clause.id].trivial}
        self.unused = {
            clause.clause: clause.why or "the policy itself violates it"
            for clause in proof.clauses
            if clause.status is not ProofStatus.PROVED
            and not (clause.status is ProofStatus.VACUOUS and clause.clause in judging)
        }
        self._clauses = [clause for clause in terms.clauses if clause.id not in self.unused]
        self._broken = {
            result: disjunction(
                negate(self._formula.grounder.clause(clause, result)) for clause in self._clauses
            )
            for result in (True, False)
        }
        self._own = {body: body for body in self._formula.rules.values()}
        self._killers = [arguments for arguments in map(self._policy_input, inputs) if arguments is not None]
        self._most_killers = len(self._killers) + _MOST_KILLERS

    def _policy_input(self, arguments: Arguments) -> Arguments | None:
        """An input in the form that the policy takes; None if it cannot be evaluated."""
        policy_arguments = {
            argument.name: arguments[argument.name]
            for argument in self._terms.arguments
            if argument.name in arguments
        }
        narrowed_arguments = narrowed(self._terms.arguments, policy_arguments)
        return narrowed_arguments if self._formula.runner.evaluable(narrowed_arguments) else None

    def distinct(self, every: Iterable[Mutant]) -> list[tuple[Mutant, _Bodies]]:
        """Ground the mutants, without those that equal the policy or an earlier mutant."""
        seen_contents = {(self._terms.default_allow, tuple(self._formula.rules.values()))}
        distinct_mutants: list[tuple[Mutant, _Bodies]] = []
        for mutant in every:
            bodies = self._ground(mutant.terms)
            content = (mutant.terms.default_allow, tuple(bodies.values()))
            if content not in seen_contents:
                seen_contents.add(content)
                distinct_mutants.append((mutant, bodies))
        return distinct_mutants

    def _ground(self, mutant: PolicyTerms) -> dict[str, Term]:
        # A body equal to one of the policy's own is replaced by that object, which the encoder knows.
        own_grounder = self._formula.grounder
        grounder = own_grounder if own_grounder.serves(mutant) else Grounder(mutant)
        same_constants = mutant.tables is self._terms.tables
        bodies: dict[str, Term] = {}
        for own_rule, rule in zip(self._terms.rules, mutant.rules, strict=True):
            if same_constants and own_rule is rule:
                bodies[rule.name] = self._formula.rules[rule.name]
            else:
                body = grounder.ground(rule.body)
                bodies[rule.name] = self._own.get(body, body)
        return bodies

    def decide(self, mutant: Mutant, bodies: _Bodies) -> MutantResult:
        """Return the fate of a mutant."""
        runner = _Wrong(self._formula, mutant.terms, bodies)
        for killer_input in self._killers:
            killed_by = self._violated(runner, killer_input)
            if killed_by:
                return self._result(mutant, runner, Fate.KILLED, killer_input, killed_by)
        allowing, denying = self._turns(mutant.terms, bodies)
        kill = disjunction(
            (conjunction((allowing, self._broken[True])), conjunction((denying, self._broken[False])))
        )
        killed = self._solve(kill, lambda arguments: bool(self._violated(runner, arguments)))
        if killed.arguments is not None:
            self._killers = [killed.arguments, *self._killers[: self._most_killers - 1]]
            violated = self._violated(runner, killed.arguments)
            return self._result(mutant, runner, Fate.KILLED, killed.arguments, violated)
        differs = self._solve(disjunction((allowing, denying)), runner.differs)
        if differs.status is SolverAnswer.UNSAT:
            return MutantResult(mutant, Fate.EQUIVALENT)
        if differs.arguments is None or killed.status is SolverAnswer.UNKNOWN:
            return MutantResult(mutant, Fate.UNKNOWN, why=killed.why or differs.why)
        plain_input = self._plain(runner, bodies, differs.arguments)
        return self._result(mutant, runner, Fate.SURVIVED, plain_input, ())

    def _solve(self, query: Term, confirm: Callable[[Arguments], bool]) -> Solved:
        return self._formula.search.solve(query, confirm, subject="a mutant", time_limit_ms=self._limit)

    def _turns(self, mutant: PolicyTerms, bodies: _Bodies) -> tuple[Term, Term]:
        """Return the queries for inputs that only the mutant allows, and that only the policy allows."""
        own_bodies = self._formula.rules
        shared = [
            rule.name
            for rule in self._terms.rules
            if rule.forbids and bodies[rule.name] is own_bodies[rule.name]
        ]
        common = conjunction(
            (self._formula.precondition, negate(disjunction(own_bodies[name] for name in shared)))
        )
        ours = _allowed(self._terms, own_bodies, shared)
        theirs = _allowed(mutant, bodies, shared)
        return conjunction((common, theirs, negate(ours))), conjunction((common, ours, negate(theirs)))

    def _violated(self, mutant: _Wrong, arguments: Arguments) -> tuple[str, ...]:
        """Return the clauses that the mutant violates on an input."""
        if not mutant.differs(arguments):
            return ()
        result = mutant.allows(arguments)
        return tuple(
            clause.id
            for clause in self._clauses
            if evaluate(self._terms, clause.term, arguments, result) is not True
        )

    def _plain(self, runner: _Wrong, bodies: _Bodies, arguments: Arguments) -> Arguments:
        changed = [body for name, body in bodies.items() if body is not self._formula.rules[name]]
        focus = frozenset[str]().union(*(mentioned(body) for body in changed))
        return shrink(
            arguments,
            self._terms.arguments,
            runner.differs,
            hints(*self._formula.rules.values(), *changed),
            focus=focus,
        )

    def _result(
        self, mutant: Mutant, runner: _Wrong, fate: Fate, arguments: Arguments, killed_by: tuple[str, ...]
    ) -> MutantResult:
        if self._formula.runner.allows(arguments) is runner.allows(arguments):
            raise EngineDisagreement("a mutant", arguments, self._formula.allowed(), [self._terms])
        decisions = (each.decision(arguments) for each in (self._formula.runner, Runner(mutant.terms)))
        own, mutants_decision = decisions
        return MutantResult(mutant, fate, killed_by, arguments, own, mutants_decision)


def _allowed(terms: PolicyTerms, bodies: _Bodies, without: Iterable[str]) -> Term:
    """Return the ground decision of a policy in which the rules ``without`` do not fire."""
    left_out = frozenset(without)
    forbidden = disjunction(bodies[r.name] for r in terms.rules if r.forbids and r.name not in left_out)
    permitted = disjunction(bodies[rule.name] for rule in terms.rules if not rule.forbids)
    return conjunction((negate(forbidden), TRUE if terms.default_allow else permitted))

"""The preview: every clause of a contract decided by cvc5, in process, at every edit.

Verdicts have the engine ``Engine.CVC5`` and are drawn differently from Nagini's proofs. A refutation comes
with a counterexample that is shrunk to a readable one and confirmed by running the compiled policy. A clause
that the solver cannot decide exactly is unknown, never proved. A clause that holds but is vacuous has the
verdict vacuous, never proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from threading import local
from time import perf_counter

from workbench.engines.smt.formula import EngineDisagreement, Formula, Solved, SolverAnswer
from workbench.engines.smt.rule_by_rule import KnownInputs, RuleByRule, negated, with_result
from workbench.engines.smt.search import LIMIT_MS
from workbench.engines.smt.solved_queries import kept_input, smallest, solve
from workbench.engines.smt.vacuity import CONTRADICTION, Vacuity
from workbench.model import (
    Arguments,
    ClauseProof,
    Counterexample,
    Engine,
    Proof,
    ProofStatus,
    WorkbenchError,
)
from workbench.policy.connectives import FALSE, TRUE
from workbench.policy.evaluate import evaluate
from workbench.policy.terms import (
    And,
    Clause,
    ImpliesTerm,
    Not,
    PolicyTerms,
    ResultTerm,
    Term,
)

__all__ = [
    "PreviewUndecided",
    "breaking",
    "preview",
    "satisfiable",
    "vacuity",
    "witness",
]

_MOST_OTHERS = 8


class PreviewUndecided(WorkbenchError):
    """The preview could not decide a question whose answer cannot be "unknown"."""

    def __init__(self, question: str, why: str) -> None:
        """Keep the question and the reason why it is open."""
        super().__init__(f"The preview could not decide {question}: {why}.", exit_code=1)
        self.why = why


class _Formulas(local):
    """The formula that a thread used last, as many questions are about one policy, and known inputs."""

    formula: Formula | None = None
    inputs: KnownInputs


_formulas = _Formulas()


def preview(terms: PolicyTerms, *, time_limit_ms: int = LIMIT_MS) -> Proof:
    """Decide every postcondition. All clauses of a contract with contradictory preconditions are vacuous.

    ``time_limit_ms`` bounds the work on each query. Raises ``EngineDisagreement`` if a model of the
    solver is not confirmed by running the policy.
    """
    formula = Formula(terms)
    reachable, _ = solve(formula, TRUE, time_limit_ms, plain=False)
    match reachable.status:
        case SolverAnswer.SAT:
            inputs = _allowed_inputs(formula)
            clauses = tuple(
                _decide(formula, clause, reachable, inputs, time_limit_ms) for clause in terms.clauses
            )
            return Proof(clauses, "" if clauses else "the contract has no clause")
        case SolverAnswer.UNSAT:
            status, why = ProofStatus.VACUOUS, CONTRADICTION
        case SolverAnswer.UNKNOWN:
            status, why = ProofStatus.UNKNOWN, f"preconditions: {reachable.why}"
    return Proof(tuple(_verdict(clause, status, why=why) for clause in terms.clauses), why)


def refutations(terms: PolicyTerms) -> tuple[ClauseProof, ...]:
    """The clauses that ``preview`` refutes, without asking how much the others say."""
    formula = Formula(terms)
    if solve(formula, TRUE, LIMIT_MS, plain=False)[0].status is not SolverAnswer.SAT:
        return ()
    inputs = _allowed_inputs(formula)
    answers = ((clause, _breaking(formula, clause, inputs, LIMIT_MS)[0]) for clause in terms.clauses)
    return tuple(
        _verdict(clause, ProofStatus.REFUTED, _example(formula, clause, solved))
        for clause, solved in answers
        if solved.status is SolverAnswer.SAT
    )


def _formula_of(terms: PolicyTerms) -> Formula:
    """The formula of a policy; each thread keeps its last one."""
    formula = _formulas.formula
    if formula is None or formula.terms is not terms:
        formula = _formulas.formula = Formula(terms)
        _formulas.inputs = _allowed_inputs(formula)
    return formula


def _verdict(
    clause: Clause,
    status: ProofStatus,
    example: Counterexample | None = None,
    *,
    why: str = "",
    seconds: float = 0.0,
    cached: bool = False,
) -> ClauseProof:
    return ClauseProof(clause.id, clause.requirements, status, Engine.CVC5, example, why, seconds, cached)


def _decide(
    formula: Formula, clause: Clause, reachable: Solved, inputs: KnownInputs, time_limit_ms: int
) -> ClauseProof:
    started = perf_counter()
    solved, cached = _breaking(formula, clause, inputs, time_limit_ms)
    example: Counterexample | None = None
    why = ""
    match solved.status:
        case SolverAnswer.SAT:
            status = ProofStatus.REFUTED
            example = _example(formula, clause, solved)
        case SolverAnswer.UNSAT:
            clause_vacuity = _vacuity(formula, clause, reachable, time_limit_ms)
            status, why = clause_vacuity.status_if_true, clause_vacuity.reason
        case SolverAnswer.UNKNOWN:
            status, why = ProofStatus.UNKNOWN, solved.why
    seconds = perf_counter() - started
    return _verdict(clause, status, example, why=why, seconds=seconds, cached=cached)


def _example(formula: Formula, clause: Clause, solved: Solved) -> Counterexample | None:
    return None if solved.arguments is None else confirmed(formula, clause, solved.arguments)


def _breaking(formula: Formula, clause: Clause, inputs: KnownInputs, limit: int) -> tuple[Solved, bool]:
    """A plain input that breaks a clause, or that there is none; and whether the answer was cached."""
    broken = negated(formula, clause.term)
    solved, cached = _by_rules(formula, clause, inputs, limit)
    if solved.status is SolverAnswer.UNKNOWN:
        return solve(formula, broken, limit)
    if solved.arguments is not None:
        solved = replace(solved, arguments=smallest(formula, broken, solved.arguments))
    return solved, cached


def _allowed_inputs(formula: Formula) -> KnownInputs:
    """The inputs that were found for the left sides of clauses and that the policy allows.

    They are tested one after the other, only as many as are requested.
    """

    def tried_inputs() -> Iterator[Arguments]:
        is_allowed = formula.trial(ResultTerm())
        for clause in formula.terms.clauses:
            kept_inputs = kept_input(formula, left_side(clause.term))
            yield from filter(is_allowed, kept_inputs)

    waiting = tried_inputs()
    allowed: list[Arguments] = []

    def inputs() -> Iterator[Arguments]:
        yield from allowed
        for arguments in waiting:
            allowed.append(arguments)
            yield arguments

    return inputs


def _by_rules(formula: Formula, clause: Clause, inputs: KnownInputs, limit: int) -> tuple[Solved, bool]:
    """The verdict on a clause from questions about few rules, or unknown; and whether all were cached."""

    def ask(condition: Term, query: Term, doubted: bool) -> Solved:
        return solve(formula, condition, limit, plain=False, query=query, doubted=doubted)[0]

    questions = RuleByRule(formula, clause, ask, inputs, limit)
    return questions.solve(), questions.cached


def confirmed(formula: Formula, clause: Clause, arguments: Arguments) -> Counterexample:
    """Run the policy on an input and return it as a confirmed counterexample.

    Raises ``EngineDisagreement`` if the run does not violate the clause.
    """
    runner = formula.runner
    decision = runner.decision(arguments)
    broken = runner.breaks(clause, arguments)
    if not broken:
        query = formula.query(Not(clause.term))
        raise EngineDisagreement(f"clause {clause.id}", arguments, query, [formula.terms])
    counterexample = Counterexample(arguments, broken, decision, runner.path(arguments))
    return runner.only_what_matters(clause, counterexample)


def breaking(terms: PolicyTerms, clause: Clause) -> Arguments | None:
    """Return a plain input that breaks a clause of a policy, or None if there is none; see ``preview``.

    Raises ``PreviewUndecided`` if it is not known whether there is one.
    """
    formula = _formula_of(terms)
    solved, _ = _breaking(formula, clause, _formulas.inputs, LIMIT_MS)
    if solved.status is SolverAnswer.UNKNOWN:
        raise PreviewUndecided("whether such an input exists", solved.why)
    return solved.arguments


def witness(
    terms: PolicyTerms, term: Term, *, prefer: Iterable[Arguments] = (), time_limit_ms: int = LIMIT_MS
) -> Arguments | None:
    """Return a plain input on which a boolean term over the arguments holds, or None.

    ``term`` may contain ``Result()``. Inputs in ``prefer`` (from logs) are returned unchanged if one fits.
    Raises ``PreviewUndecided`` if it is not known whether there is one.
    """
    formula = _formula_of(terms)
    for arguments in prefer:
        if formula.runner.holds(term, arguments):
            return arguments
    solved, _ = solve(formula, term, time_limit_ms)
    if solved.status is SolverAnswer.UNKNOWN:
        raise PreviewUndecided("whether such an input exists", solved.why)
    if solved.arguments is not None and not formula.runner.holds(term, solved.arguments):
        query = formula.query(term)
        raise EngineDisagreement("a shrunk input", solved.arguments, query, [terms])
    return solved.arguments


def satisfiable(terms: PolicyTerms, term: Term) -> bool | None:
    """Whether a boolean term over the arguments holds on some input; None if that is not known."""
    return _known(solve(_formula_of(terms), term, LIMIT_MS, plain=False)[0])


def is_input(terms: PolicyTerms, arguments: Arguments) -> bool:
    """Whether a policy can be asked about arguments: they have its types, and what it assumes holds."""
    return _formula_of(terms).runner.evaluable(arguments)


def some_input(terms: PolicyTerms, term: Term) -> Arguments | None:
    """An input on which a condition holds, as it is found; None if there is none, or that is not known."""
    return solve(_formula_of(terms), term, LIMIT_MS, plain=False)[0].arguments


def satisfiable_beside(terms: PolicyTerms, term: Term, others: Iterable[Term]) -> bool | None:
    """Whether a condition holds on some input on which none of the others does; None if not known.

    Another condition is added to the question only if it holds on the input that was found without it.
    """
    formula = _formula_of(terms)
    remaining_terms, none_of = formula.may_meet(term, others), list[Term]()
    for _ in range(_MOST_OTHERS if formula.opened.wide else 0):
        condition = And((term, *map(Not, none_of))) if none_of else term
        solved, _ = solve(formula, condition, LIMIT_MS, plain=False, doubted=bool(none_of))
        arguments = solved.arguments
        if arguments is None:
            if solved.status is SolverAnswer.UNSAT:
                return False
            break
        holding = next(
            (
                remaining_term
                for remaining_term in remaining_terms
                if evaluate(terms, remaining_term, arguments) is True
            ),
            None,
        )
        if holding is None:
            return True
        remaining_terms.remove(holding)
        none_of.append(holding)
    return satisfiable(terms, And((term, *map(Not, (*none_of, *remaining_terms)))))


def deciding_beside(terms: PolicyTerms, term: Term, others: Sequence[Term]) -> tuple[int, ...] | None:
    """The places of the fewest other conditions of which one holds wherever a condition does.

    None of them can be left out. Empty if an input is found on which it holds and none of them does, or if
    it holds on none; None if that is not known.
    """
    formula, chosen = _formula_of(terms), list[int]()

    def solved_beside(places: Iterable[int]) -> Solved:
        condition = And((term, *(Not(others[place]) for place in places)))
        return solve(formula, condition, LIMIT_MS, plain=False, doubted=True)[0]

    may_hold = set(map(id, formula.may_meet(term, others)))
    live = [place for place, other in enumerate(others) if id(other) in may_hold]
    while (solved := solved_beside(chosen)).arguments is not None:
        found = solved.arguments
        holding = (place for place in live if evaluate(terms, others[place], found) is True)
        place = next((one for one in holding if one not in chosen), None)
        if place is None:
            held = [evaluate(terms, one, found) for one in (term, *(others[place] for place in live))]
            return () if held == [True, *(False for _ in live)] else None
        chosen.append(place)
    if solved.status is not SolverAnswer.UNSAT:
        return None
    for place in tuple(chosen):
        rest = [one for one in chosen if one != place]
        if solved_beside(rest).status is SolverAnswer.UNSAT:
            chosen = rest
    return tuple(sorted(chosen))


def vacuity(
    terms: PolicyTerms, clauses: Iterable[Clause] | None = None, *, time_limit_ms: int = LIMIT_MS
) -> dict[str, Vacuity]:
    """Return by clause id the vacuity for this and for any policy, for some or all clauses."""
    formula = _formula_of(terms)
    reachable, _ = solve(formula, TRUE, time_limit_ms, plain=False)
    asked_clauses = terms.clauses if clauses is None else clauses
    return {clause.id: _vacuity(formula, clause, reachable, time_limit_ms) for clause in asked_clauses}


def _vacuity(formula: Formula, clause: Clause, reachable: Solved, limit: int) -> Vacuity:
    """The vacuity of a clause; stored if it does not depend on the rules of the policy."""
    left = left_side(clause.term)
    if with_result(left, TRUE) is not left:
        return _fresh_vacuity(formula, clause, reachable, limit)
    return formula.grounder.remembered(
        f"vacuity {limit}", (clause.term,), lambda: _fresh_vacuity(formula, clause, reachable, limit)
    )


def _fresh_vacuity(formula: Formula, clause: Clause, reachable: Solved, limit: int) -> Vacuity:
    if reachable.status is SolverAnswer.UNSAT:
        return Vacuity(False, False, True)
    breakable, unsure = formula.grounder.remembered(
        f"breakable {limit}", (clause.term,), lambda: _breakable(formula, clause, limit)
    )
    left = left_side(clause.term)
    whys = [reachable.why, *unsure] if reachable.status is SolverAnswer.UNKNOWN else [*unsure]
    # An input that breaks the clause makes its left side true, regardless of the policy's decision.
    fires: bool | None = True
    if not breakable or left != with_result(left, TRUE):
        solved, _ = solve(formula, left, limit, plain=False)
        fires = _known(solved)
        whys += [solved.why] if fires is None else []
    met = True if breakable or fires else _known(reachable)
    return Vacuity(met, fires, None if breakable is None else not breakable, "; ".join(dict.fromkeys(whys)))


def _breakable(formula: Formula, clause: Clause, limit: int) -> tuple[bool | None, tuple[str, ...]]:
    """Whether some decision on some input breaks a clause, and why that is not known.

    A policy decides each input independently: the clause holds for every policy exactly if on every input it
    holds both for an allowing and for a denying decision.
    """
    whys: list[str] = []

    def possible(result: Term) -> bool | None:
        solved, _ = solve(formula, Not(with_result(clause.term, result)), limit, plain=False)
        whys.extend([solved.why] if solved.status is SolverAnswer.UNKNOWN else [])
        return _known(solved)

    breakable = possible(TRUE)
    if not breakable:
        denied = possible(FALSE)
        breakable = denied if breakable is False or denied else None
    return breakable, tuple(whys)


def _known(solved: Solved) -> bool | None:
    return None if solved.status is SolverAnswer.UNKNOWN else solved.status is SolverAnswer.SAT


def left_side(term: Term) -> Term:
    """Return the condition under which a clause applies; true if it is no implication."""
    return term.condition if isinstance(term, ImpliesTerm) else TRUE

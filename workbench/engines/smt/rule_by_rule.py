"""A clause of a policy over records decided by small queries, each about few rules.

For a clause that denies, some rule must fire on each input on which allowing breaks the clause. The solver is
asked for such an input, and the policy is run on it. If a rule denies the input, that rule is added to the
next question. This ends when there is no such input or the policy allows one. For a clause that allows, no
rule may fire on an input on which denying breaks the clause; this is asked rule by rule. An edit of one rule
leaves most of these questions unchanged; their answers are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations

from workbench.engines.smt.formula import Formula, Solved, SolverAnswer
from workbench.engines.smt.necessary_values import necessary
from workbench.model import Arguments, Kind
from workbench.policy.connectives import FALSE, TRUE, conjunction, is_false, negate
from workbench.policy.evaluate import evaluate_in, valuation
from workbench.policy.flat.traverse import free_names
from workbench.policy.terms import And, Clause, Not, Or, ResultTerm, Rule, Term
from workbench.policy.walk import with_parts_changed

type KnownInputs = Callable[[], Iterable[Arguments]]
"""Known inputs, in the order in which they are to be tried."""
type SolveQuery = Callable[[Term, Term, bool], Solved]
"""Solves a condition by its ground query; the last argument is True if an input is doubted."""

_MOST_QUESTIONS = 6
_MOST_MIXED = 16
_OPEN = Solved(SolverAnswer.UNKNOWN)
_NONE = Solved(SolverAnswer.UNSAT)


class RuleByRule:
    """The small questions about one clause of a policy."""

    def __init__(
        self, formula: Formula, clause: Clause, ask: SolveQuery, known_inputs: KnownInputs, limit: int
    ) -> None:
        """``ask`` solves within ``limit`` milliseconds; some of ``known_inputs`` are allowed."""
        self._formula = formula
        self._clause = clause
        self._ask = ask
        self._inputs = known_inputs
        self._denied_input: Arguments | None = None
        self._limit = limit
        self._broken = negated(formula, clause.term)
        self.cached = True
        """Whether every answer was known."""

    def solve(self) -> Solved:
        """An input that breaks the clause, or that there is none; unknown if the questions are undecided."""
        if not self._formula.opened.wide:
            self.cached = False
            return _OPEN
        allowing, denying = self._formula.grounder.branches(self._broken)
        if allowing == denying:
            self.cached = False
            return _OPEN
        solved = self._by_allowing(allowing)
        return self._by_denying(denying) if solved.status is SolverAnswer.UNSAT else solved

    def _by_allowing(self, ground: Term) -> Solved:
        """An input that the policy allows although the clause does not."""
        if is_false(ground):
            return _NONE
        condition = self._with_result(TRUE)
        live = self._live(ground)
        silent: list[Rule] = []
        permitted = False
        for _ in range(_MOST_QUESTIONS):
            solved = self._allowed(condition, ground, silent, permitted)
            if solved.arguments is None:
                return solved
            if self._formula.runner.holds(self._broken, solved.arguments):
                return solved
            self._denied_input = solved.arguments
            more, needs_permission = self._more(live, silent, permitted, solved.arguments)
            if not more and (permitted or not needs_permission):
                return _OPEN
            silent += more
            permitted = permitted or needs_permission
        return _OPEN

    def _live(self, ground: Term) -> list[Rule]:
        """The forbidding rules that may fire on inputs on which a ground condition holds."""
        formula = self._formula
        facts = formula.grounder.remembered(
            "facts", (ground,), lambda: necessary(conjunction((ground, formula.precondition)))
        )
        return [rule for rule in formula.excluding(facts) if rule.forbids]

    def _more(
        self, live: list[Rule], silent: list[Rule], permitted: bool, arguments: Arguments
    ) -> tuple[list[Rule], bool]:
        """What the next question adds: rules that may not fire, and whether some rule has to permit.

        These are the rules of the clause's requirements first, then all that denies the last input.
        """
        permitting = self._permitting()
        if not silent and not permitted:
            own_rules, is_own = self._own(live), bool(self._own(permitting))
            if own_rules or is_own:
                return own_rules, is_own
        world = valuation(self._formula.terms, arguments)
        firing = [rule for rule in live if rule not in silent and evaluate_in(world, rule.body) is True]
        is_permitted = any(evaluate_in(world, rule.body) is True for rule in permitting)
        return firing, not self._formula.terms.default_allow and not is_permitted

    def _own(self, rules: Iterable[Rule]) -> list[Rule]:
        """Those of some rules that come from a requirement of the clause."""
        return [rule for rule in rules if _shared(rule, self._clause)]

    def _allowed(self, condition: Term, ground: Term, silent: list[Rule], permitted: bool) -> Solved:
        """An input on which the condition holds, no ``silent`` rule fires and, if asked, one permits."""
        permitting = self._permitting() if permitted else ()
        bodies = (*(rule.body for rule in silent), *(rule.body for rule in permitting))

        def search() -> Solved:
            mixed = self._mixed()
            if mixed is not None:
                return Solved(SolverAnswer.SAT, mixed)
            rules = self._formula.rules
            parts: list[Term] = [Not(rule.body) for rule in silent]
            grounds = [negate(rules[rule.name]) for rule in silent]
            if permitted:
                parts.append(Or(tuple(rule.body for rule in permitting)))
                grounds.append(negate(conjunction(negate(rules[rule.name]) for rule in permitting)))
            whole = And((condition, *parts)) if parts else condition
            return self._solution(whole, (ground, *grounds), doubted=bool(silent))

        return self._known(f"allowed {len(silent)} {permitted}", bodies, search)

    def _mixed(self) -> Arguments | None:
        """An allowed input that breaks the clause, made from a known one and a denied one that breaks it.

        Values of the denied input replace some of the known one. The result answers each question about few
        rules too, since none of them fires on it.
        """
        broken = self._denied_input
        if broken is None:
            return None
        types = {argument.name: argument.type.kind for argument in self._formula.terms.arguments}
        names = sorted(free_names(self._clause.term) & types.keys())
        enum_names = [name for name in names if types[name] is Kind.ENUM]
        other_names = [name for name in names if types[name] is not Kind.ENUM]
        subsets = [
            chosen for size in range(1, len(other_names) + 1) for chosen in combinations(other_names, size)
        ]
        breaks = self._formula.trial(self._broken)
        for known_input in self._inputs():
            if all(known_input[name] == broken[name] for name in enum_names):
                for chosen in subsets[:_MOST_MIXED]:
                    candidate = {**known_input, **{name: broken[name] for name in chosen}}
                    if breaks(candidate) and self._formula.runner.holds(self._broken, candidate):
                        return candidate
        return None

    def _by_denying(self, ground: Term) -> Solved:
        """An input that the policy denies although the clause does not."""
        if is_false(ground):
            return _NONE
        condition = self._with_result(FALSE)
        for rule in self._live(ground):
            solved = self._denied(condition, ground, rule)
            if solved.status is not SolverAnswer.UNSAT:
                return self._confirmed(solved)
        if self._formula.terms.default_allow:
            return _NONE
        return self._confirmed(self._not_permitted(condition, ground))

    def _denied(self, condition: Term, ground: Term, rule: Rule) -> Solved:
        def search() -> Solved:
            return self._solution(
                And((condition, rule.body)), (ground, self._formula.rules[rule.name]), doubted=True
            )

        return self._known("denied", (rule.body,), search)

    def _not_permitted(self, condition: Term, ground: Term) -> Solved:
        permitting = self._permitting()

        def search() -> Solved:
            nothing = Not(Or(tuple(rule.body for rule in permitting)))
            grounds = (negate(self._formula.rules[rule.name]) for rule in permitting)
            return self._solution(And((condition, nothing)), (ground, *grounds), doubted=True)

        return self._known("not permitted", tuple(rule.body for rule in permitting), search)

    def _permitting(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self._formula.terms.rules if not rule.forbids)

    def _confirmed(self, solved: Solved) -> Solved:
        """The input only if running the policy on it breaks the clause."""
        if solved.arguments is None or self._formula.runner.holds(self._broken, solved.arguments):
            return solved
        return _OPEN

    def _solution(self, condition: Term, ground: tuple[Term, ...], *, doubted: bool) -> Solved:
        self.cached = False
        return self._ask(condition, conjunction((self._formula.precondition, *ground)), doubted)

    def _known(self, kind: str, bodies: tuple[Term, ...], search: Callable[[], Solved]) -> Solved:
        terms = (self._clause.term, *bodies)
        return self._formula.grounder.remembered(f"{kind} {self._limit}", terms, search)

    def _with_result(self, result: Term) -> Term:
        term = self._clause.term
        return self._formula.grounder.remembered(
            f"broken {result}", (term,), lambda: with_result(self._broken, result)
        )


def negated(formula: Formula, term: Term) -> Term:
    """The negation of a clause's term: the same object each time, so that its ground term is kept."""
    return formula.grounder.remembered("negated", (term,), lambda: Not(term))


def with_result(term: Term, result: Term) -> Term:
    """Return a contract's term with ``Result()`` replaced by a constant."""
    return with_parts_changed(term, lambda part: result if isinstance(part, ResultTerm) else None)


def _shared(rule: Rule, clause: Clause) -> bool:
    """Whether a rule and a clause come from one requirement."""
    return not set(rule.requirements).isdisjoint(clause.requirements)

"""A clause as obligations: small goals that together imply the clause.

A clause is a condition on the arguments and on the decision. It is broken if its condition is false of an
allowing decision, or of a denying one. A denying decision is denied by one rule, and a rule fires in one of
its cases, so each case of each rule is an obligation of its own. For an allowing decision no rule fires,
which is a conjunction; there each case in which the clause would be broken is one obligation. An obligation
states that some conditions cannot be true together. A contradiction of fewer conditions is also one of all,
so an obligation may be proved with only those conditions that it needs (``Obligation.goal``): the decisions
of rules that are left out do not matter. Often it does not matter either what the conditions test: they
contradict each other by their connectives alone (``Obligation.without_tests``). Then the tests are replaced
by truth values, and what holds for all truth values holds for those of the tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product
from math import prod

from workbench.engines.nagini.lowering.clause_slice import Goal, learn
from workbench.engines.nagini.lowering.simplify import KnownFacts, Simplifier
from workbench.policy.connectives import conjunction, disjunction, is_false, is_true, negate
from workbench.policy.flat.flatten import flatten
from workbench.policy.flat.traverse import free_names
from workbench.policy.terms import (
    And,
    Choice,
    Clause,
    Compare,
    Comparison,
    Constant,
    ImpliesTerm,
    IsMissing,
    Not,
    Or,
    Parameter,
    PolicyTerms,
    Quantified,
    Quantifier,
    ResultTerm,
    Rule,
    StringTest,
    Term,
    Variable,
)
from workbench.policy.types import BOOL
from workbench.policy.walk import children, subterms, with_children

MOST_CASES = 12
"""The most cases of a condition that is split into them."""
MOST_TESTS = 6
"""The most tests of parts of strings of a goal that is not split further: their combinations are counted."""
MOST_OBLIGATIONS = 96
"""The most obligations of a clause; with more, it is proved as a whole."""
MOST_TRUTHS = 16
"""The most tests whose truth values are all tried."""
_RESULT = ResultTerm()


@dataclass(frozen=True, slots=True)
class Obligation:
    """Conditions that cannot be true together.

    ``assumed`` are conditions of the clause and of the preconditions. ``decided`` are conditions of the
    decision, each with its rule's name. If ``allowing``, they keep the forbidding rules from firing and
    permit; else they make one rule fire, or keep every permission from firing.
    """

    clause: Clause
    number: int
    allowing: bool
    assumed: tuple[Term, ...]
    decided: tuple[tuple[str, Term], ...]

    @property
    def name(self) -> str:
        """The name of the obligation's goal."""
        return f"{self.clause.id} part {self.number}"

    @property
    def conditions(self) -> tuple[Term, ...]:
        """All conditions, those of the clause first."""
        return (*self.assumed, *(term for _, term in self.decided))

    def likely(self, rules: Iterable[Rule]) -> frozenset[int]:
        """The places of conditions from the clause and from rules of its requirements; all if denying."""
        related = {rule.name for rule in rules if set(rule.requirements) & set(self.clause.requirements)}
        first = len(self.assumed)
        decided = (place for place, (name, _) in enumerate(self.decided, first) if name in related)
        return (
            frozenset((*range(first), *decided)) if self.allowing else frozenset(range(len(self.conditions)))
        )

    def guarded(self, needed: Collection[int]) -> frozenset[int]:
        """The needed places, with those of the conditions that test whether the mentioned values are present.

        The truth of a condition on a missing value is not defined. Without these tests an obligation may hold
        for one engine and not for another.
        """
        names = frozenset[str]().union(*(free_names(self.conditions[place]) for place in needed))
        flags = [place for place, condition in enumerate(self.conditions) if is_flag(condition)]
        return frozenset((*needed, *(flag for flag in flags if free_names(self.conditions[flag]) <= names)))

    def goal(self, needed: Collection[int] | None = None) -> Goal:
        """The goal of the obligation, with only the conditions at the places ``needed``; None for all."""
        kept_places = range(len(self.conditions)) if needed is None else needed
        return self._goal(self.conditions, sorted(kept_places))

    def without_tests(self, terms: PolicyTerms, among: Collection[int]) -> Goal | None:
        """The goal of few of the conditions at the places ``among``, with truth values for their tests.

        None if the connectives of these conditions do not make them contradictory, or if there are too many
        tests.
        """
        places = _contradicting(self.conditions, sorted(among))
        if places is None:
            return None
        truths = _Truths()
        conditions = {place: truths.of(self.conditions[place]) for place in places}
        goal = self._goal(conditions, places)
        parameters = [Parameter(variable.name, BOOL) for variable in truths.variables.values()]
        return replace(goal, flat=flatten(terms, goal.parts, parameters))

    def _goal(self, conditions: Mapping[int, Term] | tuple[Term, ...], places: list[int]) -> Goal:
        """The goal that the conditions at some places, in this order, cannot be true together."""
        first = len(self.assumed)
        together = conjunction(conditions[place] for place in places if place >= first)
        return Goal(
            self.name,
            self.clause.comment or self.clause.source,
            tuple(conditions[place] for place in places if place < first),
            Not(_RESULT) if self.allowing else _RESULT,
            together if self.allowing else negate(together),
            tuple(dict.fromkeys(self.decided[place - first][0] for place in places if place >= first)),
        )


def obligations(terms: PolicyTerms, clause: Clause) -> tuple[Obligation, ...]:
    """The obligations of a clause of a policy whose records are opened; empty if there are too many.

    If all of them hold, the clause holds.

    Raises:
        LoweringLimit: quantifiers over constants are too large to be expanded.
    """
    all_obligations: list[Obligation] = []
    for allowing in (True, False):
        known_facts, assumed = _broken(terms, clause, allowing)
        if all(any(map(is_false, case)) for case in assumed):
            continue
        for decided in _decisions(terms, known_facts, allowing):
            for case in assumed:
                if not any(is_false(condition) for condition in (*case, *(term for _, term in decided))):
                    all_obligations.append(
                        Obligation(clause, len(all_obligations) + 1, allowing, case, decided)
                    )
                if len(all_obligations) > MOST_OBLIGATIONS:
                    return ()
    return tuple(all_obligations)


def _broken(terms: PolicyTerms, clause: Clause, allowing: bool) -> tuple[KnownFacts, list[tuple[Term, ...]]]:
    """The facts that hold if an allowing or a denying decision breaks a clause, and the cases of that."""
    simplifier = Simplifier(terms)
    known_facts = KnownFacts()
    conditions = [simplifier.simplify(precondition.term, known_facts) for precondition in terms.assumed]
    for precondition in terms.assumed:
        known_facts = learn(precondition.term, known_facts)
    consequence = _with_result(clause.term, Constant(allowing))
    while isinstance(consequence, ImpliesTerm):
        for part in _split(consequence.condition):
            conditions.append(simplifier.simplify(part, known_facts))
            known_facts = learn(part, known_facts)
        consequence = consequence.consequence
    ends = cases(negate(simplifier.simplify(consequence, known_facts)))
    always = [cases(one) if has_many_tests(one) else [(one,)] for one in split_conjuncts(conditions)]
    if prod(map(len, always)) * len(ends) > MOST_OBLIGATIONS:
        always = [[tuple(split_conjuncts(conditions))]]
    chosen = [tuple(part for case in one for part in case) for one in product(*always, ends)]
    return known_facts, [tuple(dict.fromkeys(case)) for case in chosen]


def has_many_tests(term: Term) -> bool:
    """Whether a condition tests parts of strings so often that each test has to be in a goal of its own."""
    return len({part for part in subterms(term) if isinstance(part, StringTest)}) > MOST_TESTS


def _decisions(
    terms: PolicyTerms, known_facts: KnownFacts, allowing: bool
) -> list[tuple[tuple[str, Term], ...]]:
    """The cases of an allowing or a denying decision, each as conditions with the names of their rules."""
    simplifier = Simplifier(terms)
    bodies = [(rule, simplifier.simplify(rule.body, known_facts)) for rule in terms.rules]
    forbid = [(rule.name, body) for rule, body in bodies if rule.forbids]
    permit = [(rule.name, body) for rule, body in bodies if not rule.forbids]
    if allowing:
        silent = tuple((name, part) for name, body in forbid for part in split_conjuncts([negate(body)]))
        if terms.default_allow:
            return [silent]
        return [(*silent, *((name, part) for part in case)) for name, body in permit for case in cases(body)]
    fires = [tuple((name, part) for part in case) for name, body in forbid for case in cases(body)]
    if terms.default_allow:
        return fires
    return [*fires, tuple((name, part) for name, body in permit for part in split_conjuncts([negate(body)]))]


def is_flag(term: Term) -> bool:
    """Whether a condition is a truth value of an argument, or tests whether a value is missing."""
    inner = term.operand if isinstance(term, Not) else term
    return isinstance(inner, Variable | IsMissing)


def _with_result(term: Term, result: Constant) -> Term:
    if isinstance(term, ResultTerm):
        return result
    return with_children(term, tuple(_with_result(part, result) for part in children(term)))


def split_conjuncts(terms: Iterable[Term]) -> list[Term]:
    """The conditions whose conjunction is that of the terms, without conditions that are always true."""
    return [part for term in terms for part in _split(term) if not is_true(part)]


def _split(term: Term) -> list[Term]:
    match term:
        case And(operands):
            return [part for operand in operands for part in _split(operand)]
        case Not(Or(operands)):
            return [part for operand in operands for part in _split(negate(operand))]
        case Not(ImpliesTerm(condition, consequence)):
            return [*_split(condition), *_split(negate(consequence))]
        case _:
            return [term]


def cases(term: Term) -> list[tuple[Term, ...]]:
    """Conjunctions of which one is true exactly if the term is; a term of too many cases is one."""
    return [tuple(split_conjuncts(case)) for case in _cases(term)]


def _cases(term: Term) -> list[tuple[Term, ...]]:
    match term:
        case Or(operands):
            alternatives = _alternatives(operands)
        case Not(And(operands)):
            alternatives = _alternatives([negate(operand) for operand in operands])
        case ImpliesTerm(condition, consequence):
            alternatives = _alternatives((negate(condition), consequence))
        case And() | Not(Or()) | Not(ImpliesTerm()):
            parts = [_cases(conjunct) for conjunct in _split(term)]
            if prod(map(len, parts)) > _most_cases(term):
                return [(term,)]
            alternatives = [tuple(part for case in chosen for part in case) for chosen in product(*parts)]
        case _:
            return [(term,)]
    return alternatives if len(alternatives) <= _most_cases(term) else [(term,)]


def _most_cases(term: Term) -> int:
    return MOST_OBLIGATIONS if has_many_tests(term) else MOST_CASES


def _alternatives(terms: Iterable[Term]) -> list[tuple[Term, ...]]:
    """The cases of each term; those of later terms assume the values present that earlier ones test."""
    alternatives: list[tuple[Term, ...]] = []
    guards: list[Term] = []
    for term in terms:
        alternatives += [(*guards, *case) for case in _cases(term)]
        guards += [part for part in _split(negate(term)) if is_flag(part)]
    return alternatives


# --- conditions that contradict each other by their connectives alone


@dataclass(slots=True)
class _Truths:
    """Truth values for the tests of conditions, numbered in the order in which the tests occur.

    The same test has the same value everywhere; two that are each other's negation share one.
    """

    variables: dict[Term, Variable] = field(default_factory=dict[Term, Variable])

    def of(self, term: Term) -> Term:
        """A condition with truth values in place of its tests."""
        match term:
            case Constant():
                return term
            case Not(operand):
                return negate(self.of(operand))
            case And(operands):
                return conjunction(list(map(self.of, operands)))
            case Or(operands):
                return disjunction(list(map(self.of, operands)))
            case ImpliesTerm(condition, consequence):
                return disjunction([negate(self.of(condition)), self.of(consequence)])
            case Choice(condition, then, otherwise):
                return Choice(self.of(condition), self.of(then), self.of(otherwise))
            case _:
                test, negated = _test_of(term)
                variable = self.variables.setdefault(test, Variable(f"truth {len(self.variables) + 1}", BOOL))
                return Not(variable) if negated else variable


def _test_of(term: Term) -> tuple[Term, bool]:
    """The test that decides a condition without connectives, and whether the condition is its negation."""
    match term:
        case Compare(Comparison.NE, left, right):
            return Compare(Comparison.EQ, left, right), True
        case Compare(Comparison.GE, left, right):
            return Compare(Comparison.LT, left, right), True
        case Compare(Comparison.GT, left, right):
            return Compare(Comparison.LT, right, left), False
        case Compare(Comparison.LE, left, right):
            return Compare(Comparison.LT, right, left), True
        case Quantified(Quantifier.ALL, variable, collection, body):
            return Quantified(Quantifier.ANY, variable, collection, negate(body)), True
        case _:
            return term, False


def _contradicting(conditions: tuple[Term, ...], places: list[int]) -> list[int] | None:
    """Those of some places whose conditions contradict each other whatever is true of their tests."""
    truths = _Truths()
    related = _related({place: truths.of(conditions[place]) for place in places})
    names = sorted(frozenset[str]().union(*map(free_names, related.values())))
    if len(names) > MOST_TRUTHS:
        return None
    whole, columns = _columns(names)
    rows = {place: _rows(term, columns, whole) for place, term in related.items()}
    if reduce(int.__and__, rows.values(), whole):
        return None
    for place in sorted(rows, reverse=True):
        if not reduce(int.__and__, (row for other, row in rows.items() if other != place), whole):
            del rows[place]
    return sorted(rows)


def _related(conditions: Mapping[int, Term]) -> dict[int, Term]:
    """The conditions without those that can be made true by truth values that no other one has."""
    left, names = dict(conditions), {place: free_names(term) for place, term in conditions.items()}
    uses = Counter(name for used in names.values() for name in used)
    again = True
    while again:
        again = False
        for place, term in tuple(left.items()):
            own = [name for name in names[place] if uses[name] == 1]
            if own and _can_hold(term, sorted(names[place]), own):
                del left[place]
                uses.subtract(names[place])
                again = True
    return left


def _can_hold(term: Term, names: list[str], own: Iterable[str]) -> bool:
    """Whether a condition is true for some values of its ``own`` names, whatever the other ones are."""
    if len(names) > MOST_TRUTHS:
        return False
    whole, columns = _columns(names)
    rows = _rows(term, columns, whole)
    for name in own:
        width = 1 << names.index(name)
        rows |= (rows & columns[name]) << width | (rows & ~columns[name]) >> width
    return rows == whole


def _columns(names: list[str]) -> tuple[int, dict[str, int]]:
    """A bit for each combination of truth values; and for each name the bits of those in which it is true."""
    whole, columns = 1, dict[str, int]()
    for place, name in enumerate(names):
        width = 1 << place
        columns = {earlier: column | column << width for earlier, column in columns.items()}
        columns[name] = whole
        whole |= whole << width
    return whole, columns


def _rows(term: Term, columns: Mapping[str, int], whole: int) -> int:
    """The combinations of truth values in which a condition of ``_Truths`` is true."""
    match term:
        case Variable(name):
            return columns[name]
        case Not(operand):
            return whole ^ _rows(operand, columns, whole)
        case And(operands):
            return reduce(int.__and__, (_rows(part, columns, whole) for part in operands), whole)
        case Or(operands):
            return reduce(int.__or__, (_rows(part, columns, whole) for part in operands), 0)
        case Choice(condition, then, otherwise):
            row = _rows(condition, columns, whole)
            return row & _rows(then, columns, whole) | (whole ^ row) & _rows(otherwise, columns, whole)
        case _:
            return whole if is_true(term) else 0

"""The number of set elements that a query needs: the small-model argument of the SMT encoding.

A set argument is an arbitrary finite set of strings. The encoding gives all set arguments of
a query one pool of ``k`` candidate elements and, per set and candidate, a membership bit; a
quantifier over a set becomes a disjunction or conjunction over the pool. A model of that
formula is always a model of the query. For the converse, take any model M of the query, and

* for every existential that M makes true on the way to making the query true, one witness;
* for every positive ``t in S`` with a ``t`` that no universal binds, the value of ``t``.

Let W be the set of these values, and shrink every set to ``S & W``. Universals stay true,
because they range over fewer elements. Existentials keep their witness. ``t in S`` keeps its
truth for every value in W, and ``t not in S`` cannot become false. Hence the query is still
true, with at most |W| elements. A conjunction needs the witnesses of all its parts, a
disjunction only those of the part that is true, so that ``k`` stays small: the denial of
"no rule fires" needs one rule's witnesses, however many rules there are. Below a universal a
different part may be true for each element, so that there the parts add up.

The argument fails if an existential below a universal depends on the universal's variable, or
if a test ``t in S`` does so with a ``t`` that is not that variable: each element may then need
a witness of its own. Such a query is marked inexact, and finding no model for it is "unknown".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.engines.smt.ground_parts import parts_of, walk_ground
from workbench.engines.smt.ground_terms import is_boolean
from workbench.policy.terms import (
    And,
    Choice,
    Compare,
    ConstantSet,
    Member,
    Not,
    Or,
    Quantified,
    Quantifier,
    SetVariable,
    Term,
    Variable,
)


@dataclass(frozen=True, slots=True)
class Witnesses:
    """``count`` candidate elements suffice for the query if ``exact``.

    ``existentials`` counts those among them that are not values of a test ``t in S``.
    """

    count: int
    existentials: int
    exact: bool

    def plus(self, other: Witnesses) -> Witnesses:
        """The witnesses needed if both parts have to be true."""
        all_existentials = self.existentials + other.existentials
        return Witnesses(self.count + other.count, all_existentials, self.exact and other.exact)

    def most(self, other: Witnesses) -> Witnesses:
        """The witnesses needed if either part may be the true one."""
        most_existentials = max(self.existentials, other.existentials)
        return Witnesses(max(self.count, other.count), most_existentials, self.exact and other.exact)


NONE = Witnesses(0, 0, True)


def witnesses(query: Term) -> Witnesses:
    """Return the number of set elements that a model of the ground query needs."""
    counts = _Counter().truth(query, True, frozenset())
    # Equal terms have equal values, so a term needs one candidate even if it is tested several times.
    tested = {part.item for part in walk_ground(query) if _tests_set(part) and isinstance(part, Member)}
    return replace(counts, count=min(counts.count, counts.existentials + len(tested)))


def _tests_set(term: Term) -> bool:
    return isinstance(term, Member) and isinstance(term.collection, SetVariable)


class _Counter:
    """Counts witnesses, and stores the free variables of shared subterms."""

    def __init__(self) -> None:
        self._free: dict[int, frozenset[str]] = {}
        self._sets: dict[int, bool] = {}

    def truth(  # noqa: C901 # one case for each kind of term
        self, term: Term, positive: bool, bound: frozenset[str]
    ) -> Witnesses:
        """Count for a boolean ``term`` to be ``positive``, below universals over ``bound``."""
        if not self._mentions_set(term):
            return NONE
        if bound and not (self._free_variables(term) & bound):
            bound = frozenset()
        match term:
            case Not(operand):
                return self.truth(operand, not positive, bound)
            case And(operands) | Or(operands):
                return self._joined(operands, isinstance(term, And) == positive, positive, bound)
            case Quantified(quantifier, variable, _, body):
                if (quantifier is Quantifier.ANY) == positive:
                    inner = self.truth(body, positive, bound)
                    exact = inner.exact and not bound
                    return Witnesses(inner.count + 1, inner.existentials + 1, exact)
                return self.truth(body, positive, bound | {variable.name})
            case Member(item, collection):
                inner = self.value(item, bound)
                if isinstance(collection, ConstantSet) or not positive:
                    return inner
                if isinstance(item, Variable) and "@" in item.name:
                    return inner
                return Witnesses(inner.count + 1, inner.existentials, inner.exact and not bound)
            case Compare(_, left, right) if is_boolean(left) and is_boolean(right):
                return self._either(left, bound).plus(self._either(right, bound))
            case Choice(condition, then, otherwise):
                chosen = self.truth(condition, True, bound).plus(self.truth(then, positive, bound))
                not_chosen = self.truth(condition, False, bound).plus(self.truth(otherwise, positive, bound))
                return chosen.plus(not_chosen) if bound else chosen.most(not_chosen)
            case _:
                return self.value(term, bound)

    def value(self, term: Term, bound: frozenset[str]) -> Witnesses:
        """Count for the value of a scalar ``term`` to be determined, for any value."""
        if not self._mentions_set(term):
            return NONE
        total = NONE
        for part in parts_of(term):
            total = total.plus(self._either(part, bound) if is_boolean(part) else self.value(part, bound))
        return total

    def _either(self, term: Term, bound: frozenset[str]) -> Witnesses:
        true, false = self.truth(term, True, bound), self.truth(term, False, bound)
        return true.plus(false) if bound else true.most(false)

    def _joined(
        self, operands: tuple[Term, ...], all_needed: bool, positive: bool, bound: frozenset[str]
    ) -> Witnesses:
        total = NONE
        for operand in operands:
            part = self.truth(operand, positive, bound)
            total = total.plus(part) if all_needed or bound else total.most(part)
        return total

    def _mentions_set(self, term: Term) -> bool:
        mentions_set = self._sets.get(id(term))
        if mentions_set is None:
            over_set = isinstance(term, Quantified) or (
                isinstance(term, Member) and not isinstance(term.collection, ConstantSet)
            )
            mentions_set = over_set or any(self._mentions_set(part) for part in parts_of(term))
            self._sets[id(term)] = mentions_set
        return mentions_set

    def _free_variables(self, term: Term) -> frozenset[str]:
        free_variables = self._free.get(id(term))
        if free_variables is None:
            if isinstance(term, Variable):
                free_variables = frozenset({term.name})
            else:
                free_variables = frozenset[str]().union(
                    *(self._free_variables(part) for part in parts_of(term))
                )
                if isinstance(term, Quantified):
                    free_variables -= {term.variable.name}
            self._free[id(term)] = free_variables
        return free_variables

"""The aggregates of terms over whole lists: ``any``, ``all``, counts, sums and comparisons by fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.model import Kind
from workbench.policy.flat.flat_limit import FlatLimit
from workbench.policy.flat.traverse import (
    bound_variable,
    free_names,
    inner_parts,
    outer_parts,
    with_changed,
)
from workbench.policy.terms import (
    Attribute,
    Compare,
    CompareFields,
    Comparison,
    Count,
    Elements,
    Member,
    Quantified,
    Quantifier,
    Sum,
    Term,
    Variable,
)

type Aggregate = Quantified | Count | Sum | CompareFields
_AGGREGATES = (Quantified, Count, Sum, CompareFields)


def lists_of(term: Term) -> tuple[Variable | Attribute, ...]:
    """The lists that an aggregate reads; none if the term is no aggregate over a list."""
    match term:
        case CompareFields(_, left, right):
            return (left.collection.term, right.collection.term)
        case Quantified(_, _, Elements(held), _) if held.type.kind is Kind.LIST:
            return (held,)
        case Count(_, Elements(held), _) | Sum(_, Elements(held), _, _):
            if held.type.kind is not Kind.LIST:
                raise FlatLimit("The size of a set cannot be decided; ask whether it has an element.")
            return (held,)
        case _:
            return ()


def plain_membership(term: Term) -> Term:
    """The term with ``item in a_list`` as ``any(item == element for element in a_list)``."""
    outer = tuple(plain_membership(part) for part in outer_parts(term))
    inner = tuple(plain_membership(part) for part in inner_parts(term))
    if isinstance(term, Member) and isinstance(term.collection, Elements):
        held = term.collection.term
        if held.type.kind is Kind.LIST and held.type.element is not None:
            name = "element"
            while name in free_names(outer[0]):
                name += "~"
            variable = Variable(name, held.type.element)
            body = Compare(Comparison.EQ, variable, outer[0])
            return Quantified(Quantifier.ANY, variable, Elements(held), body)
    return with_changed(term, outer, inner)


class Holding:
    """A memory of the terms that are or contain aggregates; most parts of a query do not, and are skipped."""

    def __init__(self) -> None:
        """Start without any known term."""
        # By identity; the term is kept so that its identity is not reused.
        self._known: dict[int, tuple[Term, bool]] = {}

    def __call__(self, term: Term) -> bool:
        """Whether the term holds an aggregate, over a list or a set."""
        known_answer = self._known.get(id(term))
        if known_answer is None:
            holds_aggregate = isinstance(term, _AGGREGATES) or any(
                map(self, (*outer_parts(term), *inner_parts(term)))
            )
            known_answer = self._known[id(term)] = (term, holds_aggregate)
        return known_answer[1]


@dataclass(slots=True)
class FoundAggregates:
    """The aggregates of some terms over lists that are arguments, by the names of the lists.

    ``closed`` aggregates mention no variable that is bound around them. ``waiting`` names the lists of the
    other aggregates, which become closed once the lists around them are flat.
    """

    closed: dict[str, list[Aggregate]] = field(default_factory=dict[str, list[Aggregate]])
    waiting: set[str] = field(default_factory=set[str])
    types: dict[str, Variable] = field(default_factory=dict[str, Variable])


def find(terms: Iterable[Term], holding: Holding | None = None) -> FoundAggregates:
    """The aggregates over lists in terms; ``holding`` remembers the parts without aggregates."""
    search = _AggregateSearch(holding or Holding())
    for term in terms:
        search.look(term, frozenset())
    return search.aggregates


class _AggregateSearch:
    """A search for aggregates, which visits each term once per set of variables bound around it."""

    def __init__(self, holding: Holding) -> None:
        self.aggregates = FoundAggregates()
        self._holding = holding
        self._seen: set[tuple[int, frozenset[str]]] = set()

    def look(self, term: Term, bound: frozenset[str]) -> None:
        """Note the aggregates in a term."""
        key = id(term), bound
        if key in self._seen or not self._holding(term):
            return
        self._seen.add(key)
        variables = [
            collection
            for collection in lists_of(term)
            if isinstance(collection, Variable) and collection.name not in bound
        ]
        if variables and isinstance(term, Quantified | Count | Sum | CompareFields):
            self._note(term, variables, bound)
        for part in outer_parts(term):
            self.look(part, bound)
        variable = bound_variable(term)
        for part in inner_parts(term):
            self.look(part, bound if variable is None else bound | {variable.name})

    def _note(self, term: Aggregate, variables: Sequence[Variable], bound: frozenset[str]) -> None:
        for variable in variables:
            self.aggregates.types.setdefault(variable.name, variable)
        if free_names(term) & bound:
            self.aggregates.waiting.update(variable.name for variable in variables)
            return
        for name in dict.fromkeys(variable.name for variable in variables):
            listed = self.aggregates.closed.setdefault(name, [])
            if term not in listed:
                listed.append(term)


class Replacement:
    """Replaces closed aggregates in terms; a part that occurs several times is visited once."""

    def __init__(self, known: Mapping[Term, Term], holding: Holding) -> None:
        """Take the replacement of each aggregate, and the memory of the terms without aggregates."""
        self._known = known
        self._holding = holding
        self._done: dict[tuple[int, frozenset[str]], Term] = {}

    def of(self, term: Term, bound: frozenset[str] = frozenset()) -> Term:
        """The term with closed aggregates replaced."""
        if not self._holding(term):
            return term
        key = id(term), bound
        replacement = self._done.get(key)
        if replacement is None:
            replacement = self._done[key] = self._replaced(term, bound)
        return replacement

    def _replaced(self, term: Term, bound: frozenset[str]) -> Term:
        is_aggregate = isinstance(term, _AGGREGATES)
        if is_aggregate and term in self._known and not free_names(term) & bound:
            return self._known[term]
        variable = bound_variable(term)
        inner = bound if variable is None else bound | {variable.name}
        outer = tuple([self.of(part, bound) for part in outer_parts(term)])
        inside = tuple([self.of(part, inner) for part in inner_parts(term)])
        return with_changed(term, outer, inside)

"""What a term asks of whole lists: ``any``, ``all``, counts, sums and comparisons of lists by fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.model import Kind
from workbench.policy.flat.limit import FlatLimit
from workbench.policy.flat.traverse import (
    bound_variable,
    free_names,
    inner_parts,
    outer_parts,
    with_changed,
    with_parts,
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


def lists_of(term: Term) -> tuple[Variable | Attribute, ...]:
    """The lists that an aggregate asks about; none if the term is no aggregate over a list."""
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
    return with_parts(term, outer, inner)


@dataclass(slots=True)
class FoundAggregates:
    """The aggregates of some terms over lists that are arguments, by the names of the lists.

    ``closed`` ones mention no variable that is bound around them; ``waiting`` names the lists of the others:
    these are closed once the lists around them are flat.
    """

    closed: dict[str, list[Aggregate]] = field(default_factory=dict[str, list[Aggregate]])
    waiting: set[str] = field(default_factory=set[str])
    types: dict[str, Variable] = field(default_factory=dict[str, Variable])


def find(terms: Iterable[Term]) -> FoundAggregates:
    """The aggregates over lists in terms."""
    found = FoundAggregates()
    for term in terms:
        _find(term, frozenset(), found)
    return found


def _find(term: Term, bound: frozenset[str], found: FoundAggregates) -> None:
    asked = [one for one in lists_of(term) if isinstance(one, Variable) and one.name not in bound]
    if asked and isinstance(term, Quantified | Count | Sum | CompareFields):
        for one in asked:
            found.types.setdefault(one.name, one)
        if free_names(term) & bound:
            found.waiting.update(one.name for one in asked)
        else:
            for name in dict.fromkeys(one.name for one in asked):
                listed = found.closed.setdefault(name, [])
                if term not in listed:
                    listed.append(term)
    for part in outer_parts(term):
        _find(part, bound, found)
    variable = bound_variable(term)
    for part in inner_parts(term):
        _find(part, bound if variable is None else bound | {variable.name}, found)


def replaced(term: Term, known: Mapping[Term, Term], bound: frozenset[str] = frozenset()) -> Term:
    """The term with closed aggregates replaced."""
    is_aggregate = isinstance(term, Quantified | Count | Sum | CompareFields)
    if is_aggregate and term in known and not free_names(term) & bound:
        return known[term]
    variable = bound_variable(term)
    inner = bound if variable is None else bound | {variable.name}
    outer = tuple([replaced(part, known, bound) for part in outer_parts(term)])
    inside = tuple([replaced(part, known, inner) for part in inner_parts(term)])
    return with_changed(term, outer, inside)

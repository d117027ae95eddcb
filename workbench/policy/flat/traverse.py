"""The parts of a term including its collections, and the same term with other parts.

In contrast to ``workbench.policy.walk``, lists, records and tested optional arguments count as parts here,
because they are flattened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import is_
from typing import cast

from workbench.model import Kind
from workbench.policy.connectives import FALSE
from workbench.policy.flat.flat_limit import FlatLimit
from workbench.policy.terms import (
    Attribute,
    Choice,
    Collection,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    Count,
    Elements,
    IsMissing,
    Member,
    Quantified,
    SetVariable,
    Sum,
    TableEntry,
    Term,
    Variable,
)
from workbench.policy.walk import BINDERS, Binder, children, inside, with_children


def _with(collection: Collection, inner: tuple[Term, ...]) -> Collection:
    match collection:
        case TableEntry():
            return replace(collection, key=inner[0])
        case Elements():
            return elements(inner[0])
        case _:
            return collection


def elements(term: Term) -> Elements | SetVariable:
    """The collection that a term holds; a set that is a variable is referred to by its name."""
    if isinstance(term, Variable) and term.type.kind is Kind.SET:
        return SetVariable(term.name)
    if isinstance(term, Variable | Attribute):
        return Elements(term)
    raise FlatLimit("A list or set that is chosen by a condition cannot be decided; test each one by itself.")


def outer_parts(term: Term) -> tuple[Term, ...]:
    """The direct parts that are outside the scope of the variable that the term binds, if it binds one."""
    if isinstance(term, IsMissing):
        return (term.variable,)
    return children(term)[len(inner_parts(term)) :]


def inner_parts(term: Term) -> tuple[Term, ...]:
    """The direct parts that are inside the scope of the variable that the term binds."""
    return inside(term) if isinstance(term, BINDERS) else ()


def with_parts(term: Term, outer: tuple[Term, ...], inner: tuple[Term, ...]) -> Term:
    """The same term with other direct parts, in the order of ``outer_parts`` and ``inner_parts``."""
    match term:
        case Quantified():
            return replace(term, collection=_with(term.collection, outer), body=inner[0])
        case Member():
            return Member(outer[0], _with(term.collection, outer[1:]))
        case Count() | Sum() | CompareFields():
            return with_children(term, (*inner, *map(_held, outer)))
        case IsMissing():
            return missing_condition(outer[0])
        case Attribute():
            return attribute(outer[0], term)
        case _:
            return with_children(term, outer)


def _held(term: Term) -> Variable | Attribute:
    collection = elements(term)
    if isinstance(collection, SetVariable):
        raise FlatLimit("A set is counted as a list.")
    return collection.term


def attribute(record: Term, of: Attribute) -> Term:
    """The field of a record; for a record that is chosen by a condition, the choice between the fields."""
    match record:
        case Variable() | Attribute():
            return replace(of, record=record)
        case Choice(condition, then, otherwise):
            return Choice(condition, attribute(then, of), attribute(otherwise, of))
        case _:
            raise FlatLimit(f"The field {of.name} of something that is no record cannot be decided.")


def missing_condition(term: Term) -> Term:
    """The condition that a term is None."""
    match term:
        case Constant(value):
            return Constant(value is None)
        case Variable() | Attribute():
            return IsMissing(term) if term.type.optional else FALSE
        case Choice(condition, then, otherwise):
            return Choice(condition, missing_condition(then), missing_condition(otherwise))
        case _:
            return Compare(Comparison.EQ, term, Constant(None))


def bound_variable(term: Term) -> Variable | None:
    """The variable that a term binds, or None."""
    return term.variable if isinstance(term, BINDERS) else None


def with_changed(term: Term, outer: tuple[Term, ...], inner: tuple[Term, ...]) -> Term:
    """Like ``with_parts``, but returns the same object if no part differs."""
    if all(map(is_, outer_parts(term), outer)) and all(map(is_, inner_parts(term), inner)):
        return term
    return with_parts(term, outer, inner)


def walk(term: Term) -> Iterator[Term]:
    """Yield the term and all its parts, outermost first."""
    stack = [term]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed((*outer_parts(current), *inner_parts(current))))


def free_names(term: Term) -> frozenset[str]:
    """The names of the variables and sets that a term mentions and does not bind itself."""
    names: set[str] = set()
    _collect(term, frozenset(), names)
    return frozenset(names)


def _collect(term: Term, bound: frozenset[str], names: set[str]) -> None:
    if isinstance(term, Variable) and term.name not in bound:
        names.add(term.name)
    collection = term.collection if isinstance(term, Member | Quantified) else None
    if isinstance(collection, SetVariable) and collection.name not in bound:
        names.add(collection.name)
    for part in outer_parts(term):
        _collect(part, bound, names)
    variable = bound_variable(term)
    inner = bound if variable is None else bound | {variable.name}
    for part in inner_parts(term):
        _collect(part, inner, names)


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """The term with its free variables replaced; bound variables that would capture one are renamed."""
    if not values:
        return term
    if isinstance(term, Variable):
        return values.get(term.name, term)
    outer = tuple(substitute(part, values) for part in outer_parts(term))
    variable = bound_variable(term)
    if variable is None:
        return with_parts(_renamed_set(term, values), outer, ())
    term = cast("Binder", _renamed_set(term, values))
    inner = {name: value for name, value in values.items() if name != variable.name}
    free_in_values = frozenset[str]().union(*(free_names(value) for value in inner.values()))
    name = variable.name
    while name in free_in_values:
        name += "~"
    if name != variable.name:
        inner[variable.name] = replace(variable, name=name)
        term = replace(term, variable=replace(variable, name=name))
    return with_parts(term, outer, tuple(substitute(part, inner) for part in inner_parts(term)))


def _renamed_set(term: Term, values: Mapping[str, Term]) -> Term:
    """The term with the set that it names replaced by another."""
    if isinstance(term, Member | Quantified) and isinstance(term.collection, SetVariable):
        replacement = values.get(term.collection.name)
        if replacement is not None:
            return replace(term, collection=elements(replacement))
    return term


def fields_used(term: Term, item: Variable) -> frozenset[str]:
    """The fields of a variable that a term mentions; ``""`` means the variable as a whole."""
    if isinstance(term, Attribute) and term.record == item:
        return frozenset({term.name})
    if term == item:
        return frozenset({""})
    parts = (*outer_parts(term), *inner_parts(term))
    return frozenset[str]().union(*(fields_used(part, item) for part in parts))

"""Walking and rebuilding terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import cast

from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Compare,
    CompareFields,
    Constant,
    Count,
    Elements,
    FieldSet,
    ImpliesTerm,
    IsMissing,
    Length,
    Lookup,
    Member,
    Not,
    Or,
    Quantified,
    ResultTerm,
    StringTest,
    Sum,
    TableEntry,
    Term,
    Variable,
)

_TERMS = (
    Constant,
    Variable,
    Attribute,
    ResultTerm,
    Not,
    And,
    Or,
    ImpliesTerm,
    Compare,
    Member,
    Quantified,
    Count,
    Sum,
    CompareFields,
    StringTest,
    Length,
    Arithmetic,
    Choice,
    IsMissing,
    Lookup,
)
TRUE = Constant(True)
FALSE = Constant(False)


def is_true(term: Term) -> bool:
    """Whether a term is the constant True, and not the int 1, which equals it in Python."""
    return isinstance(term, Constant) and term.value is True


def is_false(term: Term) -> bool:
    """Whether a term is the constant False, and not the int 0, which equals it in Python."""
    return isinstance(term, Constant) and term.value is False


def negate(term: Term) -> Term:
    """The negation, without double negation."""
    match term:
        case Constant(value):
            return Constant(not value)
        case Not(operand):
            return operand
        case _:
            return Not(term)


def conjunction(terms: Iterable[Term]) -> Term:
    """The terms joined by ``and``, with constants and nesting removed."""
    operands: list[Term] = []
    for term in terms:
        if is_false(term):
            return FALSE
        if isinstance(term, And):
            operands.extend(term.operands)
        elif not is_true(term):
            operands.append(term)
    return operands[0] if len(operands) == 1 else And(tuple(operands)) if operands else TRUE


def disjunction(terms: Iterable[Term]) -> Term:
    """The terms joined by ``or``, with constants and nesting removed."""
    operands: list[Term] = []
    for term in terms:
        if is_true(term):
            return TRUE
        if isinstance(term, Or):
            operands.extend(term.operands)
        elif not is_false(term):
            operands.append(term)
    return operands[0] if len(operands) == 1 else Or(tuple(operands)) if operands else FALSE


def _parts(value: object) -> tuple[Term, ...]:
    if isinstance(value, _TERMS):
        return (value,)
    if isinstance(value, TableEntry):
        return (value.key,)
    if isinstance(value, Elements):
        return (value.term,)
    if isinstance(value, FieldSet):
        return (value.collection.term,)
    if isinstance(value, tuple):
        return tuple(item for item in cast("tuple[object, ...]", value) if isinstance(item, _TERMS))
    return ()


def children(term: Term) -> tuple[Term, ...]:
    """The direct sub-terms, including a table entry's key but no bound variables."""
    return tuple(
        part
        for field in fields(term)
        if field.name != "variable"
        for part in _parts(getattr(term, field.name))
    )


def walk(term: Term) -> Iterable[Term]:
    """The term and all its sub-terms."""
    yield term
    for child in children(term):
        yield from walk(child)


def size(term: Term) -> int:
    """The number of nodes."""
    return sum(1 for _ in walk(term))

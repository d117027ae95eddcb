"""Whether a term uses values that can be None only where it has tested that they are not."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.policy.checker.scope import present_if
from workbench.policy.terms import (
    And,
    Attribute,
    Choice,
    Compare,
    Comparison,
    Helper,
    HelperCall,
    ImpliesTerm,
    Or,
    Sum,
    Term,
    Variable,
)
from workbench.policy.walk import children, path_of


def is_guarded(term: Term, helpers: Mapping[str, Helper], present: frozenset[str] = frozenset()) -> bool:
    """Whether every use of an optional value is guarded, as the checker demands of a policy's text.

    ``present`` are the optional arguments and fields that are known not to be None.
    """
    match term:
        case Variable(name, type):
            return not type.optional or name in present
        case Attribute(record, _, type):
            return (not type.optional or path_of(term) in present) and is_guarded(record, helpers, present)
        case Compare(Comparison.EQ | Comparison.NE, left, right):
            return all(_may_be_none(side, helpers, present) for side in (left, right))
        case And(operands) | Or(operands):
            return _in_order(operands, isinstance(term, And), helpers, present)
        case ImpliesTerm(condition, consequence):
            return _in_order((condition, consequence), True, helpers, present)
        case Choice(condition, then, otherwise):
            return (
                is_guarded(condition, helpers, present)
                and is_guarded(then, helpers, present | present_if(condition, True))
                and is_guarded(otherwise, helpers, present | present_if(condition, False))
            )
        case Sum(_, collection, value, condition):
            return _in_order((collection.term, condition, value), True, helpers, present)
        case HelperCall(function, operands):
            return all(
                _may_be_none(operand, helpers, present)
                if parameter.type.optional
                else is_guarded(operand, helpers, present)
                for operand, parameter in zip(operands, helpers[function].parameters, strict=True)
            )
        case _:
            return all(is_guarded(part, helpers, present) for part in children(term))


def _may_be_none(term: Term, helpers: Mapping[str, Helper], present: frozenset[str]) -> bool:
    """Whether a term is guarded where it may be None itself."""
    match term:
        case Variable():
            return True
        case Attribute(record, _, _):
            return is_guarded(record, helpers, present)
        case _:
            return is_guarded(term, helpers, present)


def _in_order(
    terms: tuple[Term, ...], truth: bool, helpers: Mapping[str, Helper], present: frozenset[str]
) -> bool:
    """Whether terms are guarded of which each is read only if those before it have this truth value."""
    for term in terms:
        if not is_guarded(term, helpers, present):
            return False
        present |= present_if(term, truth)
    return True

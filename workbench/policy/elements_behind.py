"""The elements of sets and lists that make a condition true, or false."""

from __future__ import annotations

from workbench.model import Element
from workbench.policy.evaluate import Valuation, members_of, value_of
from workbench.policy.terms import (
    And,
    Choice,
    Elements,
    ImpliesTerm,
    Member,
    Not,
    Or,
    Quantified,
    Quantifier,
    SetVariable,
    Term,
)
from workbench.policy.undetermined import Undetermined


def _element_truth(term: Term, world: Valuation) -> bool:
    return value_of(term, world) is True


def elements_behind(term: Term, world: Valuation, truth: bool) -> set[Element]:
    """The elements behind a term that has this truth value."""
    match term:
        case Not(operand):
            return elements_behind(operand, world, not truth)
        case And(operands) | Or(operands):
            return _of_some(operands, world, truth, every=isinstance(term, And) is truth)
        case ImpliesTerm(condition, consequence):
            return elements_behind(Or((Not(condition), consequence)), world, truth)
        case Choice(condition, then, otherwise):
            chosen = _element_truth(condition, world)
            elements = elements_behind(condition, world, chosen)
            return elements | elements_behind(then if chosen else otherwise, world, truth)
        case Quantified():
            return _of_elements(term, world, truth)
        case Member(item, SetVariable() | Elements()) if truth:
            held = value_of(item, world)
            return set() if isinstance(held, Undetermined | frozenset | tuple | None) else {held}
        case _:
            return set()


def _of_some(operands: tuple[Term, ...], world: Valuation, truth: bool, *, every: bool) -> set[Element]:
    """The elements behind a conjunction or disjunction: of all operands, or of those that decide it."""
    elements: set[Element] = set()
    for operand in operands:
        try:
            if every or _element_truth(operand, world) is truth:
                elements |= elements_behind(operand, world, truth)
        except (TypeError, KeyError):
            break  # an earlier guard decided, so the rest is never evaluated
    return elements


def _of_elements(term: Quantified, world: Valuation, truth: bool) -> set[Element]:
    """The elements that decide a true ``any`` or a false ``all``."""
    if (term.quantifier is Quantifier.ANY) is not truth:
        return set()
    elements: set[Element] = set()
    members = members_of(term.collection, world)
    for element in () if isinstance(members, Undetermined) else members:
        inner = world.having(term.variable.name, element)
        if _element_truth(term.body, inner) is not truth:
            continue
        if isinstance(term.collection, SetVariable | Elements):
            elements.add(element)
        else:
            elements |= elements_behind(term.body, inner, truth)
    return elements

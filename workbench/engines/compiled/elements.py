"""The elements of sets and lists on which the value of a condition rests."""

from __future__ import annotations

import decimal

from workbench.model import Arguments, Kind, Value
from workbench.policy.evaluate import EXACT, Valuation, members_of, value_of
from workbench.policy.operations import Known
from workbench.policy.terms import (
    And,
    Choice,
    Elements,
    HelperCall,
    ImpliesTerm,
    Member,
    Not,
    Or,
    PolicyTerms,
    Quantified,
    Quantifier,
    SetVariable,
    Term,
)
from workbench.policy.undetermined import Undetermined
from workbench.policy.value_words import value_words


def items(policy: PolicyTerms, term: Term, arguments: Arguments) -> tuple[str, ...]:
    """The elements of sets and lists that make a condition true on these arguments, sorted.

    A true ``any`` names the elements for which its test holds; a false ``all`` the elements for which it does
    not, if the condition is true because of that. ``arguments`` are well-typed, with datetimes in UTC. Where
    one that is not among them decides, there are no elements. A text is named as it is, other elements as
    they are written for a person.
    """
    with decimal.localcontext(EXACT):
        try:
            return tuple(sorted(_because(term, Valuation(policy, arguments, None), True)))
        except KeyError:
            return ()


def element_text(element: Value) -> str:
    """The text that names an element: a text is itself, other elements are written for a person."""
    return element if isinstance(element, str) else value_words(element)


def _texts(item: Known) -> set[str]:
    return set() if isinstance(item, Undetermined) else {element_text(item)}


def _truth(term: Term, world: Valuation) -> bool:
    return value_of(term, world) is True


def _because(term: Term, world: Valuation, truth: bool) -> set[str]:
    """The elements behind a term that has this truth value."""
    match term:
        case Not(operand):
            return _because(operand, world, not truth)
        case And(operands) | Or(operands):
            return _because_of_some(operands, world, truth, every=isinstance(term, And) is truth)
        case ImpliesTerm(condition, consequence):
            return _because(Or((Not(condition), consequence)), world, truth)
        case Choice(condition, then, otherwise):
            chosen = _truth(condition, world)
            element_texts = _because(condition, world, chosen)
            return element_texts | _because(then if chosen else otherwise, world, truth)
        case Quantified():
            return _because_of_elements(term, world, truth)
        case Member(item, SetVariable() | Elements()) if truth:
            return _texts(value_of(item, world))
        case HelperCall():
            return _because_of_call(term, world, truth)
        case _:
            return set()


def _because_of_some(operands: tuple[Term, ...], world: Valuation, truth: bool, *, every: bool) -> set[str]:
    """The elements behind a conjunction or disjunction: of all operands, or of those that decide it."""
    element_texts: set[str] = set()
    for operand in operands:
        try:
            if every or _truth(operand, world) is truth:
                element_texts |= _because(operand, world, truth)
        except (TypeError, KeyError):
            break  # an earlier guard decided, so the rest is never evaluated
    return element_texts


def _because_of_elements(term: Quantified, world: Valuation, truth: bool) -> set[str]:
    """The elements that decide a true ``any`` or a false ``all``."""
    if (term.quantifier is Quantifier.ANY) is not truth:
        return set()
    element_texts: set[str] = set()
    members = members_of(term.collection, world)
    for element in () if isinstance(members, Undetermined) else members:
        inner = world.having(term.variable.name, element)
        if _truth(term.body, inner) is not truth:
            continue
        if isinstance(term.collection, SetVariable | Elements):
            element_texts.add(element_text(element))
        else:
            element_texts |= _because(term.body, inner, truth)
    return element_texts


def _because_of_call(term: HelperCall, world: Valuation, truth: bool) -> set[str]:
    helper = world.policy.helpers[term.function]
    if helper.result.kind is not Kind.BOOL:
        return set()
    names = (parameter.name for parameter in helper.parameters)
    operands = (value_of(operand, world) for operand in term.operands)
    values: dict[str, Known] = dict(zip(names, operands, strict=True))
    return _because(helper.body, Valuation(world.policy, values, None), truth)

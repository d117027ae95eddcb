"""Conditions in a form for speech: helpers inlined, choices as "and" and "or", "not" at single tests."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from workbench.model import Kind
from workbench.policy.connectives import conjunction, disjunction
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Collection,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    Helper,
    HelperCall,
    ImpliesTerm,
    IsMissing,
    Member,
    Not,
    Or,
    Quantified,
    Quantifier,
    SetVariable,
    Sum,
    Term,
    Variable,
)
from workbench.policy.walk import bound_names, children, rename_bound, subterms, with_children

_LONGEST = 120
"""The most parts of a helper's body that is inlined in place of the helper's name."""
_MOST_CHOICES = 3
_COMPARED: dict[Comparison, Callable[[Any, Any], bool]] = {
    Comparison.LT: operator.lt,
    Comparison.LE: operator.le,
    Comparison.GT: operator.gt,
    Comparison.GE: operator.ge,
    Comparison.EQ: operator.eq,
    Comparison.NE: operator.ne,
}


def spoken(term: Term, helpers: Mapping[str, Helper]) -> Term:
    """The same condition in spoken form: ``Not`` only at single tests, no ``Choice`` between truth values."""
    return _spoken(_inlined(term, helpers), holds=True)


def negation(term: Term) -> Term:
    """The negation of a condition that is in spoken form."""
    return _spoken(term, holds=False)


def _spoken(term: Term, *, holds: bool) -> Term:  # noqa: C901, PLR0912 # one case for each kind of test
    match term:
        case Constant(bool(value)):
            return Constant(value is holds)
        case Not(operand):
            return _spoken(operand, holds=not holds)
        case And(operands):
            return (conjunction if holds else disjunction)(
                _spoken(operand, holds=holds) for operand in operands
            )
        case Or(operands):
            return (disjunction if holds else conjunction)(
                _spoken(operand, holds=holds) for operand in operands
            )
        case ImpliesTerm(condition, consequence):
            return _spoken(Or((Not(condition), consequence)), holds=holds)
        case Choice(condition, then, otherwise) if is_truth(term):
            chosen = Or((And((condition, then)), And((Not(condition), otherwise))))
            return _spoken(_without_constants(condition, then, otherwise) or chosen, holds=holds)
        case Compare(Comparison.EQ | Comparison.NE as compared, left, Constant(bool(value))):
            if isinstance(left, Variable | Attribute) and left.type.optional:  # a missing value is neither
                truth = And((Not(IsMissing(left)), left if value else Not(left)))
                return _spoken(truth, holds=holds is (compared is Comparison.EQ))
            return _spoken(left, holds=holds is ((compared is Comparison.EQ) is value))
        case Compare() if (choice := _choice_in(term)) is not None:
            first, second = (_with_choice(term, choice, side) for side in (choice.then, choice.otherwise))
            either = Or((And((choice.condition, first)), And((Not(choice.condition), second))))
            return _spoken(either, holds=holds)
        case Compare(compared, Constant(left), Constant(right)) if _both_numbers(left, right):
            return Constant(_COMPARED[compared](left, right) is holds)
        case Compare(compared, left, right):
            return Compare(compared if holds else compared.negated, _outside(left), _outside(right))
        case Member(_, ConstantSet(())):
            return Constant(not holds)
        case Quantified(quantifier, _, _, body):
            other_quantifier = {Quantifier.ANY: Quantifier.ALL, Quantifier.ALL: Quantifier.ANY}[quantifier]
            spoken_quantifier = quantifier if holds else other_quantifier
            return replace(term, quantifier=spoken_quantifier, body=_spoken(body, holds=holds))
        case _:
            held = _outside(term)
            return held if holds else Not(held)


def _choice_in(term: Compare) -> Choice | None:
    """A choice of few values inside a comparison, which is put into words as two comparisons."""
    choices = [choice for side in (term.left, term.right) for choice in _choices(side)]
    return choices[0] if 0 < len(choices) <= _MOST_CHOICES else None


def _choices(term: Term) -> Iterator[Choice]:
    match term:
        case Choice(_, then, otherwise):
            yield term
            yield from _choices(then)
            yield from _choices(otherwise)
        case Arithmetic(_, left, right):
            yield from _choices(left)
            yield from _choices(right)
        case _:
            return


def _with_choice(term: Term, choice: Choice, chosen: Term) -> Term:
    """The term with a choice replaced by one of its sides."""
    if term == choice:
        return chosen
    if not isinstance(term, Compare | Arithmetic | Choice):
        return term
    parts = children(term)
    fixed_parts = parts[:1] if isinstance(term, Choice) else ()
    return with_children(
        term, (*fixed_parts, *(_with_choice(part, choice, chosen) for part in parts[len(fixed_parts) :]))
    )


def _both_numbers(left: object, right: object) -> bool:
    return type(left) is int and type(right) is int


def _outside(term: Term) -> Term:
    """A single test or a value whose inner conditions (of counts, sums and choices) are in spoken form."""
    match term:
        case Count(_, _, condition) | Sum(_, _, _, condition):
            return replace(term, condition=_spoken(condition, holds=True))
        case Choice(condition, then, otherwise) if not is_truth(term):
            return Choice(_spoken(condition, holds=True), _outside(then), _outside(otherwise))
        case Arithmetic("*", Constant(int() | Decimal() as left), Constant(int() | Decimal() as right)):
            return Constant(left * right)
        case Not() | And() | Or() | Choice() | Compare() | Quantified() | ImpliesTerm():
            return _spoken(term, holds=True)
        case _:
            return with_children(term, tuple(map(_outside, children(term))))


def _without_constants(condition: Term, then: Term, otherwise: Term) -> Term | None:
    """A choice of truth values with one constant side as a connective: ``True if a else b`` is ``a or b``."""
    match then, otherwise:
        case Constant(True), _:
            return Or((condition, otherwise))
        case Constant(False), _:
            return And((Not(condition), otherwise))
        case _, Constant(True):
            return Or((Not(condition), then))
        case _, Constant(False):
            return And((condition, then))
        case _:
            return None


def is_truth(term: Term) -> bool:
    """Whether a term is a truth value."""
    match term:
        case Constant(value):
            return isinstance(value, bool)
        case Variable(_, type_) | Attribute(_, _, type_) | HelperCall(_, _, type_):
            return type_.kind is Kind.BOOL
        case Choice(_, then, _):
            return is_truth(then)
        case _:
            return isinstance(term, Not | And | Or | ImpliesTerm | Compare | Member | Quantified | IsMissing)


# --- helpers ----------------------------------------------------------------------


def _inlined(term: Term, helpers: Mapping[str, Helper]) -> Term:
    """The term with the bodies of short helpers in place of their calls."""
    inlined = with_children(term, tuple(_inlined(part, helpers) for part in children(term)))
    if not isinstance(inlined, HelperCall) or inlined.function not in helpers:
        return inlined
    helper = helpers[inlined.function]
    body = _inlined(helper.body, helpers)
    if sum(1 for _ in subterms(body)) > _LONGEST:
        return inlined
    used_names = {
        part.name for operand in inlined.operands for part in subterms(operand) if isinstance(part, Variable)
    }
    body = rename_bound(body, {name: f"other_{name}" for name in bound_names(body) & used_names})
    operand_by_name = {
        parameter.name: operand
        for parameter, operand in zip(helper.parameters, inlined.operands, strict=True)
    }
    return _substituted(body, operand_by_name)


def _substituted(term: Term, values: Mapping[str, Term]) -> Term:
    """The body of a helper with the arguments of a call in place of its parameters."""
    match term:
        case Variable(name):
            return values.get(name, term)
        case IsMissing(Variable(name)) if name in values:
            value = values[name]
            return (
                IsMissing(value)
                if isinstance(value, Variable | Attribute)
                else Constant(value == Constant(None))
            )
        case Quantified() | Count() | Sum():
            inner = {name: value for name, value in values.items() if name != term.variable.name}
            changed = with_children(term, tuple(_substituted(part, inner) for part in children(term)))
            if isinstance(changed, Quantified):
                return replace(changed, collection=_collection(changed.collection, values))
            return changed
        case Member():
            changed = with_children(term, tuple(_substituted(part, values) for part in children(term)))
            assert isinstance(changed, Member)
            return replace(changed, collection=_collection(changed.collection, values))
        case _:
            return with_children(term, tuple(_substituted(part, values) for part in children(term)))


def _collection(collection: Collection, values: Mapping[str, Term]) -> Collection:
    if not isinstance(collection, SetVariable):
        return collection
    match values.get(collection.name):
        case Variable(name):
            return SetVariable(name)
        case Attribute() as field:
            return Elements(field)
        case _:
            return collection

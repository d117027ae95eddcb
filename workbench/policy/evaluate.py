"""A direct interpreter of terms: slow, plain, and independent of the compiler.

The other interpretations of a policy (compiled, lowered, the SMT formula) are compared with it.

What an incomplete input lacks (an argument, a field of a record) is undetermined. Conditions then have three
truth values, by Kleene's tables on the syntax: an ``and`` with a false operand is false, and nothing cleverer
is found. An operand without a value (``None`` compared) is undetermined if one before it was: its guard.
"""

from __future__ import annotations

import decimal
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import cast

from workbench.model import (
    NO_BOUNDS,
    Arguments,
    Between,
    Element,
    Kind,
    Members,
    RecordValue,
    Scalar,
    Value,
    field_of,
)
from workbench.policy.connectives import TRUE
from workbench.policy.name_patterns import NamePattern
from workbench.policy.operations import Known, added, bounds_of, compared, computed, if_counted, within
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Collection,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
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
    PolicyTerms,
    Quantified,
    Quantifier,
    ResultTerm,
    SetVariable,
    StringTest,
    StringTestKind,
    Sum,
    Term,
    Variable,
)
from workbench.policy.undetermined import IncompleteRecord, Undetermined, decided, joined, undetermined

EXACT = decimal.Context(
    prec=6000,
    rounding=decimal.ROUND_HALF_EVEN,
    Emin=decimal.MIN_EMIN,
    Emax=decimal.MAX_EMAX,
    traps=[decimal.Inexact, decimal.InvalidOperation, decimal.DivisionByZero, decimal.FloatOperation],
)


UNDEFINED = (TypeError, KeyError, AttributeError, decimal.DecimalException)
"""The errors of a term that has no value; a number of too many digits is none."""


def in_utc(value: datetime) -> datetime:
    """The same instant in UTC; a value without a zone is taken as UTC."""
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def normalised(value: Value) -> Value:
    """The same value with every datetime in it in UTC."""
    # Called for every field of every input that is tried.
    if isinstance(value, RecordValue):
        fields = tuple([(field, normalised(held)) for field, held in value.fields])
        if isinstance(value, IncompleteRecord):
            return IncompleteRecord(value.type, fields, value.lacking, value.is_several)
        return RecordValue(value.type, fields)
    if isinstance(value, tuple):
        return tuple([cast("Element", normalised(element)) for element in value])
    return in_utc(value) if isinstance(value, datetime) else value


def evaluate(policy: PolicyTerms, term: Term, arguments: Arguments, result: bool | None = None) -> Known:
    """The value of a term of a policy.

    ``arguments`` are the values of its free variables; ``result`` is the value of ``Result()`` in a clause.
    Raises ``TypeError`` or ``KeyError`` if the arguments do not fit their types.
    """
    return evaluate_in(valuation(policy, arguments, result), term)


def valuation(
    policy: PolicyTerms,
    arguments: Arguments,
    result: bool | None = None,
    between: Mapping[str, Between] = NO_BOUNDS,
) -> Valuation:
    """The valuation of a policy in which its free variables have these values, or lie between bounds."""
    bounded = {
        name: Undetermined(
            frozenset({name}), cast("Between", normalised(one)) if isinstance(one, RecordValue) else one
        )
        for name, one in between.items()
    }
    known = {name: normalised(value) for name, value in arguments.items()}
    return Valuation(policy, {**bounded, **known}, result)


def evaluate_in(world: Valuation, term: Term) -> Known:
    """The value of a term in a valuation; raises as ``evaluate`` does."""
    with decimal.localcontext(EXACT):
        return value_of(term, world)


def evaluate_decision(policy: PolicyTerms, arguments: Arguments) -> bool:
    """Whether the policy allows well-typed arguments, by its rules' terms; raises KeyError if one lacks."""
    world = valuation(policy, arguments)
    truths: list[bool | Undetermined] = []
    with decimal.localcontext(EXACT):
        for rule in policy.rules:
            truth = truth_of(rule.body, world)
            if rule.forbids and truth is True:
                return False
            truths.append(truth)
    decision = decided(policy, truths)
    if isinstance(decision, Undetermined):
        raise KeyError(*decision.names)
    return decision


def evaluate_incomplete(
    policy: PolicyTerms, arguments: Arguments, between: Mapping[str, Between] = NO_BOUNDS
) -> bool | Undetermined:
    """Whether the policy allows an incomplete input, if that is the same for all completions.

    ``between`` has what is known of the numbers, sets and records that the input lacks.
    """
    world = valuation(policy, arguments, between=between)
    with decimal.localcontext(EXACT):
        return decided(policy, [truth_of(rule.body, world) for rule in policy.rules])


class Scope(Mapping[str, Known]):
    """The values of variables, of which some depend on other variables in scope."""

    @abstractmethod
    def having(self, name: str, value: Known) -> Scope:
        """The same scope with an additional variable."""


@dataclass(frozen=True, slots=True)
class Valuation:
    """A policy with the values of the variables in scope, and the value of ``Result()``.

    A variable without a value is undetermined, and so is ``Result()`` if ``result`` is None.
    """

    policy: PolicyTerms
    values: Mapping[str, Known]
    result: bool | None

    def having(self, name: str, value: Known) -> Valuation:
        """The same valuation with an additional variable."""
        values = self.values
        inner = values.having(name, value) if isinstance(values, Scope) else {**values, name: value}
        return Valuation(self.policy, inner, self.result)


def truth_of(term: Term, world: Valuation) -> bool | Undetermined:
    """The truth of a condition in a valuation, as ``value_of`` has it."""
    value = value_of(term, world)
    if value is True or value is False or isinstance(value, Undetermined):
        return value
    raise TypeError(f"A condition is not a bool but {value!r}.")


def value_of(term: Term, world: Valuation) -> Known:  # noqa: C901, PLR0912 # one case for each kind of term
    """The value of a term in a valuation whose datetimes are in UTC, under the caller's decimal context."""
    match term:
        case Constant(value):
            return value
        case Variable(name):
            return _variable(name, world)
        case Attribute(record, name):
            return _field(record, name, world)
        case Compare(operator, left, right):
            return compared(operator, value_of(left, world), value_of(right, world))
        case ResultTerm():
            return Undetermined(frozenset()) if world.result is None else world.result
        case Not(operand):
            return _negated(truth_of(operand, world))
        case And(operands):
            return _connected(operands, world, deciding=False)
        case Or(operands):
            return _connected(operands, world, deciding=True)
        case ImpliesTerm(condition, consequence):
            return _connected((Not(condition), consequence), world, deciding=True)
        case Member():
            return _member(term, world)
        case Quantified():
            return _quantified(term, world)
        case Count() | Sum():
            return _sum(term, world)
        case CompareFields():
            return _compare_fields(term, world)
        case StringTest():
            return _string_test(term, world)
        case Length(text):
            value = _text(text, world)
            return value if isinstance(value, Undetermined) else len(value)
        case Arithmetic(operator, left, right):
            return computed(operator, value_of(left, world), value_of(right, world))
        case Choice():
            return _choice(term, world)
        case IsMissing(variable):
            return _is_missing(value_of(variable, world))
        case Lookup():
            return _lookup(term, world)


def _variable(name: str, world: Valuation) -> Known:
    return world.values[name] if name in world.values else Undetermined(frozenset({name}))


def _negated(truth: bool | Undetermined) -> bool | Undetermined:
    return truth if isinstance(truth, Undetermined) else not truth


def _connected(operands: tuple[Term, ...], world: Valuation, *, deciding: bool) -> bool | Undetermined:
    """A conjunction or disjunction, from left to right: an operand may guard those after it."""
    open_truth: Undetermined | None = None
    for operand in operands:
        try:
            truth = truth_of(operand, world)
        except UNDEFINED:
            if open_truth is None:
                raise
            continue
        if truth is deciding:
            return deciding
        if isinstance(truth, Undetermined):
            open_truth = undetermined(truth, open_truth)
    return not deciding if open_truth is None else open_truth


def _choice(term: Choice, world: Valuation) -> Known:
    """The chosen branch. If the condition is undetermined: the value that both branches have."""
    condition = truth_of(term.condition, world)
    if not isinstance(condition, Undetermined):
        return value_of(term.then if condition else term.otherwise, world)
    try:
        then, otherwise = value_of(term.then, world), value_of(term.otherwise, world)
    except UNDEFINED:
        return condition
    if type(then) is type(otherwise) and then == otherwise and not isinstance(then, Undetermined):
        return then
    return condition.with_those_of(then, otherwise)


def _text(term: Term, world: Valuation) -> str | Undetermined:
    value = value_of(term, world)
    if not isinstance(value, str | Undetermined):
        raise TypeError(f"A string is expected, not {value!r}.")
    return value


def _member(term: Member, world: Valuation) -> bool | Undetermined:
    item, members = value_of(term.item, world), members_of(term.collection, world)
    if isinstance(members, Undetermined) and not isinstance(item, Undetermined) and item in members.members:
        return True
    if _fits_none(item, members):
        return False
    if isinstance(item, Undetermined) or isinstance(members, Undetermined):
        return undetermined(item, members)
    return item in members


def _fits_none(item: Known, members: frozenset[Scalar] | tuple[Element, ...] | Undetermined) -> bool:
    """Whether a text of a pattern is none of the members, or a text fits no further member."""
    if isinstance(members, Undetermined):
        return members.fitting is not None and isinstance(item, str) and not members.fitting.fits(item)
    patterns = item.fitting if isinstance(item, Undetermined) else None
    return patterns is not None and not any(map(patterns.fits, members))


def members_of(
    collection: Collection, world: Valuation
) -> frozenset[Scalar] | tuple[Element, ...] | Undetermined:
    """The elements of a collection in a valuation; those of a list are in their order."""
    match collection:
        case ConstantSet(values):
            return frozenset(values)
        case SetVariable(name):
            value = _variable(name, world)
            if isinstance(value, Undetermined):
                return value
            if not isinstance(value, frozenset):
                raise TypeError(f"`{name}` is not a set.")
            return _EMPTY | value
        case Elements(term):
            held = value_of(term, world)
            if isinstance(held, frozenset):
                return _EMPTY | held
            if not isinstance(held, tuple | Undetermined):
                raise TypeError(f"{held!r} has no elements.")
            return held
        case _:
            key = _key(collection.key, world)
            if isinstance(key, Undetermined):
                return key
            entry = world.policy.tables[collection.table].entries.get(key, _EMPTY)
            if not isinstance(entry, frozenset):
                raise TypeError(f"`{collection.table}` holds no such set.")
            return entry


def _key(term: Term, world: Valuation) -> Scalar | Undetermined:
    key = value_of(term, world)
    if key is None or isinstance(key, frozenset | tuple | RecordValue):
        raise TypeError(f"{key!r} is no key.")
    return key


def _is_missing(value: Known) -> bool | Undetermined:
    """Whether a value is None; a record of which something is known is not."""
    if not isinstance(value, Undetermined):
        return value is None
    return undetermined(value) if value.record is None else False


def _field(record: Variable | Attribute, name: str, world: Valuation) -> Known:
    value = value_of(record, world)
    if isinstance(value, Undetermined):
        known = () if value.record is None else value.record.fields
        return next((held for field_name, held in known if field_name == name), undetermined(value))
    if not isinstance(value, RecordValue):
        raise TypeError(f"{value!r} has no fields.")
    for field_name, held in value.fields:
        if field_name == name:
            return held
    return _lacking(value, name) or Undetermined(frozenset({_root(record)}))


def _lacking(record: RecordValue, name: str) -> Undetermined | None:
    return record.lacking.get(name) if isinstance(record, IncompleteRecord) else None


def _root(record: Variable | Attribute) -> str:
    """The name of the variable that a field is of."""
    return record.name if isinstance(record, Variable) else _root(record.record)


def _quantified(term: Quantified, world: Valuation) -> bool | Undetermined:
    members = members_of(term.collection, world)
    deciding = term.quantifier is Quantifier.ANY
    is_open = isinstance(members, Undetermined)
    elements = (*members.members, *members.further) if is_open else members
    truth = joined(
        (truth_of(term.body, world.having(term.variable.name, element)) for element in elements),
        deciding=deciding,
    )
    # A member that is known settles the question; that all of these do not says nothing of the others, unless
    # their patterns are known.
    is_settled = truth is deciding or not is_open or members.fitting is not None
    return truth if is_settled else undetermined(members, truth)


def _sum(term: Count | Sum, world: Valuation) -> Known:
    """The sum of the values of the elements that meet a condition, or their number."""
    members = members_of(term.collection, world)
    if isinstance(members, Undetermined):
        if not members.members or not isinstance(term, Count):
            return undetermined(members)
        counted = _sum_of(term, members.members, world)
        return Undetermined(undetermined(members, counted).names, (bounds_of(counted)[0], None))
    return _sum_of(term, members, world)


def _sum_of(term: Count | Sum, members: Members | tuple[Element, ...], world: Valuation) -> Known:
    is_length = isinstance(term, Count) and term.condition == TRUE
    if is_length and not any(isinstance(one, IncompleteRecord) and one.is_several for one in members):
        return len(members)
    is_decimal = isinstance(term, Sum) and term.type.kind is Kind.DECIMAL
    number = _decimal if is_decimal else _int
    bounds = bounds_of(Decimal(0) if is_decimal else 0)
    open_parts: list[Undetermined] = []
    for element in members:
        inner = world.having(term.variable.name, element)
        truth = truth_of(term.condition, inner)
        if truth is False:
            continue
        value = _counted(term, inner, truth)
        open_parts += [part for part in (truth, value) if isinstance(part, Undetermined)]
        part = bounds_of(value if isinstance(value, Undetermined) else number(value))
        if isinstance(element, IncompleteRecord) and element.is_several:
            open_parts += element.lacking.values()
            part = (part[0] if isinstance(term, Count) else None, None)
        bounds = added(bounds, if_counted(part) if isinstance(truth, Undetermined) else part)
    return within(bounds, open_parts)


def _counted(term: Count | Sum, world: Valuation, truth: bool | Undetermined) -> Known:
    """The value that an element adds; undetermined if its condition is, which may guard the value."""
    if isinstance(term, Count):
        return 1
    try:
        return value_of(term.value, world)
    except UNDEFINED:
        if isinstance(truth, Undetermined):
            return undetermined(truth)
        raise


def _decimal(value: Known) -> Decimal:
    if not isinstance(value, Decimal):
        raise TypeError(f"{value!r} is not a decimal.")
    return value


def _int(value: Known) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is not an int.")
    return value


def _compare_fields(term: CompareFields, world: Valuation) -> bool | Undetermined:
    left, right = _keys(term.left, world), _keys(term.right, world)
    if isinstance(left, Undetermined) or isinstance(right, Undetermined):
        return undetermined(left, right)
    return left == right if term.operator is Comparison.EQ else left <= right


def _keys(side: FieldSet, world: Valuation) -> set[tuple[Value, ...]] | Undetermined:
    """The elements of a list as a set of some of their fields."""
    elements = members_of(side.collection, world)
    if isinstance(elements, Undetermined):
        return elements
    if not side.fields:
        return {(element,) for element in elements}
    records = [element for element in elements if isinstance(element, RecordValue)]
    if len(records) < len(elements):
        raise TypeError("An element has no fields.")
    lacking = [
        _lacking(record, name) or Undetermined(frozenset({_root(side.collection.term)}))
        for record in records
        for name in side.fields
        if name not in dict(record.fields)
    ]
    if lacking:
        return undetermined(*lacking)
    return {tuple(field_of(record, name) for name in side.fields) for record in records}


def _string_test(term: StringTest, world: Valuation) -> bool | Undetermined:
    text = _text(term.text, world)
    if isinstance(text, Undetermined):
        return _pattern_test(term, text)
    if term.kind is StringTestKind.PREFIX:
        return text[: len(term.constant)] == term.constant
    if term.kind is StringTestKind.SUFFIX:
        return text[max(len(text) - len(term.constant), 0) :] == term.constant
    return term.constant in text


def _pattern_test(term: StringTest, text: Undetermined) -> bool | Undetermined:
    """The test of a text of which at most the patterns are known."""
    if text.fitting is None:
        return text
    found = {_TESTS[term.kind](pattern, term.constant) for pattern in text.fitting.patterns}
    truth = found.pop() if len(found) == 1 else None
    return Undetermined(text.names) if truth is None else truth


_TESTS = {
    StringTestKind.PREFIX: NamePattern.begins,
    StringTestKind.SUFFIX: NamePattern.ends,
    StringTestKind.CONTAINS: NamePattern.has,
}
_EMPTY: frozenset[Scalar] = frozenset()


def _lookup(term: Lookup, world: Valuation) -> Known:
    key = _key(term.key, world)
    if isinstance(key, Undetermined):
        return key
    entries = world.policy.tables[term.table].entries
    entry = entries[key] if term.default is None else entries.get(key, term.default.value)
    if isinstance(entry, frozenset):
        raise TypeError(f"`{term.table}` holds a set for {key!r}.")
    return entry

"""Validation of arguments against their types: a value that does not fit cannot be evaluated.

Numbers may be JSON numbers, since JSON has no decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple, cast

from workbench.model import Arguments, ArgumentType, Between, Element, Kind, RecordType, RecordValue, Value
from workbench.policy.evaluate import in_utc
from workbench.policy.terms import Parameter
from workbench.policy.types import LONGEST_DURATION, set_element, with_article

LARGEST_EXPONENT = 30
_EXACT_FLOATS = 2**53
_MOST_ELEMENTS = 1000

# Takes a value and returns it as the policy reads it; raises Misfit with the reason if it does not fit.
type Fit = Callable[[object], Value]

_NONE = frozenset[str]()
_WITH_PARTS = (Kind.RECORD, Kind.LIST, Kind.SET)


class Misfit(Exception):
    """A value that does not fit its type; the text completes "the argument ..."."""


def _shown(value: object) -> str:
    if value is None:
        return "is None"
    text = repr(value)
    return f"is {text if len(text) <= 60 else text[:57] + '...'}"


def _exactly(kind: type, described: str) -> Fit:
    def fit(value: object) -> Value:
        if type(value) is not kind:
            raise Misfit(f"{_shown(value)}, not {described}")
        return cast("Value", value)

    return fit


def _enum(values: tuple[str, ...]) -> Fit:
    members = frozenset(values)
    is_text = _exactly(str, "a string")

    def fit(value: object) -> Value:
        if is_text(value) not in members:
            listed = ", ".join(f'"{word}"' for word in values[:5]) + (", ..." if len(values) > 5 else "")
            raise Misfit(f"{_shown(value)}, which is not one of {listed}")
        return cast("str", value)

    return fit


def _int(value: object) -> Value:
    """A whole number; a JSON number with a decimal point is accepted if it is exact."""
    if type(value) is float and value.is_integer() and abs(value) < _EXACT_FLOATS:
        return int(value)
    if type(value) is not int:
        raise Misfit(f"{_shown(value)}, not a whole number")
    return value


def _decimal(places: int) -> Fit:
    """An exact decimal; a JSON number is taken as the decimal with the same text."""

    def fit(value: object) -> Value:
        if type(value) is int:
            value = Decimal(value)
        elif type(value) is float:
            value = Decimal(repr(value))
        if type(value) is not Decimal:
            raise Misfit(f"{_shown(value)}, not a Decimal")
        if not value.is_finite():
            raise Misfit(f"{_shown(value)}, which is no number")
        if value and value.adjusted() >= LARGEST_EXPONENT:
            raise Misfit(f"has more than {LARGEST_EXPONENT} digits before the point")
        _, digits, exponent = value.as_tuple()
        if cast("int", exponent) < -places and any(digits[places + cast("int", exponent) :]):
            raise Misfit(f"{_shown(value)}, which has more than {places} decimal places")
        return value

    return fit


def _set(element: ArgumentType) -> Fit:
    member_type, singular = (int, "int") if element.kind is Kind.INT else (str, "string")

    def fit(value: object) -> Value:
        if type(value) is not frozenset:
            raise Misfit(f"is {with_article(type(value).__name__)}, not a frozenset of {singular}s")
        for member in cast("frozenset[object]", value):
            if type(member) is not member_type:
                raise Misfit(f"has the member {member!r}, which is not {with_article(singular)}")
        return cast("Value", value)

    return fit


def _list(element: ArgumentType) -> Fit:
    """A tuple of elements; a list that is too long is not read."""
    fit_element = fit_of(element)

    def fit(value: object) -> Value:
        if type(value) is not tuple:
            raise Misfit(f"is {with_article(type(value).__name__)}, not a tuple")
        items = cast("tuple[object, ...]", value)
        if len(items) > _MOST_ELEMENTS:
            raise Misfit(f"has {len(items)} elements, more than {_MOST_ELEMENTS}")
        elements: list[Element] = []
        for number, item in enumerate(items, 1):
            try:
                elements.append(cast("Element", fit_element(item)))
            except Misfit as misfit:
                raise Misfit(f"has the element {number}, which {misfit}") from None
        return tuple(elements)

    return fit


def _fields_of(value: object, record: RecordType) -> tuple[tuple[str, Value], ...]:
    """The fields of a record of a type."""
    if type(value) is not RecordValue:
        raise Misfit(f"{_shown(value)}, not a record of type {record.name}")
    if value.type != record.name:
        raise Misfit(f"is a record of type {value.type}, not {record.name}")
    return value.fields


def _record(record: RecordType) -> Fit:
    """A record with exactly the fields of its type, in the order of the type."""
    fits = {field: fit_of(type_of) for field, type_of in record.fields}

    def fit(value: object) -> Value:
        held = _fields_of(value, record)
        value_by_field = dict(held)
        for field in value_by_field:
            if field not in fits:
                raise Misfit(f"has the field `{field}`, which {record.name} does not have")
        if len(value_by_field) < len(held):
            raise Misfit("has a field twice")
        fitted: dict[str, Value] = {}
        for field, fit_field in fits.items():
            if field not in value_by_field:
                raise Misfit(f"lacks the field `{field}`")
            try:
                fitted[field] = fit_field(value_by_field[field])
            except Misfit as misfit:
                raise Misfit(f"has the field `{field}`, which {misfit}") from None
        return RecordValue(record.name, tuple(fitted.items()))

    return fit


def _known_fields(record: RecordType) -> Callable[[object], RecordValue]:
    """The function that gives the known fields of a record; a field that does not fit is not known."""
    fits = {field: fit_of(type_of) for field, type_of in record.fields}

    def known(value: object) -> RecordValue:
        fitted: dict[str, Value] = {}
        for field, held in _fields_of(value, record):
            try:
                fitted[field] = fits[field](held)
            except (Misfit, KeyError):
                continue  # the policy reads no such field, or not this value of it
        return RecordValue(record.name, tuple(fitted.items()))

    return known


def _duration(value: object) -> Value:
    if type(value) is not timedelta:
        raise Misfit(f"{_shown(value)}, not a timedelta")
    if abs(value) > LONGEST_DURATION:
        raise Misfit(f"{_shown(value)}, which is longer than {LONGEST_DURATION.days} days")
    return value


def _time(value: object) -> Value:
    if type(value) is not time:
        raise Misfit(f"{_shown(value)}, not a time")
    if value.tzinfo is not None:
        raise Misfit("has a time zone, which a time of day cannot have")
    return value


def _instant(value: object) -> Value:
    if type(value) is not datetime:
        raise Misfit(f"{_shown(value)}, not a datetime")
    try:
        return in_utc(value)
    except OverflowError:
        raise Misfit(f"{_shown(value)}, which lies outside the calendar in UTC") from None


_BY_VALUE: Mapping[Kind, Fit] = {
    Kind.BOOL: _exactly(bool, "True or False"),
    Kind.INT: _int,
    Kind.STR: _exactly(str, "a string"),
    Kind.DATE: _exactly(date, "a date"),
    Kind.TIME: _time,
    Kind.DATETIME: _instant,
    Kind.DURATION: _duration,
}


def fit_of(kind: ArgumentType) -> Fit:
    """The function that gives a value of a type as the policy receives it; it raises Misfit for any other."""
    match kind.kind:
        case Kind.ENUM:
            fit = _enum(kind.values)
        case Kind.DECIMAL:
            fit = _decimal(kind.places)
        case Kind.SET:
            fit = _set(set_element(kind))
        case Kind.LIST if kind.element is not None:
            fit = _list(kind.element)
        case Kind.RECORD if kind.record is not None:
            fit = _record(kind.record)
        case _:
            fit = _BY_VALUE[kind.kind]
    return (lambda value: None if value is None else fit(value)) if kind.optional else fit


class Read(NamedTuple):
    """An input as a policy reads it: the values that fit their types, and why each other argument has none.

    ``outside`` names the arguments whose value is none of their enum: the policy speaks of no such input.
    """

    values: dict[str, Value]
    why: Mapping[str, str]
    outside: frozenset[str]


class Validator:
    """Checks a mapping of arguments against the parameters of a policy."""

    def __init__(self, parameters: Iterable[Parameter], said: Callable[[str], str] = str) -> None:
        """Prepare one test for each parameter; ``said`` gives the words for an argument in the reasons."""
        self._said = said
        self._types = {parameter.name: parameter.type for parameter in parameters}
        self._fits = [
            (
                parameter.name,
                parameter.type.optional,
                parameter.type.kind in _WITH_PARTS,
                fit_of(parameter.type),
            )
            for parameter in parameters
        ]
        self._enums = frozenset(
            parameter.name for parameter in parameters if parameter.type.kind is Kind.ENUM
        )
        # A value that fits cannot be changed, so the same object fits again: tried inputs differ in little.
        # For values without parts that costs more than it saves.
        self._fitted: dict[str, tuple[object, Value]] = {}
        self._missing: dict[str, str] = {}

    @cached_property
    def _known_fields(self) -> Mapping[str, Callable[[object], RecordValue]]:
        return {
            name: _known_fields(kind.record)
            for name, kind in self._types.items()
            if kind.record is not None and kind.kind is Kind.RECORD
        }

    def what_is_known(self, name: str, between: Between | None) -> Between | None:
        """What is known of an argument without a value: of a record, the fields that fit their types."""
        if not isinstance(between, RecordValue):
            return between
        try:
            return self._known_fields[name](between)
        except (Misfit, KeyError):
            return None

    def _say_missing(self, name: str) -> str:
        self._missing[name] = said = f"The argument `{self._said(name)}` is missing."
        return said

    def __call__(self, arguments: Arguments) -> tuple[list[Value], list[str]]:
        """The values in the order of the parameters, and the reasons why values do not fit."""
        read = self.read(arguments)
        return list(read.values.values()), list(read.why.values())

    def read(self, arguments: Arguments) -> Read:
        """The arguments that have a value of their type, and the reasons why others have none."""
        values: dict[str, Value] = {}
        why: dict[str, str] = {}
        for name, optional, has_parts, fit in self._fits:
            if name not in arguments:
                why[name] = self._missing.get(name) or self._say_missing(name)
                continue
            value = arguments[name]
            if value is None and optional:
                values[name] = None
                continue
            if has_parts and (known_fit := self._fitted.get(name)) is not None and known_fit[0] is value:
                values[name] = known_fit[1]
                continue
            try:
                values[name] = fitted = fit(value)
            except Misfit as misfit:
                why[name] = f"The argument `{self._said(name)}` {misfit}."
            else:
                if has_parts:
                    self._fitted[name] = (value, fitted)
        if not why:
            return Read(values, why, _NONE)
        return Read(values, why, self._enums & {name for name in why if arguments.get(name) is not None})

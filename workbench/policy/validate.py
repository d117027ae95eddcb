"""Validation of arguments against their types: a value that does not fit cannot be evaluated.

Numbers may be JSON numbers, since JSON has no decimals. The conversions are the same as in extraction from a
log, and in an exported policy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import cast

from workbench.model import (
    MOST_ELEMENTS,
    Arguments,
    ArgumentType,
    Element,
    Kind,
    RecordType,
    RecordValue,
    Value,
)
from workbench.policy.evaluate import in_utc
from workbench.policy.terms import Parameter
from workbench.policy.types import STR, with_article
from workbench.policy.written import OWN_NAMES, ArgumentWords

LARGEST_EXPONENT = 30
LONGEST_DURATION = timedelta(days=10_000_000)
EXACT_FLOATS = 2**53

# Takes a value and returns it as the policy reads it; raises _Misfit with the reason if it does not fit.
type Fit = Callable[[object], Value]


class _Misfit(Exception):
    """A value that does not fit its type; the text completes "``name`` ..."."""


def _described(value: object) -> str:
    if value is None:
        return "is None"
    text = repr(value)
    return f"is {text if len(text) <= 60 else text[:57] + '...'}"


def _exactly[V: (bool, str, date)](kind: type[V], description: str) -> Fit:
    def fit(value: object) -> Value:
        if type(value) is not kind:
            raise _Misfit(f"{_described(value)}, not {description}")
        return value

    return fit


def _enum(values: tuple[str, ...]) -> Fit:
    members = frozenset(values)

    def fit(value: object) -> Value:
        if type(value) is not str:
            raise _Misfit(f"{_described(value)}, not a string")
        if value not in members:
            listed = ", ".join(f'"{word}"' for word in values[:5]) + (", ..." if len(values) > 5 else "")
            raise _Misfit(f"{_described(value)}, which is not one of {listed}")
        return value

    return fit


def _int(value: object) -> Value:
    """A whole number; a JSON number with a decimal point is accepted if it is exact."""
    if type(value) is float and value.is_integer() and abs(value) < EXACT_FLOATS:
        return int(value)
    if type(value) is not int:
        raise _Misfit(f"{_described(value)}, not a whole number")
    return value


def _decimal(places: int) -> Fit:
    """An exact decimal; a JSON number is taken as the decimal with the same text."""

    def fit(value: object) -> Value:
        if type(value) is int:
            value = Decimal(value)
        elif type(value) is float:
            value = Decimal(repr(value))
        if type(value) is not Decimal:
            raise _Misfit(f"{_described(value)}, not a Decimal")
        if not value.is_finite():
            raise _Misfit(f"{_described(value)}, which is no number")
        if value and value.adjusted() >= LARGEST_EXPONENT:
            raise _Misfit(f"has more than {LARGEST_EXPONENT} digits before the point")
        return _with_places(value, places)

    return fit


def _with_places(value: Decimal, places: int) -> Decimal:
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    if exponent >= -places:
        return value
    extra = -places - exponent
    if any(digits[-extra:]):
        raise _Misfit(f"{_described(value)}, which has more than {places} decimal places")
    return value


def _set(element: ArgumentType) -> Fit:
    member_type, singular, several = (
        (str, "string", "strings") if element.kind is Kind.STR else (int, "int", "ints")
    )

    def fit(value: object) -> Value:
        if type(value) is not frozenset:
            raise _Misfit(f"is {with_article(type(value).__name__)}, not a frozenset of {several}")
        for member in cast("frozenset[object]", value):
            if type(member) is not member_type:
                raise _Misfit(f"has the member {member!r}, which is not {with_article(singular)}")
        return cast("frozenset[str]", value)

    return fit


def _list(element: ArgumentType) -> Fit:
    """A tuple of elements; a list that is too long is not read."""
    fit_element = _fit(element)

    def fit(value: object) -> Value:
        if type(value) is not tuple:
            raise _Misfit(f"is {with_article(type(value).__name__)}, not a tuple")
        items = cast("tuple[object, ...]", value)
        if len(items) > MOST_ELEMENTS:
            raise _Misfit(f"has {len(items)} elements, more than {MOST_ELEMENTS}")
        elements: list[Element] = []
        for number, item in enumerate(items, 1):
            try:
                elements.append(cast("Element", fit_element(item)))
            except _Misfit as misfit:
                raise _Misfit(f"has the element {number}, which {misfit}") from None
        return tuple(elements)

    return fit


def _record(record: RecordType) -> Fit:
    """A record with exactly the fields of its type; the fields come back in the order of the type."""
    fits = {name: (kind.optional, _fit(kind)) for name, kind in record.fields}

    def fit(value: object) -> Value:
        if type(value) is not RecordValue:
            raise _Misfit(f"{_described(value)}, not a record of type {record.name}")
        if value.type != record.name:
            raise _Misfit(f"is a record of type {value.type}, not {record.name}")
        value_by_field = dict(value.fields)
        stray = [name for name, _ in value.fields if name not in fits]
        if stray or len(value_by_field) < len(value.fields):
            raise _Misfit(f"has the field `{stray[0]}`, which {record.name} does not have" if stray
                          else "has a field twice")  # fmt: skip
        fitted: list[tuple[str, Value]] = []
        for name, (optional, fit_field) in fits.items():
            if name not in value_by_field:
                raise _Misfit(f"lacks the field `{name}`")
            if value_by_field[name] is None and optional:
                fitted.append((name, None))
                continue
            try:
                fitted.append((name, fit_field(value_by_field[name])))
            except _Misfit as misfit:
                raise _Misfit(f"has the field `{name}`, which {misfit}") from None
        return RecordValue(record.name, tuple(fitted))

    return fit


def _duration(value: object) -> Value:
    if type(value) is not timedelta:
        raise _Misfit(f"{_described(value)}, not a timedelta")
    if abs(value) > LONGEST_DURATION:
        raise _Misfit(f"{_described(value)}, which is longer than {LONGEST_DURATION.days} days")
    return value


def _time(value: object) -> Value:
    if type(value) is not time:
        raise _Misfit(f"{_described(value)}, not a time")
    if value.tzinfo is not None:
        raise _Misfit("has a time zone, which a time of day cannot have")
    return value


def _datetime(value: object) -> Value:
    if type(value) is not datetime:
        raise _Misfit(f"{_described(value)}, not a datetime")
    try:
        return in_utc(value)
    except OverflowError:
        raise _Misfit(f"{_described(value)}, which lies outside the calendar in UTC") from None


def _fit(kind: ArgumentType) -> Fit:  # noqa: C901 # one case for each kind of argument
    match kind.kind:
        case Kind.BOOL:
            return _exactly(bool, "True or False")
        case Kind.INT:
            return _int
        case Kind.STR:
            return _exactly(str, "a string")
        case Kind.DATE:
            return _exactly(date, "a date")
        case Kind.ENUM:
            return _enum(kind.values)
        case Kind.DECIMAL:
            return _decimal(kind.places)
        case Kind.SET:
            return _set(kind.element or STR)
        case Kind.TIME:
            return _time
        case Kind.DATETIME:
            return _datetime
        case Kind.DURATION:
            return _duration
        case Kind.RECORD:
            assert kind.record is not None
            return _record(kind.record)
        case Kind.LIST:
            assert kind.element is not None
            return _list(kind.element)


@dataclass(frozen=True, slots=True)
class Read:
    """An input as a policy reads it: the values that fit their types, and why each other argument has none.

    ``outside`` names the arguments whose value is none of their enum: the policy speaks of no such input.
    """

    values: dict[str, Value]
    why: Mapping[str, str]
    outside: frozenset[str]


class Validator:
    """Checks a mapping of arguments against the parameters of a policy."""

    def __init__(self, parameters: tuple[Parameter, ...], words: ArgumentWords = OWN_NAMES) -> None:
        """Prepare one test for each parameter; ``words`` are for the reasons."""
        self._words = words
        self._fits = [
            (parameter.name, parameter.type.optional, _fit(parameter.type)) for parameter in parameters
        ]
        self._enums = frozenset(
            parameter.name for parameter in parameters if parameter.type.kind is Kind.ENUM
        )
        # A value that fits cannot be changed, so the same object fits again: tried inputs differ in little.
        self._fitted: dict[str, tuple[object, Value]] = {}

    @property
    def fits(self) -> dict[str, Fit]:
        """The test of each argument, which raises if a value other than None does not fit."""
        return {name: fit for name, _, fit in self._fits}

    def __call__(self, arguments: Arguments) -> tuple[list[Value], list[str]]:
        """The values in the order of the parameters, and the reasons why values do not fit."""
        read = self.read(arguments)
        return list(read.values.values()), list(read.why.values())

    def read(self, arguments: Arguments) -> Read:
        """The arguments that have a value of their type, and the reasons why others have none."""
        values: dict[str, Value] = {}
        why: dict[str, str] = {}
        for name, optional, fit in self._fits:
            if name not in arguments:
                why[name] = f"The argument `{self._words.of(name)}` is missing."
                continue
            value = arguments[name]
            if value is None and optional:
                values[name] = None
                continue
            known_fit = self._fitted.get(name)
            if known_fit is not None and known_fit[0] is value:
                values[name] = known_fit[1]
                continue
            try:
                fitted = fit(value)
            except _Misfit as misfit:
                why[name] = f"The argument `{self._words.of(name)}` {misfit}."
            else:
                self._fitted[name] = (value, fitted)
                values[name] = fitted
        outside = self._enums & {name for name in why if arguments.get(name) is not None}
        return Read(values, why, outside)

"""Fit a value from a log to the type of an argument, exactly or not at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import cast

from workbench.model import ArgumentType, Element, Json, Kind, RecordType, RecordValue, Value
from workbench.runs.values.found_value import Missing
from workbench.serialization.durations import duration_of

_TRUE = frozenset({"true", "yes"})
_FALSE = frozenset({"false", "no"})
_INTEGER = re.compile(r"[+-]?\d{1,30}")
_DECIMAL = re.compile(r"[+-]?(\d{1,30}(\.\d{1,30})?|\.\d{1,30})")
_SHOWN = 60
_LISTED = 6
_TOO_FINE = re.compile(r"[.,]\d{6}\d*[1-9]|[+-][\d:]+[.,]", re.ASCII)
"""More than six places of seconds, or places in an offset."""


def coerce(value: Json, type_: ArgumentType) -> Value:
    """The value in the argument's type; raises Missing with the reason if it does not fit.

    Texts of numbers, truth values and dates count as such; nothing is rounded. An enum takes its own members
    only, in any case, with blanks, ``_`` and ``-`` as equal.
    """
    if value is None:
        if type_.optional:
            return None
        raise Missing("the log has null")
    kind = type_.kind
    if kind is Kind.BOOL:
        return _bool(value)
    if kind is Kind.INT:
        return _int(value)
    if kind is Kind.DECIMAL:
        return _decimal(value, type_.places)
    if kind is Kind.STR:
        return _str(value)
    if kind is Kind.ENUM:
        return _enum(value, type_.values)
    if kind is Kind.SET:
        return _set(value)
    return _when(value, kind)


def coerce_whole(value: Json, type_: ArgumentType) -> Value:
    """The value in a type that may be a record or a list; raises Missing with the reason if it does not fit.

    A record may lack fields: the fields that a policy reads are checked when they are read.
    """
    if type_.record is not None and isinstance(value, dict):
        return _record(value, type_.record)
    if type_.kind is Kind.LIST and type_.element is not None and isinstance(value, list):
        element = type_.element
        return tuple(cast("Element", coerce_whole(item, element)) for item in value)
    if value is not None and type_.kind is Kind.RECORD:
        raise Missing(f"{shown(value)} is no object with the fields of a record")
    if value is not None and type_.kind is Kind.LIST:
        raise Missing(f"{shown(value)} is no list")
    if type_.kind is Kind.DURATION and isinstance(value, str):
        duration = duration_of(value)
        if duration is None:
            raise Missing(f"{shown(value)} is no duration, as P1DT2H")
        return duration
    return coerce(value, type_)


def _record(value: Mapping[str, Json], record: RecordType) -> RecordValue:
    fields: list[tuple[str, Value]] = []
    for name, held in value.items():
        kind = record.field(name)
        if kind is None:
            known_fields = ", ".join(field for field, _ in record.fields)
            raise Missing(f"a {record.name} has no field {name}; it has {known_fields}")
        try:
            fields.append((name, coerce_whole(held, kind)))
        except Missing as missing:
            raise Missing(f"{name}: {missing}") from None
    return RecordValue(record.name, tuple(fields))


def shown(value: Json) -> str:
    """The value for a message, shortened."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _bool(value: Json) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise Missing(f"{shown(value)} is neither true nor false")


def _int(value: Json) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()) and value.isascii():
        return int(value)
    raise Missing(f"{shown(value)} is not a whole number")


def _decimal(value: Json, places: int) -> Decimal:
    if isinstance(value, bool) or value is None or isinstance(value, list | dict):
        raise Missing(f"{shown(value)} is not a number")
    text = value.strip() if isinstance(value, str) else repr(value)
    if isinstance(value, str) and not (_DECIMAL.fullmatch(text) and text.isascii()):
        raise Missing(f"{shown(value)} is not a number")
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise Missing(f"{shown(value)} is not a number") from None
    exponent = number.normalize().as_tuple().exponent
    if not isinstance(exponent, int):
        raise Missing(f"{shown(value)} is not a finite number")
    if -exponent > places:
        raise Missing(f"{shown(value)} has more than {places} decimal places")
    return number


def _str(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int):
        return str(value)
    raise Missing(f"{shown(value)} is not a text")


def _enum(value: Json, members: tuple[str, ...]) -> str:
    if isinstance(value, str):
        if value in members:
            return value
        folded_value = _folded(value)
        alike = [member for member in members if _folded(member) == folded_value]
        if len(alike) == 1:
            return alike[0]
    raise Missing(f"{shown(value)} is none of {_some(members)}")


def _some(members: tuple[str, ...]) -> str:
    """The first members of an enum, and how many there are if these are not all."""
    listed = ", ".join(members[:_LISTED])
    return listed if len(members) <= _LISTED else f"{listed}, … ({len(members)} in all)"


def _folded(word: str) -> str:
    return " ".join(re.split(r"[\s_-]+", word.strip().casefold()))


def _set(value: Json) -> frozenset[str]:
    items = value if isinstance(value, list) else [value]
    return frozenset(_str(item) for item in items)


def _when(value: Json, kind: Kind) -> Value:
    if isinstance(value, str):
        text = value.strip()
        try:
            if kind is Kind.DATE:
                return date.fromisoformat(text)
            check_fineness(text)
            if kind is Kind.TIME:
                return time.fromisoformat(text)
            return datetime.fromisoformat(text)
        except ValueError:
            pass
    raise Missing(f"{shown(value)} is not a {kind.value} in ISO 8601 form")


def check_fineness(text: str) -> None:
    """Raise Missing for a time in ISO 8601 form of which Python would drop digits."""
    if _TOO_FINE.search(text):
        raise Missing(f"{shown(text)} is finer than a microsecond")

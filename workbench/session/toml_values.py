"""The values of arguments in TOML: readable, and exact in both directions.

============ ===========================================================
bool         ``true``
int          ``17``
Decimal      ``12.50`` (read as an exact decimal, never as a float)
str, enum    ``"nursing"``
set          ``["diagnosis.icd9code", "patient.age"]`` (sorted)
date         ``2026-01-31``
time         ``09:00:00``
datetime     ``2026-01-31T09:00:00Z``
None         ``{ none = true }``
============ ===========================================================

An argument that a case does not give has no key.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import cast

from workbench.model import ArgumentType, Kind, Value
from workbench.session.errors import SessionError
from workbench.session.toml_text import Inline, Toml

_KINDS: dict[Kind, tuple[type, str]] = {
    Kind.BOOL: (bool, "true or false"),
    Kind.INT: (int, "a whole number"),
    Kind.DECIMAL: (Decimal, "a number"),
    Kind.STR: (str, "a string"),
    Kind.ENUM: (str, "a string"),
    Kind.SET: (frozenset, "a list of strings"),
    Kind.DATE: (date, "a date, as 2026-01-31"),
    Kind.TIME: (time, "a time, as 09:00:00"),
    Kind.DATETIME: (datetime, "a date with a time, as 2026-01-31T09:00:00Z"),
}


def encode_value(value: Value) -> Toml:
    """The TOML value of an argument's value. Raises SessionError for one that TOML cannot hold."""
    if value is None:
        return Inline(none=True)
    if isinstance(value, frozenset):
        return cast("list[Toml]", sorted(value))
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    if isinstance(value, time) and value.tzinfo is not None:
        raise SessionError(f"The time {value} has a zone, which a session cannot hold; give it without one.")
    return value


def decode_value(value: object, declared: ArgumentType | None = None) -> Value:
    """The value of an argument from TOML.

    With a declared type a whole number is also a decimal. Raises ValueError whose text
    says what was expected; callers add the place.
    """
    found = _plain(value)
    if declared is None:
        return found
    if declared.kind is Kind.DECIMAL and type(found) is int:
        return Decimal(found)
    if not fits(found, declared):
        wanted = _KINDS[declared.kind][1]
        also = " or { none = true }" if declared.optional else ""
        raise ValueError(f"must be {wanted}{also}")
    return found


def fits(value: Value, declared: ArgumentType) -> bool:
    """Whether a value has the declared type. Members of an enum are not looked at."""
    if value is None:
        return declared.optional
    return type(value) is _KINDS[declared.kind][0]


def _plain(value: object) -> Value:
    if value == {"none": True}:
        return None
    if isinstance(value, list):
        items = cast("list[object]", value)
        if all(isinstance(item, str) for item in items):
            return frozenset(cast("list[str]", items))
        raise ValueError("must be a list of strings")
    if isinstance(value, Decimal) and not value.is_finite():
        raise ValueError("must be a finite number")
    if isinstance(value, bool | int | Decimal | str | date | time | datetime):
        return value
    raise ValueError("must be a value, a list of strings or { none = true }")

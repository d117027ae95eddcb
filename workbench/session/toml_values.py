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
duration     ``"P1DT2H"`` (a day and two hours, in the form of ISO 8601)
record       ``{ payment_id = "gift_card_1", amount = 100 }``
list         ``[{ payment_id = "gift_card_1", amount = 100 }]``
None         ``{ none = true }``
============ ===========================================================

An argument that a case does not give has no key; the same holds for a field of a record. The agent's records
have fields that a policy does not read; if the policy reads a missing field, the case cannot be evaluated.
The names of record types are in the declared type only.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import cast

from workbench.model import ArgumentType, Element, Kind, RecordValue, Value
from workbench.policy.types import set_element
from workbench.serialization.durations import duration_of, duration_text
from workbench.session.session_error import SessionError
from workbench.session.toml_text import Inline, Toml, compact

_KINDS: dict[Kind, tuple[type, str]] = {
    Kind.BOOL: (bool, "true or false"),
    Kind.INT: (int, "a whole number"),
    Kind.DECIMAL: (Decimal, "a number"),
    Kind.STR: (str, "a string"),
    Kind.ENUM: (str, "a string"),
    Kind.DATE: (date, "a date, as 2026-01-31"),
    Kind.TIME: (time, "a time, as 09:00:00"),
    Kind.DATETIME: (datetime, "a date with a time, as 2026-01-31T09:00:00Z"),
}


def encode_value(value: Value) -> Toml:
    """The TOML value of an argument's value. Raises SessionError for one that TOML cannot hold."""
    if isinstance(value, RecordValue):
        return compact(_table(value))
    return _encoded(value)


def _encoded(value: Value) -> Toml:
    """The TOML value, an inline table if it is a table."""
    match value:
        case None:
            return Inline(none=True)
        case frozenset():
            return cast("list[Toml]", sorted(value))
        case RecordValue():
            return Inline(_table(value))
        case tuple():
            return [_encoded(element) for element in value]
        case timedelta():
            return duration_text(value)
        case datetime() if value.tzinfo is not None:
            return value.astimezone(UTC)
        case time() if value.tzinfo is not None:
            message = f"The time {value} has a zone, which a session cannot hold; give it without one."
            raise SessionError(message)
        case _:
            return value


def _table(value: RecordValue) -> dict[str, Toml]:
    return {name: _encoded(held) for name, held in value.fields}


def decode_value(value: object, declared: ArgumentType | None = None, *, strict: bool = True) -> Value:
    """The value of an argument from TOML.

    With a declared type, a whole number may be a decimal, a list may contain records, and a table is a
    record, of which fields that its type does not have are left out. A value that does not fit the declared
    type is read without the type, unless ``strict``. Raises ValueError whose text says what was expected;
    callers add the place.
    """
    try:
        return _plain(value) if declared is None else _decoded(value, declared, strict)
    except ValueError:
        if strict or declared is None:
            raise
        return _plain(value)


def _decoded(value: object, declared: ArgumentType, strict: bool) -> Value:
    if value == {"none": True} and (declared.optional or not strict):
        return None
    match declared.kind:
        case Kind.RECORD:
            return _record(value, declared, strict)
        case Kind.LIST:
            return _list(value, declared, strict)
        case Kind.SET:
            return _set(value, declared)
        case Kind.DURATION:
            duration = duration_of(value) if isinstance(value, str) else None
            if duration is None:
                raise _expected('a duration, as "P1DT2H"', declared)
            return duration
        case Kind.DECIMAL if type(value) is int:
            return Decimal(value)
        case _:
            kind, type_words = _KINDS[declared.kind]
            plain_value = _plain(value)
            if type(plain_value) is not kind:
                raise _expected(type_words, declared)
            return plain_value


def _expected(description: str, declared: ArgumentType) -> ValueError:
    return ValueError(f"must be {description}{' or { none = true }' if declared.optional else ''}")


def _set(value: object, declared: ArgumentType) -> Value:
    kind, element_words = (
        (int, "whole numbers") if set_element(declared).kind is Kind.INT else (str, "strings")
    )
    members = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(type(member) is kind for member in members):
        raise _expected(f"a list of {element_words}", declared)
    return frozenset(cast("list[str]", members))


def _list(value: object, declared: ArgumentType, strict: bool) -> Value:
    if not isinstance(value, list) or declared.element is None:
        raise _expected("a list", declared)
    elements: list[Element] = []
    for number, item in enumerate(cast("list[object]", value), 1):
        try:
            elements.append(cast("Element", decode_value(item, declared.element, strict=strict)))
        except ValueError as error:
            raise ValueError(f"has the element {number}, which {error}") from None
    return tuple(elements)


def _record(value: object, declared: ArgumentType, strict: bool) -> Value:
    record = declared.record
    if not isinstance(value, dict) or record is None:
        raise _expected("a table", declared)
    table = cast("Mapping[str, object]", value)
    fields: list[tuple[str, Value]] = []
    for name in [name for name, _ in record.fields if name in table]:
        try:
            fields.append((name, decode_value(table[name], record.field(name), strict=strict)))
        except ValueError as error:
            raise ValueError(f'has the key "{name}", which {error}') from None
    return RecordValue(record.name, tuple(fields))


def _plain(value: object) -> Value:
    """A value without a declared type: lists of strings are sets, tables are records without a name."""
    if value == {"none": True}:
        return None
    if isinstance(value, list):
        items = cast("list[object]", value)
        if all(isinstance(item, str) for item in items):
            return frozenset(cast("list[str]", items))
        return tuple(cast("Element", _plain(item)) for item in items)
    if isinstance(value, dict):
        table = cast("Mapping[str, object]", value)
        return RecordValue("", tuple((name, _plain(held)) for name, held in table.items()))
    if isinstance(value, Decimal) and not value.is_finite():
        raise ValueError("must be a finite number")
    if isinstance(value, bool | int | Decimal | str | date | time | datetime):
        return value
    raise ValueError("must be a value, a list, a table or { none = true }")

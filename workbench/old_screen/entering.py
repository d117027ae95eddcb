"""Values that a person types into a form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation

from workbench.app.typed_values import typed_text, typed_value
from workbench.app.value_texts import duration_of, duration_text
from workbench.model import ArgumentType, Kind, RecordValue, Value, WorkbenchError

HINT = {
    Kind.BOOL: "yes or no",
    Kind.INT: "a whole number",
    Kind.DECIMAL: "a number such as 12.50",
    Kind.STR: "a text",
    Kind.ENUM: "one of the listed words",
    Kind.SET: "words separated by commas or lines",
    Kind.DATE: "a date such as 2026-01-31",
    Kind.TIME: "a time such as 09:00",
    Kind.DATETIME: "such as 2026-01-31T09:00",
    Kind.DURATION: "a duration such as P1DT2H",
    Kind.RECORD: 'the fields, such as { name = "x", amount = 3 }',
    Kind.LIST: 'the elements, such as ["x"] or [{ name = "x" }]',
}
WORDS = {"yes": True, "true": True, "no": False, "false": False}


def typed(value: Value) -> str:
    """A value as it is typed into the form."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case frozenset():
            return ", ".join(map(str, sorted(value)))
        case timedelta():
            return duration_text(value)
        case RecordValue() | tuple():
            return typed_text(value)
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return str(value)


def entered(name: str, text: str, type_: ArgumentType) -> Value:
    """The value that a text stands for; an empty one is missing where the type is optional.

    Raises WorkbenchError, naming the argument and what to type.
    """
    word = text.strip()
    if not word and type_.optional:
        return None
    try:
        return _value(word, type_)
    except (ValueError, InvalidOperation, KeyError) as error:
        words = ", ".join(type_.values) if type_.kind is Kind.ENUM else HINT[type_.kind]
        raise WorkbenchError(f"{name}: {word or 'nothing'} does not fit; type {words}.") from error


def _value(word: str, type_: ArgumentType) -> Value:
    if type_.kind is Kind.ENUM and word not in type_.values:
        raise ValueError(word)
    if type_.kind is Kind.SET:
        parts = [part.strip() for part in word.replace("\n", ",").split(",") if part.strip()]
        return frozenset(parts) if type_.element is None else frozenset(map(int, parts))
    if type_.kind in (Kind.RECORD, Kind.LIST):
        return typed_value(word, type_)
    return READ[type_.kind](word)


def _yes_or_no(word: str) -> bool:
    return WORDS[word.casefold()]


def _duration(word: str) -> Value:
    found = duration_of(word)
    if found is None:
        raise ValueError(word)
    return found


READ: Mapping[Kind, Callable[[str], Value]] = {
    Kind.BOOL: _yes_or_no,
    Kind.INT: int,
    Kind.DECIMAL: Decimal,
    Kind.STR: str,
    Kind.ENUM: str,
    Kind.DATE: date.fromisoformat,
    Kind.TIME: time.fromisoformat,
    Kind.DATETIME: datetime.fromisoformat,
    Kind.DURATION: _duration,
}

"""The JSON form of argument values: decimals, dates, times and durations as text, records as objects."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal

from workbench.model import Arguments, Json, RecordValue, Value
from workbench.serialization.durations import duration_text


def json_value(value: Value) -> Json:
    """The JSON form of a value: decimals and dates as text, sets as sorted lists, records as objects."""
    match value:
        case RecordValue():
            return {name: json_value(held) for name, held in value.fields}
        case tuple():
            return [json_value(element) for element in value]
        case timedelta():
            return duration_text(value)
        case frozenset():
            return list[Json](sorted(value))
        case Decimal():
            return format(value, "f")
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return value


def json_arguments(arguments: Arguments) -> dict[str, Json]:
    """The JSON form of an argument vector."""
    return {name: json_value(value) for name, value in arguments.items()}

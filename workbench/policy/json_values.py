"""The JSON form of argument values: decimals, dates and times as text, sets as sorted lists."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal

from workbench.model import Arguments, Json, Value


def json_value(value: Value) -> Json:
    """The JSON form of an argument's value: decimals and dates as text, sets as sorted lists."""
    match value:
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

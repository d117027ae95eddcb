"""Values of arguments in plain words: records by their fields, lists by their elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import groupby

from workbench.clean_text import counted
from workbench.model import Arguments, RecordValue, Value
from workbench.policy.literals import literal

_FEWEST_FOLDED = 3
_MOST_NAMED = 6
_UNITS = (("day", 86_400_000_000), ("hour", 3_600_000_000), ("minute", 60_000_000), ("second", 1_000_000))


def value_words(value: Value) -> str:
    """The words for a value; texts are in quotes, times with a zone are in UTC."""
    match value:
        case RecordValue():
            fields = ", ".join(f"{name}: {value_words(held)}" for name, held in value.fields)
            return f"{{{fields}}}" if fields else "{any}"
        case tuple():
            return f"[{', '.join(_times(value))}]"
        case frozenset():
            return literal(value) if value else "{}"
        case timedelta():
            return duration_words(value)
        case datetime():
            return _moment(value)
        case date():
            return value.isoformat()
        case time():
            return value.isoformat(_exact(value))
        case Decimal():
            return format(value, "f")
        case _:
            return literal(value)


def duration_words(value: timedelta) -> str:
    """A duration in its units: ``1 day 2 hours``."""
    remaining_microseconds = abs(value) // timedelta(microseconds=1)
    parts: list[str] = []
    for unit, size in _UNITS:
        count, remaining_microseconds = divmod(remaining_microseconds, size)
        if count:
            parts.append(counted(count, unit))
    if remaining_microseconds:
        parts.append(counted(remaining_microseconds, "microsecond"))
    return ("minus " if value < timedelta(0) else "") + (" ".join(parts) or "0 seconds")


def argument_words(arguments: Arguments) -> Iterator[tuple[str, str]]:
    """Yield the name and the words of each argument, or of each field of a record."""
    for name, value in arguments.items():
        yield from _named(name, value)


def without_empty(arguments: Arguments) -> tuple[dict[str, Value], str]:
    """The non-empty arguments, and a phrase for the empty ones; few empty arguments are not left out."""
    empty = [name for name, value in arguments.items() if value is None or value in ((), frozenset())]
    if len(empty) < _FEWEST_FOLDED:
        return dict(arguments), ""
    remaining = {name: value for name, value in arguments.items() if name not in empty}
    return remaining, f"None or empty: {few_of(empty)}"


def few_of(names: Sequence[str]) -> str:
    """The first names of many, and the number of the others."""
    more_count = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more_count} more" if more_count > 0 else "")


def arguments_words(arguments: Arguments) -> str:
    """All arguments on one line: ``role = "nursing", reservation.cabin = "business"``."""
    remaining, empty = without_empty(arguments)
    arguments_text = ", ".join(f"{name} = {words}" for name, words in argument_words(remaining))
    return "; ".join(part for part in (arguments_text, empty) if part)


def _named(name: str, value: Value) -> Iterator[tuple[str, str]]:
    if isinstance(value, RecordValue) and value.fields:
        for field, held in value.fields:
            yield from _named(f"{name}.{field}", held)
    elif isinstance(value, RecordValue):
        yield name, "any that is known"
    else:
        yield name, value_words(value)


def _times(elements: tuple[Value, ...]) -> Iterator[str]:
    """Yield the words of elements; equal neighbours are put together with their number."""
    for words, alike in groupby(map(value_words, elements)):
        count = len(list(alike))
        yield words if count == 1 else f"{count} times {words}"


def _moment(value: datetime) -> str:
    moment = value.astimezone(UTC) if value.tzinfo else value
    return f"{moment.replace(tzinfo=None).isoformat(' ', _exact(moment))}{' UTC' if value.tzinfo else ''}"


def _exact(value: datetime | time) -> str:
    """The precision for the text of a time: minutes, if it has no seconds."""
    return "auto" if value.second or value.microsecond else "minutes"

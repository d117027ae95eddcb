"""Text of values in the dialect."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from workbench.model import RecordValue, Scalar, Value


def literal(value: Value | frozenset[Scalar]) -> str:
    """The text of a value in the dialect; sets are sorted, so the text is deterministic.

    A datetime is written in UTC without its zone, a record as a call of its type.
    """
    if isinstance(value, RecordValue):
        return f"{value.type}({', '.join(f'{name}={literal(held)}' for name, held in value.fields)})"
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, timedelta):
        return _duration(value)
    if isinstance(value, frozenset):
        return f"{{{', '.join(map(literal, in_order(value)))}}}" if value else "frozenset()"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Decimal):
        return f'Decimal("{value:f}")'
    if isinstance(value, datetime):
        moment = value.astimezone(UTC) if value.tzinfo else value
        return f"datetime({_parts(list(moment.timetuple()[:6]), moment.microsecond, 5)})"
    if isinstance(value, date):
        return f"date({value.year}, {value.month}, {value.day})"
    if isinstance(value, time):
        return f"time({_parts([value.hour, value.minute, value.second], value.microsecond, 2)})"
    return repr(value)


def in_order(members: Iterable[Scalar]) -> list[Scalar]:
    """The members of a set in the order in which they are written."""
    return sorted(members, key=lambda member: (str(type(member)), member))  # type: ignore[arg-type] # one type each


def _duration(value: timedelta) -> str:
    sign, value = ("-", -value) if value < timedelta(0) else ("", value)
    minutes, seconds = divmod(value.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = {"days": value.days, "hours": hours, "minutes": minutes, "seconds": seconds}
    parts["microseconds"] = value.microseconds
    keywords = [f"{name}={number}" for name, number in parts.items() if number]
    return f"{sign}timedelta({', '.join(keywords) or 'seconds=0'})"


def _parts(parts: list[int], microsecond: int, least_count: int) -> str:
    parts = [*parts, microsecond]
    while len(parts) > least_count and not parts[-1]:
        parts.pop()
    return ", ".join(map(str, parts))


def _quoted(text: str) -> str:
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    shown_characters: list[str] = []
    for character in text:
        if character in '"\\':
            shown_characters.append(f"\\{character}")
        elif character.isprintable():
            shown_characters.append(character)
        else:
            shown_characters.append(repr(character)[1:-1])
    return f'"{"".join(shown_characters)}"'

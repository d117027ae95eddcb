"""The neighbours of a constant: the values just under and just over it, and other members of its type.

Cases, mutants, counterexamples and readings take them from here. A step is the smallest that the type can
hold and a policy can tell apart, so nothing fits between a constant and its neighbour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from workbench.model import Scalar

_DAY = timedelta(days=1)
_MICROSECOND = timedelta(microseconds=1)


def just_under(value: Scalar, places: int) -> Scalar | None:
    """The value just before a constant; None for the first of its type, and for a type without an order."""
    return _moved(value, -1, places)


def just_over(value: Scalar, places: int) -> Scalar | None:
    """The value just after a constant; None for the last of its type, and for a type without an order."""
    return _moved(value, 1, places)


def neighbours(value: Scalar, places: int) -> tuple[Scalar, ...]:
    """The values just before and just after a constant, where they exist."""
    near_values = (just_under(value, places), just_over(value, places))
    return tuple(near for near in near_values if near is not None)


def _moved(value: Scalar, steps: int, places: int) -> Scalar | None:
    try:
        match value:
            case bool() | str():
                return None
            case int():
                return value + steps
            case Decimal():
                return value + steps * Decimal(1).scaleb(-places)
            case datetime():
                return value + steps * _MICROSECOND
            case date():
                return value + steps * _DAY
            case timedelta():
                return value + steps * _MICROSECOND
            case time():
                return _time(datetime.combine(date(2026, 1, 1), value), steps)
    except OverflowError:  # the calendar ends here
        return None


def _time(moment: datetime, steps: int) -> time | None:
    """The time of day some steps away; None if it is on another day."""
    moved = moment + steps * _MICROSECOND
    return moved.time() if moved.date() == moment.date() else None


def other_members(value: Scalar | None, members: Sequence[str]) -> tuple[str, ...]:
    """The other members of an enum; none of them is nearer than another."""
    return tuple(member for member in members if member != value)


def without_one(values: tuple[Scalar, ...]) -> Iterator[tuple[Scalar, tuple[Scalar, ...]]]:
    """Yield each element of a set with the set without it."""
    for value in values:
        yield value, tuple(other_value for other_value in values if other_value != value)


def with_one_more(
    values: tuple[Scalar, ...], words: Sequence[str]
) -> Iterator[tuple[str, tuple[Scalar, ...]]]:
    """Yield the first word that a set of words lacks, with the set extended by it, if there is a word."""
    if all(isinstance(value, str) for value in values):
        for word in [word for word in words if word not in values][:1]:
            yield word, (*values, word)

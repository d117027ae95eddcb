"""The smallest or largest of values, and the number of distinct ones; some may not be known, or not count.

What is known of some values together is a ``Reach``, and those of two stretches of values are joined to that
of both, in any order and with overlaps.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, time, timedelta
from decimal import Decimal
from typing import NamedTuple

from workbench.dialect.run_values import DISTINCT
from workbench.model import Bounds
from workbench.policy.operations import Known, within
from workbench.policy.undetermined import Undetermined

type Ordered = int | Decimal | date | time | timedelta
"""A value that has an order with others of its type."""
_ORDERED = (int, Decimal, date, time, timedelta)


class Reach(NamedTuple):
    """What is known of an extreme of some values.

    ``counts`` is whether a value certainly counts. The extreme certainly reaches ``near``, and does not pass
    ``far``; each is None if that is not known. ``is_bounded`` is whether it has such a far end.
    """

    counts: bool = False
    near: Ordered | None = None
    far: Ordered | None = None
    is_bounded: bool = True

    def joined(self, other: Reach, operation: str) -> Reach:
        """What is known of the extreme of these values and others."""
        return Reach(
            self.counts or other.counts,
            _further(self.near, other.near, operation),
            _further(self.far, other.far, operation),
            self.is_bounded and other.is_bounded,
        )

    @property
    def if_counted(self) -> Reach:
        """The same if it is not known of any value whether it counts."""
        return Reach(False, None, self.far, self.is_bounded)


NOTHING = Reach()
"""What is known of the extreme of no values."""


def reach_of(value: Known, operation: str, *, is_sure: bool) -> Reach:
    """What is known of the extreme of one value; if not ``is_sure``, it may not count."""
    low, high = _span(value)
    near, far = (low, high) if operation == "max" else (high, low)
    return Reach(is_sure, near if is_sure else None, far, far is not None)


def _span(value: Known) -> tuple[Ordered | None, Ordered | None]:
    if isinstance(value, Undetermined):
        return value.between if isinstance(value.between, tuple) else (None, None)
    if not isinstance(value, _ORDERED) or isinstance(value, bool):
        raise TypeError(f"{value!r} has no order.")
    return value, value


def _further(one: Ordered | None, other: Ordered | None, operation: str) -> Ordered | None:
    if one is None or other is None:
        return other if one is None else one
    is_beyond = one > other if operation == "max" else one < other  # type: ignore[operator] # of one type
    return one if is_beyond else other


def extreme_of(reach: Reach, operation: str, default: Known, open_parts: Iterable[Known]) -> Known:
    """The extreme of values; ``default`` is the value if none counts, undetermined if there is none then."""
    if not reach.counts:
        if reach == NOTHING:
            return default
        of_default = Reach(is_bounded=False)
        if default is not None and not (isinstance(default, Undetermined) and default.between is None):
            of_default = reach_of(default, operation, is_sure=False)
        reach = reach.joined(of_default, operation)
        open_parts = (*open_parts, default)
    far = reach.far if reach.is_bounded else None
    if reach.near is not None and reach.near == far:
        return reach.near
    low, high = (reach.near, far) if operation == "max" else (far, reach.near)
    return within((_number(low), _number(high)), open_parts)


def _number(value: Ordered | None) -> int | Decimal | None:
    return value if isinstance(value, int | Decimal) else None


class Distinct:
    """The number of distinct values."""

    def __init__(self) -> None:
        """Begin without values."""
        self._sure: set[Known] = set()
        self._open: set[Known] = set()
        self._unknown = 0
        self._counts = False

    def add(self, value: Known, *, is_sure: bool) -> None:
        """Add a value; if not ``is_sure``, it may not count."""
        self._counts |= is_sure
        if isinstance(value, Undetermined):
            self._unknown += 1
        else:
            (self._sure if is_sure else self._open).add(value)

    def number(self, open_parts: Iterable[Known]) -> Known:
        """The number; undetermined between bounds if that of some values is."""
        low = max(len(self._sure), 1 if self._counts else 0)
        bounds: Bounds = (low, len(self._sure | self._open) + self._unknown)
        return within(bounds, open_parts)


def gathered_value(
    operation: str, values: Iterable[tuple[Known, bool]], default: Known, open_parts: Iterable[Known]
) -> Known:
    """The value of an operation on values, each with whether it certainly counts."""
    if operation == DISTINCT:
        distinct = Distinct()
        for value, is_sure in values:
            distinct.add(value, is_sure=is_sure)
        return distinct.number(open_parts)
    reach = NOTHING
    for value, is_sure in values:
        reach = reach.joined(reach_of(value, operation, is_sure=is_sure), operation)
    return extreme_of(reach, operation, default, open_parts)


def no_value(operation: str) -> Undetermined:
    """The extreme of nothing without a default."""
    return Undetermined(frozenset({f"{operation} of nothing has no value"}))


class Reaches:
    """The reaches of values in order, with what is known of the extreme of any stretch of them."""

    def __init__(self, operation: str) -> None:
        """Begin without values."""
        self.operation = operation
        self._rows: list[list[Reach]] = [list[Reach]()]

    def add(self, reach: Reach) -> None:
        """Add a value after the others; row ``k`` has the extremes of all stretches of ``2 ** k`` values."""
        self._rows[0].append(reach)
        count, half = len(self._rows[0]), 1
        for number in range(1, count.bit_length()):
            if number == len(self._rows):
                self._rows.append([])
            before, start = self._rows[number - 1], count - 2 * half
            self._rows[number].append(before[start].joined(before[start + half], self.operation))
            half *= 2

    def cut(self, count: int) -> None:
        """Keep the first values only."""
        for number, row in enumerate(self._rows):
            del row[max(0, count - (1 << number) + 1) :]

    def of(self, start: int, end: int) -> Reach:
        """What is known of the extreme of the values from one position to another."""
        if start >= end:
            return NOTHING
        number = (end - start).bit_length() - 1
        row = self._rows[number]
        return row[start].joined(row[end - (1 << number)], self.operation)

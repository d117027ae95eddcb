"""Lanes: earlier calls that may count for an aggregate, in order, with totals over any stretch of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from workbench.dialect.run_values import GATHERING
from workbench.model import Bounds, RecordValue
from workbench.policy.operations import Known, if_counted
from workbench.policy.undetermined import Undetermined
from workbench.runs.expressions.gathering import NOTHING, Reach, Reaches

type Key = tuple[Known, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """An earlier call that may count, with what is known of it alone.

    ``is_sure`` is whether it certainly meets what is asked of it alone. ``value`` is what it adds, with its
    ``bounds``, and with its ``reach`` where values are compared.
    """

    place: int
    index: int
    element: RecordValue
    is_sure: bool = True
    value: Known = 1
    bounds: Bounds = (1, 1)
    time: datetime | None = None
    reach: Reach = NOTHING


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of a stretch of calls between bounds, and the number of calls that certainly count."""

    bounds: Bounds
    sure: int


class Lane:
    """Calls that may count, in order, with sums from the first call to each place."""

    def __init__(self, zero: int | Decimal, operation: str = "") -> None:
        """Begin without calls; ``zero`` is the sum of none, and ``operation`` compares their values."""
        self.entries: list[Entry] = []
        self._reaches = Reaches(operation) if operation in GATHERING else None
        self._zero = zero
        self._places: list[int] = []
        self._times: list[datetime] = []
        self._sure: list[int] = []
        self._open: list[int] = []
        self._sums: list[_Sums] = [_Sums(zero, zero, zero, zero, 0, 0)]

    def add(self, entry: Entry) -> None:
        """Add a call that comes after the others."""
        position = len(self.entries)
        self.entries.append(entry)
        self._places.append(entry.place)
        time = entry.time
        if time is not None and len(self._times) == position and (not position or self._times[-1] <= time):
            self._times.append(time)
        if entry.is_sure:
            self._sure.append(position)
        if not entry.is_sure or isinstance(entry.value, Undetermined):
            self._open.append(position)
        if self._reaches is not None:
            self._reaches.add(entry.reach)
        self._sums.append(self._sums[-1].with_entry(entry))

    def put(self, place: int, entry: Entry | None) -> None:
        """Put a call in its place; None removes it."""
        position = bisect_left(self._places, place)
        later = [held for held in self.entries[position:] if held.place != place]
        for column in (self.entries, self._places, self._times):
            del column[position:]
        del self._sums[position + 1 :]
        if self._reaches is not None:
            self._reaches.cut(position)
        for column in (self._sure, self._open):
            del column[bisect_left(column, position) :]
        for held in later if entry is None else (entry, *later):
            self.add(held)

    @property
    def is_in_order(self) -> bool:
        """Whether the time of each call is known, and is not before that of the call before it."""
        return len(self._times) == len(self.entries)

    @property
    def times(self) -> Sequence[datetime]:
        """The times of the calls; only as far as they are in order."""
        return self._times

    def total(self, start: int, end: int, *, sure: bool) -> Total:
        """The total from one position to another; if not ``sure``, no call certainly counts."""
        before, after = self._sums[start], self._sums[end]
        low = after.low - before.low if sure else after.low_if - before.low_if
        high = after.high - before.high if sure else after.high_if - before.high_if
        bounds = (
            None if after.no_low > before.no_low else low,
            None if after.no_high > before.no_high else high,
        )
        number = bisect_left(self._sure, end) - bisect_left(self._sure, start) if sure else 0
        return Total(bounds, number)

    def reach(self, start: int, end: int, *, sure: bool) -> Reach:
        """What is known of the extreme of a stretch; if not ``sure``, no call certainly counts."""
        reach = NOTHING if self._reaches is None else self._reaches.of(start, end)
        return reach if sure else reach.if_counted

    def first_sure(self, start: int, end: int, most: int) -> list[Entry]:
        """The first calls of a stretch that certainly count."""
        return self._first(self._sure, start, end, most)

    def last_sure(self, start: int, end: int) -> list[Entry]:
        """The last call of a stretch that certainly counts, if any."""
        before = bisect_left(self._sure, end) - 1
        return [self.entries[self._sure[before]]] if before >= 0 and self._sure[before] >= start else []

    def first_open(self, start: int, end: int, most: int, *, sure: bool) -> list[Entry]:
        """The first calls of a stretch of which it is not known whether, or with which value, they count."""
        if not sure:
            return self.entries[start : min(end, start + most)]
        return self._first(self._open, start, end, most)

    def _first(self, positions: list[int], start: int, end: int, most: int) -> list[Entry]:
        first = bisect_left(positions, start)
        return [self.entries[position] for position in positions[first : first + most] if position < end]


class _Sums(NamedTuple):
    """The sums of the calls up to one: as they count, and if it were not known of any whether it counts.

    ``no_low`` and ``no_high`` are the numbers of calls whose value has no such bound.
    """

    low: int | Decimal
    high: int | Decimal
    low_if: int | Decimal
    high_if: int | Decimal
    no_low: int
    no_high: int

    def with_entry(self, entry: Entry) -> _Sums:
        """The sums with one more call."""
        open_bounds = if_counted(entry.bounds)
        low, high = entry.bounds if entry.is_sure else open_bounds
        low_if, high_if = open_bounds
        return _Sums(
            self.low + (low or 0),
            self.high + (high or 0),
            self.low_if + (low_if or 0),
            self.high_if + (high_if or 0),
            self.no_low + (low is None),
            self.no_high + (high is None),
        )

"""Walks through a run with a window: each earlier call is judged once, not again for each later call.

Which earlier calls count depends on the later call in three ways only: the values that both share (``same``),
the time between them (``within``), and the call since which calls count (``since``). So the calls that may
count are in lanes, one for each combination of shared values, in order. The calls that count are the end of a
lane. If a lane cannot decide this, the caller has to test each call.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Context, Decimal, localcontext
from heapq import heappop, heappush
from itertools import islice

from workbench.model import UNANSWERED, Json, RecordedCall
from workbench.runs.world.earlier_calls import Earlier

_EXACT = Context(prec=6000)
_MOST_RUNS = 16
"""The number of simultaneous runs whose lanes are kept."""

type Key = tuple[str, ...]
type Number = Callable[[Json], Decimal | None]
"""Gives the number of a value, or None if the value adds nothing; raises Missing if it is not a number."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An earlier call that may count, with the facts about it that do not depend on the later call.

    ``sure`` is False if a fact about it is unknown. ``shared`` are the values that a later call has to share,
    None if only a comparison can decide. ``values`` are the values at the path, None if unknown.
    """

    place: int
    call: RecordedCall
    sure: bool = True
    shared: tuple[str | int, ...] | None = ()
    time: datetime | None = None
    values: tuple[Json, ...] | None = ()


class Lane:
    """Calls that may count, in order, with totals over all calls from any position on."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        """Begin with these entries."""
        self.entries: list[Entry] = []
        self._places: list[int] = []
        self._times: list[datetime] = []
        self._unsure: list[int] = []
        self._reach: list[int] = []
        self._valued: list[int] = []
        self._counts: list[int] = [0]
        self._sums: list[Decimal] = [Decimal(0)]
        self._no_numbers: list[int] = []
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Add a call that comes after the others."""
        position = len(self.entries)
        self.entries.append(entry)
        self._places.append(entry.place)
        time = entry.time
        if time is not None and len(self._times) == position and _in_order(*self._times[-1:], time):
            self._times.append(time)
        self._reach.append(max(entry.call.known_from, self._reach[-1] if self._reach else 0))
        if not entry.sure or entry.values is None:
            self._unsure.append(position)
        if entry.values:
            self._valued.append(position)
        self._counts.append(self._counts[-1] + len(entry.values or ()))

    def put(self, place: int, entry: Entry | None) -> None:
        """Replace the entry of the call at a place; None removes it."""
        position = bisect_left(self._places, place)
        later_entries = [later_entry for later_entry in self.entries[position:] if later_entry.place != place]
        for column in (self.entries, self._places, self._times, self._reach):
            del column[position:]
        for column in (self._counts, self._sums):
            del column[position + 1 :]
        for column in (self._unsure, self._valued, self._no_numbers):
            del column[bisect_left(column, position) :]
        for next_entry in (*(() if entry is None else (entry,)), *later_entries):
            self.add(next_entry)

    def since(self, place: int, known_from: int) -> int | None:
        """The position of the first call after the call at a place; None if some calls overlapped it."""
        position = bisect_left(self._places, place)
        if position and self._reach[position - 1] > place:
            return None
        if position < len(self._places) and self._places[position] == place:
            position += 1
        after = self._places[position] if position < len(self._places) else None
        return None if after is not None and known_from > after else position

    def within(self, window: timedelta, now: datetime) -> int | None:
        """The position of the first call within the window before ``now``; None if times have no order."""
        times = self._times
        if len(times) < len(self.entries) or (times and not _in_order(times[-1], now)):
            return None
        return bisect_left(times, True, key=lambda then: now - then <= window)

    def backwards(self) -> Iterator[tuple[Entry, int]]:
        """The calls from the last one back, each with the latest ``known_from`` up to it."""
        return zip(reversed(self.entries), reversed(self._reach), strict=True)

    def unsure(self, start: int) -> Entry | None:
        """The first call from a position on about which a fact is unknown."""
        first = bisect_left(self._unsure, start)
        return self.entries[self._unsure[first]] if first < len(self._unsure) else None

    def count(self, start: int) -> int:
        """The number of values of the calls from a position on."""
        return self._counts[-1] - self._counts[start]

    def valued(self, start: int, most: int) -> tuple[int, list[RecordedCall], Entry | None]:
        """The number of calls with values from a position on, the first ``most``, and the last entry."""
        first = bisect_left(self._valued, start)
        first_calls = [self.entries[position].call for position in self._valued[first : first + most]]
        return len(self._valued) - first, first_calls, self.entries[self._valued[-1]] if first_calls else None

    def total(self, start: int, number: Number) -> Decimal:
        """The exact sum of the values from a position on; raises Missing if a value is not a number."""
        for position in range(len(self._sums) - 1, len(self.entries)):
            try:
                subtotal = added(self.entries[position].values or (), number)
            except Exception:
                self._no_numbers.append(position)
                subtotal = Decimal(0)
            with localcontext(_EXACT):
                self._sums.append(self._sums[-1] + subtotal)
        wrong = bisect_left(self._no_numbers, start)
        if wrong < len(self._no_numbers):
            added(self.entries[self._no_numbers[wrong]].values or (), number)
        with localcontext(_EXACT):
            return self._sums[-1] - self._sums[start] if start else self._sums[-1]


def _in_order(*times: datetime) -> bool:
    """Whether the second time is not before the first; False for different zones, which have no order."""
    return len(times) < 2 or (times[0].tzinfo == times[1].tzinfo and times[0] <= times[1])


def added(values: Iterable[Json], number: Number) -> Decimal:
    """The exact sum of values; raises Missing if a value is not a number."""
    with localcontext(_EXACT):
        return sum((amount for value in values if (amount := number(value)) is not None), Decimal(0))


class WindowWalk:
    """The lanes of one run, as far as the walk has come."""

    def __init__(self, judged: Callable[[int, RecordedCall, Earlier], Entry | None]) -> None:
        """Take ``judged``: it gives the entry of the call at a place, None for a call that never counts."""
        self._judged = judged
        self._calls: Sequence[RecordedCall] = ()
        self._seen: list[RecordedCall] = []
        self._count = 0
        self._lanes: dict[Key, Lane] = {}
        self._exact: dict[Key, tuple[str | int, ...]] = {}
        self._odd: set[int] = set()
        self._key_of: dict[int, Key] = {}
        self._due: list[tuple[int, int]] = []

    def go_on(self, run: Earlier) -> bool:
        """Walk to the end of these calls; False if they do not continue the calls walked so far."""
        if not self._is_same(run):
            return False
        for place, call in enumerate(islice(run.calls, self._count, len(run)), self._count):
            self._take(place, run)
            if call.known_from != UNANSWERED and call.known_from > len(run):
                heappush(self._due, (call.known_from, place))
            if not isinstance(run.calls, tuple):
                self._seen.append(call)
            self._count = place + 1
        while self._due and self._due[0][0] <= len(run):
            self._take(heappop(self._due)[1], run)
        return True

    def _is_same(self, run: Earlier) -> bool:
        if not self._count:
            self._calls = run.calls
        if run.calls is not self._calls or len(run) < self._count:
            return False
        # In a growing run a call is replaced when its result arrives.
        return isinstance(run.calls, tuple) or run.calls[: self._count] == self._seen

    def _take(self, place: int, run: Earlier) -> None:
        entry = self._judged(place, run[place], run)
        before = self._key_of.pop(place, None)
        self._odd.discard(place)
        key = None
        if entry is not None and entry.shared is not None:
            key = spelled(entry.shared)
            if self._exact.setdefault(key, entry.shared) != entry.shared:
                self._odd.add(place)
        elif entry is not None:
            self._odd.add(place)
        if before is not None and before != key:
            self._lanes[before].put(place, None)
        if entry is not None and key is not None:
            self._key_of[place] = key
            lane = self._lanes.setdefault(key, Lane())
            if before is None and (not lane.entries or lane.entries[-1].place < place):
                lane.add(entry)
            else:
                lane.put(place, entry)

    def lane(self, shared: Sequence[Json]) -> Lane | None:
        """The calls that share these values; None if only a comparison can decide which calls do."""
        values = comparable(shared)
        if self._odd or values is None:
            return None
        key = spelled(values)
        if self._exact.get(key, values) != values:
            return None
        return self._lanes.get(key) or Lane()


def comparable(values: Sequence[Json]) -> tuple[str | int, ...] | None:
    """The values if all are texts or whole numbers, so that their spelling decides equality; else None."""
    plain_values = tuple(
        value for value in values if isinstance(value, str | int) and not isinstance(value, bool)
    )
    return plain_values if len(plain_values) == len(values) else None


def spelled(values: Iterable[str | int]) -> Key:
    """A normalised spelling of the values: values that may be the same have the same spelling."""
    return tuple(" ".join(str(value).casefold().split()) for value in values)


class Walks(threading.local):
    """The walks through the latest runs; each thread has its own."""

    def __init__(self, judged: Callable[[int, RecordedCall, Earlier], Entry | None]) -> None:
        """Take ``judged``; see ``WindowWalk``."""
        self._judged = judged
        self._walks: OrderedDict[int, WindowWalk] = OrderedDict()

    def through(self, run: Earlier) -> WindowWalk:
        """The walk to the end of these calls."""
        walk = self._walks.pop(id(run.calls), None)
        if walk is None or not walk.go_on(run):
            walk = WindowWalk(self._judged)
            walk.go_on(run)
        self._walks[id(run.calls)] = walk
        while len(self._walks) > _MOST_RUNS:
            self._walks.popitem(last=False)
        return walk

"""The state of a run as far as it was walked: which of its calls are new, and whose results came."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime
from heapq import heappop, heappush

from workbench.model import UNANSWERED, RecordedCall
from workbench.policy.operations import Known
from workbench.runs.world.earlier_calls import Earlier

_MOST_RUNS = 16
"""The number of runs at the same time whose states are kept."""

type TimeOf = Callable[[RecordedCall], Known]


class RunState[Part]:
    """One run up to a call; ``parts`` are what follows it, by what they are about.

    ``changed`` are the places of calls that were walked before their results came, in the order of the
    results: a part keeps the number of those that it knows.
    """

    def __init__(self, calls: Sequence[RecordedCall], time_of: TimeOf) -> None:
        """Begin a run; ``time_of`` gives the time of a call."""
        self.calls = calls
        self.count = 0
        self.changed: list[int] = []
        self.parts: dict[int, Part] = {}
        self.latest: tuple[datetime, RecordedCall] | None = None
        self._time_of = time_of
        self._is_fixed = isinstance(calls, tuple)
        self._seen: list[RecordedCall] = []
        self._open: set[int] = set()
        self._due: list[tuple[int, int]] = []

    def go_on(self, count: int) -> bool:
        """Walk to this number of calls; False if they do not continue the calls walked so far."""
        if count < self.count or not self._is_same():
            return False
        for place in range(self.count, count):
            call = self.calls[place]
            if not self._is_fixed:
                self._seen.append(call)
            self._wait_for(place, call, count)
            self._note_time(call)
        self.count = count
        while self._due and self._due[0][0] <= count:
            self.changed.append(heappop(self._due)[1])
        return True

    def _is_same(self) -> bool:
        """Whether a growing run has the same calls; a call whose result came is another object."""
        if self._is_fixed:
            return True
        for place in sorted(self._open):
            call = self.calls[place]
            if call is not self._seen[place]:
                self._seen[place] = call
                self._open.discard(place)
                self._wait_for(place, call, self.count)
                self.changed.append(place)
        return self.calls[: self.count] == self._seen

    def _wait_for(self, place: int, call: RecordedCall, count: int) -> None:
        if call.known_from == UNANSWERED:
            self._open.add(place)
        elif call.known_from > count:
            heappush(self._due, (call.known_from, place))

    def _note_time(self, call: RecordedCall) -> None:
        time = self._time_of(call)
        if isinstance(time, datetime) and (self.latest is None or time >= self.latest[0]):
            self.latest = time, call


class RunStates[Part](threading.local):
    """The states of the latest runs; each thread has its own."""

    def __init__(self, time_of: TimeOf) -> None:
        """Take what gives the time of a call."""
        self._time_of = time_of
        self._states: OrderedDict[int, RunState[Part]] = OrderedDict()

    def at(self, history: Earlier) -> RunState[Part]:
        """The state of a run at the end of these calls."""
        calls = history.calls
        state = self._states.pop(id(calls), None)
        if state is None or state.calls is not calls or not state.go_on(len(history)):
            state = RunState[Part](calls, self._time_of)
            state.go_on(len(history))
        self._states[id(calls)] = state
        if len(self._states) > _MOST_RUNS:
            self._states.popitem(last=False)
        return state

"""The earlier calls of a run as they were known when a call was decided, without a copy."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import overload

from workbench.model import RecordedCall, Run

_RESULT = "result"
_MOST_RUNS = 16
"""The number of runs at the same time of which something is kept."""


class Earlier(Sequence[RecordedCall]):
    """The first calls of a run, without a copy: a run may have a hundred thousand.

    They are as the call after them knew them: results that came later are left out.
    """

    __slots__ = ("_calls", "_count")

    def __init__(self, recorded_calls: Sequence[RecordedCall], count: int) -> None:
        """Take the calls of the run; ``count`` is the number of earlier ones."""
        self._calls = recorded_calls
        self._count = count

    @property
    def calls(self) -> Sequence[RecordedCall]:
        """All calls of the run, including the later ones, with all their results."""
        return self._calls

    def __len__(self) -> int:
        """The number of earlier calls."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> RecordedCall: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[RecordedCall]: ...

    def __getitem__(self, index: int | slice) -> RecordedCall | Sequence[RecordedCall]:
        """A call, or a list of some."""
        chosen = range(self._count)[index]
        if isinstance(chosen, int):
            return self._known(self._calls[chosen])
        return [self._known(self._calls[place]) for place in chosen]

    def __iter__(self) -> Iterator[RecordedCall]:
        """The calls in order."""
        return map(self._known, islice(self._calls, self._count))

    def _known(self, call: RecordedCall) -> RecordedCall:
        return call if call.known_from <= self._count else unanswered(call)


class LatestRuns[Kept](threading.local):
    """What is kept of the runs that were asked about last, by the identity of their calls.

    Each thread has its own, since what is kept of a run moves on with it.
    """

    def __init__(self, begin: Callable[[Sequence[RecordedCall]], Kept]) -> None:
        """Take what begins a run."""
        self._begin = begin
        self._kept: OrderedDict[int, tuple[Sequence[RecordedCall], Kept]] = OrderedDict()

    def of(self, calls: Sequence[RecordedCall], goes_on: Callable[[Kept], bool]) -> Kept:
        """What is kept of a run; it is begun anew where that does not go on."""
        known, kept = self._kept.pop(id(calls), (None, None))
        if kept is None or known is not calls or not goes_on(kept):
            kept = self._begin(calls)
        self._kept[id(calls)] = calls, kept
        if len(self._kept) > _MOST_RUNS:
            self._kept.popitem(last=False)
        return kept


def run_before(earlier: Sequence[RecordedCall]) -> Earlier:
    """The earlier calls of a run as they were known at that time."""
    return earlier if isinstance(earlier, Earlier) else Earlier(earlier, len(earlier))


def unanswered(call: RecordedCall) -> RecordedCall:
    """The call as it was before its result came."""
    texts = {name: text for name, text in call.texts.items() if name != _RESULT}
    return replace(call, result=None, failed=False, texts=texts)


def tool_not_known(call: RecordedCall) -> str:
    """The reason why an earlier call may have been any, where its tool is not known."""
    return f"it is not known of which tool call {call.index} was"


def earlier_calls(call: RecordedCall, run: Run) -> tuple[RecordedCall, ...]:
    """The calls of the run before this one, with the results that were known to it."""
    return tuple(Earlier(run.calls, sum(other_call.index < call.index for other_call in run.calls)))

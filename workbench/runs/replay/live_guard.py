"""The reader of a guard whose decisions on live calls are the same as those of a replay of its decision log.

Both read the same JSON text of a call, make the same recorded call from it, and extract in the same way.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.guard import EnforcedPolicy, PastCall, ToolCall
from workbench.guard.call_reading import CallReader, CallReading
from workbench.model import Decision, Extracted, LookedUp, RecordedCall
from workbench.runs.calls.live_call import recorded_call
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.asked_look_ups import look_ups_of
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier

if TYPE_CHECKING:
    from workbench.dialect.run_values import CheckedExpressions

_MOST_RUNS = 16
"""The number of concurrent runs whose read calls are kept."""


class RecordedCallReader:
    """Reads a call as the recorded call that an import makes from its line of a decision log."""

    def __init__(self, extractor: Extractor) -> None:
        """Take the extractor."""
        self._extractor = extractor
        self._runs: OrderedDict[int, _ReadRun] = OrderedDict()
        self._lock = threading.Lock()  # runs of one reader may be in several threads

    def decide(self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall]) -> Decision:
        """The decision, as a replay makes it."""
        return decision_on(policy, self._extracted(call, history))

    def wanted(self, call: ToolCall, history: Sequence[PastCall]) -> Sequence[LookedUp]:
        """The look-ups that would give unknown records."""
        return self._extractor.wanted(_waiting(call, history), self._recorded_calls(history))

    def remedy(
        self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall], decision: Decision
    ) -> Sequence[LookedUp]:
        """The look-ups that the agent could make first."""
        return look_ups_of(policy.taken_by_rules, decision, self._extracted(call, history))

    def _extracted(self, call: ToolCall, history: Sequence[PastCall]) -> Mapping[str, Extracted]:
        return self._extractor.extract(_waiting(call, history), self._recorded_calls(history))

    def _recorded_calls(self, history: Sequence[PastCall]) -> Sequence[RecordedCall]:
        """The earlier calls of a run as recorded calls; only new or changed ones are read."""
        with self._lock:
            run = self._runs.pop(id(history), None)
            if run is None or run.history is not history:
                run = _ReadRun(history)
            self._runs[id(history)] = run
            if len(self._runs) > _MOST_RUNS:
                self._runs.popitem(last=False)
        return run.recorded_calls()


def _waiting(call: ToolCall, history: Sequence[PastCall]) -> RecordedCall:
    """The call that is decided."""
    return recorded_call(PastCall(call, known_from=0), len(history))


class _ReadRun:
    """The calls of one run that were read, each also as a recorded call."""

    def __init__(self, history: Sequence[PastCall]) -> None:
        self.history = history
        self._calls: list[PastCall] = []
        self._recorded_calls: list[RecordedCall] = []

    def recorded_calls(self) -> Sequence[RecordedCall]:
        """All calls as recorded calls; a call whose result came since is read again, in its place."""
        calls = list(self.history)
        if len(calls) < len(self._calls):
            self._calls, self._recorded_calls = [], []
        for place, past in enumerate(calls):
            if place >= len(self._calls):
                self._calls.append(past)
                self._recorded_calls.append(recorded_call(past, place))
            elif self._calls[place] is not past:
                self._calls[place] = past
                self._recorded_calls[place] = recorded_call(past, place)
        return Earlier(self._recorded_calls, len(calls))


def reader_of(reading: CallReading, expressions: CheckedExpressions | None = None) -> CallReader:
    """The reader of calls that an exported file describes. Raises WorkbenchError for a wrong extraction.

    ``expressions`` are those that the file carries, which were checked when it was written.
    """
    extractor = Extractor(reading.arguments, reading.spec, None, reading.memory, expressions=expressions)
    return RecordedCallReader(extractor)

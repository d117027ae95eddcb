"""The knowledge about the agent's records after each call of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from workbench.model import UNANSWERED, RecordedCall
from workbench.runs.values.look_up_texts import look_up_text_name
from workbench.runs.world.earlier_calls import Earlier, LatestRuns, tool_not_known
from workbench.runs.world.facts import (
    Fact,
    MadeCall,
    RecordReport,
    RecordState,
    not_known_since,
    result_awaited,
)
from workbench.runs.world.record_keys import folded
from workbench.runs.world.reports import Reporter

_NOTHING = Fact(RecordState.NOT_LOOKED_UP, why="no earlier result says what it is")
_AT_ONCE = not_known_since("calls that ran at the same time say different things of it")


class _Held(NamedTuple):
    """A fact, and the number of calls that had been decided when it became known."""

    fact: Fact
    since: int


class _Records:
    """The facts about the records of one kind.

    While a call that may change a record is running, nothing is known of the record. For calls that ran at
    the same time it is unknown which had its effect last, so their reports have to agree.
    """

    def __init__(self) -> None:
        """Begin a run."""
        self._held: dict[str, _Held] = {}
        self._others: _Held | None = None
        self._spellings: dict[str, set[str]] = {}
        self._unread = ""
        self._open: dict[str | None, dict[int, str]] = {}

    def copy(self) -> _Records:
        """An independent copy."""
        records = _Records()
        records._held = dict(self._held)
        records._others = self._others
        records._unread = self._unread
        records._spellings = {spelling: set(keys) for spelling, keys in self._spellings.items()}
        records._open = {key: dict(calls) for key, calls in self._open.items()}
        return records

    def fact(self, key: str) -> Fact:
        """The fact about the record with this key."""
        for calls in (self._open.get(None), self._open.get(folded(key))):
            if calls:
                return Fact(RecordState.NOT_DETERMINABLE, why=next(iter(calls.values())))
        held = self._now(key)
        return held.fact if held is not None else _NOTHING

    def untouched(self, key: str) -> bool:
        """Whether no call reported or changed the record."""
        spelling = folded(key)
        is_open = self._open.get(None) or self._open.get(spelling)
        return not is_open and self._others is None and spelling not in self._spellings

    def begin(self, call: int, key: str | None, why: str) -> None:
        """Note a running call that may change the record with this key, or any record if it is None."""
        self._open.setdefault(None if key is None else folded(key), {})[call] = why

    def end(self, call: int) -> None:
        """Note that a call has ended."""
        for key in [key for key, calls in self._open.items() if call in calls]:
            del self._open[key][call]
            if not self._open[key]:
                del self._open[key]

    def take(self, reports: Sequence[RecordReport], call: int, now: int) -> None:
        """Take the reports of call number ``call``, made after ``now`` calls had been decided."""
        reported_keys = {report.key for report in reports}
        for report in reports:
            if report.key is None and not report.changes:
                self._unread = report.fact.why
                continue
            if report.key is None:
                self._held.clear()
                self._others = _Held(report.fact, now)
                continue
            before = self._now(report.key)
            fact = _fact_after(before.fact if before else _NOTHING, report)
            if before and before.since > call:
                fact = _together(before.fact, fact)
            alike = self._spellings.setdefault(folded(report.key), set())
            for key in alike - reported_keys if report.changes else ():
                why = f"a call changed {report.key}, which may be the same, and nothing said since what it is"
                self._held[key] = _Held(not_known_since(why), now)
            alike.add(report.key)
            self._held[report.key] = _Held(fact, now)

    def _now(self, key: str) -> _Held | None:
        return self._held.get(key) or self._others


def _fact_after(before: Fact, report: RecordReport) -> Fact:
    """The fact after a report: the report's fact, or the earlier fact with the changed fields."""
    if report.fields is None:
        return report.fact
    if before.state is RecordState.ABSENT:
        return replace(report.fact, changed_places={})
    return before.with_fields(report.fields, report.fact.changed_places)


def _together(before: Fact, after: Fact) -> Fact:
    """The fact from two calls that ran at the same time."""
    for fact in (before, after):
        if fact.state is RecordState.NOT_DETERMINABLE:
            return fact
    return after if (before.state, before.value) == (after.state, after.value) else _AT_ONCE


class KnownWorld:
    """The knowledge about records of all kinds at one moment of a run."""

    def __init__(self, reporters: Mapping[str, Reporter]) -> None:
        """Begin a run, without knowledge."""
        self._reporters = reporters
        self._records: dict[str, _Records] = {name: _Records() for name in reporters}
        self._due: dict[int, list[int]] = {}

    def fact(self, record: str, key: str) -> Fact:
        """The fact about the record of that kind with this key."""
        return self._records[record].fact(key)

    def untouched(self, record: str, key: str) -> bool:
        """Whether no call of the run reported or changed this record."""
        return self._records[record].untouched(key)

    def go_on(self, calls: Sequence[RecordedCall], number: int) -> None:
        """Take the look-ups and the effect of this call, and the results that came before the next call."""
        call, after = calls[number], number + 1
        self._take_look_ups(call, number)
        if call.ran:
            if call.known_from <= after:
                self._answered(call, number, after)
            else:
                self._begin(call, number)
        for earlier in self._due.pop(after, ()):
            self._answered(calls[earlier], earlier, after)

    def answered_at(self, number: int, since: int) -> None:
        """Note that a running call has a result, which is known after ``since`` calls."""
        due = self._due.setdefault(since, [])
        due.append(number)
        due.sort()

    def before(self, call: RecordedCall, number: int) -> KnownWorld:
        """The world in which a call is decided: this world, with the call's own look-ups."""
        if not call.look_ups:
            return self
        world = KnownWorld(self._reporters)
        world._records = {name: records.copy() for name, records in self._records.items()}
        world._take_look_ups(call, number)
        return world

    def _begin(self, recorded_call: RecordedCall, number: int) -> None:
        if recorded_call.known_from != UNANSWERED:
            self._due.setdefault(recorded_call.known_from, []).append(number)
        call = _call_of(recorded_call)
        for name, reporter in self._reporters.items():
            keys = reporter.may_change(call) if recorded_call.tool is not None else (None,)
            for key in keys:
                self._records[name].begin(number, key, result_awaited(call))

    def _answered(self, recorded_call: RecordedCall, number: int, now: int) -> None:
        call = _call_of(recorded_call)
        for name, reporter in self._reporters.items():
            self._records[name].end(number)
            reports = (
                reporter.of_call(call) if recorded_call.tool is not None else _of_some_tool(recorded_call)
            )
            self._records[name].take(reports, number, now)

    def _take_look_ups(self, recorded_call: RecordedCall, number: int) -> None:
        for place, looked_up in enumerate(recorded_call.look_ups):
            text = look_up_text_name(recorded_call.look_ups, place)
            call = MadeCall(
                looked_up.tool,
                looked_up.arguments,
                looked_up.result,
                looked_up.failed,
                recorded_call.index,
                text,
            )
            for name, reporter in self._reporters.items():
                self._records[name].take(reporter.of_look_up(call, looked_up.why), number, number)


def _call_of(call: RecordedCall) -> MadeCall:
    written = call.texts.get("arguments", "")
    return MadeCall(
        call.tool or "a tool", call.arguments or {}, call.result, call.failed, call.index, written=written
    )


def _of_some_tool(call: RecordedCall) -> Sequence[RecordReport]:
    """The report of a call whose tool the log does not name: it may have changed any record."""
    why = tool_not_known(call)
    return [RecordReport(None, Fact(RecordState.NOT_DETERMINABLE, None, why), changes=True)]


class KnownWorlds:
    """The worlds of runs; the world of each call is built from the world of the call before."""

    def __init__(self, reporters: Mapping[str, Reporter]) -> None:
        """Take the readers of what calls report of records of each kind."""
        self._runs = LatestRuns(lambda calls: _Going(calls, KnownWorld(reporters)))

    def at(self, call: RecordedCall, history: Sequence[RecordedCall]) -> KnownWorld:
        """The world in which a call is decided, after the earlier calls of its run."""
        return self._after(history).before(call, len(history))

    def _after(self, history: Sequence[RecordedCall]) -> KnownWorld:
        calls = history.calls if isinstance(history, Earlier) else history
        count = len(history)

        def goes_on(run: _Going) -> bool:
            is_ahead = count >= run.count if isinstance(history, Earlier) else count == run.count
            return is_ahead and run.note_results()

        run = self._runs.of(calls, goes_on)
        run.go_on(count)
        return run.world


class _Going:
    """The world of one run, and the number of calls that it includes."""

    def __init__(self, calls: Sequence[RecordedCall], world: KnownWorld) -> None:
        self.calls = calls
        self.world = world
        self.count = 0
        self._unanswered: list[int] = []

    def note_results(self) -> bool:
        """Note results that came since; False if a result should have been known before."""
        waiting: list[int] = []
        for number in self._unanswered:
            since = self.calls[number].known_from
            if since == UNANSWERED:
                waiting.append(number)
            elif since > self.count:
                self.world.answered_at(number, since)
            else:
                return False
        self._unanswered = waiting
        return True

    def go_on(self, count: int) -> None:
        """Advance the world to this number of calls."""
        for number in range(self.count, count):
            self.world.go_on(self.calls, number)
            self.count = number + 1
            call = self.calls[number]
            if call.ran and call.known_from == UNANSWERED:
                self._unanswered.append(number)

"""Windows: which earlier calls of a run count, and which of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from functools import partial

from workbench.model import AgentSpec, Json, RecordedCall
from workbench.runs.extract.call_conditions import (
    ConditionReader,
    Conditions,
    ListMember,
    Test,
    all_hold,
    any_holds,
)
from workbench.runs.extract.jsonpath import Paths
from workbench.runs.extract.options import Options
from workbench.runs.extract.window_walk import Entry, Lane, Number, Walks, added, comparable
from workbench.runs.values.call_paths import matches
from workbench.runs.values.found_value import Absent, Missing
from workbench.runs.values.json_paths import only, path_text
from workbench.runs.values.patterns import BadPattern, any_in, compiled
from workbench.runs.values.patterns import Pattern as Matcher
from workbench.runs.values.zones import moment, zone_named
from workbench.runs.world.earlier_calls import Earlier
from workbench.runs.world.record_of_call import RecordFinder
from workbench.serialization.durations import stated_duration

_BAD_SINCE = "since must be a tool, a table of tool, same, where and has, or a list of these"


@dataclass(frozen=True, slots=True)
class _Begin:
    """A call since which calls count: its tools and its conditions."""

    tools: frozenset[str]
    conditions: Conditions


class Counting:
    """The calls that count for a fact about a run: the end of a lane, and possibly the decided call."""

    def __init__(self, lane: Lane, start: int = 0, own: Entry | None = None) -> None:
        """Take the calls of a lane from a position on, and possibly the decided call."""
        self._lane = lane
        self._start = start
        self._own = own

    @property
    def all_calls(self) -> list[RecordedCall]:
        """All of the calls, in order."""
        own_calls = () if self._own is None else (self._own.call,)
        return [*(entry.call for entry in self._lane.entries[self._start :]), *own_calls]

    def calls(self, most: int) -> tuple[int, list[RecordedCall]]:
        """The number of calls, and the first ``most`` of them."""
        own_calls = [] if self._own is None else [self._own.call]
        first_calls = [entry.call for entry in self._lane.entries[self._start : self._start + most]]
        return len(self._lane.entries) - self._start + len(own_calls), [*first_calls, *own_calls][:most]

    def valued(self, most: int) -> tuple[int, list[RecordedCall]]:
        """The number of calls with values, and the first ``most`` of them."""
        number, first_calls, _ = self._lane.valued(self._start, most)
        own_calls = [self._own.call] if self._own is not None and self._own.values else []
        return number + len(own_calls), [*first_calls, *own_calls][:most]

    @property
    def last(self) -> Entry | None:
        """The last call with values."""
        if self._own is not None and self._own.values:
            return self._own
        return self._lane.valued(self._start, 1)[2]

    @property
    def values(self) -> list[Json]:
        """All values, in order."""
        own_entries = () if self._own is None else (self._own,)
        return [
            value
            for entry in (*self._lane.entries[self._start :], *own_entries)
            for value in entry.values or ()
        ]

    @property
    def count(self) -> int:
        """The number of values."""
        return self._lane.count(self._start) + len((self._own and self._own.values) or ())

    def total(self, number: Number) -> Decimal:
        """The sum of the values; raises Missing if a value is not a number."""
        own_total = added((self._own and self._own.values) or (), number)
        return self._lane.total(self._start, number) + own_total


class Window:
    """The calls that count for a fact about a run, by the options of the method ``history``."""

    def __init__(self, spec: AgentSpec, options: Options, finder: RecordFinder, *, valued: bool) -> None:
        """Read the options; with ``valued`` the values at the path count.

        Raises WorkbenchError for a wrong option.
        """
        self._options = options
        self.paths = Paths(options)
        self._valued = valued and self.paths.is_given
        self._tools = frozenset(options.texts("of")) or self.paths.tools
        self._conditions_of = ConditionReader(options, finder)
        condition_options = {name: options.value(name) for name in ("same", "where", "has")}
        whole = self._conditions_of.read(condition_options)
        self._conditions = whole.of(members=False)
        self._of_members = whole.of(members=True)
        self._begins = tuple(self._begins_of(options.value("since")))
        self._zone = zone_named(spec.zone) if spec.zone else None
        within = options.text("within")
        self._within = stated_duration(within) if within else None
        if within and (self._within is None or self._within < timedelta(0)):
            raise options.error(f"{within!r} is no duration, such as 24 hours or P1DT2H")
        self._successful = options.choice("outcome") == "successful"
        self._errors = _patterns(options)
        if self._of_members != Conditions() and not self.paths.is_given:
            raise options.error("a condition that begins with a point is about what a path leads to")
        self._walks = Walks(self._judged)
        self._begin_walks = Walks(self._judged_begin)

    def calls(self, call: RecordedCall, earlier: Sequence[RecordedCall], *, current: bool) -> Counting:
        """The calls that count, in order; with ``current`` this call is the last. Raises Missing, Absent."""
        run = earlier if isinstance(earlier, Earlier) else Earlier(earlier, len(earlier))
        going_on = run is earlier
        of_members = self._conditions_of.wanted(self._of_members, call, run) if self._valued else list[Json]()
        wanted_values = self._conditions_of.wanted(self._conditions, call, run)
        begins = self._begins_at(call, run, going_on=going_on)
        lane = self._lane(call, run, wanted_values, begins) if going_on and not of_members else None
        if lane is None:
            counted = list(self._counted_entries(call, run, wanted_values, begins))
            own_entry = self._own(call, run, wanted_values, of_members, current=current)
            lane = Lane(replace(entry, values=self._values(entry.call, of_members)) for entry in counted), 0
        else:
            own_entry = self._own(call, run, wanted_values, of_members, current=current)
        return Counting(*lane, own_entry)

    def _counted_entries(
        self, call: RecordedCall, run: Earlier, wanted_values: Sequence[Json], begins: Sequence[int]
    ) -> Iterator[Entry]:
        """The calls that count, each tested."""
        for place, earlier_call in enumerate(run):
            if earlier_call.ran and _may_be_of(earlier_call, self._tools):
                tests = self._tests(call, place, earlier_call, run, wanted_values, begins)
                if all_hold(tests):
                    yield Entry(place, earlier_call)

    def _tests(
        self,
        call: RecordedCall,
        place: int,
        earlier_call: RecordedCall,
        run: Earlier,
        wanted_values: Sequence[Json],
        begins: Sequence[int],
    ) -> list[Test]:
        return [
            partial(_is_of, earlier_call, self._tools),
            *(partial(_is_after, place, earlier_call, begin, run) for begin in begins),
            partial(self._is_recent, earlier_call, call),
            *self._conditions_of.of_call(self._conditions, wanted_values, place, earlier_call, run),
            *self._outcome(earlier_call),
        ]

    def _outcome(self, call: RecordedCall) -> list[Test]:
        return [partial(self._succeeded, call)] if self._successful else []

    def _lane(
        self, call: RecordedCall, run: Earlier, wanted_values: Sequence[Json], begins: Sequence[int]
    ) -> tuple[Lane, int] | None:
        """The lane with the calls that count, and their first position; None if each must be tested."""
        lane = self._walks.through(run).lane(wanted_values)
        if lane is None or len(begins) > 1:
            return None
        start = lane.since(begins[0], run.calls[begins[0]].known_from) if begins else 0
        if start is not None and self._within is not None and start < len(lane.entries):
            recent = lane.within(self._within, _time(call, self._zone))
            start = None if recent is None else max(start, recent)
        if start is None:
            return None
        unsure = lane.unsure(start)
        if unsure is not None:
            self._ask(call, unsure, run, wanted_values, begins)
            return None
        return lane, start

    def _ask(
        self,
        call: RecordedCall,
        entry: Entry,
        run: Earlier,
        wanted_values: Sequence[Json],
        begins: Sequence[int],
    ) -> None:
        """Raise Missing if the call would count, but a fact about it is unknown."""
        earlier_call = run[entry.place]
        if all_hold(self._tests(call, entry.place, earlier_call, run, wanted_values, begins)):
            self._values(earlier_call, ())

    def _judged(self, place: int, call: RecordedCall, run: Earlier) -> Entry | None:
        """The entry of a call, before the later call is known; None if it never counts."""
        if not call.ran or not _may_be_of(call, self._tools):
            return None
        settled = replace(self._conditions, same=())
        tests = self._conditions_of.of_call(settled, (), place, call, run)
        sure = _certainty([partial(_is_of, call, self._tools), *tests, *self._outcome(call)])
        if sure is False:
            return None
        try:
            shared = comparable(self._conditions_of.earlier_values(self._conditions, place, call, run))
        except Absent:
            return None
        except Exception:  # reported later, if the call is tested
            shared = None
        entry = Entry(place, call, sure is True, shared)
        with suppress(Exception):
            entry = replace(entry, time=None if self._within is None else _time(call, self._zone))
        try:
            return replace(entry, values=() if self._of_members.same else self._values(call, ()))
        except Exception:
            return replace(entry, values=None)

    def _own(
        self,
        call: RecordedCall,
        run: Earlier,
        wanted_values: Sequence[Json],
        of_members: Sequence[Json],
        *,
        current: bool,
    ) -> Entry | None:
        """The decided call, if it counts itself."""
        own_tests = self._conditions_of.of_call(self._conditions, wanted_values, len(run), call, run)
        if not current or not _is_of(call, self._tools) or not all_hold(own_tests):
            return None
        return Entry(len(run), call, values=self._values(call, of_members))

    def _values(self, call: RecordedCall, of_members: Sequence[Json]) -> tuple[Json, ...]:
        """The values of a call that count; none unless values are requested."""
        if not self._valued:
            return ()
        return tuple(
            member.value
            for member in self._members(call)
            if all_hold(self._conditions_of.of_member(self._of_members, of_members, member))
        )

    def _members(self, call: RecordedCall) -> Iterator[ListMember]:
        """The values of a call at the path, each with the object that contains it."""
        try:
            pattern = self.paths.of(call)
            if None not in pattern:
                whole = matches(call, pattern[:-1])[0][0] if len(pattern) > 1 else None
                yield ListMember(matches(call, pattern)[0][0], whole)
                return
            last = len(pattern) - pattern[::-1].index(None)
            elements = matches(call, pattern[:last], every=True)
        except Absent:
            return
        for element, _ in elements:
            inner = only(element, pattern[last:])
            if not inner:
                raise Missing(f"call {call.index}: an element has no {path_text(pattern[last:])}")
            yield ListMember(inner[0][0], element)

    def _is_recent(self, earlier_call: RecordedCall, call: RecordedCall) -> bool:
        if self._within is None:
            return True
        then, now = _time(earlier_call, self._zone), _time(call, self._zone)
        if then > now:
            raise Missing(
                f"the clock went back: call {earlier_call.index} was at {earlier_call.time}, "
                f"this one at {call.time}"
            )
        return now - then <= self._within

    def _succeeded(self, call: RecordedCall) -> bool:
        if call.failed:
            return False
        if call.result is None:
            raise Missing(f"the result of call {call.index} is not known, so that it may have failed")
        try:
            return not any_in(self._errors, call.result)
        except TimeoutError:
            raise Missing("a pattern of errors takes too long on a result") from None

    def _begins_at(self, call: RecordedCall, run: Earlier, *, going_on: bool) -> tuple[int, ...]:
        """The places of the calls since which calls count.

        They are the latest successful one, and earlier ones that were not finished when it was made: their
        effect may have come later. Empty if there is no such call.
        """
        begins = [(begin, self._conditions_of.wanted(begin.conditions, call, run)) for begin in self._begins]
        if not begins:
            return ()
        lane = self._begin_walks.through(run).lane(()) if going_on else None
        if lane is None:
            lane = Lane(
                Entry(place, earlier_call) for place, earlier_call in enumerate(run) if earlier_call.ran
            )
        places: list[int] = []
        for entry, reach in lane.backwards():
            if places and reach <= places[0] + 1:
                break
            if places and entry.call.known_from <= places[0] + 1:
                continue
            tests = [
                partial(self._is_begin, begin, wanted_values, entry.place, run)
                for begin, wanted_values in begins
            ]
            if any_holds(tests):
                places.append(entry.place)
        return tuple(places)

    def _is_begin(self, begin: _Begin, wanted_values: Sequence[Json], place: int, run: Earlier) -> bool:
        call = run[place]
        if not _may_be_of(call, begin.tools):
            return False
        tests = self._conditions_of.of_call(begin.conditions, wanted_values, place, call, run)
        return all_hold([partial(_is_of, call, begin.tools), *tests, partial(self._succeeded, call)])

    def _judged_begin(self, place: int, call: RecordedCall, run: Earlier) -> Entry | None:
        """A call since which calls may count for some later call."""
        settled = (replace(begin, conditions=replace(begin.conditions, same=())) for begin in self._begins)
        tests = [[partial(self._is_begin, begin, (), place, run)] for begin in settled]
        is_one = call.ran and any(_certainty(test) is not False for test in tests)
        return Entry(place, call) if is_one else None

    def _begins_of(self, option: Json) -> Iterator[_Begin]:
        """The alternatives of ``since``."""
        if option is None:
            return
        for alternative in option if isinstance(option, list) and option else [option]:
            table: Mapping[str, Json] = {"tool": alternative} if isinstance(alternative, str) else {}
            if isinstance(alternative, dict) and set(alternative) <= {"tool", "same", "where", "has"}:
                table = alternative
            tool = table.get("tool")
            if not isinstance(tool, str) or not tool:
                raise self._options.error(_BAD_SINCE)
            conditions = self._conditions_of.read(table)
            if conditions.of(members=True) != Conditions():
                raise self._options.error(_BAD_SINCE)
            yield _Begin(frozenset({tool}), conditions)


def _certainty(tests: Sequence[Test]) -> bool | None:
    """Whether all tests hold; None if that is unknown."""
    try:
        return all_hold(tests)
    except Exception:  # a log is hostile: the error is reported later, if it matters
        return None


def _may_be_of(call: RecordedCall, tools: frozenset[str]) -> bool:
    return not tools or call.tool is None or call.tool in tools


def _is_of(call: RecordedCall, tools: frozenset[str]) -> bool:
    if tools and call.tool is None:
        raise Missing(f"the log does not say which tool call {call.index} was of")
    return not tools or call.tool in tools


def _is_after(place: int, call: RecordedCall, since: int, run: Earlier) -> bool:
    """Whether a call came after another one; raises Missing for calls that overlapped."""
    if place == since:
        return False
    first, second = (call, since) if place < since else (run[since], place)
    if first.known_from > second:
        raise Missing(f"calls {call.index} and {run[since].index} went on at the same time")
    return place > since


def _time(call: RecordedCall, zone: tzinfo | None) -> datetime:
    if call.time is None:
        raise Missing(f"the log does not say when call {call.index} was")
    return moment(call.time, zone)


def _patterns(options: Options) -> tuple[Matcher, ...]:
    patterns: list[Matcher] = []
    for pattern in options.texts("errors"):
        try:
            patterns.append(compiled(pattern))
        except BadPattern as error:
            raise options.error(f"the pattern {pattern[:60]!r} does not compile: {error}") from None
    return tuple(patterns)

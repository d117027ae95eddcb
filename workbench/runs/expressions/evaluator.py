"""The evaluation of expressions in production: what was judged of earlier calls is kept from call to call.

``DecidedAggregate`` has the value of an aggregate at one decision, from the calls that are kept of the run.

An aggregate over the earlier calls of one run, kept up to date as the run goes on.

The state of a run as far as it was walked: which of its calls are new, and whose results came.
"""

from __future__ import annotations

import decimal
import threading
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from heapq import heappop, heappush, merge
from operator import attrgetter
from typing import NamedTuple, override

from workbench.dialect.run_values import DISTINCT, GATHERING, Gathered, ValueAsOf
from workbench.model import UNANSWERED, Bounds, RecordedCall
from workbench.policy.evaluate import EXACT, UNDEFINED, Scope, Valuation, value_of
from workbench.policy.operations import Known, added, bounds_of, if_counted, within
from workbench.policy.terms import And, Quantified, Quantifier, ResultTerm, Term
from workbench.policy.undetermined import Undetermined, undetermined, unknown
from workbench.runs.expressions.aggregates import WINDOW_TIME, Aggregate, Edge, Window
from workbench.runs.expressions.gathering import NOTHING, Distinct, extreme_of, no_value, reach_of
from workbench.runs.expressions.lanes import Entry, Key, Lane
from workbench.runs.expressions.moment import AgentReader, Moment, Trace
from workbench.runs.expressions.scope import (
    NO_POLICY,
    ReadExpression,
    RunScope,
    if_guarded,
    value_as_of,
    value_in,
)
from workbench.runs.world.earlier_calls import Earlier, LatestRuns, tool_not_known


class Evaluator:
    """Evaluates the expressions of one agent; the latest runs go on where they were."""

    def __init__(self, reader: AgentReader) -> None:
        """Take the reader of the agent's calls."""
        self.reader = reader
        self._states: RunStates[KeptAggregate] = RunStates(lambda call: reader.calls.time(call, ""))
        self._last = _Last()

    def at(self, call: RecordedCall, history: Earlier) -> RunMoment:
        """The moment at which a call is decided; the same one for all expressions of one decision."""
        last = self._last.moment
        if last is None or last.call is not call or last.history is not history:
            last = self._last.moment = RunMoment(self.reader, call, history, self._states)
        return last


class RunMoment(Moment):
    """A moment of a run that is walked."""

    def __init__(
        self, reader: AgentReader, call: RecordedCall, history: Earlier, states: RunStates[KeptAggregate]
    ) -> None:
        """Take the states of the latest runs."""
        super().__init__(reader, call, history)
        self._states = states
        self._at = states.at(history)

    @property
    def _state(self) -> RunState[KeptAggregate]:
        """The state of the run at this moment, also if it has gone on since."""
        if self._at.count != len(self.history):
            self._at = self._states.at(self.history)
        return self._at

    @override
    def latest_time(self) -> tuple[Known, RecordedCall] | None:
        return self._state.latest

    def value(self, read: ReadExpression, trace: Trace, bound: Mapping[str, Known]) -> Known:
        """The value of an expression."""
        return value_in(_KeptScope(read, self, trace, bound), read.taken_apart)

    def kept(self, aggregate: Aggregate) -> KeptAggregate:
        """What is kept of the run for an aggregate, at this moment."""
        state = self._state
        part = state.parts.get(id(aggregate))
        if part is None or part.aggregate is not aggregate:
            part = state.parts[id(aggregate)] = KeptAggregate(aggregate, self.reader)
        part.go_on(state, self.history)
        return part


class _KeptScope(RunScope):
    """A scope in which aggregates over earlier calls are variables, whose values are kept."""

    @override
    def __contains__(self, name: object) -> bool:
        return name in self.read.aggregates or super().__contains__(name)

    @override
    def __getitem__(self, name: str) -> Known:
        aggregate = self.read.aggregates.get(name)
        if aggregate is None:
            return super().__getitem__(name)
        assert isinstance(self.moment, RunMoment)
        return DecidedAggregate(self.moment.kept(aggregate), self, self.moment.kept).value()


class _Last(threading.local):
    """The moment that was asked for last; each thread has its own."""

    moment: RunMoment | None = None


_NAMED = 5
"""The number of earlier calls that a place names."""
_EXPLAINED = 3
"""The number of earlier calls whose reasons are given if a value is undetermined."""


class _Tested(NamedTuple):
    """A call that may count, with what it adds."""

    entry: Entry
    truth: bool | Undetermined
    value: Known


class _Stretch(NamedTuple):
    """Calls of one group that may count; if not ``sure``, a window does not say of any whether it does."""

    lane: Lane
    start: int
    end: int
    sure: bool


class DecidedAggregate:
    """The evaluation of an aggregate in the scope of one decision."""

    def __init__(
        self, kept: KeptAggregate, scope: RunScope, kept_of: Callable[[Aggregate], KeptAggregate]
    ) -> None:
        """Take what is kept of the run for it and for each other aggregate, and the scope."""
        self._kept = kept
        self._kept_of = kept_of
        self._aggregate = kept.aggregate
        self._scope = scope
        self._open: list[Undetermined] = []

    def value(self) -> Known:
        """The value; raises an error of ``UNDEFINED`` if there is none."""
        if self._kept.unnamed is not None:
            return unknown(tool_not_known(self._scope.moment.history[self._kept.unnamed]))
        stretch = self._stretch()
        if stretch is None:
            return self._joined(self._tested(self._kept.entries), None)
        odd = self._tested(self._kept.odd)
        if self._aggregate.rest or not self._aggregate.is_settled:
            return self._joined(merge(odd, self._tested_rest(stretch), key=_place), None)
        return self._joined(odd, stretch)

    # --- which calls --------------------------------------------------------------

    def _stretch(self) -> _Stretch | None:
        """The calls that may count, with those to be tested each time; None if all have to be tested."""
        aggregate, world = self._aggregate, self._scope.valuation
        try:
            key = tuple(value_of(term, world) for _, term in aggregate.keys)
            hash(key)
            outer = [[value_of(term, world) for term in window.outer] for window in aggregate.windows]
        except UNDEFINED:
            return None
        if any(isinstance(part, Undetermined) for part in key):
            return None
        lane = self._kept.lane(key)
        start, end, sure = 0, len(lane.entries), True
        for edge in aggregate.edges:
            position = self._beyond(edge, lane)
            if position is None:
                return None
            start, end = (max(start, position), end) if edge.since else (start, min(end, position))
        for window, values in zip(aggregate.windows, outer, strict=True):
            if any(isinstance(value, Undetermined) for value in values):
                sure = False
                continue
            position = _edge(window, values, lane)
            if position is None:
                return None
            start, end = (max(start, position), end) if window.from_on else (start, min(end, position))
        return _Stretch(lane, min(start, end), end, sure)

    def _beyond(self, edge: Edge, lane: Lane) -> int | None:
        """The position of the first call beyond an edge; None if it is not known which call the edge is."""
        marker = DecidedAggregate(self._kept_of(edge.marker), self._scope, self._kept_of)
        kept = marker.one_of_stretch(last=edge.since)
        if kept is None:
            return None
        if not kept:
            return 0 if edge.since else len(lane.entries)
        index = kept[0].index
        return (bisect_right if edge.since else bisect_left)(lane.entries, index, key=_index)

    def one_of_stretch(self, *, last: bool) -> list[Entry] | None:
        """The last or first call that counts, if any; None if that has to be tested."""
        is_plain = self._kept.unnamed is None and not self._kept.odd and not self._aggregate.rest
        stretch = self._stretch() if is_plain else None
        if stretch is None or not stretch.sure:
            return None
        lane, start, end = stretch.lane, stretch.start, stretch.end
        if lane.first_open(start, end, 1, sure=True):
            return None
        return lane.last_sure(start, end) if last else lane.first_sure(start, end, 1)

    def _world(self, entry: Entry) -> Valuation:
        return self._scope.having(self._aggregate.variable, entry.element).valuation

    def _tested(self, entries: Iterable[Entry]) -> Iterator[_Tested]:
        """The calls that may meet the whole condition."""
        for entry in entries:
            world = self._world(entry)
            truth = _truth_of(self._aggregate.condition, world)
            if truth is not False:
                yield _Tested(entry, truth, self._value(world, truth))

    def _tested_rest(self, stretch: _Stretch) -> Iterator[_Tested]:
        """The calls of a stretch that may meet what is left of the condition."""
        rest = And(self._aggregate.rest)
        guarded = And((ResultTerm(), *self._aggregate.rest))  # ``Result()`` is undetermined here
        for entry in stretch.lane.entries[stretch.start : stretch.end]:
            is_sure = entry.is_sure and stretch.sure
            world = self._world(entry)
            truth = _truth_of(rest if is_sure else guarded, world)
            if truth is False:
                continue
            if not is_sure:
                truth = _truth_of(self._aggregate.condition, world)
            yield _Tested(entry, truth, self._value(world, truth))

    def _value(self, world: Valuation, truth: bool | Undetermined) -> Known:
        """What a call adds; undetermined if its condition is, which may guard the value."""
        if self._aggregate.value is None:
            return 1
        value = if_guarded(self._aggregate.value, world, truth)
        is_number = isinstance(value, Undetermined) or type(value) is type(self._kept.zero)
        if self._aggregate.is_sum and not is_number:
            raise TypeError(f"{value!r} cannot be summed.")
        return value

    # --- the value ----------------------------------------------------------------

    def _joined(self, tested: Iterator[_Tested], stretch: _Stretch | None) -> Known:
        if self._aggregate.gathered is not None:
            return self._gathered(tested, stretch, self._aggregate.gathered)
        if isinstance(self._aggregate.term, Quantified):
            return self._quantified(tested, stretch, self._aggregate.term.quantifier is Quantifier.ANY)
        return self._summed(tested, stretch)

    def _quantified(self, tested: Iterator[_Tested], stretch: _Stretch | None, deciding: bool) -> Known:
        """Whether a call counts, which makes an any true and an all false."""
        witness = None
        if stretch is not None and stretch.sure:
            witness = next(iter(stretch.lane.first_sure(stretch.start, stretch.end, 1)), None)
        for one in tested:
            if witness is not None and one.entry.place > witness.place:
                break
            if one.truth is True:
                witness = one.entry
                break
            self._note_open(one)
        self._note([] if witness is None else [witness], 0 if witness is None else 1)
        if witness is not None:
            return deciding
        self._note_stretch(stretch)
        return undetermined(*self._open) if self._open else not deciding

    def _gathered(self, tested: Iterator[_Tested], stretch: _Stretch | None, gathered: Gathered) -> Known:
        """The smallest or largest value of the calls that count, or the number of distinct ones."""
        operation, reach, distinct = gathered.operation, NOTHING, Distinct()
        default = no_value(operation)
        if gathered.default is not None:
            default = value_of(gathered.default, self._scope.valuation)
        if stretch is not None and operation != DISTINCT:
            reach = stretch.lane.reach(stretch.start, stretch.end, sure=stretch.sure)
        elif stretch is not None:
            for entry in stretch.lane.entries[stretch.start : stretch.end]:
                distinct.add(entry.value, is_sure=entry.is_sure and stretch.sure)
        self._note_stretch(stretch)
        counted: list[Entry] = []
        for one in tested:
            is_sure = one.truth is True
            self._note_open(one)
            counted += [one.entry] * is_sure
            if operation == DISTINCT:
                distinct.add(one.value, is_sure=is_sure)
            else:
                reach = reach.joined(reach_of(one.value, operation, is_sure=is_sure), operation)
        number = len(counted)
        if stretch is not None and stretch.sure:
            number += stretch.lane.total(stretch.start, stretch.end, sure=True).sure
            counted += stretch.lane.first_sure(stretch.start, stretch.end, _NAMED)
        self._note(sorted(counted, key=lambda entry: entry.place), number)
        if operation == DISTINCT:
            return distinct.number(self._open)
        return extreme_of(reach, operation, default, self._open)

    def _summed(self, tested: Iterator[_Tested], stretch: _Stretch | None) -> Known:
        bounds: Bounds = bounds_of(self._kept.zero)
        counted: list[Entry] = []
        number = 0
        if stretch is not None:
            total = stretch.lane.total(stretch.start, stretch.end, sure=stretch.sure)
            bounds, number = added(bounds, total.bounds), total.sure
            if stretch.sure:
                counted = stretch.lane.first_sure(stretch.start, stretch.end, _NAMED)
            self._note_stretch(stretch)
        for one in tested:
            part = bounds_of(one.value)
            bounds = added(bounds, part if one.truth is True else if_counted(part))
            self._note_open(one)
            if one.truth is True:
                counted.append(one.entry)
                number += 1
        self._note(sorted(counted, key=lambda entry: entry.place), number)
        return within(bounds, self._open)

    def _note(self, counted: list[Entry], number: int) -> None:
        """Note the calls that count, as the places of the value."""
        known = self._scope.trace.counted
        if len(known) < _NAMED:
            known[number, tuple(entry.index for entry in counted[:_NAMED])] = None

    def _note_open(self, one: _Tested) -> None:
        if len(self._open) < _EXPLAINED:
            self._open += [part for part in (one.truth, one.value) if isinstance(part, Undetermined)]

    def _note_stretch(self, stretch: _Stretch | None) -> None:
        """Note why calls of a stretch may count, or add an unknown value."""
        if stretch is None:
            return
        entries = stretch.lane.first_open(stretch.start, stretch.end, _EXPLAINED, sure=stretch.sure)
        for one in self._tested(entries):
            self._note_open(one)


def _place(one: _Tested) -> int:
    return one.entry.place


def _index(entry: Entry) -> int:
    return entry.index


def _edge(window: Window, values: list[Known], lane: Lane) -> int | None:
    """The position of the first call from a time or place on, or after it; None if it cannot be found."""
    if not window.of_places and not lane.is_in_order:
        return None
    operands = {f"#{number}": value for number, value in enumerate(values)}

    def holds(time: Known) -> bool:
        world = Valuation(NO_POLICY, {**operands, WINDOW_TIME: time}, None)
        return (value_of(window.test, world) is True) is window.from_on

    try:
        if window.of_places:
            return bisect_left(lane.entries, True, key=lambda entry: holds(entry.index))
        return bisect_left(lane.times, True, key=holds)
    except UNDEFINED:
        return None


class _PastScope(Scope):
    """The variables of a condition on an earlier call alone: the call, and values as of it.

    ``moment`` is one at which the call is an earlier one.
    """

    def __init__(self, past: Mapping[str, ValueAsOf], moment: Moment, bound: Mapping[str, Known]) -> None:
        self._past = past
        self._moment = moment
        self._bound = bound

    @override
    def having(self, name: str, value: Known) -> _PastScope:
        return _PastScope(self._past, self._moment, {**self._bound, name: value})

    @override
    def __contains__(self, name: object) -> bool:
        return name in self._bound or name in self._past

    @override
    def __iter__(self) -> Iterator[str]:
        return iter((*self._bound, *self._past))

    @override
    def __len__(self) -> int:
        return len(tuple(iter(self)))

    @override
    def __getitem__(self, name: str) -> Known:
        if name in self._bound:
            return self._bound[name]
        return value_as_of(self.valuation, name, self._past[name], self._moment, Trace())

    @property
    def valuation(self) -> Valuation:
        """The valuation of terms in this scope."""
        return Valuation(NO_POLICY, self, None)


class KeptAggregate:
    """The lanes of one aggregate in one run."""

    def __init__(self, aggregate: Aggregate, reader: AgentReader) -> None:
        """Begin a run."""
        self.aggregate = aggregate
        self._reader = reader
        self.zero: int | Decimal = Decimal(0) if aggregate.is_decimal else 0
        self._operation = aggregate.gathered.operation if aggregate.gathered is not None else ""
        self._count = 0
        self._known_changes = 0
        self._lanes: dict[Key, Lane] = {}
        self.odd: list[Entry] = []
        self._key_of: dict[int, Key | None] = {}
        self._entries: dict[int, Entry] = {}
        self._unnamed: list[int] = []

    # --- walking ------------------------------------------------------------------

    def go_on(self, state: RunState[KeptAggregate], history: Earlier) -> None:
        """Take the calls that were made, and the results that came, since the last time."""
        with decimal.localcontext(EXACT):
            for place in state.changed[self._known_changes :]:
                if place < self._count:
                    self._take(place, history[place], history)
            self._known_changes = len(state.changed)
            for place in range(self._count, len(history)):
                self._take(place, history[place], history)
            self._count = len(history)

    def _take(self, place: int, call: RecordedCall, history: Earlier) -> None:
        self._forget(place)
        if not call.ran:
            return
        if call.tool is None:
            insort(self._unnamed, place)
        if call.tool not in self.aggregate.tools:
            return
        before = Earlier(history.calls, place)
        whole = Entry(place, call.index, self._reader.earlier(call, self.aggregate.fields, before))
        self._entries[place] = whole
        judged = self._judged(whole, call, history)
        if judged is None:
            return
        entry, key = judged
        if key is None:
            self._key_of[place] = None
            insort(self.odd, entry, key=attrgetter("place"))
            return
        self._key_of[place] = key
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = Lane(self.zero, self._operation)
        if not lane.entries or lane.entries[-1].place < place:
            lane.add(entry)
        else:
            lane.put(place, entry)

    def _forget(self, place: int) -> None:
        self._entries.pop(place, None)
        if place in self._unnamed:
            self._unnamed.remove(place)
        if place not in self._key_of:
            return
        key = self._key_of.pop(place)
        if key is None:
            self.odd = [entry for entry in self.odd if entry.place != place]
        else:
            self._lanes[key].put(place, None)

    def _judged(self, entry: Entry, call: RecordedCall, history: Earlier) -> tuple[Entry, Key | None] | None:
        """What is known of a call alone, with the key of its group: None if it has to be tested each time.

        None instead of both if the call never counts.
        """
        aggregate, element = self.aggregate, entry.element
        bound: dict[str, Known] = {aggregate.variable: element}
        if aggregate.past:
            moment = Moment(self._reader, call, Earlier(history.calls, entry.place + 1))
            world = _PastScope(aggregate.past, moment, bound).valuation
        else:
            world = Valuation(NO_POLICY, bound, None)
        try:
            truth = _truth_of(And(aggregate.settled), world)
            key = tuple(value_of(term, world) for term, _ in aggregate.keys)
            value = self._value(world, truth)
            hash(key)
            reach = NOTHING
            if truth is not False and self._operation in GATHERING and aggregate.is_settled:
                reach = reach_of(value, self._operation, is_sure=truth is True)
        except UNDEFINED:
            return entry, None
        if truth is False:
            return None
        if any(isinstance(part, Undetermined) for part in key):
            return entry, None
        time = None
        if aggregate.windows:
            held = dict(element.fields).get("time")
            time = held if isinstance(held, datetime) else None
        judged = replace(
            entry, is_sure=truth is True, value=value, bounds=bounds_of(value), time=time, reach=reach
        )
        return judged, key

    def _value(self, world: Valuation, truth: bool | Undetermined) -> Known:
        """What a call adds; undetermined if its condition is, which may guard the value."""
        aggregate = self.aggregate
        if aggregate.value is None or not aggregate.is_settled or truth is False:
            return 1
        try:
            value = value_of(aggregate.value, world)
        except UNDEFINED:
            if truth is True:
                raise
            return Undetermined(frozenset())
        if aggregate.is_sum and not isinstance(value, Undetermined) and type(value) is not type(self.zero):
            raise TypeError(f"{value!r} cannot be summed.")
        return value

    # --- what a decision asks -----------------------------------------------------

    @property
    def unnamed(self) -> int | None:
        """The place of the first call whose tool the log does not name; None if there is none."""
        return self._unnamed[0] if self._unnamed else None

    @property
    def entries(self) -> list[Entry]:
        """All earlier calls of the tools."""
        return [self._entries[place] for place in sorted(self._entries)]

    def lane(self, key: Key) -> Lane:
        """The group of calls with a key."""
        return self._lanes.get(key) or Lane(self.zero, self._operation)


def _truth_of(term: Term, world: Valuation) -> bool | Undetermined:
    """The truth of a condition; raises an error of ``UNDEFINED`` if it has none."""
    truth = value_of(term, world)
    if not isinstance(truth, bool | Undetermined):
        raise TypeError(f"A condition is not a bool but {truth!r}.")
    return truth


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


class RunStates[Part](LatestRuns[RunState[Part]]):
    """The states of the latest runs."""

    def __init__(self, time_of: TimeOf) -> None:
        """Take what gives the time of a call."""
        super().__init__(lambda calls: RunState[Part](calls, time_of))

    def at(self, history: Earlier) -> RunState[Part]:
        """The state of a run at the end of these calls."""
        count = len(history)
        state = self.of(history.calls, lambda kept: kept.go_on(count))
        if state.count != count:
            state.go_on(count)
        return state

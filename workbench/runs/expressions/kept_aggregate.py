"""An aggregate over the earlier calls of one run, kept up to date as the run goes on."""

from __future__ import annotations

import decimal
from bisect import insort
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from operator import attrgetter
from typing import override

from workbench.dialect.run_values import GATHERING, IsLookedUp, RecordAt
from workbench.model import RecordedCall
from workbench.policy.evaluate import EXACT, UNDEFINED, Scope, Valuation, value_of
from workbench.policy.operations import Known, bounds_of
from workbench.policy.terms import And, Term
from workbench.policy.undetermined import Undetermined
from workbench.runs.expressions.aggregates import Aggregate
from workbench.runs.expressions.gathering import NOTHING, reach_of
from workbench.runs.expressions.lanes import Entry, Key, Lane
from workbench.runs.expressions.moment import AgentReader, Moment, Trace
from workbench.runs.expressions.run_state import RunState
from workbench.runs.expressions.scope import NO_POLICY, record_in
from workbench.runs.world.earlier_calls import Earlier


class _PastScope(Scope):
    """The variables of a condition on an earlier call alone: the call, and records as of it.

    ``moment`` is one at which the call is an earlier one.
    """

    def __init__(
        self, records: Mapping[str, RecordAt | IsLookedUp], moment: Moment, bound: Mapping[str, Known]
    ) -> None:
        self._records = records
        self._moment = moment
        self._bound = bound

    @override
    def having(self, name: str, value: Known) -> _PastScope:
        return _PastScope(self._records, self._moment, {**self._bound, name: value})

    @override
    def __contains__(self, name: object) -> bool:
        return name in self._bound or name in self._records

    @override
    def __iter__(self) -> Iterator[str]:
        return iter((*self._bound, *self._records))

    @override
    def __len__(self) -> int:
        return len(tuple(iter(self)))

    @override
    def __getitem__(self, name: str) -> Known:
        if name in self._bound:
            return self._bound[name]
        return record_in(self.valuation, self._records[name], self._moment, Trace())

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
        whole = Entry(place, call.index, self._reader.earlier(call, self.aggregate.fields))
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
            truth = truth_of(And(aggregate.settled), world)
            key = tuple(value_of(term, world) for term, _ in aggregate.keys)
            value = self._value(world, truth)
            hash(key)
            reach = NOTHING
            if truth is not False and self._operation in GATHERING and aggregate.is_settled:
                reach = reach_of(value, self._operation, is_sure=truth is True)
        except (*UNDEFINED, decimal.DecimalException):
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


def truth_of(term: Term, world: Valuation) -> bool | Undetermined:
    """The truth of a condition; raises an error of ``UNDEFINED`` if it has none."""
    truth = value_of(term, world)
    if not isinstance(truth, bool | Undetermined):
        raise TypeError(f"A condition is not a bool but {truth!r}.")
    return truth

"""The evaluation of expressions in production: what was judged of earlier calls is kept from call to call."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import override

from workbench.model import RecordedCall
from workbench.policy.operations import Known
from workbench.runs.expressions.aggregates import Aggregate
from workbench.runs.expressions.decided_aggregate import DecidedAggregate
from workbench.runs.expressions.kept_aggregate import KeptAggregate
from workbench.runs.expressions.moment import AgentReader, Moment, Trace
from workbench.runs.expressions.run_state import RunState, RunStates
from workbench.runs.expressions.scope import ReadExpression, RunScope, value_in
from workbench.runs.world.earlier_calls import Earlier


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

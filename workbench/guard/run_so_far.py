"""The run of a guard so far: its messages, the decided calls, and their results."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

from workbench.clean_text import clean
from workbench.guard.calls import Outcome, PastCall, ToolCall
from workbench.guard.log import UNKNOWN_ARGUMENTS
from workbench.guard.run_messages import MessagesSoFar, ToldWords
from workbench.model import UNANSWERED, Json, LookedUp, WorkbenchError

_runs = itertools.count(1)

type Clock = Callable[[], datetime]


def _now() -> datetime:
    return datetime.now(UTC)


class RunSoFar:
    """The history of one run; a guard reads and writes it under its lock.

    ``instance`` distinguishes runs of one name. ``unwritten`` are calls that the log does not have yet.
    """

    def __init__(
        self,
        name: str,
        context: Mapping[str, Json],
        clock: Clock | None = None,
        *,
        began_before: bool = False,
    ) -> None:
        """Begin a run; ``context`` is what the application knows of it, ``clock`` the time of its calls.

        A run that ``began_before`` has a first call of which nothing is known: what was called, and what it
        changed, is not determinable then.
        """
        self._clock = clock or _now
        self.name = name or f"run-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.getpid()}-{next(_runs)}"
        self.instance = os.urandom(4).hex()
        self.context = context
        self._told = ToldWords()
        if "first_user" in context or "user" in context:
            self._told.added(context)
        self._messages = MessagesSoFar()
        self._calls = 0
        self._actions = itertools.count()
        self._past: list[PastCall] = []
        if began_before:
            self._past.append(PastCall(self.numbered(ToolCall("", None))))
        self.unwritten = tuple(self._past)

    def copied(self) -> RunSoFar:
        """The same run, to which calls can be added without this one knowing of them."""
        other = copy(self)
        other._past, other._messages, other._told = (
            list(self._past),
            deepcopy(self._messages),
            deepcopy(self._told),
        )
        return other

    @property
    def past(self) -> Sequence[PastCall]:
        """The calls that were decided, in order."""
        return self._past

    def next_action(self) -> int:
        """The number of the next action of the run."""
        return next(self._actions)

    def message(self, role: str, text: str | None) -> None:
        """Add a message; the agent's last message belongs only to the calls made in it."""
        self._messages.forget("assistant")
        self._messages.add(role, None if text is None else clean(text))

    def begun(self, call: ToolCall) -> ToolCall:
        """A numbered call; the user's first message in the run is the same for all its calls."""
        context = {**self.context, **call.context}
        return self.numbered(replace(call, context={**context, **self._told.added(context)}))

    def numbered(self, call: ToolCall) -> ToolCall:
        """The call with its place in the run, the run's context, its time, and the messages before it."""
        self._messages.interrupt()
        number, self._calls = self._calls, self._calls + 1
        return replace(
            self.timed(call),
            context={**self.context, **call.context},
            run=self.name,
            instance=self.instance,
            index=number,
            messages=self._messages.texts(),
            look_ups=(),
        )

    def timed(self, call: ToolCall) -> ToolCall:
        """The call at the present moment, at which it is decided."""
        return replace(call, time=self._clock().isoformat())

    def decided(self, outcome: Outcome) -> None:
        """Note that a call was decided: it runs or not."""
        self._past.append(
            PastCall(
                outcome.call,
                ran=outcome.runs,
                approved=bool(outcome.approved_by),
                granted=outcome.granted,
            )
        )

    def finish(self, call: ToolCall, result: str | None, *, failed: bool) -> bool:
        """Note that a call has ended; False, without a note, if it did not run or has ended before."""
        self._messages.interrupt()
        place = self._place_of(call)
        if place is None:
            return False
        known_from = len(self._past)
        self._past[place] = replace(self._past[place], result=result, failed=failed, known_from=known_from)
        return True

    def take(self, line: Mapping[str, Json]) -> None:
        """Note what a line of this run's decision log tells, as if it happened now.

        Raises WorkbenchError for a line of another run, or with something else than a guard writes.
        """
        if not self._past and self._calls == 0:
            self.instance = _text(line, "instance")
        if _text(line, "run") != self.name or _text(line, "instance") != self.instance:
            raise WorkbenchError(f"The decision log of the run {self.name} has a line of another run.")
        message, number = line.get("message"), line.get("call")
        if isinstance(message, dict):
            text = message.get("text")
            self.message(_text(message, "role"), text if isinstance(text, str) else None)
        elif isinstance(number, int) and "tool" in line:
            self._take_decision(line, number)
        elif isinstance(number, int) and "result" in line:
            self._take_result(line, number)
        elif "ended" not in line:
            raise WorkbenchError(f"The decision log of the run {self.name} has a line that no guard writes.")

    def _take_decision(self, line: Mapping[str, Json], number: int) -> None:
        arguments, context = line.get("arguments"), line.get("context", {})
        if number < self._calls or not isinstance(context, dict):
            raise WorkbenchError(f"The decision log of the run {self.name} is not in order at call {number}.")
        action = line.get("action")
        call = ToolCall(
            _text(line, "tool"),
            _arguments(arguments, self.name),
            context,
            call_id=_text(line, "call_id"),
            look_ups=tuple(_look_up(item) for item in _list(line, "look_ups")),
            action=action if isinstance(action, int) else None,
        )
        self._messages.interrupt()
        self._told.added(context)
        self._calls = number + 1
        taken = replace(
            call,
            run=self.name,
            instance=self.instance,
            index=number,
            time=_text(line, "time"),
            messages=self._messages.texts(),
        )
        self._past.append(
            PastCall(
                taken,
                ran=line.get("runs") is True,
                approved=bool(_text(line, "approved_by")),
                granted=tuple(item for item in _list(line, "granted") if isinstance(item, str)),
            )
        )

    def _take_result(self, line: Mapping[str, Json], number: int) -> None:
        result, failed = line.get("result"), line.get("failed") is True
        ended = next((past.call for past in reversed(self._past) if past.call.index == number), None)
        if ended is not None:
            self.finish(ended, result if isinstance(result, str) else None, failed=failed)

    def _place_of(self, call: ToolCall) -> int | None:
        """The place of a call that ran and has not ended; None for any other call."""
        for place in range(len(self._past) - 1, -1, -1):
            past = self._past[place]
            if past.call.index == call.index:
                return place if past.ran and past.known_from == UNANSWERED else None
        return None


def _text(line: Mapping[str, Json], key: str) -> str:
    value = line.get(key, "")
    if not isinstance(value, str):
        raise WorkbenchError(f"A line of a decision log has no text as {key}.")
    return value


def _list(line: Mapping[str, Json], key: str) -> list[Json]:
    value = line.get(key, [])
    return value if isinstance(value, list) else []


def _arguments(text: Json, run: str) -> Mapping[str, Json] | None:
    """The arguments of a line; None where none are kept or known."""
    if text in (None, UNKNOWN_ARGUMENTS):
        return None
    try:
        arguments = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        raise WorkbenchError(f"The decision log of the run {run} has arguments that are no JSON object.")
    return cast("dict[str, Json]", arguments)


def _look_up(record: Json) -> LookedUp:
    line = record if isinstance(record, dict) else {}
    arguments, result = line.get("arguments"), line.get("result")
    return LookedUp(
        _text(line, "tool"),
        arguments if isinstance(arguments, dict) else {},
        result if isinstance(result, str) else None,
        _text(line, "why"),
        failed=line.get("failed") is True,
    )

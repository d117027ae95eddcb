"""The run of a guard so far: its messages, the decided calls, and their results."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from workbench.clean_text import clean
from workbench.guard.calls import Outcome, PastCall, ToolCall
from workbench.guard.run_messages import MessagesSoFar
from workbench.model import UNANSWERED, Json

_runs = itertools.count(1)

type Clock = Callable[[], datetime]


def _now() -> datetime:
    return datetime.now(UTC)


class RunSoFar:
    """The history of one run; a guard reads and writes it under its lock.

    ``instance`` distinguishes runs of one name.
    """

    def __init__(self, name: str, context: Mapping[str, Json], clock: Clock | None = None) -> None:
        """Begin a run; ``context`` is what the application knows of it, ``clock`` the time of its calls."""
        self._clock = clock or _now
        self.name = name or f"run-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.getpid()}-{next(_runs)}"
        self.instance = os.urandom(4).hex()
        self.context = context
        self._first_user: Json = context.get("first_user", context.get("user"))
        self._messages = MessagesSoFar()
        self._calls = 0
        self._past: list[PastCall] = []

    @property
    def past(self) -> Sequence[PastCall]:
        """The calls that were decided, in order."""
        return self._past

    def message(self, role: str, text: str | None) -> None:
        """Add a message; the agent's last message belongs only to the calls made in it."""
        self._messages.forget("assistant")
        self._messages.add(role, None if text is None else clean(text))

    def begun(self, call: ToolCall) -> ToolCall:
        """A numbered call; the user's first message in the run is the same for all its calls."""
        context = {**self.context, **call.context}
        first_user = context.get("first_user", context.get("user", ""))
        if self._first_user is None:
            self._first_user = first_user
        call_context = (
            context if first_user == self._first_user else {**context, "first_user": self._first_user}
        )
        return self.numbered(replace(call, context=call_context))

    def numbered(self, call: ToolCall) -> ToolCall:
        """The call with its place in the run, the run's context, its time, and the messages before it."""
        self._messages.interrupt()
        number, self._calls = self._calls, self._calls + 1
        return replace(
            call,
            context={**self.context, **call.context},
            run=self.name,
            instance=self.instance,
            index=number,
            time=self._clock().isoformat(),
            messages=self._messages.texts(),
            look_ups=(),
        )

    def decided(self, outcome: Outcome) -> None:
        """Note that a call was decided: it runs or not."""
        self._past.append(PastCall(outcome.call, ran=outcome.runs))

    def finish(self, call: ToolCall, result: str | None, *, failed: bool) -> bool:
        """Note that a call has ended; False, without a note, if it did not run or has ended before."""
        self._messages.interrupt()
        place = self._place_of(call)
        if place is None:
            return False
        known_from = len(self._past)
        self._past[place] = replace(self._past[place], result=result, failed=failed, known_from=known_from)
        return True

    def _place_of(self, call: ToolCall) -> int | None:
        """The place of a call that ran and has not ended; None for any other call."""
        for place in range(len(self._past) - 1, -1, -1):
            past = self._past[place]
            if past.call.index == call.index:
                return place if past.ran and past.known_from == UNANSWERED else None
        return None

"""Progress of a running call for those who watch: its time, the reply so far, its likely cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from workbench.author.model.progress import CallProgress, PlannedCalls, Usage
from workbench.author.model.recording import Sent
from workbench.author.model.settings import ModelSettings
from workbench.clean_text import clean

_TAIL = 400
_EVERY = 1.0

type Watcher = Callable[[CallProgress], None]


class CallTeller:
    """Tells of one call: that it began, each piece of its reply, why it is tried again, and its end."""

    def __init__(self, sent: Sent, settings: ModelSettings, used: Usage, watcher: Watcher) -> None:
        """Take the call, the limits it is made under, and what the session used before it."""
        self._watcher = watcher
        self._began = self._last_report = time.monotonic()
        self._state = CallProgress(
            sent.purpose,
            model=sent.model,
            used=used,
            budget_tokens=settings.budget_tokens,
            budget_money=settings.budget_money,
        )

    def begun(self) -> None:
        """The call is made."""
        self._tell(self._state)

    def piece(self, text: str) -> None:
        """A piece of the reply arrived."""
        text = clean(text[-_TAIL:])
        tail = (self._state.tail + text)[-_TAIL:]
        self._state = replace(self._state, pieces=self._state.pieces + 1, tail=tail, trouble="")
        self._tell(replace(self._state, text=text))

    def thinks(self, letters: int) -> None:
        """Something was thought; it is counted, and not shown."""
        self._state = replace(self._state, pieces=self._state.pieces + max(1, letters // 4), trouble="")

    def waits(self) -> None:
        """The call goes on; where nothing was told for a second, the time that it takes is."""
        if time.monotonic() - self._last_report >= _EVERY:
            self._tell(self._state)

    def again(self, why: str) -> None:
        """The attempt failed, and the call is made again: what came back so far does not count."""
        self._state = replace(self._state, pieces=0, tail="", trouble=why)
        self._tell(self._state)

    def ended(self, used: Usage | None, replied_by: str = "") -> None:
        """The call ended; ``used`` is the session's usage with it, or None where it failed."""
        state = replace(self._state, replied_by=replied_by, done=True, failed=used is None)
        self._tell(replace(state, used=used or state.used))

    def replayed(self, reply: str) -> None:
        """A record answers, and nothing is used."""
        self._tell(replace(self._state, text=clean(reply[-_TAIL:]), done=True, replayed=True))

    def planned(self, planned: PlannedCalls) -> None:
        """Calls of this kind are to be made."""
        self._tell(replace(self._state, planned=planned))

    def _tell(self, state: CallProgress) -> None:
        self._last_report = time.monotonic()
        self._watcher(replace(state, seconds=self._last_report - self._began))

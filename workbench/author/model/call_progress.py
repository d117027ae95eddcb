"""Progress of a running call for its watcher: the elapsed time, the reply so far, the likely cost."""

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
    """Reports one call to a watcher: its start, the pieces of its reply, the reason for a retry, its end."""

    def __init__(self, sent: Sent, settings: ModelSettings, used: Usage, watcher: Watcher) -> None:
        """Take the call, its limits, and what the session used before it."""
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
        """Report that the call is made."""
        self._tell(self._state)

    def piece(self, text: str) -> None:
        """Report a piece of the reply."""
        text = clean(text[-_TAIL:])
        tail = (self._state.tail + text)[-_TAIL:]
        self._state = replace(self._state, pieces=self._state.pieces + 1, tail=tail, trouble="")
        self._tell(replace(self._state, text=text))

    def thinks(self, letters: int) -> None:
        """Count thinking of so many characters; it is not shown."""
        self._state = replace(self._state, pieces=self._state.pieces + max(1, letters // 4), trouble="")

    def waits(self) -> None:
        """Report the elapsed time if nothing was reported for a second."""
        if time.monotonic() - self._last_report >= _EVERY:
            self._tell(self._state)

    def again(self, why: str) -> None:
        """Report that the attempt failed and the call is repeated; the reply so far is dropped."""
        self._state = replace(self._state, pieces=0, tail="", trouble=why)
        self._tell(self._state)

    def ended(self, used: Usage | None, replied_by: str = "") -> None:
        """Report the end of the call; ``used`` is the session's usage including it, or None if it failed."""
        state = replace(self._state, replied_by=replied_by, done=True, failed=used is None)
        self._tell(replace(state, used=used or state.used))

    def replayed(self, reply: str) -> None:
        """Report that a record gives the reply and nothing is used."""
        self._tell(replace(self._state, text=clean(reply[-_TAIL:]), done=True, replayed=True))

    def planned(self, planned: PlannedCalls) -> None:
        """Report calls of this kind that are planned."""
        self._tell(replace(self._state, planned=planned))

    def _tell(self, state: CallProgress) -> None:
        self._last_report = time.monotonic()
        self._watcher(replace(state, seconds=self._last_report - self._began))

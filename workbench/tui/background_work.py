"""The work in the background: its name, how long it has run, and how it is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from workbench.tui.messages import Progress

SHOWN_AFTER = 1.0
"""Seconds after which the duration of work is shown, and after which brief work is shown at all."""


@dataclass(frozen=True, slots=True)
class _Work:
    text: str
    since: float
    stops: bool
    brief: bool


class GoingOn:
    """The running works, by name."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with none."""
        self._clock = clock
        self._works: dict[str, _Work] = {}

    def take(self, progress: Progress) -> None:
        """Store the present text of a work, or remove the work when it is done."""
        before = self._works.get(progress.work)
        if not progress.text:
            self._works.pop(progress.work, None)
        else:
            since = self._clock() if before is None else before.since
            self._works[progress.work] = _Work(progress.text, since, progress.stops, progress.brief)

    @property
    def text(self) -> str:
        """All shown works in a line; empty if there are none."""
        shown_works = (
            work for work in self._works.values() if not work.brief or self._seconds(work) >= SHOWN_AFTER
        )
        return " · ".join(map(self._words, shown_works))

    @property
    def stoppable(self) -> bool:
        """Whether work runs that a person asked for and that Esc stops."""
        return any(work.stops for work in self._works.values())

    def __bool__(self) -> bool:
        """Whether anything runs."""
        return bool(self._works)

    def _seconds(self, work: _Work) -> float:
        return self._clock() - work.since

    def _words(self, work: _Work) -> str:
        seconds = self._seconds(work)
        work_words = f"{work.text}, {seconds:.0f} s" if seconds >= SHOWN_AFTER else work.text
        return f"{work_words}, Esc stops" if work.stops else work_words

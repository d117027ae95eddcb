"""The last line: the keys of the focus, the work in the background, and a sentence for the person."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.app import App

from workbench.clean_text import one_line
from workbench.tui.keys import KeyHint
from workbench.tui.messages import Progress, Say
from workbench.tui.text_runs import LONGEST_LINE
from workbench.tui.widgets.key_line import KeyLine

SHOWN_SECONDS = 10.0
"""Seconds after which a sentence is put away that is no problem and does not last."""


class Teller:
    """Draws the last line of an app."""

    def __init__(self, app: App[None], keys: Callable[[], Sequence[KeyHint]]) -> None:
        """Write to the last line of an app; ``keys`` gives the keys that work at the focus."""
        self._app = app
        self._keys = keys
        self._say = Say("")
        self.going_on = _GoingOn()

    def say(self, say: Say) -> None:
        """Show a sentence; a problem, and what lasts, stays until the next act."""
        self._say = say
        self.draw()
        if not (say.problem or say.lasts):
            self._app.set_timer(SHOWN_SECONDS, lambda: self._unsay(say))

    def _unsay(self, say: Say) -> None:
        if self._say is say:
            self.clear()
            self.draw()

    def clear(self) -> None:
        """Remove the sentence the next time the line is drawn."""
        self._say = Say("")

    def take(self, progress: Progress) -> None:
        """Show the progress of work."""
        self.going_on.take(progress)
        self.draw()
        if progress.brief and progress.text:
            self._app.set_timer(_SHOWN_AFTER, self.draw)

    def look(self) -> None:
        """Redraw the duration of running work."""
        if self.going_on:
            self.draw()

    def draw(self) -> None:
        """Draw the line."""
        say = self._say
        self._app.query_one(KeyLine).show(self._keys(), self.going_on.text, say.text, say.problem)


# --- the work in the background: its name, how long it has run, and how it is stopped

_SHOWN_AFTER = 0.4
"""Seconds after which brief work is shown: what is done sooner needs no sign."""
_TIMED_AFTER = 1.0
"""Seconds after which the duration of work is shown."""


@dataclass(frozen=True, slots=True)
class _Work:
    text: str
    since: float
    stops: bool
    brief: bool


class _GoingOn:
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
            text = one_line(progress.text[:LONGEST_LINE])  # an act is named by a pasted sentence, too
            self._works[progress.work] = _Work(text, since, progress.stops, progress.brief)

    @property
    def text(self) -> str:
        """All shown works in a line; empty if there are none."""
        shown_works = (
            work for work in self._works.values() if not work.brief or self._seconds(work) >= _SHOWN_AFTER
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
        work_words = f"{work.text}, {seconds:.0f} s" if seconds >= _TIMED_AFTER else work.text
        return f"{work_words}, Esc stops" if work.stops else work_words

"""The last line: the keys of the focus, the work in the background, and a sentence for the person."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import App

from workbench.tui.background_work import GoingOn
from workbench.tui.keys import KeyHint
from workbench.tui.messages import Progress, Say
from workbench.tui.widgets.key_line import KeyLine

SHOWN_SECONDS = 10.0
"""Seconds after which a sentence without a problem is put away."""


class Teller:
    """Draws the last line of an app."""

    def __init__(self, app: App[None], keys: Callable[[], Sequence[KeyHint]]) -> None:
        """Write to the last line of an app; ``keys`` gives the keys that work at the focus."""
        self._app = app
        self._keys = keys
        self._say = Say("")
        self.going_on = GoingOn()

    def say(self, say: Say) -> None:
        """Show a sentence; a problem stays until the next act."""
        self._say = say
        self.draw()
        if not say.problem:
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

    def look(self) -> None:
        """Redraw the duration of running work."""
        if self.going_on:
            self.draw()

    def draw(self) -> None:
        """Draw the line."""
        say = self._say
        self._app.query_one(KeyLine).show(self._keys(), self.going_on.text, say.text, say.problem)

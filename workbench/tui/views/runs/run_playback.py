"""The playback of a run, call by call."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.timer import Timer

    from workbench.model import CallDecision
    from workbench.tui.views.runs.view import RunsView

PLAY = 0.8
"""Seconds that a call is shown during playback."""


class Playing:
    """Moves the cursor of a view from call to call."""

    def __init__(self, view: RunsView) -> None:
        """Play in a view; at first nothing plays."""
        self._view = view
        self._timer: Timer | None = None

    @property
    def on(self) -> bool:
        """Whether a run plays."""
        return self._timer is not None

    def toggle(self) -> None:
        """Play the run of the chosen call, or stop."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        else:
            self._timer = self._view.set_interval(PLAY, self._on_to_the_next)
        self._view.show_chosen()

    def _on_to_the_next(self) -> None:
        """Go to the next call; the end of the run, or a cursor moved elsewhere, ends the playback."""
        before, now = self._view.chosen, None
        if self._view.display:
            self._view.calls.action_cursor(1)
            now = self._view.chosen
        if not _goes_on(before, now):
            self.toggle()


def _goes_on(before: CallDecision | None, now: CallDecision | None) -> bool:
    return before is not None and now is not None and now is not before and now.run == before.run

"""The walk through the changes of the last act, or through the differences from an earlier version."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from workbench.app.session_state import Baseline, SessionState, baselines
from workbench.app.what_changed import WhatChanged, what_changed
from workbench.clean_text import one_line
from workbench.tui.change_rows import Stop, stops
from workbench.tui.messages import Ask, Choose
from workbench.tui.text_runs import LONGEST_LINE

if TYPE_CHECKING:
    from workbench.app.workbench import Workbench
    from workbench.tui.app import WorkbenchApp

UNDONE = "Undone"
"""The first word of the label of an act that undid another one."""

type UseVersion = Callable[[str, SessionState], object]


class Walk:
    """The differences of the present state from an earlier one, and the position of a walk through them.

    The earlier state is that before the last act, or that of a version.
    """

    def __init__(self) -> None:
        """Start with nothing done."""
        self.label = ""
        self.says = False
        self.before: SessionState | None = None
        self.after: SessionState | None = None
        self.at: int | None = None
        self._changes = WhatChanged()
        self._stops: tuple[Stop, ...] = ()

    def begin(self, label: str, before: SessionState | None, *, says: bool = False) -> None:
        """Compare with another state from now on; the walk begins anew."""
        self.label, self.before, self.at, self.says = label[:LONGEST_LINE], before, None, says

    def take(self, after: SessionState) -> None:
        """Compare with the newly known state; the walk stays at its change."""
        old_stop = self.here
        self.after = after
        self._changes = WhatChanged() if self.before is None else what_changed(self.before, after)
        self._stops = stops(self._changes)
        if old_stop is not None:
            places = [stop.place for stop in self._stops]
            self.at = places.index(old_stop.place) if old_stop.place in places else None

    @property
    def changes(self) -> WhatChanged:
        """The differences; verdicts of the verifier and of the cases come later than the rest."""
        return self._changes

    @property
    def undone(self) -> bool:
        """Whether the act undid another one, which can be redone."""
        return self.label.startswith(UNDONE)

    @property
    def count(self) -> int:
        """The number of changes to look at."""
        return len(self._stops)

    @property
    def here(self) -> Stop | None:
        """The change at which the walk is; None before the walk and after it."""
        return self._stops[self.at] if self.at is not None and self.at < len(self._stops) else None

    def go(self, direction: int) -> Stop | None:
        """Go to the next change or to the one before, and return it; None if there are no changes."""
        if not self._stops:
            return None
        start = -1 if direction > 0 else 0
        self.at = ((start if self.at is None else self.at) + direction) % len(self._stops)
        return self.here

    def end(self) -> bool:
        """End the walk; False if there was none."""
        walked, self.at = self.at is not None, None
        return walked


def version_wanted(
    state: SessionState, find: Callable[[Ask[SessionState]], None], use_version: UseVersion
) -> Choose[Baseline]:
    """The choice of a version to compare with; ``use_version`` is called with its name and its state."""

    def chosen(baseline: Baseline) -> None:
        def work(bench: Workbench) -> SessionState:
            from workbench.app.scratch_session import state_at

            return state_at(bench, baseline.number)

        find(Ask("since", work, partial(use_version, f"Since {baseline.name}"), f"reading {baseline.name}"))

    offers = [
        (one, one.name, _made_by(one)) for one in baselines(state.versions, datetime.now().astimezone())
    ]
    return Choose("What changed since", offers, chosen)


def _made_by(baseline: Baseline) -> str:
    """The label and time of the act that made a version; for the first version, a phrase."""
    when = baseline.when[:16].replace("T", " ")
    return f"{one_line(baseline.label)}   {when}" if baseline.label else "as the session was made"


class Walking:
    """Walks through the changes, and lets the person choose the state to compare with."""

    def __init__(self, app: WorkbenchApp) -> None:
        """Walk through the changes of an app's session."""
        self._app = app

    def do_walk(self) -> bool:
        """Go to the next change and show both versions."""
        return self._walk(1)

    def do_walk_back(self) -> bool:
        """Go to the change before."""
        return self._walk(-1)

    def _walk(self, direction: int) -> bool:
        stop = self._app.walk.go(direction)
        if stop is not None and stop.place is not None:
            self._app.going.go(stop.place)
        else:
            self._app.draw_lines()
        return True

    def do_compare(self) -> bool:
        """Choose a version to compare with, if the view has no comparison of its own."""
        return self.do_since()

    def do_since(self) -> bool:
        """Choose the version with which the present state is compared."""
        self._app.commanding.choose(version_wanted(self._app.state, self._app.known.find, self._compared))
        return True

    def _compared(self, label: str, before: SessionState) -> None:
        self._app.walk.begin(label, before)
        self._app.walk.take(self._app.state)
        self._app.draw_lines()

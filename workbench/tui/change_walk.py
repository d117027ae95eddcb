"""The walk through the changes of the last act, or through the differences from an earlier version."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from workbench.app.baselines import Baseline, baselines
from workbench.app.session_state import SessionState
from workbench.app.what_changed import WhatChanged, what_changed
from workbench.clean_text import one_line
from workbench.tui.change_rows import Stop, stops
from workbench.tui.messages import Ask, Choose

if TYPE_CHECKING:
    from workbench.app.workbench import Workbench
    from workbench.tui.app import WorkbenchApp

UNDONE = "Undone"
"""The beginning of the label of an act that undid another one."""

type UseVersion = Callable[[str, SessionState], object]


class Walk:
    """Compares the present state with that of before the last act, or of a version, and goes through it."""

    def __init__(self) -> None:
        """Start with nothing done."""
        self.label = ""
        self.reads = False
        self.before: SessionState | None = None
        self.after: SessionState | None = None
        self.at: int | None = None
        self._changes = WhatChanged()
        self._stops: tuple[Stop, ...] = ()

    def begin(self, label: str, before: SessionState | None, *, reads: bool = False) -> None:
        """Compare with another state from here on; the walk begins anew."""
        self.label, self.before, self.at, self.reads = label, before, None, reads

    def take(self, after: SessionState) -> None:
        """Compare with what is known by now; the walk stays at the change where it is."""
        here = self.here
        self.after = after
        self._changes = WhatChanged() if self.before is None else what_changed(self.before, after)
        self._stops = stops(self._changes)
        if here is not None:
            places = [stop.place for stop in self._stops]
            self.at = places.index(here.place) if here.place in places else None

    @property
    def changes(self) -> WhatChanged:
        """The differences; verdicts of the verifier and of the cases come later than the rest."""
        return self._changes

    @property
    def undone(self) -> bool:
        """Whether the act undid another one, which can be done again."""
        return self.label.startswith(UNDONE)

    @property
    def count(self) -> int:
        """The number of changes to look at."""
        return len(self._stops)

    @property
    def here(self) -> Stop | None:
        """The change that is looked at, None before the walk and after it."""
        return self._stops[self.at] if self.at is not None and self.at < len(self._stops) else None

    def go(self, direction: int) -> Stop | None:
        """Look at the next change, or at the one before; None where there is none at all."""
        if not self._stops:
            return None
        start = -1 if direction > 0 else 0
        self.at = ((start if self.at is None else self.at) + direction) % len(self._stops)
        return self.here

    def end(self) -> bool:
        """Stop walking; False where nobody walks."""
        walked, self.at = self.at is not None, None
        return walked


def version_wanted(state: SessionState, find: Callable[[Ask], None], use_version: UseVersion) -> Choose:
    """The choice of a version to compare with; ``use_version`` is called with its name and its state."""
    known = baselines(state.versions, datetime.now().astimezone())

    def chosen(key: str) -> None:
        baseline = known[int(key)]

        def work(bench: Workbench) -> Callable[[], object]:
            from workbench.app.scratch_session import state_at

            return partial(use_version, f"Since {baseline.name}", state_at(bench, baseline.number))

        find(Ask("since", work, f"reading {baseline.name}"))

    offers = [(str(place), baseline.name, _made_by(baseline)) for place, baseline in enumerate(known)]
    return Choose("What changed since", offers, chosen)


def _made_by(baseline: Baseline) -> str:
    """The act that made a version, and when; of the first one, what it is."""
    when = baseline.when[:16].replace("T", " ")
    return f"{one_line(baseline.label)}   {when}" if baseline.label else "as the session was made"


class Walking:
    """Goes through what changed, and chooses what the present state is compared with."""

    def __init__(self, app: WorkbenchApp) -> None:
        """Walk through the changes of an app's session."""
        self._app = app

    def do_walk(self) -> bool:
        """Go to the next thing that changed; both versions are shown."""
        return self._walk(1)

    def do_walk_back(self) -> bool:
        """Go to the thing before."""
        return self._walk(-1)

    def _walk(self, direction: int) -> bool:
        stop = self._app.walk.go(direction)
        if stop is not None and stop.place is not None:
            self._app.going.go(stop.place)
        else:
            self._app.draw_lines()
        return True

    def do_compare(self) -> bool:
        """Compare with a version, where the view compares nothing."""
        return self.do_since()

    def do_since(self) -> bool:
        """Choose the version that the present state is compared with."""
        if self._app.state is not None:
            self._app.commanding.choose(
                version_wanted(self._app.state, self._app.finding.find, self._compared)
            )
        return True

    def _compared(self, label: str, before: SessionState) -> None:
        if self._app.state is not None:
            self._app.walk.begin(label, before)
            self._app.walk.take(self._app.state)
            self._app.draw_lines()

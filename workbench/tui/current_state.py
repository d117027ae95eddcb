"""The state of the session as far as it is known, and the start of the work on each newer state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App
from textual.timer import Timer

from workbench.tui.change_walk import Walk
from workbench.tui.messages import StateFound
from workbench.tui.widgets.code_editor import CodeEditor

if TYPE_CHECKING:
    from workbench.app.session_state import SessionState
    from workbench.tui.result_workers import ResultWorkers
    from workbench.tui.session_acts import Acts

EDIT = "Edit"
JUDGE_AFTER = 0.8
"""Seconds without a key after which an edit is tested and proved."""


class Present:
    """Takes the results of workers, and compares the state with that before the last act."""

    def __init__(self, app: App[None], acts: Acts, finding: ResultWorkers, empty: SessionState) -> None:
        """Begin with an ``empty`` state, before the session is read."""
        self._app = app
        self._acts = acts
        self._finding = finding
        self._empty = empty
        self._waiting: Timer | None = None
        self.state: SessionState | None = None
        self.walk = Walk()

    @property
    def waiting(self) -> bool:
        """Whether work is scheduled."""
        return self._waiting is not None

    def take(self, event: StateFound) -> bool:
        """Take a result of a worker, and compare; False if the result is of an older generation."""
        if not self._finding.is_present(event.generation):
            return False
        acted = event.acted.strip()
        if acted and not acted == EDIT == self.walk.label:
            self.walk.begin(acted, self.state, reads=event.reads)
        before, self.state = self.state, event.find(self.state or self._empty)
        self.walk.take(self.state)
        if self.state.followed and _calls(self.state) < _calls(before):
            self._acts.read_on(self.state)  # the worker missed the log's growth, and LogGrew comes once
        if event.acted:
            self._judge_soon(JUDGE_AFTER if acted == EDIT else 0.0, event.generation)
        return True

    def _judge_soon(self, seconds: float, generation: int) -> None:
        """Run the cases, prove, and find out more, after this many seconds without a key."""

        def judge() -> None:
            self._waiting = None
            if self.state is not None and self._finding.is_present(generation):
                self._finding.judge(self.state)

        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self._app.set_timer(seconds, judge) if seconds else None
        if not seconds:
            judge()

    def edit(self, policy: str) -> None:
        """Judge a text of the policy while it is typed."""
        if self.state is not None:
            self._finding.edit(self.state, policy)

    def keep_text(self, left: CodeEditor.Left) -> bool:
        """Keep the text of an editor that was left; False if the text did not change."""
        if left.changed or (self.state is not None and self.state.policy != left.policy):
            self._acts.do(EDIT, lambda bench: bench.editing.keep_or_store(left.policy))
            return True
        return False


def _calls(state: SessionState | None) -> int:
    """The number of calls of the logs that were read."""
    return 0 if state is None or state.logs is None else len(state.logs.calls)

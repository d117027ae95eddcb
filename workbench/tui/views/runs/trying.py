"""Trying a call: the chosen one is edited, and its decision is shown in the place of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from workbench.model import WorkbenchError
from workbench.tui.messages import Ask, Say
from workbench.tui.run_text import whole_call_rows
from workbench.tui.text_runs import line, muted
from workbench.tui.value_text import BLANK, paragraph
from workbench.tui.widgets.lines import Row
from workbench.tui.widgets.text_editor import TextEditor

if TYPE_CHECKING:
    from workbench.app.session_state import SessionState
    from workbench.app.tried_call import TriedCall
    from workbench.app.workbench import Workbench
    from workbench.tui.views.runs.view import RunsView

_NOTE = "Esc decides it, nothing is kept"


class Trying:
    """Lets a call be edited and decided, and shows why it is decided so."""

    def __init__(self, view: RunsView) -> None:
        """Try the calls of a view."""
        self._view = view
        self._tried: tuple[int, TriedCall] | None = None
        self._text = ""
        self.writing = False

    @property
    def open(self) -> bool:
        """Whether the decision on a tried call is shown for the chosen one."""
        return self._tried is not None and self._tried[0] == self._view.calls.position

    def do_edit(self) -> bool:
        """Edit the chosen call, or the one that was tried in its place."""
        from workbench.app.tried_call import call_as_text

        state, position = self._view.state, self._view.calls.position
        if state is None or state.logs is None or position is None or self._view.chosen is None:
            return False
        self._begin(self._text if self.open else call_as_text(state.logs.calls[position]), _NOTE)
        return True

    def _begin(self, text: str, note: str) -> None:
        self.writing = True
        self._view.mark(self._view.run)
        self._view.query_one(TextEditor).begin("a call to try", text, note)

    def left(self, event: TextEditor.Left) -> None:
        """Decide the edited call; a text that is no call is edited again."""
        self.writing = False
        self._view.run.focus()
        state, position, self._text = self._view.state, self._view.calls.position, event.text
        if not event.is_kept or state is None or position is None:
            return

        def work(bench: Workbench) -> Callable[[], object]:
            from workbench.app.tried_call import tried

            try:
                return partial(self._show, position, tried(bench.runs, state, position, event.text))
            except WorkbenchError as error:
                return partial(self._refuse, event.text, str(error))

        self._view.post_message(Ask("tried", work))

    def _show(self, position: int, found: TriedCall) -> None:
        self._tried = position, found
        self._view.show_chosen()
        self._view.run.action_edge(-1)

    def _refuse(self, text: str, why: str) -> None:
        self._begin(text, "it is no call; Esc gives it up")
        self._view.post_message(Say(why, problem=True))

    def take(self, state: SessionState) -> None:
        """Forget the tried call where another policy decides."""
        if self._tried is not None and self._tried[1].state.terms is not state.terms:
            self._tried = None

    def leave(self) -> bool:
        """Show the run again; False if no tried call is shown."""
        was_open, self._tried = self.open, None
        if was_open:
            self._view.show_chosen()
        return was_open

    def rows(self, width: int) -> Sequence[Row]:
        """The tried call with its decision and why."""
        if self._tried is None:
            return ()
        found = self._tried[1]
        words = "Tried in the place of the chosen call; nothing is kept. e edits it again, Esc shows the run."
        rows = whole_call_rows(found.state, found.position, width, found.why)
        # no call of its run leads anywhere: the places of the calls are others in the logs
        own = [Row(row.line, "" if row.key.startswith("call:") else row.key) for row in rows]
        return [*paragraph(line(muted(words)), width), BLANK, *own]

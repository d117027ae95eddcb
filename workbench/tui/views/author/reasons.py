"""Reasons of decisions and rules read aloud, on request in the Author view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from workbench.app.session_state import SessionState
from workbench.tui.messages import Ask
from workbench.tui.why_text import why_rows
from workbench.tui.widgets.lines import Row

if TYPE_CHECKING:
    from textual.widget import Widget

    from workbench.app.runs import CallExplanation
    from workbench.app.workbench import Workbench


class Reasons:
    """The requested explanations of the present policy; ``changed`` is called when one is found."""

    def __init__(self, view: Widget, changed: Callable[[], None]) -> None:
        """Request explanations by messages of the view."""
        self._view = view
        self._changed = changed
        self._source = ""
        self._position = -1
        self._explanation: CallExplanation | None = None
        self._aloud: Mapping[str, str] = {}

    def take(self, state: SessionState) -> None:
        """Forget the explanations of another policy."""
        source = "" if state.terms is None else state.terms.file.text
        if self._source != source:
            self._source, self._position, self._explanation, self._aloud = source, -1, None, {}

    @property
    def aloud(self) -> Mapping[str, str]:
        """The rules as sentences by their names; empty if they were not requested."""
        return self._aloud

    def rows(self, state: SessionState, position: int, width: int) -> list[Row]:
        """Rows of the reason of a call's decision, if it was requested."""
        if self._explanation is None or position != self._position:
            return []
        return why_rows(state, self._explanation, width)

    def ask_call(self, state: SessionState, position: int) -> bool:
        """Find the reason of a call's decision, or stop showing it; False if calls are not decided."""
        terms, logs = state.terms, state.logs
        if terms is None or logs is None:
            return False
        if position == self._position:
            self._position, self._explanation = -1, None
            self._changed()
            return True
        decided = state.decisions[position]

        def keep_explanation(call_explanation: CallExplanation) -> None:
            self._position, self._explanation = position, call_explanation
            self._changed()

        def explained(bench: Workbench) -> Callable[[], object]:
            return partial(keep_explanation, bench.runs.explain(terms, logs, decided.run, decided.index)[0])

        self._view.post_message(Ask("why", explained))
        return True

    def ask_aloud(self, state: SessionState) -> bool:
        """Read the rules aloud, or stop showing that; False if there is no policy."""
        terms = state.terms
        if terms is None:
            return False
        if self._aloud:
            self._keep_aloud({})
            return True

        def read(bench: Workbench) -> Callable[[], object]:
            return partial(self._keep_aloud, bench.sentences.of_rules(terms.file.text))

        self._view.post_message(Ask("aloud", read))
        return True

    def _keep_aloud(self, aloud: Mapping[str, str]) -> None:
        self._aloud = aloud
        self._changed()

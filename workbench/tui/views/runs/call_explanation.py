"""Why a call was decided so, and what would have to differ, for the one call that is asked about."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from workbench.tui.messages import Ask

if TYPE_CHECKING:
    from textual.timer import Timer
    from textual.widget import Widget

    from workbench.app.policy import PolicyTerms
    from workbench.app.runs import CallExplanation
    from workbench.app.session_state import SessionState
    from workbench.app.workbench import Workbench

EXPLAIN_AFTER = 0.15
"""Seconds of rest at the call that was asked about after which its reason is found again."""


class Explaining:
    """Finds the reason of the call that is asked about; ``changed`` is called when there is more to draw."""

    def __init__(self, view: Widget, changed: Callable[[], None]) -> None:
        """Ask by messages of the view; nobody asks yet."""
        self._view = view
        self._changed = changed
        self._asked_position: int | None = None
        self._explained: tuple[PolicyTerms, int, CallExplanation] | None = None
        self._rest: Timer | None = None

    def toggle(self, state: SessionState, position: int) -> None:
        """Explain why this call alone was decided so, or stop explaining it."""
        self._asked_position = None if self._asked_position == position else position
        self._changed()
        self._ask(state, position)

    def of(self, state: SessionState, position: int) -> CallExplanation | None:
        """The reason of a call, where it is asked for and found."""
        explained = self._explained
        if (
            self._asked_position != position
            or explained is None
            or explained[0] is not state.terms
            or explained[1] != position
        ):
            return None
        return explained[2]

    def soon(self, state: SessionState, position: int | None) -> None:
        """Find the reason of the call that is asked about, where a person rests at it."""
        if self._rest is not None:
            self._rest.stop()
            self._rest = None
        if position is not None and self._asked_position == position:
            self._rest = self._view.set_timer(EXPLAIN_AFTER, partial(self._ask, state, position))

    def _ask(self, state: SessionState, position: int) -> None:
        terms, logs = state.terms, state.logs
        wanted = self._asked_position == position and self.of(state, position) is None
        if not wanted or terms is None or logs is None or position >= len(state.decisions):
            return
        decided = state.decisions[position]

        def keep_explanation(call_explanation: CallExplanation) -> None:
            self._explained = (terms, position, call_explanation)
            self._changed()

        def explained(bench: Workbench) -> Callable[[], object]:
            return partial(keep_explanation, bench.runs.explain(terms, logs, decided.run, decided.index)[0])

        self._view.post_message(Ask("why", explained))

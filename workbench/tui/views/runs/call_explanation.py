"""The reason of the decision on the call that the person asks about, and the values that would turn it."""

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
"""Seconds of rest at the explained call after which its reason is computed again."""


class Explaining:
    """Computes the reason for one call; ``changed`` is called when the view has to redraw it."""

    def __init__(self, view: Widget, changed: Callable[[], None]) -> None:
        """Request reasons by messages of the view; at first there is no call to explain."""
        self._view = view
        self._changed = changed
        self._asked_position: int | None = None
        self._explained: tuple[PolicyTerms, int, CallExplanation] | None = None
        self._rest: Timer | None = None

    def toggle(self, state: SessionState, position: int) -> None:
        """Explain the decision on this call only, or stop explaining it."""
        self._asked_position = None if self._asked_position == position else position
        self._changed()
        self._ask(state, position)

    def of(self, state: SessionState, position: int) -> CallExplanation | None:
        """The reason for a call, if it was requested and found."""
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
        """Compute the reason again after a rest, if it was requested for this call."""
        if self._rest is not None:
            self._rest.stop()
            self._rest = None
        if position is not None and self._asked_position == position:
            self._rest = self._view.set_timer(EXPLAIN_AFTER, partial(self._ask, state, position))

    def _ask(self, state: SessionState, position: int) -> None:
        terms, logs = state.terms, state.logs
        is_asked = self._asked_position == position and self.of(state, position) is None
        if not is_asked or terms is None or logs is None or position >= len(state.decisions):
            return
        decided = state.decisions[position]

        def keep_explanation(call_explanation: CallExplanation) -> None:
            self._explained = (terms, position, call_explanation)
            self._changed()

        def explained(bench: Workbench) -> Callable[[], object]:
            return partial(keep_explanation, bench.runs.explain(terms, logs, decided.run, decided.index)[0])

        self._view.post_message(Ask("why", explained))

"""What a thread finds of some things for a view, kept until it is asked for of other things."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from workbench.app.session_state import SessionState
from workbench.tui.messages import Ask, Workbench

if TYPE_CHECKING:
    from textual.timer import Timer
    from textual.widget import Widget

    from workbench.app.runs import CallExplanation

type Things = tuple[object, ...]


class BackgroundResult[Found]:
    """The last result of one kind; ``changed`` is called when it is found."""

    def __init__(self, view: Widget, group: str, changed: Callable[[], object]) -> None:
        """Request results by messages of the view, in a group of their own."""
        self._view = view
        self._group = group
        self._changed = changed
        self._asked: Things | None = None
        self._found: tuple[Things, Found] | None = None

    def of(self, *things: object) -> Found | None:
        """The last result of these things, whatever else it is of; None if it is of others."""
        if self._found is None:
            return None
        of, found = self._found
        return found if are_the_same(of[: len(things)], things) else None

    def find(self, work: Callable[[Workbench], Found], *things: object) -> None:
        """Find the result of these things by ``work``, unless that was asked for last."""
        if self._asked is not None and are_the_same(self._asked, things):
            return
        self._asked = things

        def keep(found: Found) -> None:
            self._found = things, found
            self._changed()

        self._view.post_message(Ask(self._group, work, keep, lasts=True))


def are_the_same(things: Things, others: Things) -> bool:
    """Whether these are the same objects; texts and numbers are if they are equal."""
    return len(things) == len(others) and all(
        a is b or (isinstance(a, str | int) and a == b) for a, b in zip(things, others, strict=True)
    )


type Explain = Callable[[Workbench], CallExplanation]

EXPLAIN_AFTER = 0.15
"""Seconds of rest at the explained call after which its reason is computed again."""


class Explaining:
    """Computes the reason for one call; ``changed`` is called when the view has to redraw it."""

    def __init__(
        self,
        view: Widget,
        changed: Callable[[], None],
        explain: Callable[[SessionState, int], Explain] | None = None,
    ) -> None:
        """Request reasons by the work that ``explain`` gives."""
        self._view, self._changed, self._explain = view, changed, explain or of_recorded
        self._asked_position: int | None = None
        self._found: BackgroundResult[CallExplanation] = BackgroundResult(view, f"why {view.id}", changed)
        self._rest: Timer | None = None

    def toggle(self, state: SessionState, position: int) -> None:
        """Explain the decision on this call only, or stop explaining it."""
        self._asked_position = None if self._asked_position == position else position
        self._changed()
        self._ask(state, position)

    def of(self, state: SessionState, position: int) -> CallExplanation | None:
        """The reason for a call, if it was requested and found."""
        is_asked = self._asked_position == position
        return self._found.of(state.terms, state.logs, position) if is_asked else None

    def soon(self, state: SessionState, position: int | None, *, wanted: bool = False) -> None:
        """Compute the reason again after a rest, if it was requested for this call, or is ``wanted``."""
        if self._rest is not None:
            self._rest.stop()
            self._rest = None
        if wanted:
            self._asked_position = position
        if position is not None and self._asked_position == position:
            self._rest = self._view.set_timer(EXPLAIN_AFTER, partial(self._ask, state, position))

    def _ask(self, state: SessionState, position: int) -> None:
        terms, logs = state.terms, state.logs
        is_asked = self._asked_position == position and position < len(state.decisions)
        if is_asked and terms is not None and logs is not None:
            self._found.find(self._explain(state, position), terms, logs, position)


def of_recorded(state: SessionState, position: int) -> Explain:
    """The work that finds why a recorded call is decided as it is."""
    terms, logs, decided = state.terms, state.logs, state.decisions[position]
    assert terms is not None and logs is not None
    return lambda bench: bench.runs.explain(terms, logs, decided.run, decided.index)[0]

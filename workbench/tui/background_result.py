"""What a thread finds of some things for a view, kept until it is asked for of other things."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.tui.messages import Ask

if TYPE_CHECKING:
    from textual.widget import Widget

    from workbench.app.workbench import Workbench

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
        return found if _are_the_same(of[: len(things)], things) else None

    def find(self, work: Callable[[Workbench], Found], *things: object) -> None:
        """Find the result of these things by ``work``, unless that was asked for last."""
        if self._asked is not None and _are_the_same(self._asked, things):
            return
        self._asked = things

        def keep(found: Found) -> None:
            self._found = things, found
            self._changed()

        self._view.post_message(Ask(self._group, work, keep, lasts=True))


def _are_the_same(things: Things, others: Things) -> bool:
    """Whether these are the same objects; texts and numbers are if they are equal."""
    return len(things) == len(others) and all(
        a is b or (isinstance(a, str | int) and a == b) for a, b in zip(things, others, strict=True)
    )

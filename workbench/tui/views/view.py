"""The base of all views: panes over the state of the session, and the place that is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.containers import Container
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import TextArea

from workbench.app.session_state import SessionState
from workbench.tui.action_dispatch import done_by
from workbench.tui.keys import EDITOR, KeyHint
from workbench.tui.messages import Say
from workbench.tui.screen_places import Place, ViewName
from workbench.tui.widgets.lines import LineList
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.recorded_call_list import RecordedCallList

SMALL = Size(100, 30)
"""Below this width, or height, one pane is shown at a time."""


class View(Container):
    """One of the five views. A subclass composes its panes and fills them from the state."""

    NAME: ClassVar[ViewName]
    HELP: ClassVar[str | None] = ""
    options_came = 0.0
    """The time when the visible numbered options appeared, by the clock that stamps messages."""

    def show(self, state: SessionState) -> None:
        """Draw another state of the session, at the present place."""
        raise NotImplementedError

    def go(self, place: Place) -> None:
        """Show a place; a place that is gone changes nothing."""
        raise NotImplementedError

    def choose_number(self, number: int) -> bool:
        """Choose a visible numbered option; False if there is none with this number."""
        del number
        return False

    def in_sight(self, pane: LineList) -> bool:
        """Whether a pane is visible; a small screen or a zoomed pane hides the others."""
        return pane is self.current or not (self.small or self.has_class("-zoomed"))

    def brought(self, pane: LineList) -> bool:
        """Bring the pane with the numbered options into sight; False if it is, so that a digit chooses."""
        if self.in_sight(pane):
            return False
        self.mark(pane)
        pane.focus()
        self.post_message(Say("These are the options; press the digit again to choose."))
        return True

    def leave_what_is_begun(self) -> bool:
        """Leave a temporary content of the view; False if it shows its usual content."""
        return False

    def own_hints(self) -> Sequence[KeyHint]:
        """Keys that work now in addition to those of the table: the digits of a question."""
        return ()

    def words_at_cursor(self) -> Mapping[str, str]:
        """Hints of actions for the item at the cursor, by their ids, instead of those of the table."""
        return {}

    def narrow(self, pane: Pane | RecordedCallList, words: str) -> None:
        """Show only rows with all of the words, in a pane and its dependent panes; all rows without words."""
        pane.narrow(words)

    def narrows(self, pane: Pane | RecordedCallList) -> str:
        """The name of the rows that typed words narrow."""
        return pane.called

    def do(self, action: str) -> bool:
        """Do an action of the table at the focus; False if there is nothing to apply it to."""
        return done_by(self, action)

    @property
    def standing(self) -> str:
        """The view and the pane with the focus, as the table of actions names them."""
        if isinstance(self.screen.focused, TextArea):
            return EDITOR
        return f"{self.NAME.value}.{self.current.id}"

    @property
    def panes(self) -> Sequence[LineList]:
        """The panes in the order of Tab."""
        return [*self.query(".pane").results(LineList)]

    @property
    def small(self) -> bool:
        """Whether one pane is shown at a time."""
        size = self.screen.size
        return size.width < SMALL.width or size.height < SMALL.height

    @property
    def first(self) -> LineList:
        """The pane that gets the focus first."""
        return self.panes[0]

    def mark(self, current: Widget) -> None:
        """Mark the pane that small screens show, and the parts of the view that contain it."""
        for pane in self.panes:
            pane.set_class(pane is current, "-current")
        for part in self.children:
            part.set_class(part in current.ancestors, "-holds")

    def leave_pane(self) -> bool:
        """On a small screen go to the pane before; False if it is the first, or if all are visible."""
        panes, current = self.panes, self.current
        if not self.small or panes.index(current) <= panes.index(self.first):
            return False
        before = panes[panes.index(current) - 1]
        self.mark(before)
        before.focus()
        return True

    @property
    def current(self) -> LineList:
        """The pane that has the focus, or had it last."""
        focused = self.screen.focused
        panes = self.panes
        if isinstance(focused, LineList) and focused in panes:
            return focused
        return next((pane for pane in panes if pane.has_class("-current")), self.first)

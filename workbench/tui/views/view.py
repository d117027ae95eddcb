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
    """When the numbered options in sight came, by the clock that messages are stamped with."""

    def show(self, state: SessionState) -> None:
        """Draw another state of the session at the place where the view is."""
        raise NotImplementedError

    def go(self, place: Place) -> None:
        """Look at a place; one that is not there any more changes nothing."""
        raise NotImplementedError

    def choose_number(self, number: int) -> bool:
        """Take the numbered option in sight; False where there is none."""
        del number
        return False

    def in_sight(self, pane: LineList) -> bool:
        """Whether a pane is in sight, which one of a small screen or beside a zoomed one is not."""
        return pane is self.current or not (self.small or self.has_class("-zoomed"))

    def brought(self, pane: LineList) -> bool:
        """Bring the pane with the numbered options into sight; False where it is, so that a digit chooses."""
        if self.in_sight(pane):
            return False
        self.mark(pane)
        pane.focus()
        self.post_message(Say("These are the options; press the digit again to choose."))
        return True

    def leave_what_is_begun(self) -> bool:
        """Leave what stands in the place of what the view usually shows; False where nothing does."""
        return False

    def own_hints(self) -> Sequence[KeyHint]:
        """Keys that work just now beside those of the table: the digits of a question."""
        return ()

    def words_at_cursor(self) -> Mapping[str, str]:
        """The words for what actions do at the cursor, by their ids, beside the table."""
        return {}

    def narrow(self, pane: Pane | RecordedCallList, words: str) -> None:
        """Show only what has all of the words, in a pane and what goes with it; all where there is none."""
        pane.narrow(words)

    def narrows(self, pane: Pane | RecordedCallList) -> str:
        """The name of what typed words narrow."""
        return pane.called

    def do(self, action: str) -> bool:
        """Do an action of the table where the focus is; False where there is nothing to do it to."""
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
        """The pane that has the focus where none had it yet."""
        return self.panes[0]

    def mark(self, current: Widget) -> None:
        """Say which pane is the one that small screens show, and which parts of the view have it."""
        for pane in self.panes:
            pane.set_class(pane is current, "-current")
        for part in self.children:
            part.set_class(part in current.ancestors, "-holds")

    def leave_pane(self) -> bool:
        """On a small screen go back to the pane before; False where it is the first, or all are in sight."""
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

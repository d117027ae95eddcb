"""An editor in which each line is a call, with the decision on it at its start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from textual.widgets import TextArea

from workbench.tui.keys import KeyHint
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import TextRun
from workbench.tui.widgets.text_editor import TextEditor


class CallLines(TextEditor):
    """Calls, one a line; the word of each decision is before it, and Esc leaves the text."""

    DEFAULT_CSS = style_sheet(__file__)
    sign_width = 7

    def __init__(self, *, id: str) -> None:
        """Start hidden, without decisions; who decides is told when the text changes or the cursor moves."""
        super().__init__(id=id)
        self.typed: Callable[[], None] = lambda: None
        self.moved: Callable[[], None] = lambda: None
        self.show_line_numbers = True

    def tell(self, signs: Mapping[int, TextRun]) -> None:
        """Show the decisions, by the number of the line."""
        if signs != self._signs:
            self._signs = signs
            self.redraw()

    @property
    def hints(self) -> Sequence[KeyHint]:
        """The keys that work here."""
        return [("Esc", "the calls as a list"), ("↑↓", "why of another line"), ("F7", "select all")]

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Tell that the text changed."""
        event.stop()
        if self.display:
            self.typed()

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        """Tell that the cursor moved."""
        event.stop()
        if self.display:
            self.moved()

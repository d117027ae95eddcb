"""An editor in which each line is a call, with the decision on it at its start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual.message import Message
from textual.widgets import TextArea

from workbench.tui.keys import KeyHint
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import TextRun
from workbench.tui.widgets.text_editor import TextEditor


class CallLines(TextEditor):
    """Calls, one a line; the word of each decision is before it, and Esc leaves the text."""

    DEFAULT_CSS = style_sheet(__file__)
    sign_width = 7

    @dataclass
    class Typed(Message):
        """The text when it has changed."""

        text: str

    @dataclass
    class Moved(Message):
        """The line of the cursor, from 0."""

        line: int

    def __init__(self, *, id: str) -> None:
        """Start hidden, without decisions."""
        super().__init__(id=id)
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
        """Tell the text."""
        event.stop()
        if self.display:
            self.post_message(self.Typed(self.text))

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        """Tell the line of the cursor."""
        event.stop()
        if self.display:
            self.post_message(self.Moved(self.cursor_location[0]))

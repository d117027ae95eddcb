"""An editor in which each line is a call, with the decision on it at its start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea

from workbench.tui.keys import KeyHint
from workbench.tui.styles import PartStyles, style_sheet
from workbench.tui.text_runs import TextRun
from workbench.tui.widgets.text_editor import TextEditor

_SIGN_WIDTH = 7


class CallLines(TextEditor):
    """Calls, one a line; the word of each decision is before it, and Esc leaves the text."""

    DEFAULT_CSS = style_sheet(__file__)

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
        self.parts = PartStyles(self)
        self._signs: Mapping[int, TextRun] = {}
        super().__init__(id=id)
        self.show_line_numbers = True

    def tell(self, signs: Mapping[int, TextRun]) -> None:
        """Show the decisions, by the number of the line."""
        if signs != self._signs:
            self._signs = signs
            self.parts.forget()
            self.notify_style_update()
            self.refresh()

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

    @property
    def gutter_width(self) -> int:
        """The width of the decisions, and of the line numbers."""
        return super().gutter_width + _SIGN_WIDTH

    def _render_line(self, y: int) -> Strip:
        """A line with the decision on it."""
        strip, row = super()._render_line(y), y + self.scroll_offset.y
        rows = self.wrapped_document._offset_to_line_info  # pyright: ignore[reportPrivateUsage]
        number, section = rows[row] if row < len(rows) else (-1, 0)
        sign = self._signs.get(number, TextRun("")) if section == 0 else TextRun("")
        style = self.rich_style + (self.parts.of(f"line--{sign.tone}") if sign.text else Style.null())
        text = sign.text.ljust(_SIGN_WIDTH)[:_SIGN_WIDTH]
        return Strip.join([Strip([Segment(text, style)], _SIGN_WIDTH), strip.crop(_SIGN_WIDTH)])

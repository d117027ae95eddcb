"""A text that is written as a whole and then kept: the request, a sentence, a case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from workbench.clean_text import clean_same_width
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import title


class TextEditor(TextArea):
    """Printable keys type; Esc or Ctrl+S leave it, and what was written is kept."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave(False)", priority=True),
        Binding("ctrl+s", "leave(True)", priority=True),
    ]

    @dataclass
    class Left(Message):
        """The person is done; ``kept`` says whether the text is to be kept as it is."""

        text: str
        kept: bool

    def __init__(self, *, id: str) -> None:
        """Start put away."""
        self._first = ""
        super().__init__("", id=id, soft_wrap=True, tab_behavior="focus", theme="css")

    def begin(self, name: str, text: str, note: str = "") -> None:
        """Edit a text; ``note`` says what to mind."""
        self._first = text
        self.border_title = title(f"EDIT {name} · {note or 'Esc keeps it and leaves'}")
        self.load_text(text)
        self.display = True
        self.focus()

    def action_leave(self, always: bool) -> None:
        """Leave; a text that nobody changed is kept only where that is asked for."""
        self.display = False
        self.post_message(self.Left(self.text, always or self.text != self._first))

    def get_line(self, line_index: int) -> Text:
        """A line in which characters that cannot be seen are made visible."""
        return Text(clean_same_width(self.document.get_line(line_index)), end="", no_wrap=True)

"""An editor of a whole text that is then stored: the request, a sentence, a case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from workbench.clean_text import clean_same_width
from workbench.tui.messages import HintsChanged
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import title

KEPT = "Esc keeps it and leaves"
NOT_STORED = "not stored; mend it, or Esc gives it up"
"""The note in the title of a text that could not be stored, until the text is changed."""


class TextEditor(TextArea):
    """An editor in which printable keys type; Esc or Ctrl+S leave it, and the text is kept."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave(False)", priority=True),
        Binding("ctrl+s", "leave(True)", priority=True),
    ]

    @dataclass
    class Left(Message):
        """The text when the editor was left; ``is_kept`` says whether to store it."""

        text: str
        is_kept: bool

    def __init__(self, *, id: str) -> None:
        """Start hidden."""
        self._first = self._name = ""
        super().__init__("", id=id, soft_wrap=True, tab_behavior="focus", theme="css")

    def begin(self, name: str, text: str, note: str = "") -> None:
        """Edit a text; ``note`` follows the title."""
        self._first, self._name = text, name
        self.border_title = title(f"EDIT {name} · {note or KEPT}")
        self.load_text(text)
        self.display = True
        self.focus()

    @property
    def leaves(self) -> str:
        """The hint for Esc."""
        return "leave" if self.text == self._first else "keep and leave"

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Update the hint for Esc once the text differs from the original one."""
        event.stop()
        if self.display and self.text != self._first:
            self.border_title = title(f"EDIT {self._name} · {KEPT}")
        self.post_message(HintsChanged())

    def action_leave(self, always: bool) -> None:
        """Leave; an unchanged text is stored only with ``always``."""
        self.display = False
        self.post_message(self.Left(self.text, always or self.text != self._first))

    def get_line(self, line_index: int) -> Text:
        """A line with invisible characters made visible."""
        return Text(clean_same_width(self.document.get_line(line_index)), end="", no_wrap=True)

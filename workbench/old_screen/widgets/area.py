"""An entry of several lines into which nothing invisible can be pasted."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult

from workbench.clean_text import clean_same_width
from workbench.old_screen.actions import bindings
from workbench.old_screen.key_order import KeyOrder
from workbench.old_screen.styles import style_sheet


class ProseArea(KeyOrder, TextArea):
    """A ``TextArea`` for prose and short programs: Tab leaves it, long lines wrap."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("area")]

    def __init__(self, text: str = "", *, id: str | None = None) -> None:
        """Begin with a text."""
        super().__init__(self.cleaned(text), id=id, tab_behavior="focus", theme="css", soft_wrap=True)

    @staticmethod
    def cleaned(text: str) -> str:
        """A text as the area holds it: its lines, with nothing that cannot be seen."""
        return "\n".join(clean_same_width(part.replace("\t", "    ")) for part in text.split("\n"))

    def edit(self, edit: Edit) -> EditResult:
        """Make an edit; what cannot be seen is replaced, whichever way it came in."""
        return super().edit(replace(edit, text=self.cleaned(edit.text)))

    def get_line(self, line_index: int) -> Text:
        """A line without anything that a terminal could take for a command."""
        return Text(clean_same_width(self.document.get_line(line_index)), end="", no_wrap=True)

    def action_cursor_edge(self, direction: int) -> None:
        """Go to the beginning or the end of the text."""
        self.move_cursor((0, 0) if direction < 0 else self.document.end)


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone

    run_alone(ProseArea("Several lines\nof text"), lambda widget: widget.move_cursor((0, 0)))

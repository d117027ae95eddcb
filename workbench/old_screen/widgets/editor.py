"""The text of the policy: painted, with marks beside the lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from workbench.clean_text import clean_same_width
from workbench.old_screen.actions import bindings
from workbench.old_screen.highlighting import openings, paint
from workbench.old_screen.messages import SessionUndo
from workbench.old_screen.offering import OfferingArea
from workbench.old_screen.plain import Tone
from workbench.old_screen.styles import PartStyles, style_sheet

MARK_WIDTH = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign beside a line: one or two cells, a tone, and what it stands for."""

    sign: str
    tone: Tone
    meaning: str = ""


class Editor(OfferingArea):
    """A text area that paints the policy dialect and shows marks in its gutter.

    Tab indents, or writes the first of the words that are offered beside the cursor; Escape declines
    them, or leaves the editor. All other keys do what they do without an offer. Undo goes back through
    the text and then, where nothing is left, through the session.
    """

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("editor")]

    class CompleteWanted(Message):
        """The user wants to know what could be written at the cursor."""

    def __init__(self, text: str = "", *, id: str | None = None) -> None:
        """Begin with a text."""
        self.parts = PartStyles(self)
        self.marks: Mapping[int, Mark] = {}
        self._problem_lines: frozenset[int] = frozenset()
        super().__init__(
            text, id=id, soft_wrap=False, show_line_numbers=True, tab_behavior="indent", theme="css"
        )

    # --- marks and paint

    @property
    def gutter_width(self) -> int:
        """Room for the marks before the line numbers."""
        return super().gutter_width + MARK_WIDTH

    def show_marks(self, marks: Mapping[int, Mark], problems: frozenset[int]) -> None:
        """Show marks by line (from 1) and underline the lines with problems."""
        before, self.marks = self.marks, marks
        if problems != self._problem_lines:
            self._problem_lines = problems
            self._repaint()
            return
        rows = [line - 1 for line in marks.keys() | before.keys() if marks.get(line) != before.get(line)]
        top, size = self.scroll_offset.y, self.size
        regions = [Region(0, row - top, size.width, 1) for row in rows if 0 <= row - top < size.height]
        if regions:
            self.refresh(*regions)

    def notify_style_update(self) -> None:
        """Draw each line anew in another look."""
        self.parts.forget()
        super().notify_style_update()

    def _repaint(self) -> None:
        self.notify_style_update()
        self.refresh()

    def get_line(self, line_index: int) -> Text:
        """A line with its paint; characters that cannot be seen are made visible."""
        if self._openings is None:
            self._openings = openings(self.document.lines)
        source = self.document.get_line(line_index)
        text = Text(clean_same_width(source), end="", no_wrap=True)
        inside = self._openings[line_index] if line_index < len(self._openings) else ""
        for start, end, name in paint(source[:4000], inside)[0]:
            text.stylize(self.parts.of(f"editor--{name}"), start, end)
        if line_index + 1 in self._problem_lines:
            text.stylize(self.parts.of("editor--problem"))
        return text

    def render_line(self, y: int) -> Strip:
        """A line with its mark in the gutter. Called by Textual."""
        theme = self._theme
        if theme.cursor_line_style is not None:
            theme.cursor_line_style = Style(bgcolor=theme.cursor_line_style.bgcolor)
        strip = super().render_line(y)
        mark = self.marks.get(y + self.scroll_offset.y + 1)
        if mark is None:
            return strip
        style = self.parts.of(f"line--{mark.tone}")
        rest = strip.crop(MARK_WIDTH)
        return Strip.join(
            [Strip([Segment(f"{mark.sign:>{MARK_WIDTH - 1}} ", self.rich_style + style)], MARK_WIDTH), rest]
        )

    def update_suggestion(self) -> None:
        """Called after every change of the text: where strings begin may have changed."""
        super().update_suggestion()
        before = self._openings
        self._openings = openings(self.document.lines)
        if before is not None and before[-1:] != self._openings[-1:]:
            self._repaint()

    # --- typing

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter" and not self.read_only:
            event.stop()
            event.prevent_default()
            self.replace("\n" + self._indentation(), *self.selection, maintain_selection_offset=False)

    def _indentation(self) -> str:
        """The spaces that a line begins with which is opened at the cursor."""
        row, column = min(self.selection)
        before = self.document.get_line(row)[:column]
        deeper = self.indent_width if before.rstrip()[-1:] in tuple(":([{") else 0
        return " " * (len(before) - len(before.lstrip(" ")) + deeper)

    # --- the text as a whole

    def replace_all(self, text: str) -> None:
        """Show another text and keep the cursor's place; undo then takes back the session's change."""
        if text == self.text:
            return
        place = self.cursor_location
        self.load_text(text)
        self._openings = None
        self.move_cursor(self.clamp_visitable(place))

    def go_to(self, line: int) -> None:
        """Put the cursor on a line (from 1), in the middle of the pane."""
        self.move_cursor(self.clamp_visitable((line - 1, 0)), center=True)

    def go_line(self, direction: int) -> None:
        """Go a line up or down."""
        self.action_cursor_up() if direction < 0 else self.action_cursor_down()

    def action_document_edge(self, direction: int) -> None:
        """Go to the beginning or the end of the text."""
        self.move_cursor((0, 0) if direction < 0 else self.document.end)

    def action_complete(self) -> None:
        """Offer what could be written at the cursor."""
        self.post_message(self.CompleteWanted())

    def action_undo(self) -> None:
        """Undo in the text, or in the session where the text has nothing to undo."""
        if self.history.undo_stack:
            super().action_undo()
        else:
            self.post_message(SessionUndo())

    def action_redo(self) -> None:
        """Redo in the text, or in the session where the text has nothing to redo."""
        if self.history.redo_stack:
            super().action_redo()
        else:
            self.post_message(SessionUndo(redo=True))


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import POLICY

    run_alone(Editor(POLICY), lambda widget: widget.show_marks({3: Mark("✓", Tone.GOOD)}, frozenset()))

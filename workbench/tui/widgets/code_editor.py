"""An editor of a part of the policy, or of the whole file, in the place where it is shown.

A wrapped document with notes between its lines; the notes are drawn, and the cursor skips them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.document._document import DocumentBase, Location
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea

from workbench.app.editing import other_file
from workbench.app.line_tokens import line_tokens, open_quotes
from workbench.app.session_state import SessionState
from workbench.clean_text import clean, counted, one_line
from workbench.model import Problem
from workbench.tui.messages import Say
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import Line, TextRun, bad, line, muted, title, wrap
from workbench.tui.verdict_signs import line_signs
from workbench.tui.widgets.text_editor import LineArea, WrappedLines

LONGEST = 4000
"""The most characters of a line that are coloured."""


class CodeEditor(LineArea):
    """An editor of a part of a file, which keeps the text before and after the part; Esc keeps and leaves.

    Problems are shown under their lines, and verdicts of rules and clauses at the start of theirs.
    """

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+s", "store"),
        Binding("shift+tab", "dedent"),
        Binding("ctrl+n", "next_problem"),
    ]

    @dataclass
    class Told(Message):
        """An editor, and the whole file with its present text."""

        editor: CodeEditor
        policy: str

        @property
        def control(self) -> CodeEditor:
            """The editor, for ``@on`` with a selector."""
            return self.editor

    @dataclass
    class Edited(Told):
        """The text has changed."""

    @dataclass
    class Left(Told):
        """The whole file when the editor was left."""

        changed: bool

    sign_width = 2
    _open_quotes: list[str] | None = None

    def __init__(self, *, id: str, is_policy: bool = True) -> None:
        """Start hidden; ``is_policy`` if the text is not ``agent.toml``."""
        self.is_policy = is_policy
        self._before = self._after = self._begun = self._told_text = self._name = ""
        self._columns: dict[int, int] = {}
        self._left_at = ("", ""), (0, 0)
        super().__init__(id=id, tab_behavior="indent", show_line_numbers=True)

    # --- beginning and ending

    def begin(self, policy: str, first: int, last: int, name: str, line: int = 0) -> None:
        """Edit the lines ``first`` to ``last`` (from 1) of a policy, with the cursor on ``line``.

        If the same text was left before, the cursor returns to its position there.
        """
        lines = policy.splitlines(keepends=True)
        self._before, self._after = "".join(lines[: first - 1]), "".join(lines[last:])
        self._begun = self._told_text = "".join(lines[first - 1 : last]).rstrip("\n")
        self._name = name
        self.border_title = title(f"EDIT {name}")
        self._signs = {}
        self.line_number_start = first
        self.load_text(self._begun)
        self._open_quotes = None
        self.display = True
        self.focus()
        was_left = self._left_at[0] == (name, self._begun.rstrip())
        if line:
            self.go_to(line)
        if was_left:
            self.move_cursor(self._left_at[1], center=True)
        if line or was_left:
            self.call_after_refresh(self.scroll_cursor_visible, center=True)  # its size is known then

    def begin_whole(self, policy: str, name: str, line: int = 0, column: int = 0) -> None:
        """Edit the whole file, with the cursor on ``line`` and ``column`` (from 1)."""
        self.begin(policy, 1, max(len(policy.splitlines()), 1), name, line)
        if line and column:
            self.go_to(line, column)

    def go_to(self, line: int, column: int = 1) -> None:
        """Put the cursor on a line and column of the file (from 1), in the middle."""
        place = (line - self.line_number_start, column - 1)
        self.move_cursor(self.clamp_visitable(place), center=True)

    @property
    def policy(self) -> str:
        """The whole file with the present text."""
        return f"{self._before}{self.text.rstrip()}\n{self._after}"

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Post the text after every change by a person."""
        event.stop()
        if self.display and self.text != self._told_text:
            self._told_text = self.text
            self.post_message(self.Edited(self, self.policy))

    def action_store(self) -> None:
        """Keep the text and leave."""
        if self.display:
            self.display = False
            self._left_at = (self._name, self.text.rstrip()), self.cursor_location
            self.post_message(self.Left(self, self.policy, self.text != self._begun))

    def on_blur(self) -> None:
        """Leave the text when the focus goes elsewhere."""
        app = cast("App[object]", self.app)
        if self.screen is app.screen and app.app_focus:
            self.action_store()

    @on(events.Paste)
    def _pasted(self, event: events.Paste) -> None:
        """Say so where a pasted text looks like the other file."""
        other = other_file(event.text, self._name)
        if other:
            words = f"What you pasted looks like {other}, and this is {self._name}: Ctrl+Z takes it back."
            self.post_message(Say(words, problem=True))

    # --- results on the text

    def take(self, state: SessionState) -> None:
        """Show the results on the text: problems under their lines, signs at the start of lines."""
        if not self.display or state.policy != self.policy:
            return
        first = self.line_number_start
        self._signs = {number - first: sign for number, sign in line_signs(state).items()}
        self.show_problems(state.problems)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show each problem under its line."""
        first = self.line_number_start
        notes: dict[int, Line] = {}
        for problem in problems:
            row = max(problem.line - first, 0)
            if problem.line < first + self.document.line_count:
                notes[row] = (*notes[row], TextRun("\n"), *_note(problem)) if row in notes else _note(problem)
        self.noted.show_notes(notes)
        self._columns = {
            max(problem.line - first, 0): max(problem.column - 1, 0) for problem in reversed(problems)
        }
        count = f" · {counted(len(problems), 'problem')}, Ctrl+N goes there" if problems else ""
        self.border_title = title(f"EDIT {self._name}{count}")
        self.redraw()

    def action_next_problem(self) -> None:
        """Go to the place of the problem in the next line that has one; after the last one, to the first."""
        rows = sorted(self.noted.noted)
        cursor_row = self.cursor_location[0]
        if rows:
            target = next((row for row in rows if row > cursor_row), rows[0])
            column = min(self._columns.get(target, 0), len(self.document.get_line(target)))
            self.move_cursor((target, column), center=True)

    @property
    def noted(self) -> AnnotatedDocument:
        """The wrapped lines with the notes between them."""
        assert isinstance(self.wrapped_document, AnnotatedDocument)
        return self.wrapped_document

    def _wrapped(self) -> AnnotatedDocument:
        return AnnotatedDocument(self.document, tab_width=self.indent_width)

    def on_resize(self) -> None:
        """Keep the cursor visible if the editor has the focus."""
        if self.has_focus:
            self.scroll_cursor_visible()

    def redraw(self) -> None:
        """Draw each line anew; notes may have changed the height."""
        super().redraw()
        self._refresh_size()

    # --- drawing

    def get_line(self, line_index: int) -> Text:
        """A line with its colours."""
        if self._open_quotes is None:
            self._open_quotes = open_quotes(self.document.lines)
        source, text = self.document.get_line(line_index), super().get_line(line_index)
        inside = self._open_quotes[line_index] if line_index < len(self._open_quotes) else ""
        for start, end, kind in line_tokens(source[:LONGEST], inside)[0]:
            text.stylize(self.parts.of(f"code--{kind}"), start, end)
        if line_index in self.noted.noted:
            text.stylize(self.parts.of("code--problem"))
        return text

    def _render_line(self, y: int) -> Strip:
        """A line, or a note under a line."""
        note = self.noted.note_at(y + self.scroll_offset.y)
        if note is not None:
            gutter = Segment(" " * self.gutter_width, self.rich_style)
            segments = [Segment(clean(run.text), self.parts.of(f"line--{run.tone}")) for run in note]
            return Strip([gutter, *segments]).adjust_cell_length(self.size.width).apply_style(self.rich_style)
        theme = self._theme
        if theme.cursor_line_style is not None:  # only the background, to keep the colours
            theme.cursor_line_style = Style(bgcolor=theme.cursor_line_style.bgcolor)
        return super()._render_line(y)

    def update_suggestion(self) -> None:
        """Find anew where strings begin. Textual calls it after every change of the text."""
        super().update_suggestion()
        before = self._open_quotes
        self._open_quotes = open_quotes(self.document.lines)
        if before is not None and before[-1:] != self._open_quotes[-1:]:
            self.redraw()

    # --- typing

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.replace("\n" + self._indentation(), *self.selection, maintain_selection_offset=False)

    def _indentation(self) -> str:
        """The indentation of a new line that is opened at the cursor."""
        row, column = min(self.selection)
        before = self.document.get_line(row)[:column]
        deeper = self.indent_width if before.rstrip()[-1:] in tuple(":([{") else 0
        return " " * (len(before) - len(before.lstrip(" ")) + deeper)

    def action_dedent(self) -> None:
        """Take back an indent of the line at the cursor."""
        row = self.cursor_location[0]
        text = self.document.get_line(row)
        spaces = min(len(text) - len(text.lstrip(" ")), self.indent_width)
        self.replace("", (row, 0), (row, spaces))


def _note(problem: Problem) -> Line:
    """The note on a problem: its message, and the remedy."""
    return line(bad(f"✗ {one_line(problem.message)} "), muted(one_line(problem.instead)))


_NARROWEST = 20
"""The least width to which a note is wrapped."""


class AnnotatedDocument(WrappedLines):
    """The wrapped lines of a text area, each followed by its note.

    The rows of notes are only in the two tables from rows to lines and back, so that no position in the text
    is ever on a note.
    """

    def __init__(self, document: DocumentBase, width: int = 0, tab_width: int = 4) -> None:
        """Begin without notes."""
        self._notes: dict[int, Line] = {}
        self._rows: dict[int, list[Line]] = {}
        super().__init__(document, width, tab_width)

    def show_notes(self, notes: Mapping[int, Line]) -> None:
        """Show notes under lines, numbered from 0."""
        before = self._notes
        self._notes = {row: note for row, note in notes.items() if 0 <= row < self.document.line_count}
        if before != self._notes:
            self.wrap(self._width)

    def note_at(self, y: int) -> Line | None:
        """The note in a row; None if the row is part of the text."""
        if not 0 <= y < len(self._offset_to_line_info):
            return None
        row, section = self._offset_to_line_info[y]
        number = section - len(self.get_offsets(row)) - 1
        return None if number < 0 else self._rows[row][number]

    @property
    def noted(self) -> Collection[int]:
        """The lines with a note."""
        return self._notes.keys()

    @property
    def height(self) -> int:
        """The height including the notes."""
        return len(self._offset_to_line_info)

    def wrap(self, width: int, tab_width: int | None = None) -> None:
        """Wrap all lines and all notes."""
        super().wrap(width, tab_width)
        self._rows = {}
        self._make_room(self._notes)

    def wrap_range(self, start: Location, old_end: Location, new_end: Location) -> None:
        """Wrap the edited lines; the notes below stay with their lines."""
        before = len(self._line_index_to_offsets)
        super().wrap_range(start, old_end, new_end)
        if not self._notes:
            return
        shift = len(self._line_index_to_offsets) - before
        top, bottom = sorted((start[0], old_end[0]))
        kept_notes: dict[int, Line] = {}
        rows: dict[int, list[Line]] = {}
        touched: dict[int, Line] = {}
        for row, note in self._notes.items():
            if top <= row <= bottom:
                touched.setdefault(top, note)
                continue
            place = row if row < top else row + shift
            kept_notes[place] = note
            rows[place] = self._rows[row]
        self._notes, self._rows = kept_notes | touched, rows
        self._make_room(touched)

    def get_target_document_column(self, line_index: int, x_offset: int, y_offset: int) -> int:
        """The column at a position in a line; a position below the line's last row counts as on that row."""
        last = len(self._wrap_offsets[line_index])
        return super().get_target_document_column(line_index, x_offset, min(y_offset, last))

    def _make_room(self, rows: Iterable[int]) -> None:
        for row in sorted(rows):
            width, note = max(self._width, _NARROWEST), self._notes[row]
            lines = self._rows[row] = [*wrap(note, width, indent=2)] if self._width else [note]
            row_offsets, count = self._line_index_to_offsets[row], len(lines)
            first, sections = row_offsets[-1] + 1, len(row_offsets)
            self._offset_to_line_info[first:first] = [(row, sections + number) for number in range(count)]
            row_offsets += range(first, first + count)
            for offsets in self._line_index_to_offsets[row + 1 :]:
                offsets[:] = [offset + count for offset in offsets]

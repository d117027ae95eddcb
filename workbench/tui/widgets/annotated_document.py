"""A wrapped document with notes between its lines; the notes are drawn, and the cursor skips them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from textual.document._document import Location
from textual.document._wrapped_document import WrappedDocument

from workbench.tui.text_runs import Line, wrap

NARROWEST = 20
"""The least width to which a note is wrapped."""


class AnnotatedDocument(WrappedDocument):
    """The wrapped lines of a text area, each followed by its note.

    The rows of notes are only in the two tables from rows to lines and back, so that no position in the text
    is ever on a note.
    """

    _notes: dict[int, Line] | None = None
    _rows: dict[int, list[Line]] | None = None

    def show_notes(self, notes: Mapping[int, Line]) -> None:
        """Show notes under lines, numbered from 0."""
        self._notes = {row: note for row, note in notes.items() if 0 <= row < self.document.line_count}
        self.wrap(self._width)

    def note_at(self, y: int) -> Line | None:
        """The note in a row; None if the row is part of the text."""
        if not 0 <= y < len(self._offset_to_line_info):
            return None
        row, section = self._offset_to_line_info[y]
        number = section - len(self.get_offsets(row)) - 1
        return None if number < 0 or self._rows is None else self._rows[row][number]

    def place_at(self, y: int) -> tuple[int, int]:
        """The line of a row, and the number of the row within the line."""
        return self._offset_to_line_info[y]

    @property
    def noted(self) -> Collection[int]:
        """The lines with a note."""
        return (self._notes or {}).keys()

    @property
    def height(self) -> int:
        """The height including the notes."""
        return len(self._offset_to_line_info)

    def wrap(self, width: int, tab_width: int | None = None) -> None:
        """Wrap all lines and all notes."""
        super().wrap(width, tab_width)
        self._rows = {}
        self._make_room(self._notes or ())

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
            rows[place] = (self._rows or {})[row]
        self._notes, self._rows = kept_notes | touched, rows
        self._make_room(touched)

    def get_target_document_column(self, line_index: int, x_offset: int, y_offset: int) -> int:
        """The column at a position in a line; a position below the line's last row counts as on that row."""
        last = len(self._wrap_offsets[line_index])
        return super().get_target_document_column(line_index, x_offset, min(y_offset, last))

    def _make_room(self, rows: Iterable[int]) -> None:
        notes, lines_by_row = self._notes or {}, self._rows if self._rows is not None else {}
        for row in sorted(rows):
            lines = wrap(notes[row], max(self._width, NARROWEST), indent=2) if self._width else [notes[row]]
            lines_by_row[row] = lines
            row_offsets, count = self._line_index_to_offsets[row], len(lines)
            first, sections = row_offsets[-1] + 1, len(row_offsets)
            self._offset_to_line_info[first:first] = [(row, sections + number) for number in range(count)]
            row_offsets += range(first, first + count)
            for offsets in self._line_index_to_offsets[row + 1 :]:
                offsets[:] = [offset + count for offset in offsets]

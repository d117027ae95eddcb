"""Notes between the lines of an edited text: every place of the text keeps its row after any edit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from textual.document._document import Document
from textual.geometry import Offset

from tests.examples import examples
from workbench.tui.text_runs import line
from workbench.tui.widgets.code_editor import AnnotatedDocument

WIDTH = 24
LINES = st.lists(st.text("ab ()", max_size=60), min_size=1, max_size=8)
NOTES = st.dictionaries(st.integers(0, 9), st.text("xyz ", min_size=1, max_size=50), max_size=4)


@settings(max_examples=examples(60), deadline=None)
@given(LINES, NOTES, st.data())
def test_notes_take_rows_and_no_places(lines: list[str], notes: dict[int, str], data: st.DataObject) -> None:
    document = Document("\n".join(lines))
    noted = AnnotatedDocument(document)
    noted.wrap(WIDTH)
    noted.show_notes({row: line(text) for row, text in notes.items()})
    _check(noted)
    rows = len(document.lines)
    start = data.draw(st.tuples(st.integers(0, rows - 1), st.just(0)))
    end = (data.draw(st.integers(start[0], rows - 1)), 0)
    edit = document.replace_range(start, end, data.draw(st.sampled_from(["", "q", "q\nr\n", "\n"])))
    noted.wrap_range(start, end, edit.end_location)
    _check(noted)


def _check(noted: AnnotatedDocument) -> None:
    """Check that each row is a part of the text or of a note, and each place of the text is drawn right."""
    lines = noted.document.lines
    shown = [noted.note_at(y) is None for y in range(noted.height)]
    assert sum(shown) == sum(len(noted.get_offsets(row)) + 1 for row in range(len(lines)))
    for row, text in enumerate(lines):
        for column in {0, len(text) // 2, len(text)}:
            place = noted.location_to_offset((row, column))
            assert noted.note_at(place.y) is None
            assert noted.offset_to_location(place)[0] == row
    for y in range(noted.height):
        row, column = noted.offset_to_location(Offset(3, y))
        assert 0 <= column <= len(lines[row])
        if noted.note_at(y) is not None:
            assert row in noted.noted

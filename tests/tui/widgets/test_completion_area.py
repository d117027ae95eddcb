"""The area of the word list next to the cursor."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region, Size

from workbench.tui.widgets.completion_area import beside


@given(st.integers(-2, 30), st.integers(-5, 90), st.integers(1, 20), st.integers(1, 60), st.data())
def test_a_list_stands_in_its_room_and_never_on_the_line_of_its_word(
    row: int, column: int, width: int, height: int, data: st.DataObject
) -> None:
    room = Size(data.draw(st.integers(0, 80)), data.draw(st.integers(0, 25)))
    region = beside(row, column, Size(width, height), room)
    if region is None:
        assert row not in range(room.height) or room.height == 1 or room.width < min(width, 8)
    else:
        assert Region(0, 0, *room).contains_region(region)
        assert row not in region.line_range or region.height == 0
        assert region.bottom == row or region.y == row + 1

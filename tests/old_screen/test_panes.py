"""Where the panes lie: sizes by key and mouse, panes put away, remembered for the next start."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region

from tests.old_screen.screens import settled, words
from tests.old_screen.test_app import ANSWERED, opened, quick
from workbench.old_screen.actions import PANES
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.panes import LARGE, MEDIUM, Area, borders, laid_out, moved
from workbench.old_screen.remembered_settings import RememberedSettings
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.widgets.workspace import Workspace

assert quick
AREAS = st.sampled_from([LARGE, MEDIUM])
VISIBLE = st.sets(st.sampled_from(PANES), min_size=1)
SIZES = st.dictionaries(st.sampled_from([*PANES, "main", "top", "left", "right"]), st.integers(-5, 300))
PLACE = st.builds(Region, st.just(0), st.just(0), st.integers(20, 300), st.integers(10, 90))


@given(AREAS, PLACE, VISIBLE, SIZES)
def test_the_visible_panes_cover_everything_once(
    area: Area, place: Region, visible: set[str], sizes: dict[str, int]
) -> None:
    found = laid_out(area, place, visible, sizes)
    panes = [region for name, region in found.items() if name in visible]
    assert len(panes) == len(visible)
    assert sum(region.area for region in panes) == place.area
    for number, one in enumerate(panes):
        assert not any(one.overlaps(other) for other in panes[number + 1 :])


@given(AREAS, VISIBLE, st.data())
def test_a_moved_border_gives_to_one_what_it_takes_from_the_other(
    area: Area, visible: set[str], data: st.DataObject
) -> None:
    place = Region(0, 0, 200, 60)
    before = laid_out(area, place, visible, {})
    found = borders(area, before)
    if not found:
        return
    border = data.draw(st.sampled_from(found))
    by = data.draw(st.integers(-300, 300))
    after = laid_out(area, place, visible, moved(border, before, {}, by))
    across = border.division.across
    for part in border.division.parts:
        if part.name not in after:
            continue
        old, new = before[part.name], after[part.name]
        change = (new.width - old.width) if across else (new.height - old.height)
        if part.name not in (border.before, border.after):
            assert change == 0
        elif by:
            assert abs(change) <= abs(by)
            assert (new.width if across else new.height) >= min(4, old.width if across else old.height)


@pytest.mark.parametrize("size", [(120, 40), (200, 60)])
async def test_a_pane_is_resized_by_keys_and_that_is_remembered(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    remembered = RememberedSettings(tmp_path)
    remembered.toured = True
    app = WorkbenchApp(SamplePort(ANSWERED), remembered)
    async with app.run_test(size=size) as pilot:
        await settled(app, pilot)
        policy = app.query_one("#policy")
        before = policy.size
        await pilot.press("f3", "alt+full_stop", "alt+up")
        await settled(app, pilot)
        assert policy.size.width > before.width
        assert policy.size.height > before.height
        wide = policy.size
    app = WorkbenchApp(SamplePort(ANSWERED), RememberedSettings(tmp_path))
    async with app.run_test(size=size) as pilot:
        await settled(app, pilot)
        assert app.query_one("#policy").size == wide
        await pilot.press("alt+u")
        await settled(app, pilot)
        assert app.query_one("#policy").size == before


async def test_a_border_is_dragged_with_the_mouse() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        workspace, rail = app.query_one(Workspace), app.query_one("#rail")
        edge = rail.region.right - 1
        await pilot.mouse_down(workspace, offset=(edge, 5))
        await pilot.hover(workspace, offset=(edge + 6, 5))
        await pilot.mouse_up(workspace, offset=(edge + 6, 5))
        await settled(app, pilot)
        assert rail.region.right - 1 == edge + 6


async def test_a_pane_is_put_away_and_comes_back_by_its_key(tmp_path: Path) -> None:
    remembered = RememberedSettings(tmp_path)
    async with opened(SamplePort(ANSWERED), (120, 40)) as (app, pilot, _):
        app._remembered = remembered  # pyright: ignore[reportPrivateUsage]
        wide = app.query_one("#policy").region.width
        await pilot.press("f8", "alt+h")
        await settled(app, pilot)
        assert not app.query_one("#rail").display
        assert app.query_one("#policy").region.width > wide
        assert app.query_one("#policy").has_focus_within
        assert RememberedSettings(tmp_path).hidden == {"rail"}
        await pilot.press("f8")
        await settled(app, pilot)
        assert app.query_one("#rail").display
        assert app.query_one("#rail").has_focus


async def test_what_is_put_away_is_one_of_the_tabs_on_a_small_screen(tmp_path: Path) -> None:
    remembered = RememberedSettings(tmp_path)
    remembered.toured = True
    remembered.hidden = frozenset({"cases"})
    app = WorkbenchApp(SamplePort(ANSWERED), remembered)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(app, pilot)
        await pilot.press("f4")
        await settled(app, pilot)
        assert "expected deny" in words(app.query_one("#cases"))
        await pilot.press("alt+h", "alt+full_stop")
        await settled(app, pilot)
        assert app.query_one("#cases").display

"""Finding one's way: the tour, the session browser, the palette, what is remembered, leaving."""

from __future__ import annotations

import shutil
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.old_screen.screens import drawn, drawn_out, settled, words
from tests.old_screen.test_app import ANSWERED, opened, quick
from workbench.app.overview import sessions_here, sessions_recent
from workbench.app.own_copy import own_copy
from workbench.model import Proof, WorkbenchError
from workbench.old_screen import messages
from workbench.old_screen.actions import ACTIONS
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.palette import ordered
from workbench.old_screen.remembered_settings import FILE, RememberedSettings
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.session_choice import ChoosingApp
from workbench.old_screen.shipped import tour_session
from workbench.old_screen.state import Contents, Evidence
from workbench.old_screen.widgets.browser import SessionBrowser, SessionList
from workbench.old_screen.widgets.pipeline_line import PipelineLine
from workbench.old_screen.widgets.policy import PolicyPane
from workbench.old_screen.widgets.question import QuestionOptions
from workbench.old_screen.widgets.rail import Rail
from workbench.old_screen.widgets.reader import ReaderScreen
from workbench.old_screen.widgets.replay import ReplayPane
from workbench.old_screen.widgets.tour import STEPS, Tour
from workbench.policy.terms import PolicyTerms

assert quick
SHIPPED = Path(__file__).parents[2] / "sessions"


# --- what is remembered


def test_what_is_remembered_lasts_and_damage_costs_nothing_but_comfort(tmp_path: Path) -> None:
    first = RememberedSettings(tmp_path)
    assert not first.toured
    first.toured = True
    first.theme = "light"
    first.opened(tmp_path / "a")
    first.opened(tmp_path / "b")
    first.opened(tmp_path / "a")
    again = RememberedSettings(tmp_path)
    assert (again.toured, again.theme) == (True, "light")
    assert [path.name for path in again.recent] == ["a", "b"]
    for damaged in ("{", "[]", '{"recent": 3, "theme": [], "sizes large": {"policy": "x"}}'):
        (tmp_path / FILE).write_text(damaged, encoding="utf-8")
        found = RememberedSettings(tmp_path)
        assert (found.recent, found.theme, found.toured) == ((), "", False)
        assert found.sizes("large") == {}


def test_nothing_is_a_first_run_where_nothing_lasts() -> None:
    assert RememberedSettings().toured


async def test_the_theme_is_taken_again_at_the_next_start(tmp_path: Path) -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        app._remembered = RememberedSettings(tmp_path)  # pyright: ignore[reportPrivateUsage]
        await pilot.press("ctrl+t")
    assert WorkbenchApp(SamplePort(), RememberedSettings(tmp_path)).theme == "light"


# --- the tour


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_the_first_run_begins_a_tour_beside_what_it_is_about(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    remembered = RememberedSettings(tmp_path)
    app = WorkbenchApp(SamplePort(), remembered)
    async with app.run_test(size=size) as pilot:
        await settled(app, pilot)
        tour = app.query_one(Tour)
        for step in STEPS:
            assert tour.has_focus
            assert step.text.split()[0] in words(tour)
            toured = [node for node in app.query(".pane") if node.has_class("-toured")]
            assert [node.id for node in toured] == ["question" if step.pane == "rail" else step.pane]
            assert toured[0].display
            assert not toured[0].region.overlaps(tour.region), "the tour lies over what it is about"
            await pilot.press("enter")
            await settled(app, pilot)
        assert not tour.display
        assert remembered.toured
        assert not app.query(".-toured")
        assert isinstance(app.focused, QuestionOptions)
        await pilot.press("alt+t", "enter", "backspace", "escape")
        await settled(app, pilot)
        assert not tour.display


async def test_the_tour_leaves_the_panes_their_keys() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("alt+t", "f6")
        await settled(app, pilot)
        assert app.query_one(Tour).display
        assert app.query_one(ReplayPane).has_focus_within


def test_the_tour_shows_a_copy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKBENCH_STATE_DIR", str(tmp_path))
    copy = tour_session()
    assert copy.is_relative_to(tmp_path)
    (copy / "policy.py").write_text("changed", encoding="utf-8")
    assert tour_session() == copy
    assert (SHIPPED / "hospital-access" / "policy.py").read_text(encoding="utf-8") != "changed"


def test_a_copy_that_was_cut_off_is_completed_and_a_whole_one_is_opened_again(tmp_path: Path) -> None:
    copy = tmp_path / "travel-desk"
    copy.mkdir()
    (copy / "request.md").write_text("cut off", encoding="utf-8")
    assert own_copy(SHIPPED / "travel-desk", tmp_path) == (copy, True)
    assert (copy / "request.md").read_bytes() == (SHIPPED / "travel-desk" / "request.md").read_bytes()
    (copy / "policy.py").write_text("changed", encoding="utf-8")
    assert own_copy(SHIPPED / "travel-desk", tmp_path) == (copy, False)
    assert (copy / "policy.py").read_text(encoding="utf-8") == "changed"
    with pytest.raises(WorkbenchError, match="is no session"):
        own_copy(tmp_path, tmp_path)


# --- sessions


def test_sessions_are_listed_with_their_state(tmp_path: Path) -> None:
    for name in ("hospital-access", "web-shopping"):
        shutil.copytree(
            SHIPPED / name, tmp_path / "sessions" / name, ignore=shutil.ignore_patterns(".workbench")
        )
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "session.toml").write_text("format = [", encoding="utf-8")
    here = sessions_here(tmp_path)
    assert [item.path.name for item in here] == ["broken", "hospital-access", "web-shopping"]
    assert "session.toml" in here[0].problem
    assert here[1].title == "Who may read which patient data"
    assert (here[1].logs, here[1].unsaved) == (2, False)
    assert here[1].cases > 0
    recent = [here[1].path, SHIPPED / "web-shopping", tmp_path / "gone"]
    assert [item.path for item in sessions_recent(recent, here)] == [SHIPPED / "web-shopping"]


async def test_another_session_is_chosen_from_the_browser(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "sessions" / "web-shopping"
    shutil.copytree(SHIPPED / "web-shopping", other, ignore=shutil.ignore_patterns(".workbench"))
    monkeypatch.chdir(tmp_path)
    async with opened(SamplePort(ANSWERED)) as (app, pilot, heard):
        await pilot.press("alt+o")
        await settled(app, pilot)
        assert heard.of(messages.SessionsFound)
        assert "What the web assistant may do" in words(app.screen.query_one(SessionList))
        await pilot.press("enter")
        await pilot.pause()
    assert app.next_session == other.resolve()


async def test_without_a_session_the_list_is_the_first_thing(tmp_path: Path) -> None:
    names = sorted(path.parent.name for path in SHIPPED.glob("*/request.md"))
    app = ChoosingApp(RememberedSettings(), SHIPPED.parent)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert isinstance(app.screen, SessionBrowser)
        await pilot.press("j", "enter")
        await pilot.pause()
    assert Path(str(app.return_value)).name == names[1]
    app = ChoosingApp(RememberedSettings(), tmp_path)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "No session here yet" in words(app.screen.query_one(SessionList))
        await pilot.press("escape")
    assert not app.return_value


# --- reading, the palette, leaving


class SlowSession(SamplePort):
    """A port that reads the session only when it is told to."""

    def __init__(self) -> None:
        super().__init__(ANSWERED)
        self.go_on = threading.Event()

    def contents(self) -> Contents:
        self.go_on.wait()
        return super().contents()


@asynccontextmanager
async def while_reading(port: SlowSession, size: tuple[int, int]) -> AsyncGenerator[WorkbenchApp]:
    """The app before its session is read."""
    app = WorkbenchApp(port)
    async with app.run_test(size=size) as pilot:
        await drawn_out(app, pilot)
        try:
            yield app
        finally:
            port.go_on.set()
        await settled(app, pilot)


async def test_while_the_session_is_read_nothing_is_claimed_about_it() -> None:
    async with while_reading(SlowSession(), (200, 60)) as app:
        assert "reading the session" in words(app.query_one(PipelineLine))
        everything = " ".join(words(pane) for pane in app.query(".pane") if pane.display)
        for claim in ("No question is open", "None open", "No steps", "no steps", "No cases", "no contract"):
            assert claim not in everything
        assert "Reading the session." in words(app.query_one(Rail))


def test_the_palette_lists_what_was_chosen_then_the_pane_then_the_rest() -> None:
    found = [action.id for action in ordered("replay", ("jump", "replay.explain"))]
    assert found[:2] == ["jump", "replay.explain"]
    assert all(name.startswith("replay.") for name in found[2:10])
    assert found[-1] == "quit"
    assert len(found) == len(set(found))
    assert {item.id for item in ACTIONS if item.scope == "app"} <= {*found, "palette", "copy_or_leave"}


async def test_a_command_of_the_pane_runs_in_it() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("f6", "ctrl+p", *"only denied")
        await settled(app, pilot)
        await pilot.press("enter")
        await settled(app, pilot)
        assert len(app.query_one(ReplayPane).table.rows) < 40


class Measuring(SamplePort):
    """A port that measures the evidence until it is told to stop."""

    def evidence(
        self,
        terms: PolicyTerms,
        proofs: Sequence[Proof],
        progress: Callable[[int, int], None],
        cancelled: threading.Event,
    ) -> Evidence:
        del terms, proofs
        progress(10, 400)
        cancelled.wait()
        return Evidence()


async def test_quitting_asks_only_where_a_measurement_would_be_lost() -> None:
    app = WorkbenchApp(Measuring(ANSWERED))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(app, pilot)
        await pilot.press("f5", "m", "ctrl+q")
        await pilot.pause()
        assert isinstance(app.screen, ReaderScreen)
        await pilot.press("s")
        await pilot.pause()
        assert app.is_running
        await pilot.press("ctrl+q", "q")
        await pilot.pause()
    assert app.return_code == 0


async def test_a_stray_key_at_the_start_edits_nothing() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, heard):
        await pilot.press(*"xyq", "delete", "backspace")
        await settled(app, pilot)
        assert not heard.of(messages.PolicyEdited)
        await pilot.press("down", "j", "enter")
        await settled(app, pilot)
        pane = app.query_one(PolicyPane)
        assert pane.editor.has_focus
        assert pane.editor.cursor_location[0] == 2
        await pilot.press("x", "escape", "y")
        await settled(app, pilot)
        assert pane.has_focus
        assert len(heard.of(messages.PolicyEdited)) == 1
        assert drawn(pane)

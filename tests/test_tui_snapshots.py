"""Pictures of the screen in three sizes, of states that matter, with the sample session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, cast

import pytest
import pytest_textual_snapshot
from textual.app import App
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, TextArea

from tests.tui_screens import screen_text, settled
from workbench.model import Proof
from workbench.tui import live
from workbench.tui.app import WorkbenchApp
from workbench.tui.sample import ASSUMPTIONS, CONTENTS, PREVIEW, PROOF, REFUTED
from workbench.tui.sample_port import SamplePort
from workbench.tui.sample_sessions import HERE, RECENT
from workbench.tui.widgets.browser import SessionBrowser

# The plug-in names its pictures by an attribute that newer versions of syrupy do not read.
setattr(pytest_textual_snapshot.SVGImageExtension, "file_extension", "svg")  # noqa: B010
SIZES = [(80, 24), (120, 40), (200, 60)]
ANSWERED = replace(CONTENTS, questions=(), assumptions=ASSUMPTIONS)
BROKEN = Proof((*PROOF.clauses[:2], REFUTED))


class SnapCompare(Protocol):
    """The fixture of pytest-textual-snapshot, as far as it is used here."""

    def __call__(self, app: App[None], *, terminal_size: tuple[int, int], run_before: object) -> bool: ...


class Looks:
    """Compares the screen with the stored picture after some keys."""

    def __init__(self, compare: SnapCompare) -> None:
        self._compare = compare

    def same(
        self,
        port: SamplePort,
        size: tuple[int, int],
        *keys: str,
        theme: str = "dark",
        shows: str = "",
        screen: Callable[[], ModalScreen[str]] | None = None,
    ) -> bool:
        """``shows`` must be on the screen, so that no picture of something else is ever stored."""
        app = WorkbenchApp(port)
        app.animation_level = "none"

        async def before(pilot: Pilot[None]) -> None:
            app.theme = theme
            await settled(app, pilot)
            for key in keys:
                await pilot.press(key)
                await settled(app, pilot)
            if screen is not None:
                app.push_screen(screen())
                await settled(app, pilot)
            assert shows in " ".join(screen_text(app).split())
            for blinking in app.query("TextArea, Input"):
                setattr(blinking, "cursor_blink", False)  # noqa: B010 - both kinds have it
            await unchanging(app, pilot)

        return self._compare(app, terminal_size=size, run_before=before)


async def unchanging(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    """Wait until the picture stays the same: Textual applies some styles by timers of its own."""
    last, same = "", 0
    while same < 5:
        await settled(app, pilot)
        await pilot.pause(0.03)
        now = app.export_screenshot()
        same = same + 1 if now == last else 0
        last = now


def still(_widget: Widget) -> None:
    """Stands for a cursor's blinking, which only time could tell apart."""


@pytest.fixture
def looks(snap_compare: object, monkeypatch: pytest.MonkeyPatch) -> Looks:
    """The comparison, with nothing waiting for a person."""
    for name in ("CHECK_AFTER", "KEEP_AFTER", "STORE_AFTER", "SLOW_AFTER"):
        monkeypatch.setattr(live, name, 0.01)
    for kind, toggle in ((TextArea, "_toggle_cursor_blink_visible"), (Input, "_toggle_cursor")):
        assert hasattr(kind, toggle)
        monkeypatch.setattr(kind, toggle, still)  # a picture in the dark phase would differ
    return Looks(cast("SnapCompare", snap_compare))


sizes = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")


@sizes
def test_an_open_question(looks: Looks, size: tuple[int, int]) -> None:
    assert looks.same(SamplePort(), size)


@sizes
def test_everything_answered_and_the_policy_in_focus(looks: Looks, size: tuple[int, int]) -> None:
    assert looks.same(SamplePort(ANSWERED), size)


@sizes
def test_words_offered_while_typing(looks: Looks, size: tuple[int, int]) -> None:
    keys = ("f3", "ctrl+end", "r", "o")
    assert looks.same(SamplePort(ANSWERED), size, *keys, shows="argument, enum")


@sizes
def test_a_refuted_clause_with_its_counterexample(looks: Looks, size: tuple[int, int]) -> None:
    assert looks.same(SamplePort(ANSWERED, proof=BROKEN, preview=BROKEN), size, "f5")


@sizes
def test_denied_steps_and_their_details(looks: Looks, size: tuple[int, int]) -> None:
    assert looks.same(SamplePort(ANSWERED), size, "f6", "d", "down")


def test_the_details_alone_on_a_small_screen(looks: Looks) -> None:
    assert looks.same(SamplePort(ANSWERED), (80, 24), "f6", "down", "f7")


def test_the_rail_on_a_small_screen(looks: Looks) -> None:
    assert looks.same(SamplePort(), (80, 24), "f8")


def test_a_text_outside_the_dialect(looks: Looks) -> None:
    assert looks.same(SamplePort(ANSWERED), (120, 40), "f3", "x")


def test_a_zoomed_pane(looks: Looks) -> None:
    assert looks.same(SamplePort(ANSWERED), (120, 40), "f4", "f9")


def test_help(looks: Looks) -> None:
    assert looks.same(SamplePort(ANSWERED), (120, 40), "f6", "f1")


@pytest.mark.parametrize("theme", ["light", "high-contrast"])
def test_the_other_themes(looks: Looks, theme: str) -> None:
    assert looks.same(SamplePort(preview=PREVIEW), (120, 40), theme=theme)


@pytest.mark.parametrize("size", SIZES[:2], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_form_of_an_argument_with_its_effect(looks: Looks, size: tuple[int, int]) -> None:
    assert looks.same(SamplePort(ANSWERED), size, "f6", "alt+a", "down", "down", "down", "enter")


@pytest.mark.parametrize("size", SIZES[:2], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("view", ["v", "s"], ids=["causes", "strategies"])
def test_the_replay_as_a_whole(looks: Looks, size: tuple[int, int], view: str) -> None:
    assert looks.same(SamplePort(ANSWERED), size, "f6", view)


def test_the_form_of_a_case(looks: Looks) -> None:
    assert looks.same(SamplePort(ANSWERED), (80, 24), "f4", "n")


SMALL_AND_LIGHT = pytest.mark.parametrize(
    ("size", "theme"), [((80, 24), "dark"), ((120, 40), "light")], ids=["80x24-dark", "120x40-light"]
)
WINDOWS = {
    "tour": (("alt+t", "enter", "enter"), "Tour 3 of 7"),
    "reader": (("f11",), "PSet[int]"),
    "difference": (("alt+d", "down", "enter"), "Against version"),
    "palette": (("f6", "ctrl+p"), "Only denied steps"),
    "jump": (("ctrl+g",), "Jump to"),
    "keys": (("f5", "f1"), "Help: Proof"),
    "case": (("f4", "n"), "New case"),
    "evidence": (("f5", "m"), "29 of 31"),
    "fold": (("z", "end"), "contract: 3 clauses"),
    "words": (("f3", "ctrl+end", "ctrl+n"), "argument, enum"),
    "search": (("f4", "slash", "R", "4"), "n and N go on"),
}


@SMALL_AND_LIGHT
@pytest.mark.parametrize("name", WINDOWS)
def test_windows_and_what_opens_inside_panes(
    looks: Looks, name: str, size: tuple[int, int], theme: str
) -> None:
    keys, shows = WINDOWS[name]
    assert looks.same(SamplePort(ANSWERED), size, *keys, theme=theme, shows=shows)


@SMALL_AND_LIGHT
def test_the_session_browser(looks: Looks, size: tuple[int, int], theme: str) -> None:
    assert looks.same(
        SamplePort(ANSWERED),
        size,
        theme=theme,
        shows="What the web assistant may do",
        screen=lambda: SessionBrowser(HERE, RECENT, HERE[0].path),
    )


LIGHT = {
    "answered": (SamplePort(ANSWERED), (), "forbid_too_many_r"),
    "refuted": (SamplePort(ANSWERED, proof=BROKEN, preview=BROKEN), ("f5",), "refuted"),
    "denied": (SamplePort(ANSWERED), ("f6", "d", "down"), "is:deny"),
}


@pytest.mark.parametrize("size", [(80, 24), (200, 60)], ids=["80x24", "200x60"])
@pytest.mark.parametrize("name", LIGHT)
def test_panes_in_the_light_theme(looks: Looks, name: str, size: tuple[int, int]) -> None:
    port, keys, shows = LIGHT[name]
    assert looks.same(port, size, *keys, theme="light", shows=shows)

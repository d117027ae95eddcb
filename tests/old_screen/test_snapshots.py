"""Every screen, window and form with the sample session: what is heard and shown, and pictures of some."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from inspect import isfunction
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import pytest
from pytest_textual_snapshot import SVGImageExtension
from rich.segment import Segment
from rich.style import Style
from syrupy.assertion import SnapshotAssertion
from textual.app import App
from textual.pilot import Pilot
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, TextArea

import workbench.old_screen
from tests.old_screen.pictures import picture, strips
from tests.old_screen.scenes import LOOKS, PICTURED, SCENES, SMALL, Look, Scene
from tests.old_screen.screens import Heard, settled
from tests.old_screen.test_contrast import too_faint
from workbench.old_screen import background_work, messages, session_choice
from workbench.old_screen.actions import PANES
from workbench.old_screen.alone import Alone
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.samples.sample_sessions import HERE, RECENT
from workbench.old_screen.widgets import question

ALWAYS = (
    messages.Loaded,
    messages.Checked,
    messages.Previewed,
    messages.Tested,
    messages.Proved,
    messages.Decided,
)
"""What is heard whenever a session is opened."""


class Picture(SVGImageExtension):
    """A file for each picture."""

    file_extension = "svg"
    """The plug-in names it by an attribute that newer versions of syrupy do not read."""


def still(_widget: Widget) -> None:
    """Stands for a cursor's blinking, which only time could tell apart."""


@pytest.fixture(autouse=True)
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for a person, nothing blinks, and what is said stays."""
    for name in ("CHECK_AFTER", "KEEP_AFTER", "STORE_AFTER", "SLOW_AFTER"):
        monkeypatch.setattr(background_work, name, 0.01)
    monkeypatch.setattr(question, "GRACE_SECONDS", 0.0)
    for kind, toggle in ((TextArea, "_toggle_cursor_blink_visible"), (Input, "_toggle_cursor")):
        assert hasattr(kind, toggle)
        monkeypatch.setattr(kind, toggle, still)
    monkeypatch.setattr(App, "NOTIFICATION_TIMEOUT", 3600.0)
    monkeypatch.setattr(session_choice, "sessions_here", Mock(return_value=HERE))
    monkeypatch.setattr(session_choice, "sessions_recent", Mock(return_value=RECENT))


async def played(scene: Scene, app: App[Any], pilot: Pilot[Any]) -> None:
    """Go to a scene."""
    await settled(app, pilot)
    for key in scene.keys.split():
        await pilot.press(key)
        await settled(app, pilot)
    for message in scene.sends:
        app.post_message(message)
        await settled(app, pilot)
    for key in scene.then.split():
        await pilot.press(key)
        await settled(app, pilot)


def looks_of(name: str) -> list[Look]:
    """The looks of a scene: the smallest, where room is short, and those of which there is a picture."""
    return [look for look in LOOKS if look is SMALL or name in PICTURED[look]]


@pytest.mark.parametrize("name", SCENES)
async def test_a_scene_looks_as_stored(name: str, snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    scene, heard = SCENES[name], Heard()
    stored = snapshot.use_extension(Picture)
    app = scene.begin()
    app.animation_level = "none"
    different: list[str] = []
    async with app.run_test(size=LOOKS[0].size, notifications=True, message_hook=heard) as pilot:
        await played(scene, app, pilot)
        told = (*(ALWAYS if isinstance(app, WorkbenchApp) else ()), *scene.told)
        assert [kind.__name__ for kind in told if not heard.of(kind)] == []
        for look in looks_of(name):
            await pilot.resize_terminal(*look.size)
            await settled(app, pilot)
            app.theme = look.theme
            await settled(app, pilot)
            lines = strips(app)
            shown = "\n".join(part.text for part in lines)
            assert type(app.screen) is scene.screen
            assert (app.size, app.theme) == (look.size, look.theme)
            assert scene.shows in shown, f"{look.name}\n{shown}"
            if scene.pane:
                assert app.query_one(f"#{scene.pane}").has_class("-current")
            assert too_faint(app, name) == set()
            if name in PICTURED[look] and (drawn := picture(lines)) != stored(name=look.name):
                different.append(str(tmp_path / f"{look.name}.svg"))
                Path(different[-1]).write_text(drawn, encoding="utf-8")
    assert not different, "look at these; 'make snapshot' takes them"


# --- no screen is forgotten


def modules() -> list[ModuleType]:
    """All modules of the screen."""
    found = pkgutil.walk_packages(workbench.old_screen.__path__, "workbench.old_screen.")
    return [importlib.import_module(module.name) for module in found]


def last(kind: type[object]) -> set[type[object]]:
    """The workbench's classes of a kind from which no other of its classes is made."""
    assert modules()

    def below(one: type[object]) -> Iterator[type[object]]:
        for child in one.__subclasses__():
            yield from (child, *below(child))

    own = {child for child in below(kind) if child.__module__.startswith("workbench.")}
    return {one for one in own if not own.intersection(below(one))}


def forms() -> set[object]:
    """All functions that make a form."""
    functions = {item for module in modules() for item in vars(module).values() if isfunction(item)}
    return {item for item in functions if str(item.__annotations__.get("return")).startswith("Form[")}


def test_every_window_has_a_scene() -> None:
    assert last(Screen) - {scene.screen for scene in SCENES.values()} == set()


def test_every_app_has_a_scene() -> None:
    shown = {type(scene.begin()) for scene in SCENES.values()}
    assert last(App) - shown == {Alone}, "one widget alone is pictured for the docs"


def test_every_form_has_a_scene() -> None:
    assert forms() - {scene.form for scene in SCENES.values()} == set()


def test_every_pane_has_a_scene() -> None:
    assert set(PANES) - {scene.pane for scene in SCENES.values()} == set()


def test_every_pane_and_kind_of_window_has_a_picture() -> None:
    names = frozenset[str]().union(*PICTURED.values())
    assert names <= SCENES.keys()
    pictured = [SCENES[name] for name in names]
    assert {scene.pane for scene in pictured} == {scene.pane for scene in SCENES.values()}
    assert {scene.screen for scene in pictured} == {scene.screen for scene in SCENES.values()}


class Forgotten(ModalScreen[None]):
    """A window of the workbench without a scene."""


def test_a_window_without_a_scene_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Forgotten not in last(Screen)
    monkeypatch.setattr(Forgotten, "__module__", "workbench.old_screen.widgets.forgotten")
    assert Forgotten in last(Screen)


def test_a_picture_names_the_line_that_differs() -> None:
    one = [Strip([Segment("same", Style(color="red"))]), Strip([Segment("a < b")])]
    other = [one[0], Strip([Segment("a > b")])]
    before, after = picture(one).splitlines(), picture(other).splitlines()
    assert [line for line in after if line not in before] == [
        '<text class="c1" x="0" y="35" textLength="50">a &gt; b</text>'
    ]
    assert picture(one) == picture(list(one))

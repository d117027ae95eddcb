"""Starting the screen: what is loaded before it is drawn, and what is left when it is left early."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events
from textual.geometry import Region

from tests.old_screen.screens import drawn, settled
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.samples.sample import CONTENTS
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.widgets.pipeline_line import PipelineLine

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "sessions" / "hospital-access"
SHEET = ROOT / "workbench" / "tui" / "app.tcss"
FIRST_PAINT = """
import asyncio, os, sys
from pathlib import Path
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.live_session import LiveSession

app = WorkbenchApp(LiveSession(Path(sys.argv[1])), None, "hospital-access")

async def begin():
    assert app.query_one("#policy").size and app.query_one("#pipeline").size, "nothing is laid out"
    print(*sorted(sys.modules), file=sys.__stdout__, flush=True)
    os._exit(0)

app.begin = begin

async def main():
    async with app.run_test() as pilot:
        await pilot.pause(60)

asyncio.run(main())
"""
NEEDED = {
    "workbench", "workbench.app", "workbench.app.value_texts", "workbench.check",
    "workbench.check.verdict_words", "workbench.clean_text",
    "workbench.model", "workbench.policy", "workbench.policy.durations", "workbench.policy.literals",
    "workbench.policy.value_words",
    "workbench.old_screen.widgets.key_line", "workbench.old_screen.widgets.lines", "workbench.old_screen.widgets.pipeline_line",
    "workbench.old_screen.widgets.tabs", "workbench.old_screen.widgets.workspace",
}  # fmt: skip
LATE = {
    "openai", "pydantic", "nagini_translation", "jpype", "pytest", "cvc5", "sqlglot", "numpy", "lark",
    "typer", "rapidfuzz", "hashlib", "textual.widgets._text_area",
    "workbench.old_screen.agent_state", "workbench.old_screen.argument_form", "workbench.old_screen.assumption_form",
    "workbench.old_screen.case_form", "workbench.old_screen.clipboard", "workbench.old_screen.completing",
    "workbench.old_screen.demonstration_form", "workbench.old_screen.effect_rows", "workbench.old_screen.external",
    "workbench.old_screen.late_widgets", "workbench.old_screen.step_filter", "workbench.old_screen.forms",
    "workbench.old_screen.highlighting",
    "workbench.old_screen.links", "workbench.old_screen.log_text", "workbench.old_screen.matrix", "workbench.old_screen.memory_state",
    "workbench.old_screen.reason_form", "workbench.old_screen.replay_state", "workbench.old_screen.samples.sample",
    "workbench.app.overview", "workbench.app.own_copy", "workbench.old_screen.shipped", "workbench.old_screen.spec_forms",
}  # fmt: skip


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A copy of a shipped session."""
    copy = tmp_path / "hospital-access"
    shutil.copytree(SHIPPED, copy, ignore=shutil.ignore_patterns(".workbench"))
    return copy


def test_the_screen_is_drawn_before_anything_heavy_is_imported(session: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAINT, str(session)], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert loaded >= NEEDED | {"workbench.old_screen.app", "textual.app"}
    assert LATE & loaded == set()
    ours = {name for name in loaded if name.partition(".")[0] == "workbench"}
    assert {name for name in ours if not name.startswith("workbench.old_screen")} <= NEEDED
    assert {name for name in ours if name.startswith("workbench.old_screen.widgets.")} <= NEEDED


def test_the_names_of_late_modules_are_right() -> None:
    """What is misspelt would never be loaded early."""
    assert [name for name in sorted(LATE) if importlib.util.find_spec(name) is None] == []


type Place = tuple[Region, str | None, frozenset[str]]


class Watched(WorkbenchApp):
    """The workbench, looked at after its first paint."""

    CSS_PATH = SHEET

    def __init__(self) -> None:
        """Show the sample without a question."""
        super().__init__(SamplePort(replace(CONTENTS, questions=())), None, "hospital-access")
        self.animation_level = "none"
        self.before: dict[str | None, Place] = {}
        self.line = ""

    async def begin(self) -> None:
        """Note what the first frame shows."""
        self.before, self.line = self.places(), drawn(self.query_one(PipelineLine))
        await super().begin()

    def places(self) -> dict[str | None, Place]:
        """Where the panes lie, how they are called and which of them is looked at."""
        return {
            pane.id: (pane.region, pane.border_title, frozenset(pane.classes))
            for pane in self.query(".pane")
            if pane.display
        }


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_every_pane_comes_where_an_empty_one_stood(size: tuple[int, int]) -> None:
    app = Watched()
    async with app.run_test(size=size) as pilot:
        await settled(app, pilot)
        before = app.before
        assert "clarify reading the session" in app.line
        assert "hospital-access" in app.line or size[0] < 100  # there is no room for it
        assert len(before) == (6 if size[0] >= 120 else 1)
        app.screen.set_focus(None)
        await pilot.pause()
        after = app.places()
        assert after.keys() == before.keys()
        for pane, (region, name, classes) in before.items():
            assert after[pane][0] == region
            assert str(after[pane][1]).startswith(str(name))
            assert after[pane][2] == classes


class Typed(WorkbenchApp):
    """The workbench, typed into before its first paint."""

    CSS_PATH = SHEET

    def __init__(self) -> None:
        """Show the sample without a question."""
        super().__init__(SamplePort(replace(CONTENTS, questions=())))
        self.done: list[str] = []

    def on_mount(self) -> None:
        """Type."""
        for key in ("f9", "f4", "f9", "f2"):
            self.post_message(events.Key(key, None))

    async def begin(self) -> None:
        """Note that the panes come."""
        self.done.append("begin")
        await super().begin()

    def action_pane(self, pane: str) -> None:
        """Note which pane is wanted."""
        self.done.append(pane)

    def action_zoom(self) -> None:
        """Note that a pane is to be zoomed."""
        self.done.append("zoom")


async def test_what_is_typed_before_the_panes_are_there_takes_effect_in_its_order() -> None:
    app = Typed()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(app, pilot)
        assert app.done == ["begin", "zoom", "cases", "zoom", "question"]

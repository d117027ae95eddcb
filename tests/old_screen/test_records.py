"""Cases, assumptions and other records: removed, folded, edited in a form or in the user's own editor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.notifications import Notify

from tests.old_screen.screens import Heard, screen_text, settled, words
from tests.old_screen.test_app import ANSWERED, opened, quick
from workbench.model import MadeBy, Verdict
from workbench.old_screen import messages
from workbench.old_screen.samples.sample import CASES, CONTENTS, DEMONSTRATIONS
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.widgets.agent import AgentParts, AgentScreen
from workbench.old_screen.widgets.cases import CasesPane
from workbench.old_screen.widgets.entry import Entry
from workbench.old_screen.widgets.form import FieldBox, FormScreen
from workbench.old_screen.widgets.help import HelpScreen
from workbench.old_screen.widgets.policy import PolicyPane
from workbench.old_screen.widgets.rail import Rail
from workbench.old_screen.widgets.reader import ReaderScreen

assert quick
ASSUMED = ANSWERED.assumptions[0]


class Outside:
    """Stands for $EDITOR: a stream editor with a script, which tells what it was given."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._given = folder / "given"
        self._name = folder / "name"
        self._program = folder / "edit"
        monkeypatch.setenv("VISUAL", str(self._program))

    def does(self, script: str) -> None:
        """Edit by this script of sed."""
        copy = f"#!/bin/sh\ncp \"$1\" '{self._given}'\necho \"$1\" > '{self._name}'\n"
        self._program.write_text(f"{copy}sed -i '{script}' \"$1\"\n", encoding="utf-8")
        self._program.chmod(0o755)

    @property
    def given(self) -> str:
        """The text that the editor was opened with."""
        return self._given.read_text(encoding="utf-8")

    @property
    def suffix(self) -> str:
        """How the name of the file ended."""
        return Path(self._name.read_text(encoding="utf-8").strip()).suffix


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Outside:
    """The user's own editor."""
    return Outside(tmp_path, monkeypatch)


def said(heard: Heard) -> str:
    """What the user was told, all of it."""
    return " ".join(message.notification.message for message in heard.of(Notify))


# --- cases


async def test_a_requirement_is_closed_and_opened_and_a_link_opens_it() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("f4")
        pane = app.query_one(CasesPane)
        requirement, _, case = pane.key.partition(" ")
        assert case, "the pane begins at a case"
        before = pane.row_count()
        await pilot.press("left")
        assert pane.key == f"{requirement} "
        assert pane.row_count() < before
        assert pane.case == ""
        await pilot.press("right")
        assert pane.row_count() == before
        await pilot.press("enter")
        assert pane.row_count() < before
        pane.select(f"{requirement} {case}")
        assert pane.case == case
        assert pane.row_count() == before
        await pilot.press("z")
        heads = pane.row_count()
        assert pane.key == f"{requirement} "
        await pilot.press("z")
        assert heads < before == pane.row_count()


async def test_a_persons_case_is_removed_and_one_of_the_request_is_not() -> None:
    port = SamplePort(ANSWERED)
    own = replace(CASES[0], id="own-1", origin="human", reason="mine")
    port.put_case(own, "")
    async with opened(port) as (app, pilot, heard):
        await pilot.press("f4")
        pane = app.query_one(CasesPane)
        await pilot.press("delete")
        await settled(app, pilot)
        assert "made from the request" in said(heard)
        pane.select(f"{own.requirements[0]} own-1")
        await pilot.press("delete")
        await settled(app, pilot)
        assert "remove own-1" in port.calls
        assert own not in app.board.tests.cases
        assert len(app.board.tests.cases) == len(CASES)
        assert len(heard.of(messages.CaseRemoved)) == 2


# --- assumptions


async def test_an_assumption_is_edited_in_a_form() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, _):
        app.query_one(Rail).select(f"assumption {ASSUMED.question}")
        await pilot.press("f8", "e")
        await settled(app, pilot)
        screen = app.screen
        assert isinstance(screen, FormScreen)
        await pilot.press("escape")
        await settled(app, pilot)
        assert len(app.screen_stack) == 1, "nothing was typed, so nothing is asked"
        await pilot.press("e")
        await settled(app, pilot)
        await pilot.press(
            "ctrl+end", *" Really.", "tab", *"Sure", "tab", "d", "tab", "ctrl+u", *"R1, R2", "alt+s"
        )
        await settled(app, pilot)
        found = port.contents().assumptions[0]
        assert found == replace(
            ASSUMED,
            statement=f"{ASSUMED.statement} Really.",
            why="Sure",
            made_by=MadeBy.DEFAULT,
            requirements=("R1", "R2"),
        )
        assert "Really." in words(app.query_one(Rail))


# --- windows


async def test_keys_of_the_panes_do_nothing_beneath_a_window() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, heard):
        await pilot.press("f4", "n")
        await settled(app, pilot)
        form = app.screen
        keys = ["f2", "f3", "f5", "f6", "f7", "f8", "f9", "f11", "f12"]
        keys += ["ctrl+o", "ctrl+r", "ctrl+g", "ctrl+p", "alt+h", "alt+t", "alt+a", "alt+d", "alt+o"]
        before = app.board
        await pilot.press(*keys)
        await settled(app, pilot)
        assert app.screen is form
        assert app.board is before
        assert not heard.of(messages.SessionsFound)
        assert app.query_one("#cases").has_class("-current")
        await pilot.press("f1")
        await settled(app, pilot)
        assert isinstance(app.screen, HelpScreen)
        assert "Next field" in screen_text(app)
        await pilot.press("f1")
        await settled(app, pilot)
        assert app.screen is form


async def test_quitting_over_a_form_asks_only_if_something_is_typed() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("f4", "n", "tab", "x", "ctrl+q")
        await settled(app, pilot)
        assert isinstance(app.screen, ReaderScreen)
        await pilot.press("s")
        await settled(app, pilot)
        form = app.screen
        assert isinstance(form, FormScreen)
        assert form.typed["reason"].endswith("x")
        await pilot.press("escape", "escape", "n", "ctrl+q")
        await pilot.pause()
        assert not app.is_running


# --- the editor outside


async def test_the_record_under_the_cursor_is_edited_as_its_file_has_it(outside: Outside) -> None:
    port = SamplePort(replace(ANSWERED, demonstrations=DEMONSTRATIONS))
    async with opened(port) as (app, pilot, _):
        rail, cases = app.query_one(Rail), app.query_one(CasesPane)
        await pilot.press("f8")
        for key, script, shows, after in (
            (
                f"assumption {ASSUMED.question}",
                's/^statement = .*/statement = "Said so."/',
                "[[assumption]]",
                "Said so.",
            ),
            (
                f"demonstration {DEMONSTRATIONS[0].id}",
                's/^plan_1 = .*/plan_1 = "Other."/',
                "agent_input",
                "Other.",
            ),
            ("request", "1s/^/First. /", port.contents().request[:20], "First. "),
        ):
            rail.select(key)
            outside.does(script)
            await pilot.press("alt+e")
            await settled(app, pilot)
            assert shows in outside.given
            assert after in str(port.contents())
        assert outside.suffix == ".md"
        await pilot.press("f4")
        outside.does('s/^expected = .*/expected = "cannot-evaluate"/')
        await pilot.press("alt+e")
        await settled(app, pilot)
        changed = next(case for case in app.board.tests.cases if case.id == cases.case)
        assert changed.expected is Verdict.CANNOT_EVALUATE
        assert outside.suffix == ".toml"
        await pilot.press("f5", "alt+e")
        await settled(app, pilot)
        assert outside.given == app.query_one(PolicyPane).text


async def test_parts_of_the_agent_spec_are_edited_as_text(outside: Outside) -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, _):
        await pilot.press("alt+a")
        await settled(app, pilot)
        assert isinstance(app.screen, AgentScreen)
        app.screen.query_one(AgentParts).select("argument rows")
        outside.does("s/limit=/most=/")
        await pilot.press("alt+e")
        await settled(app, pilot)
        assert "[arguments.role]" not in outside.given
        assert "most=" in str(port.contents().spec.arguments[2].extraction)
        app.screen.query_one(AgentParts).select("agent ")
        outside.does('1s/.*/name = "another"/')
        await pilot.press("alt+e")
        await settled(app, pilot)
        assert "[arguments.role]" in outside.given
        assert port.contents().spec.name == "another"
        await pilot.press("ctrl+z")
        await settled(app, pilot)
        assert port.contents().spec.name != "another"


async def test_a_text_that_cannot_be_stored_is_there_again(outside: Outside) -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, heard):
        app.query_one(Rail).select(f"assumption {ASSUMED.question}")
        outside.does('s/^made_by = .*/made_by = "nobody"/')
        await pilot.press("f8", "alt+e")
        await settled(app, pilot)
        assert "made_by" in said(heard)
        assert "Your text is kept" in said(heard)
        assert port.contents().assumptions[0] == ASSUMED
        outside.does('s/"nobody"/"default"/')
        await pilot.press("alt+e")
        await settled(app, pilot)
        assert '"nobody"' in outside.given
        assert port.contents().assumptions[0].made_by is MadeBy.DEFAULT


async def test_a_field_and_own_words_are_edited_outside(outside: Outside) -> None:
    port = SamplePort(replace(ANSWERED, demonstrations=DEMONSTRATIONS))
    async with opened(port) as (app, pilot, _):
        app.query_one(Rail).select(f"demonstration {DEMONSTRATIONS[0].id}")
        await pilot.press("f8", "e")
        await settled(app, pilot)
        box = next(box for box in app.screen.query(FieldBox) if box.field.key == "code")
        box.entry.focus()
        outside.does("1i # first")
        await pilot.press("alt+e")
        await settled(app, pilot)
        assert outside.suffix == ".py"
        assert box.value == f"# first\n{DEMONSTRATIONS[0].code}".removesuffix("\n")
    asked = replace(CONTENTS.questions[0], free_text=True)
    async with opened(SamplePort(replace(CONTENTS, questions=(asked,), assumptions=()))) as (app, pilot, _):
        await pilot.press("n", *"words")
        entry = app.query_one("#own-words", Entry)
        assert entry.has_focus
        outside.does("s/words/my own words/")
        await pilot.press("alt+e")
        await settled(app, pilot)
        assert entry.value == "my own words"

"""GuardAgent's memory on the screen: one key keeps a step, every edit says what it changes."""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.old_screen.screens import settled, words
from tests.old_screen.test_app import ANSWERED, WIDE, opened, quick
from workbench.model import Extraction, WorkbenchError
from workbench.old_screen import form_messages
from workbench.old_screen.agent_state import SpecEdit
from workbench.old_screen.effect_rows import memory_effect_rows
from workbench.old_screen.live_session import LiveSession
from workbench.old_screen.memory_actions import retrieval_words
from workbench.old_screen.memory_state import MemoryEdit, MemoryEffect
from workbench.old_screen.samples.sample import DEMONSTRATIONS
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.widgets.details import DetailsPane
from workbench.old_screen.widgets.form import FieldBox, FormScreen
from workbench.old_screen.widgets.lines import RowList
from workbench.old_screen.widgets.rail import Rail
from workbench.old_screen.widgets.replay import ReplayPane

assert quick
NAME = DEMONSTRATIONS[0].id
SHIPPED = Path(__file__).parents[2] / "sessions" / "hospital-access"


async def test_one_key_keeps_a_step_and_says_which_steps_retrieve_differently() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, heard):
        await pilot.press("f6", "down", "plus")
        await settled(app, pilot)
        assert [item.id for item in port.contents().demonstrations] == [NAME, "eicu-001"]
        assert len(heard.of(form_messages.MemoryChanged)[0].effect.changes) == 3
        app.query_one(ReplayPane).show_filter("is:retrieval")
        await settled(app, pilot)
        assert list(app.query_one(ReplayPane).table.rows) == [0, 1, 2]
        await pilot.press("f6", "ctrl+z")
        await settled(app, pilot)
        assert [item.id for item in port.contents().demonstrations] == [NAME]


async def test_a_step_that_demonstrates_nothing_is_not_kept() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, _):
        app.query_one(ReplayPane).go_to_step(11)
        await pilot.press("plus")
        await settled(app, pilot)
        assert len(port.contents().demonstrations) == 1


async def test_the_ranking_of_the_selected_step_leads_to_the_form() -> None:
    async with opened(SamplePort(ANSWERED), WIDE) as (app, pilot, _):
        await pilot.press("f6", "down")
        await settled(app, pilot)
        details = app.query_one(DetailsPane)
        assert "Demonstrations that it retrieves" in words(details)
        details.select(f"demonstration {NAME}")
        await pilot.press("f7", "enter")
        await settled(app, pilot)
        assert isinstance(app.screen, FormScreen)
        assert "0 of 40 steps retrieve differently" in words(app.screen.query_one("#effect", RowList))


async def test_a_demonstration_is_edited_switched_off_and_removed_in_the_rail() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, _):
        app.query_one(Rail).select(f"demonstration {NAME}")
        await pilot.press("f8", "e")
        await settled(app, pilot)
        screen = app.screen
        box = next(box for box in screen.query(FieldBox) if box.field.key == "plan.2")
        box.entry.focus()
        await pilot.press("ctrl+end", "!")
        await settled(app, pilot)
        assert "3 of 40 steps retrieve differently" in words(screen.query_one("#effect", RowList))
        await pilot.press("alt+s")
        await settled(app, pilot)
        edited = port.contents().demonstrations[0]
        assert edited == replace(DEMONSTRATIONS[0], plan=edited.plan)
        assert edited.plan[1] == f"{DEMONSTRATIONS[0].plan[1]}!"
        await pilot.press("f8", "x")
        await settled(app, pilot)
        assert not port.contents().demonstrations[0].enabled
        assert "(off)" in words(app.query_one(Rail))
        await pilot.press("delete")
        await settled(app, pilot)
        assert port.contents().demonstrations == ()


async def test_demonstrations_are_imported_and_exported() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, _):
        await pilot.press("f8", "o", "alt+s")
        await settled(app, pilot)
        assert "export memory.jsonl" in port.calls
        await pilot.press("f8", "i", *"x.txt", "alt+s")
        await settled(app, pilot)
        again = app.screen
        assert isinstance(again, FormScreen)
        assert again.typed["path"] == "x.txt"
        await pilot.press("end", *["backspace"] * 3, *"jsonl", "alt+s")
        await settled(app, pilot)
        assert [item.id for item in port.contents().demonstrations] == [NAME, "x"]


def test_an_effect_is_said_in_a_few_words() -> None:
    assert retrieval_words(MemoryEffect(3)) == "every step retrieves as before."
    assert "0 of 3 steps" in "".join(
        run.text for row in memory_effect_rows(MemoryEffect(3), 60) for run in row.line
    )


def test_a_real_session_ranks_demonstrates_and_moves_its_memory(tmp_path: Path) -> None:
    folder = tmp_path / "session"
    shutil.copytree(SHIPPED, folder)
    port = LiveSession(folder)
    try:
        terms = port.check(port.contents().policy)
        ranked = port.ranking(0)
        assert [item.rank for item in ranked] == [1, 2, 3]
        made = port.demonstrate(terms, 0)
        before = port.contents().demonstrations
        edit = MemoryEdit((*before, made), "Add it")
        effect = port.try_memory(edit, threading.Event())
        assert 0 in [change.at for change in effect.changes]
        assert port.set_memory(edit).demonstrations == (*before, made)
        assert port.ranking(0)[0].id == made.id
        target = tmp_path / "memory.jsonl"
        assert "4 demonstrations" in port.export_memory(target)
        with pytest.raises(WorkbenchError, match="exists already"):
            port.export_memory(target)
        assert port.undo() is not None
        contents, back = port.import_memory(target)
        assert contents.demonstrations == (*before, made)
        assert len(back.changes) == len(effect.changes)
        with pytest.raises(WorkbenchError, match="cannot be read"):
            port.import_memory(tmp_path)
    finally:
        port.close()


def test_a_change_of_the_memory_that_teaches_an_argument_decides_the_steps_again(tmp_path: Path) -> None:
    folder = tmp_path / "session"
    shutil.copytree(SHIPPED, folder)
    port = LiveSession(folder)
    try:
        contents = port.contents()
        role, *others = contents.spec.arguments
        taught = replace(role, extraction=Extraction("nearest", {"memory": True}))
        port.set_spec(SpecEdit(replace(contents.spec, arguments=(taught, *others)), "Taught", taught, "role"))
        terms = port.check(port.contents().policy)
        before = port.decide(terms, threading.Event())
        port.set_memory(MemoryEdit(port.contents().demonstrations[1:], "Less"))
        assert port.decide(terms, threading.Event()) != before
        assert port.undo() is not None
        assert port.decide(terms, threading.Event()) == before
    finally:
        port.close()

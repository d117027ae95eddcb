"""The first minute: three things to do, each complete when it is done."""

from __future__ import annotations

from pathlib import Path

from tests.tui.driving import opened
from tests.tui.svg import strips
from workbench.tui.screen_memory import Remembered
from workbench.tui.widgets.code_editor import CodeEditor


async def test_each_step_is_complete_when_it_is_done(asked_desk: Path) -> None:
    async with opened(asked_desk, (100, 30), guided=True) as person:
        assert "1 of 3" in person.line("This session is finished")
        await person.press("2")
        assert "2 of 3" in person.line("Change a number")
        await person.press("v", "e")
        assert "EDIT" in person.text
        editor = person.app.query_one("#author CodeEditor", CodeEditor)
        editor.move_cursor(editor.document.end)
        await person.press(*["left"] * 4, "backspace", "escape")
        assert "3 of 3" in person.line("Look at a call")
        assert "allow → deny" in person.text
        for _ in range(20):
            await person.press("v")
            if "That is all" in person.text:
                break
        assert "That is all" in person.text


async def test_keys_letters_and_sessions_are_clicked(desk: Path, tmp_path: Path) -> None:
    remembered = Remembered(tmp_path / "state")
    remembered.put("theme", "light")
    async with opened(desk, (80, 24), remembered, guided=True) as person:
        assert person.app.theme == "light"
        await person.press("escape")
        assert "put away" in person.text
        await person.pilot.click("#status", offset=(78, 0))
        await person.settle()
        assert "Evidence" in person.text
        await person.click("? keys")
        assert "Keys" in person.text
        await person.press("escape")
        await person.command("theme")
        assert person.app.theme == "high-contrast"
        await person.command("theme")
        chosen = [style.color for strip in strips(person.app) for _, style, _ in strip if style]
        assert person.app.theme == "ansi-dark"
        assert not [colour for colour in chosen if colour is not None and colour.triplet], (
            "the terminal's own"
        )
        await person.command("sessions")
        assert "What the travel desk may book" in person.text
        await person.press("escape", "o")
        assert "type to find" in person.text
    again = Remembered(tmp_path / "state")
    assert (again.text("theme"), again.view_of(desk)) == ("ansi-dark", "evidence")

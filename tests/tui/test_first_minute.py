"""The first minute: four things to do, each complete when it is done."""

from __future__ import annotations

from pathlib import Path

from tests.tui.driving import opened
from tests.tui.svg import strips
from workbench.tui.screen_memory import Remembered
from workbench.tui.widgets.first_minute import FirstMinute
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.sentence_editor import SentenceEditor

SHIPPED = Path(__file__).resolve().parents[2] / "sessions" / "travel-desk"


async def test_each_step_is_complete_when_it_is_done(desk: Path) -> None:
    async with opened(desk, (120, 40), guided=True) as person:
        assert "1 of 4" in person.line("R shows the calls")
        await person.press("R", "tab", *["down"] * 10)
        assert "1 of 4" in person.text, "an allowed call is no denial"
        await person.press("down")
        assert "2 of 4" in person.line("A, then")
        await person.press("enter", "A")
        person.app.query_one("#spine", Pane).select("R8")
        await person.press("enter")
        editor = person.app.query_one("#say", SentenceEditor)
        editor.mark_part(editor.text.index("3,000"), editor.text.index("3,000") + len("3,000"))
        await person.type("300")
        await person.until_shown(" of 121 recorded calls")
        await person.press("enter")
        await person.until_shown("It contradicts the contract")
        await person.press("down", "enter")
        assert "3 of 4" in person.line("n goes to what is wrong now")
        await person.press("n")
        person.line("this breaks it")
        assert "4 of 4" in person.line("u takes your change back")
        await person.press("u")
        assert not person.app.query_one(FirstMinute).display, "every step is done"
        assert (desk / "policy.py").read_text() == (SHIPPED / "policy.py").read_text()


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

"""The view of the demonstrations: what calls retrieve, and how an edit changes it."""

from __future__ import annotations

from pathlib import Path

from tests.tui.driving import opened
from workbench.app.workbench import Workbench


async def test_demonstrations_are_edited_and_what_retrieves_differently_is_shown(desk: Path) -> None:
    async with opened(desk) as person:
        await person.press("R", "tab", "j", "M")
        # the demonstrations are shown with what the chosen call retrieves, and how many calls retrieve each
        assert "retrieves the most similar" in person.text
        assert "retrieved by 121 calls" in person.text
        # an edit of a plan changes the demonstration, and not which calls retrieve it
        await person.press("e")
        await person.type("\n")
        await person.press("ctrl+s")
        assert "retrieve differently" not in person.text
        # switched off, it is retrieved no more, and every call retrieves others
        await person.press("d")
        assert "off" in person.line("Demonstration payment-to-the-account-of-a-mail off")
        assert "121 calls retrieve differently" in person.text
        await person.press("u")
        # a demonstration is begun from the chosen call; the text stays in the editor if it cannot be stored
        await person.press("a")
        await person.type("(")
        await person.press("ctrl+s")
        assert "EDIT demonstration · not stored" in person.text
        assert "Invalid statement" in person.text
        await person.press("delete", "ctrl+s")
        assert "Demonstration added" in person.text
        await person.command("delete")
        assert "deleted" in person.text
    bench = Workbench.open(desk)
    assert len(bench.session.demonstrations) == 3
    bench.close()

"""Saying the sentences of a request on the screen: completion, preview, Enter and Esc."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.invoice_desk import invoice_desk
from tests.tui.driving import SIZES, opened
from workbench.tui.widgets.sentence_editor import SentenceEditor

LIMIT = "The agent must not pay an invoice if the total is more than 5,000."


def desk(folder: Path) -> Path:
    invoice_desk(folder).close()
    return folder / "desk"


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_an_open_sentence_is_said_previewed_and_kept(tmp_path: Path, size: tuple[int, int]) -> None:
    session = desk(tmp_path)
    async with opened(session, size) as person:
        if size[0] > 80:
            assert "open" in person.line("     open")
            await person.press("down", "enter")
        else:
            await person.press("right")
        await person.until_shown("line 5: “Nothing over 5,000")
        await person.press("e")
        await person.until_shown("Enter keeps")
        await person.type("The agent must not pay an inv")
        await person.until_shown("Tab  invoice")
        await person.press("tab")
        editor = person.app.query_one("#say", SentenceEditor)
        assert editor.text.rstrip() == "The agent must not pay an invoice"
        await person.type("if the total is more than 5,000.")
        await person.until_shown('DEFAULT is "deny"')
        assert size[0] == 80 or "def forbid_pay_invoice" in person.text
        await person.press("enter")
        await person.until(
            lambda: "forbid_pay_invoice" in (session / "policy.py").read_text(encoding="utf-8")
        )
        await person.until_shown("reworded")


async def test_esc_discards_and_a_mistake_shows_how_far_it_is_read(tmp_path: Path) -> None:
    session = desk(tmp_path)
    before = (session / "policy.py").read_text(encoding="utf-8")
    async with opened(session) as person:
        await person.press("enter", "e")
        await person.type("The agent must not [red]fly[/red]")
        await person.until_shown("It is read up to “The agent must not”.")
        await person.press("enter")
        await person.until_shown("This is no sentence of the language.")
        assert "[red]fly[/red]" in person.text
        await person.press("escape")
        assert not person.app.query_one("#say", SentenceEditor).display
        assert (session / "policy.py").read_text(encoding="utf-8") == before


async def test_context_has_a_reason_and_u_takes_it_back(tmp_path: Path) -> None:
    session = desk(tmp_path)
    async with opened(session) as person:
        await person.press("enter", "e")
        await person.type("context: a remark")
        await person.until_shown("states no rule: a remark")
        await person.press("enter")
        await person.until_shown("     context")
        await person.press("u")
        await person.until(lambda: "     context" not in person.text)

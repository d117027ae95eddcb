"""The screen on a session whose policy of calls a person wrote: it shows and edits what was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.written_desk import BROKEN, POLICY, UNKNOWN_FIELD, line_of, written_desk
from tests.tui.driving import SIZES, opened
from workbench.tui.widgets.code_editor import CodeEditor

MADE_UP = ("pay_invoice_total", "pay_invoice_trip", "sum_total_pay", "cancel_booking_booking", "paid_today_2")
"""Names that the program makes of expressions; nobody wrote them."""


def file_of(desk: Path) -> str:
    """The policy file on the disk."""
    return (desk / "policy.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_view_speaks_of_the_written_policy(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(written_desk(tmp_path), size) as person:
        for key in ("A", "P", "R", "M", "E"):
            await person.press(key)
            assert not [name for name in MADE_UP if name in person.text], person.text
            assert "def allow(" not in person.text


async def test_the_policy_has_signs_and_findings_at_the_written_lines(tmp_path: Path) -> None:
    async with opened(written_desk(tmp_path), (200, 60)) as person:
        await person.press("P")
        rule = person.line("def forbid_over_limit(")
        assert rule.split()[:2] == [str(line_of("def forbid_over_limit(")), "◇"]
        assert "R9, line 21: “The total paid per session must not exceed 5,000 EUR.”" in person.text
        assert "Fired on 3 of 121 calls" in person.text
        assert "Values that the policy reads" in person.text

        # The refuted clause, with its counterexample in the words of the policy.
        await person.press("n")
        await person.until_shown("this breaks it")
        person.line("Clause 1 of 1: refuted: C2")
        person.line("decided by forbid_beyond_cost_centre")
        await person.press("P", "G")
        clause = person.line('Ensures(Implies(call.total < Decimal("10"), Result()))')
        assert clause.split()[:2] == [str(line_of('Decimal("10")')), "✗"]
        assert "call.total" in person.text
        assert "run.trip(call.trip_id)" in person.text


async def test_an_edit_of_the_file_is_judged_stored_and_undone(tmp_path: Path) -> None:
    desk = written_desk(tmp_path)
    async with opened(desk) as person:
        await person.press("P", "e")
        editor = person.app.query_one("#whole", CodeEditor)
        assert editor.text.splitlines() == POLICY.splitlines()
        row = line_of("LIMIT = ") - 1
        editor.move_cursor((row, editor.document.get_line(row).index("5000")))
        await person.press("delete", "4")
        await person.press("escape")
        await person.until(lambda: 'LIMIT = Decimal("4000")' in file_of(desk))
        assert "def allow(" not in file_of(desk)
        await person.press("u")
        assert file_of(desk) == POLICY


@pytest.mark.parametrize("width", [75, 120])
async def test_a_broken_edit_marks_its_line_and_says_its_problem(tmp_path: Path, width: int) -> None:
    desk = written_desk(tmp_path)
    async with opened(desk, (width, 40)) as person:
        await person.press("P", "e")
        editor = person.app.query_one("#whole", CodeEditor)
        row = line_of("call.total > centre.left") - 1
        editor.move_cursor((row, editor.document.get_line(row).index("total") + 2))
        await person.press("backspace")
        await person.until_shown("EDIT policy.py · 1 problem")
        assert "✗" in person.line("call.ttal > centre.left")
        if width > 100:
            assert "PayInvoice has no field `ttal`" in person.text, "beside the text"
        editor.move_cursor((0, 0))
        await person.press("ctrl+n")
        assert editor.cursor_location[0] == row
        assert "PayInvoice has no field `ttal`" in " ".join(person.lines[-4:])
        await person.press("escape")
        assert file_of(desk) == POLICY, "a text with a problem is kept beside the file"
        assert "an edit that is not stored" in person.text


async def test_a_rule_is_edited_where_it_is_written(tmp_path: Path) -> None:
    desk = written_desk(tmp_path)
    async with opened(desk) as person:
        await person.press("up", "up", "up")
        assert "◂ Not in force ▸" in person.text
        await person.press("down")
        assert "◂ R7 ▸" in person.text
        assert "return centre is None or call.total > centre.left" in person.text
        await person.press("tab", "down", "e")
        assert "EDIT the rule forbid_beyond_cost_centre" in person.text
        assert f" {line_of('def forbid_beyond_cost_centre')} " in person.line(
            "def forbid_beyond_cost_centre("
        )


async def test_a_call_shows_its_facts_on_demand(tmp_path: Path) -> None:
    async with opened(written_desk(tmp_path), (200, 60)) as person:
        await person.press("R", "tab", *["down"] * 30)
        await person.press("w")
        await person.until_shown("what was paid in this run, this payment included")
        fact = person.line("what was paid in this run, this payment included")
        assert "5112" in fact
        assert "calls 11, 13, 25, 28 of the run" in person.text
        assert 'arguments, line 1: "120.0"' in person.text
        assert "with less than 48 hours until check-in" not in person.text, "it is about another tool"


async def test_no_dialogue_is_offered_and_none_crashes(tmp_path: Path) -> None:
    desk = written_desk(tmp_path)
    async with opened(desk) as person:
        assert "Open. Enter says in the language what it means" in person.text
        for offer in ("in other words", "by choices", "build a rule", "not read yet"):
            assert offer not in person.text, offer
        await person.press("D")
        await person.press("P", "tab", "tab", "a")
        assert "e edits agent.toml" in person.text
        assert file_of(desk) == POLICY


@pytest.mark.parametrize(
    ("policy", "place"),
    [(BROKEN, "paid(call, run > LIMIT"), (UNKNOWN_FIELD, "call.totl")],
    ids=["syntax", "field"],
)
async def test_a_broken_file_leaves_every_view_working(tmp_path: Path, policy: str, place: str) -> None:
    desk = written_desk(tmp_path, policy)
    line = line_of(place, policy)
    async with opened(desk) as person:
        assert "1 problem in the policy" in person.text
        for key in ("A", "R", "M", "E", "P"):
            await person.press(key)
        at = person.lines.index(person.line(place))
        assert person.lines[at].split()[0] == str(line)
        assert "✗" in person.lines[at + 1]
        await person.press("e", "escape")
        assert file_of(desk) == policy

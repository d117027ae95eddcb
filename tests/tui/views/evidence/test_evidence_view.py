"""The view of the evidence: the matrix, wrong versions, and the proved difference of versions."""

from __future__ import annotations

from pathlib import Path

from tests.tui.driving import opened
from tests.tui.views.policy.test_policy_view import copied
from workbench.app.workbench import Workbench


async def test_a_version_is_compared_and_gone_back_to(desk: Path) -> None:
    """From any view the proved difference of the last change is two keys away, and one goes back."""
    bench = Workbench.open(desk)
    try:
        bench.editing.store(bench.session.policy.replace("days=14)\n\n", "days=7)\n\n", 1))
    finally:
        bench.close()
    async with opened(desk) as person:
        await person.press("E", "c")
        assert "Decides otherwise than now" in person.text
        assert "Newly denied: 3 regions" in person.text
        assert "no rule; now forbid_trip_not_approved" in person.text
        # A refuted clause stands first, and what tells it from others of its sentence is said.
        first = next(line for line in person.lines if " C" in line and "R11" in line)
        assert "✗" in first
        assert "not vacuous" in person.text
        await person.press("p", "enter")
        assert "cases: 1 added" in person.text

        await person.press("shift+tab", "G", "enter")
        assert "Back to version 0" in person.text


async def test_wrong_versions_that_pass_become_cases(tmp_path: Path) -> None:
    session = copied("web-shopping", tmp_path)
    policy = session / "policy.py"
    clause = '    Ensures(Implies(action == "book_hotel", Result() == (age >= 18)))\n'
    policy.write_text(policy.read_text().replace(clause, ""))
    async with opened(session, (80, 24)) as person:
        await person.press("E")
        assert "r measures which wrong versions" in person.text
        await person.press("r")
        assert "The contract refuses 74 of 81 wrong versions" in person.text
        assert "lets pass forbid_book_hotel_by_age, line" in person.text
        assert 'action = "book_hotel", age = 0' in person.text
        assert "here deny, there allow" in person.text
        await person.press("g", "p", "enter")
        assert "A wrong version became a case" in person.text
        assert "The contract refuses 74 of 81 wrong versions" in person.text

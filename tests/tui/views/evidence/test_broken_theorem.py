"""A theorem that a run breaks: the run opens in Runs, and its last call becomes a case."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.written_desk import POLICY, written_desk
from tests.tui.driving import opened
from workbench.model import ProofStatus
from workbench.session import Session
from workbench.tui.verdict_signs import line_signs
from workbench.tui.widgets.code_editor import CodeEditor

BROKEN = '''

def theorem_modest(run: Run) -> bool:
    """In no run is more than 100 EUR paid."""
    return sum(c.total for c in run.calls(PayInvoice) if c.succeeded) <= Decimal("100")
'''


async def test_the_run_that_breaks_a_theorem_opens_in_runs_and_is_kept_as_a_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    desk = written_desk(tmp_path, POLICY + BROKEN)
    async with opened(desk) as person:
        await person.press("E", "G")
        assert "refuted: the guard lets a run through" in person.text
        await person.press("p")
        assert "became a case" in person.text
        await person.press("E", "G", "enter")
        assert "theorem_modest.jsonl" in person.text or "breaking" in person.text
        assert "pay_invoice" in person.text
    assert (tmp_path / "data" / "theorems" / "travel-desk-theorem_modest.jsonl").exists()
    with Session.open(desk) as session:
        assert [case.id for case in session.cases] == ["theorem-modest"]


async def test_a_theorem_is_judged_beside_the_editor_of_the_policy(tmp_path: Path) -> None:
    desk = written_desk(tmp_path, POLICY + BROKEN)
    async with opened(desk) as person:
        await person.until(lambda: bool(person.app.state and person.app.state.theorems))
        await person.press("P", "e")
        editor = person.app.query_one("#whole", CodeEditor)
        editor.move_cursor(editor.document.end)
        await person.type("  # more")
        await person.until(lambda: bool(person.app.state and "# more" in person.app.state.policy))
        await person.until(lambda: bool(person.app.state and person.app.state.theorems))
        state = person.app.state
        assert state is not None and editor.display
        (verdict,) = state.theorems
        assert verdict.status is ProofStatus.REFUTED
        assert line_signs(state)[verdict.line].text == "✗"

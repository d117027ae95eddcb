"""An answer that breaks a clause which a person wrote is refused, with the clause and an input."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.refund_desk import refund_desk
from tests.cli.test_sessions import Shell

CLAUSE = """

def contract_of_mine(call: IssueRefund, run: Run) -> None:
    # The fourth one waits for tomorrow.
    Ensures(Implies(run.context.refunds_today == 4, not Result()))
"""
QUESTION, OTHER = "Support agents", "forbid_issue_refund"


def test_an_answer_that_breaks_a_persons_clause_is_refused_unless_it_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, shell = refund_desk(tmp_path / "refunds", left_open=1), Shell(capsys)
    policy = folder / "policy.py"
    before = policy.read_text(encoding="utf-8") + CLAUSE
    policy.write_text(before, encoding="utf-8")
    assert shell.run("answer", folder, QUESTION, OTHER) == 1
    assert "The fourth one waits for tomorrow" in shell.err
    assert "would not hold" in shell.err and "by permit_issue_refund" in shell.err
    assert policy.read_text(encoding="utf-8") == before
    assert shell.run("answer", folder, QUESTION, OTHER, "--preview") == 0
    assert "Contradicts  " in shell.out
    assert shell.run("answer", folder, QUESTION, OTHER, "--anyway") == 0
    assert shell.run("verify", folder, "--preview") == 1
    assert "refuted" in shell.out

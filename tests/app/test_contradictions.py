"""An answer that breaks a clause which a person wrote is refused, with the clause and an input."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.refund_desk import refund_desk
from tests.cli.test_sessions import Shell, ids, listed
from tests.plain_policies import check
from workbench.app.contradictions import newly_refuted
from workbench.policy.terms import PolicyTerms

CLAUSE = """

def contract_of_mine(call: IssueRefund, run: Run) -> None:
    # The fourth one waits for tomorrow.
    Ensures(Implies(run.context.refunds_today == 4, not Result()))
"""
QUESTION, OTHER = "Support agents", "forbid_issue_refund"


def test_an_answer_that_breaks_a_persons_clause_is_refused_unless_it_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, shell = refund_desk(tmp_path / "refunds", left_open=2), Shell(capsys)
    policy = folder / "policy.py"
    before = policy.read_text(encoding="utf-8") + CLAUSE
    policy.write_text(before, encoding="utf-8")
    assert shell.run("answer", folder, QUESTION, OTHER) == 1
    assert "The fourth one waits for tomorrow" in shell.err
    assert "would not hold" in shell.err and "by permit_issue_refund" in shell.err
    assert policy.read_text(encoding="utf-8") == before
    assert shell.run("answer", folder, QUESTION, OTHER, "--preview") == 0
    assert "Contradicts  " in shell.out
    first, second = ids(listed(shell.objects("ask", folder)[0]["open"]))
    assert shell.run("answer", folder, str(first), OTHER, str(second), "prohibitions", "--preview") == 0
    assert shell.out.count("would change (nothing is stored)") == 2
    assert policy.read_text(encoding="utf-8") == before
    assert shell.run("answer", folder, QUESTION, OTHER, "--anyway") == 0
    assert shell.run("verify", folder, "--preview") == 1
    assert "refuted" in shell.out


BOXES = """
def forbid_old(tool: Tool, pages: int) -> bool:
    \"\"\"R1: Few pages.\"\"\"
    return pages > 50


def permit_all(tool: Tool) -> bool:
    \"\"\"R2: All.\"\"\"
    return tool == "a"


def allow(tool: Tool, pages: int) -> bool:
    Ensures(Implies(tool == "a" and pages <= 50, Result()))
    Ensures(Implies(pages > 50, not Result()))
    Ensures(Implies(tool == "b", not Result()))
    Ensures(Implies(pages > 70, not Result()))
    return not forbid_old(tool, pages) and permit_all(tool)
"""


def test_clauses_that_a_change_cannot_break_are_not_asked_about() -> None:
    head = "from typing import Literal\n\nfrom nagini_contracts.contracts import Ensures, Implies, Result\n\n"
    before = check(f'{head}Tool = Literal["a", "b"]\n\n{BOXES}')

    def broken(old: str, new: str) -> list[str]:
        after = check(before.file.text.replace(old, new))
        assert after.file.text != before.file.text
        order = [clause.source for clause in after.clauses]
        return sorted((one.clause.source for one in newly_refuted(before, after)), key=order.index)

    allows, few, other, many = (clause.source for clause in before.clauses)
    assert broken("return pages > 50", "return pages > 40") == [allows]
    assert broken("return pages > 50", "return pages > 60") == [few]
    assert broken("return pages > 50", "return pages > 80") == [few, many]
    assert broken('return tool == "a"', 'return tool in {"a", "b"}') == [other]
    assert broken('return tool == "a"', 'return tool == "b"') == [allows, other]
    assert broken("Implies(pages > 70, not Result())", "Implies(pages > 30, not Result())") == [
        "Implies(pages > 30, not Result())"
    ]


LIMITS = '''
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal["a", "b"]

MOST = {"a": 50, "b": 10}


def forbid_long(tool: Tool, pages: int) -> bool:
    """R1: Few pages."""
    return pages > MOST[tool]


def allow(tool: Tool, pages: int) -> bool:
    Ensures(Implies(pages > 60, not Result()))
    return not forbid_long(tool, pages)
'''


def test_a_clause_that_the_entry_of_a_table_breaks_is_found() -> None:
    before, after = check(LIMITS), check(LIMITS.replace('"a": 50', '"a": 70'))
    assert [one.clause.id for one in newly_refuted(before, after)] == ["C1"]
    assert not newly_refuted(after, before)


def test_a_clause_that_one_of_many_prohibitions_broke_is_known() -> None:
    def forbidding(*pages: int) -> PolicyTerms:
        names = [f"forbid_{number}" for number in pages]
        rules = "\n\n".join(
            f'def {name}(pages: int) -> bool:\n    """R1: x."""\n    return pages == {number}\n'
            for name, number in zip(names, pages, strict=True)
        )
        decided = " and ".join(f"not {name}(pages)" for name in names)
        return check(
            f"from nagini_contracts.contracts import Ensures, Implies, Result\n\n{rules}\n\n"
            "def allow(pages: int) -> bool:\n    Ensures(Implies(pages <= 40, Result()))\n"
            f"    return {decided}\n"
        )

    many = range(50, 100)
    assert [one.clause.id for one in newly_refuted(forbidding(*many), forbidding(*many, 5))] == ["C1"]
    assert not newly_refuted(forbidding(*many, 5), forbidding(*many, 5, 6))

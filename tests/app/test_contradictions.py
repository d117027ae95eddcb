"""Rules and clauses of the program agree: whoever adds a rule, the program's clauses except it.

An act that breaks another clause is refused, with the clause and an input.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.test_sessions import Shell
from workbench.app.contradictions import newly_refuted
from workbench.app.workbench import Workbench
from workbench.engines.smt.preview import preview
from workbench.model import ProofStatus
from workbench.policy.check import check
from workbench.session import Session
from workbench.session.agent_file import read_agent

SPEC = read_agent("""
name = "archive"
[arguments.tool]
type = "enum"
values = ["open_box", "copy_page", "lend_map", "burn"]
description = "the tool that is called"
extract = {method = "jsonpath", path = "$.tool"}
[arguments.pages]
type = "int"
description = "how many pages are copied"
extract = {method = "jsonpath", path = "$.arguments.pages"}
[arguments.guest]
type = "bool"
description = "whether the reader is a guest"
extract = {method = "jsonpath", path = "$.context.guest"}
[arguments.age]
type = "int"
description = "the age of the reader"
extract = {method = "jsonpath", path = "$.context.age"}
""")
OPEN = "# Archive\n\nNever use lend_map if age is less than 16. Everything else is allowed.\n"
CLOSED = "# Archive\n\nCopy_page is allowed if pages is at most 40. Everything else is forbidden.\n"


def archive(folder: Path, request: str = OPEN) -> Workbench:
    """A drafted session without an open question."""
    bench = Workbench(Session.create(folder, request, SPEC))
    bench.request.redraft()
    understanding = bench.questions.understand(accept_defaults=True)
    bench.questions.accept_defaults(understanding.defaults)
    return bench


def refuted(bench: Workbench) -> list[str]:
    """The clauses that the preview does not prove."""
    terms = bench.policy.terms()
    statuses = {verdict.clause: verdict.status for verdict in preview(terms).clauses}
    return [clause.source for clause in terms.clauses if statuses[clause.id] is not ProofStatus.PROVED]


def test_a_rule_written_by_hand_narrows_until_it_is_taken_out_again(tmp_path: Path) -> None:
    rule = '''def forbid_late(tool: Tool, age: int) -> bool:
    """Nobody over 90 opens a box."""
    return tool == "open_box" and age > 90


def allow('''
    with closing(archive(tmp_path / "archive")) as bench:
        before = bench.session.policy
        added = before.replace("def allow(", rule).replace(
            "return not ", "return not (forbid_late(tool, age) or "
        )
        bench.editing.store(added.rstrip() + ")\n")
        assert refuted(bench) == []
        assert 'not (tool == "open_box" and age > 90)' in bench.session.policy
        bench.editing.store(bench.session.policy.replace("age > 90\n", "age > 80\n"))
        assert refuted(bench) == [], "the exception follows the rule"
        assert 'not (tool == "open_box" and age > 80)' in bench.session.policy
        (written,) = [rule for rule in bench.policy.terms().rules if rule.name == "forbid_late"]
        lines = bench.session.policy.splitlines(keepends=True)
        without = "".join(lines[: written.line - 1] + lines[written.end_line :])
        bench.editing.store(without.replace("forbid_late(tool, age) or ", ""))
        assert {clause.source for clause in bench.policy.terms().clauses} == {
            clause.source for clause in check(before).clauses
        }, "without the rule there is no exception"


ANSWERED = "# Archive\n\nMinors keep off.\n\nNever use burn. Everything else is allowed.\n"


def test_an_answer_that_breaks_a_persons_clause_is_refused_by_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, shell = tmp_path / "archive", Shell(capsys)
    with closing(archive(folder, ANSWERED)) as bench:
        clause = '    # Maps are lent to everybody.\n    Ensures(Implies(tool == "lend_map", Result()))\n'
        bench.editing.store(bench.session.policy.replace("    return not", f"{clause}    return not"))
        before = bench.session.policy
        assert refuted(bench) == []
    sentence = "Never use lend_map if age is less than 16."
    assert shell.run("answer", folder, "Minors keep off", sentence) == 1
    assert "Maps are lent to everybody" in shell.err
    assert "lend_map" in shell.err
    assert (folder / "policy.py").read_text(encoding="utf-8") == before
    assert shell.run("answer", folder, "Minors keep off", sentence, "--preview") == 0
    assert "Contradicts  " in shell.out
    assert shell.run("answer", folder, "Minors keep off", sentence, "--anyway") == 0
    assert shell.run("check", folder) == 1
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
        after = check(before.source.replace(old, new))
        assert after.source != before.source
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

"""Requirements without a clause, and tools that no clause demands, are findings by name until accepted."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.test_contradictions import archive
from tests.cli.test_sessions import Shell
from tests.examples import examples
from workbench.app.owed import not_in_force
from workbench.app.workbench import Workbench
from workbench.check.undemanded import undemanded
from workbench.policy.check import check

TOOLS = ("open_box", "copy_page", "lend_map", "burn")
HEAD = '''"""Archive."""

from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal["open_box", "copy_page", "lend_map", "burn"]


def forbid_minors(tool: Tool, age: int) -> bool:
    """R1: Never use lend_map if age is less than 16."""
    return tool == "lend_map" and age < 16


def allow(tool: Tool, age: int) -> bool:
'''
RETURN = "    return not forbid_minors(tool, age)\n"


def policy(*clauses: str) -> str:
    return HEAD + "".join(f"    # R1: .\n    Ensures({clause})\n" for clause in clauses) + RETURN


def found(*clauses: str) -> list[str]:
    return [item.tool for item in undemanded(check(policy(*clauses)))]


@pytest.mark.parametrize(
    ("clauses", "tools"),
    [
        ((), list(TOOLS)),
        (("Result()",), []),
        (('Implies(tool != "burn", Result())',), ["burn"]),
        (('Implies(tool != "burn", Result())', 'Implies(tool == "burn", not Result())'), []),
        (('Implies(tool == "lend_map", Result() == (age >= 16))',), ["open_box", "copy_page", "burn"]),
        (('Implies(tool == "lend_map" and age < 16, not Result())',), list(TOOLS)),
        (('Implies(Result() and tool == "lend_map", age >= 16)',), list(TOOLS)),
        (('Implies(tool in {"burn", "open_box"} and age > 3, Result())',), ["copy_page", "lend_map"]),
        (('Implies(tool == "burn" and age > 3 and age < 4, Result())',), list(TOOLS)),
        (("not Result()",), [""]),
    ],
)
def test_a_tool_is_demanded_if_denying_all_its_calls_breaks_a_clause(
    clauses: tuple[str, ...], tools: list[str]
) -> None:
    assert found(*clauses) == tools


AGES = (0, 15, 16, 99)
CLAUSES = st.tuples(
    st.sets(st.sampled_from(TOOLS), min_size=1),
    st.sampled_from(["age < 16", "age >= 16", "age > 98"]),
    st.sampled_from(["Result()", "not Result()", "Result() == (age < 99)"]),
)


@given(st.lists(CLAUSES, max_size=3))
@settings(max_examples=examples(60))
def test_the_tools_are_those_that_enumeration_finds(clauses: list[tuple[set[str], str, str]]) -> None:
    def holds(tool: str, age: int, result: bool) -> bool:
        decided = {
            "Result()": result,
            "not Result()": not result,
            "Result() == (age < 99)": result == (age < 99),
        }
        applies = {"age < 16": age < 16, "age >= 16": age >= 16, "age > 98": age > 98}
        return all(tool not in tools or not applies[when] or decided[then] for tools, when, then in clauses)

    texts = [
        f"Implies(tool in {{{', '.join(repr(tool) for tool in sorted(tools))}}} and {when}, {then})"
        for tools, when, then in clauses
    ]
    demanded = {tool for tool in TOOLS if any(not holds(tool, age, result=False) for age in AGES)}
    denied = {tool for tool in TOOLS if not any(holds(tool, age, result=True) for age in range(100))}
    expected = [tool for tool in TOOLS if tool not in demanded | denied]
    assert found(*texts) == (expected or ([""] if not demanded else []))


def clauses_taken_out(folder: Path, *words: str) -> None:
    """Take the clauses with these words out of the policy file, as another program does."""
    with closing(Workbench.open(folder)) as bench:
        terms = bench.policy.terms()
        lines = bench.session.policy.splitlines(keepends=True)
        for clause in reversed(terms.clauses):
            if any(word in clause.source for word in words):
                del lines[clause.line - 2 : clause.end_line]
    (folder / "policy.py").write_text("".join(lines), encoding="utf-8")


def test_check_names_what_no_clause_demands_until_a_person_accepts_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, shell = tmp_path / "archive", Shell(capsys)
    with closing(archive(folder)):
        pass
    assert shell.run("check", folder) == 0
    assert "All good" in shell.out
    clauses_taken_out(folder, 'tool != "lend_map"')
    assert shell.run("check", folder) == 1
    assert "All good" not in shell.out
    for tool in ("open_box", "copy_page", "burn"):
        assert f"No clause demands that any call of {tool} is allowed" in shell.out
    assert "No clause names R2" in shell.out, "the requirement of the deleted clause"
    assert "call of lend_map" not in shell.out
    for question in ("undemanded:open_box", "undemanded:copy_page", "undemanded:burn", "no-clause:"):
        assert shell.run("answer", folder, question, "meant") == 0
    assert shell.run("check", folder) == 0
    assert "All good" in shell.out
    assert "human" in shell.out, "what was accepted is listed"
    assert shell.run("answer", folder, "undemanded:burn", "--retract") == 0
    assert shell.run("check", folder) == 1
    assert "No clause demands that any call of burn is allowed" in shell.out
    assert "No clause demands that any call of copy_page" not in shell.out


def test_an_acceptance_survives_a_draft(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    with closing(archive(folder)):
        pass
    clauses_taken_out(folder, 'tool != "lend_map"')
    with closing(Workbench.open(folder)) as bench:
        for question in bench.questions.understand().open:
            bench.questions.answer(question, "meant")
        bench.request.redraft()
        assert bench.questions.understand().open == ()
        assert not not_in_force(bench.check().owed)
        bench.session.undo()
        assert len(bench.questions.understand().open) > 0, "an acceptance is undone as any answer"


def test_a_contract_without_a_clause_is_never_good(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, shell = tmp_path / "archive", Shell(capsys)
    with closing(archive(folder)):
        pass
    clauses_taken_out(folder, "Result()")
    assert shell.run("check", folder) == 1
    assert "the proof is unknown" in shell.out
    with closing(Workbench.open(folder)) as bench:
        for question in bench.questions.understand().open:
            bench.questions.answer(question, "meant")
        assert bench.check().exit_code == 1


def test_an_unattended_run_accepts_no_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, shell = tmp_path / "archive", Shell(capsys)
    with closing(archive(folder)):
        pass
    clauses_taken_out(folder, 'tool != "lend_map"')
    assert shell.run("check", folder, "--accept-defaults") == 1
    assert "No clause demands that any call of burn is allowed" in shell.out


def test_a_default_of_which_the_other_sentences_leave_nothing_is_no_finding(tmp_path: Path) -> None:
    request = "# Archive\n\nNever use anything if age is less than 16. Everything else is allowed.\n"
    with closing(archive(tmp_path / "archive", request)) as bench:
        draft = bench.request.draft()
        assert draft.implied == ("R2",)
        assert bench.questions.understand().open == ()

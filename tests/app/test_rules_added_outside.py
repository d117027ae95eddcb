"""Rules that other programs add to policy.py: the workbench's own clauses follow them by an act that writes.

A check names what does not follow yet, and writes nothing. What a person wrote or edited is never touched.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.test_contradictions import archive, refuted
from tests.cli.test_sessions import Shell
from workbench.app.owed import OwedKind
from workbench.app.workbench import Workbench
from workbench.policy.check import check

LATE = '''def forbid_late(tool: Tool, age: int) -> bool:
    """Nobody over 90 opens a box."""
    return tool == "open_box" and age > 90


def allow('''
EXCEPTION = 'not (tool == "open_box" and age > {})'


def with_late(text: str) -> str:
    """The policy with the rule, as a person writes it into the file."""
    added = text.replace("def allow(", LATE).replace("return not ", "return not (forbid_late(tool, age) or ")
    return added.rstrip() + ")\n"


def without_late(text: str) -> str:
    """The policy without the rule; its clauses stay as they are."""
    rule = next(rule for rule in check(text).rules if rule.name == "forbid_late")
    lines = text.splitlines(keepends=True)
    return "".join(lines[: rule.line - 1] + lines[rule.end_line :]).replace("forbid_late(tool, age) or ", "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A session with a rule in policy.py that another program added."""
    with closing(archive(tmp_path / "archive")):
        pass
    policy = tmp_path / "archive" / "policy.py"
    policy.write_text(with_late(policy.read_text("utf-8")), "utf-8")
    return tmp_path / "archive"


@pytest.fixture
def bench(folder: Path) -> Iterator[Workbench]:
    """The session, open in the screen, with the rule among its clauses."""
    bench = Workbench.open(folder)
    bench.request.redraft()
    yield bench
    bench.close()


def edited_outside(bench: Workbench, text: str) -> None:
    (bench.session.path / "policy.py").write_text(text, "utf-8")


def owed_clauses(bench: Workbench) -> list[str]:
    """The clauses that do not follow the rules, by their words."""
    return [item.statement for item in bench.in_force.missing() if item.kind is OwedKind.CLAUSE]


def test_check_names_the_clause_and_writes_nothing_and_a_draft_narrows_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shell, before = Shell(capsys), (folder / "policy.py").read_text("utf-8")
    assert shell.run("check", folder) == 1
    assert "Not in force  clause C2: Everything else is allowed." in shell.out
    assert f"to mend it: workbench draft {folder}" in shell.out
    assert (folder / "policy.py").read_text("utf-8") == before
    assert shell.run("draft", folder) == 0
    assert "follows the rules that were added to policy.py: Everything else is allowed." in shell.out
    with closing(Workbench.open(folder)) as bench:
        assert refuted(bench) == owed_clauses(bench) == []
        assert EXCEPTION.format(90) in bench.session.policy
        assert bench.session.undo() is not None
        assert bench.session.policy == before, "undo takes back what narrowed it, not the person's rule"
        assert owed_clauses(bench) == ["Everything else is allowed."]


def test_an_open_session_that_takes_the_rule_over_narrows_and_says_so(tmp_path: Path) -> None:
    with closing(archive(tmp_path / "archive")) as bench:
        before = bench.session.policy
        edited_outside(bench, with_late(before))
        edit = bench.editing.take_outside(before)
        assert edit is not None and edit.narrowed and "are narrowed by the rules" in edit.sentence
        assert refuted(bench) == owed_clauses(bench) == []
        assert bench.session.undo() is not None
        assert bench.session.policy == with_late(before)
        assert bench.session.undo() is not None
        assert bench.session.policy == before


def test_a_rule_that_is_changed_outside_changes_its_exception(bench: Workbench) -> None:
    changed = bench.session.policy.replace("age > 90\n", "age > 80\n")
    assert changed != bench.session.policy
    edited_outside(bench, changed)
    with closing(Workbench.open(bench.session.path, read_only=True)) as reader:
        assert refuted(reader), "the exception is that of the rule before"
        assert owed_clauses(reader) == ["Everything else is allowed."]
    assert bench.editing.take_outside(bench.session.policy) is not None
    assert refuted(bench) == owed_clauses(bench) == []
    assert EXCEPTION.format(80) in bench.session.policy
    assert EXCEPTION.format(90) not in bench.session.policy


def test_a_rule_that_is_taken_out_outside_takes_its_exception_along(bench: Workbench) -> None:
    """No proof refutes a contract that demands less; it would be good while nothing demands the call."""
    edited_outside(bench, without_late(bench.session.policy))
    with closing(Workbench.open(bench.session.path, read_only=True)) as reader:
        assert not refuted(reader)
        assert owed_clauses(reader) == ["Everything else is allowed."]
    bench.session.refresh()
    bench.request.redraft()
    assert owed_clauses(bench) == []
    assert EXCEPTION.format(90) not in bench.session.policy


def test_a_clause_that_a_person_edited_stays_and_is_refuted(folder: Path) -> None:
    policy = folder / "policy.py"
    text = policy.read_text("utf-8")
    mine = 'Ensures(Implies(tool != "lend_map" and tool != "copy_page", Result()))'
    (clause,) = [clause for clause in check(text).clauses if "R2" in clause.requirements]
    lines = text.split("\n")
    lines[clause.line - 1 : clause.end_line] = [f"    {mine}"]
    policy.write_text("\n".join(lines), "utf-8")
    with closing(Workbench.open(folder)) as bench:
        assert owed_clauses(bench) == []
        assert len(refuted(bench)) == 1
        bench.request.redraft()
        assert mine in bench.session.policy
        assert len(refuted(bench)) == 1

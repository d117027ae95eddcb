"""Rules built without a sentence, and rules as sentences."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.refund_desk import refund_desk
from tests.clarify.parcel_desk import REQUEST, SPEC
from tests.cli.test_sessions import Shell
from workbench.app.rules import RulePlan
from workbench.app.workbench import Workbench
from workbench.model import WorkbenchError
from workbench.session import Session

DEAR = RulePlan(("issue_refund",), ("amount is more than 40",), message="Ask a manager.")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return refund_desk(tmp_path_factory.mktemp("made") / "desk")


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "desk"))


def test_a_rule_is_shown_with_what_it_changes_and_added_with_its_cases(folder: Path) -> None:
    bench = Workbench.open(folder)
    old, cases = bench.session.policy, bench.session.cases
    rule_preview = bench.rules.preview(DEAR, bench.runs.load())
    assert bench.session.policy == old
    assert rule_preview.sentence == (
        "Never issue refund if the amount is not known or the amount is more than 40."
    )
    assert rule_preview.rule.startswith(f"def {rule_preview.name}(")
    assert rule_preview.change.semantic.newly_denied
    assert not rule_preview.change.semantic.newly_allowed
    assert any(flip.turns for flip in rule_preview.change.changed)
    with bench.request.anyway():
        bench.rules.add(DEAR)
    assert bench.session.policy == rule_preview.policy
    assert len(bench.session.cases) > len(cases)
    assert bench.session.undo() is not None
    assert (bench.session.policy, bench.session.cases) == (old, cases)
    bench.close()


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (RulePlan(), "a tool or a condition"),
        (RulePlan(("fly",)), "is no tool"),
        (RulePlan(("issue_refund",), ("approved is blue",)), "is no condition"),
        (RulePlan(("issue_refund",), ("city is in /tmp",)), "is no condition"),
        (RulePlan(("issue_refund",), ("amount == ",)), "is no condition"),
        (RulePlan(("issue_refund",), ("amount == 'x'",)), "Nor is it an expression of the dialect"),
        (RulePlan(("issue_refund",), effect="maybe"), "forbid or permit"),
        (RulePlan(("issue_refund",), name="allow_refunds"), "begins with forbid_"),
        (RulePlan(("issue_refund",), name="forbid_change_bank_account"), "another name"),
    ],
)
def test_what_cannot_be_a_rule_is_refused(folder: Path, plan: RulePlan, words: str) -> None:
    bench = Workbench.open(folder, read_only=True)
    with pytest.raises(WorkbenchError, match=words):
        bench.rules.preview(plan)
    bench.close()


def test_the_commands_read_rules_aloud_and_build_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(capsys)
    objects = shell.objects("rules", folder)
    assert {str(row["rule"]): row["sentence"] for row in objects}["forbid_change_bank_account"] == (
        "Never change bank account."
    )
    assert "refunds_today" in {str(row["fact"]) for row in shell.objects("rule", folder, "--facts")}
    built = (
        "rule",
        folder,
        "--tool",
        "issue_refund",
        "--when",
        "amount is more than 10",
        "--name",
        "forbid_dear",
    )
    assert shell.run(*built, "--dry-run") == 0
    assert "Nothing is stored." in shell.out
    assert shell.run(*built, "--anyway") == 0
    assert "Never issue refund if the amount is not known or the amount is more than 10." in shell.out
    assert "forbid_dear" in (folder / "policy.py").read_text(encoding="utf-8")
    assert shell.run("rule", folder, "--tool", "fly") == 2
    assert "is no tool" in shell.err


@pytest.mark.parametrize(
    ("condition", "read"),
    [
        ("amount is given", "amount is not None"),
        ("amount is not at most 5", ""),
        ("refunds_today > 3", "refunds_today > 3"),
        ("iban is not account", "iban != account"),
    ],
)
def test_a_condition_is_told_in_words_or_is_an_expression(folder: Path, condition: str, read: str) -> None:
    with closing(Workbench.open(folder, read_only=True)) as bench:
        if not read:
            with pytest.raises(WorkbenchError, match="“at most 5” is no number"):
                bench.rules.preview(RulePlan(conditions=(condition,)))
        else:
            assert read in " ".join(bench.rules.preview(RulePlan(conditions=(condition,))).rule.split())


def test_a_rule_may_be_that_of_a_sentence_which_is_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "parcels"
    session = Session.create(folder, REQUEST, SPEC)
    with closing(Workbench(session)) as bench:
        bench.request.redraft()
        before, quote = session.policy, "Money goes back only"
        (question,) = [
            open_question
            for open_question in bench.questions.understand().open
            if quote in open_question.quote
        ]
        with pytest.raises(WorkbenchError, match="is no tool"):
            bench.rules.add(RulePlan(("rob_bank",)), question=question)
        assert session.policy == before
        assert not session.assumptions, "what cannot be added answers nothing"
    shell = Shell(capsys)
    assert shell.run("rule", folder, "--tool", "pay_back", "--question", quote) == 0
    assert "def forbid_pay_back" in (policy := (folder / "policy.py").read_text(encoding="utf-8"))
    assert '"""R1: ' in policy
    assert "was checked" in policy, "a denied agent is told the sentence"
    with closing(Workbench.open(folder)) as bench:
        assert not any(quote in question.quote for question in bench.questions.understand().open)
        assert bench.session.undo() is not None
        assert bench.session.policy == before, "one undo takes answer and rule back"
        assert any(quote in question.quote for question in bench.questions.understand().open)

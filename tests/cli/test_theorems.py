"""The command about theorems, and what a theorem that is not proved means for a check."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.written_desk import written_desk
from workbench.app.acceptance import obstacles
from workbench.app.owed import OwedKind
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.cli.report_text import report_lines
from workbench.engines.smt.preview import preview
from workbench.model import Proof, ProofStatus

HELD = '''

def theorem_paid(run: Run) -> bool:
    """In no run is more than 5,000 EUR paid."""
    return sum(c.total for c in run.calls(PayInvoice) if c.succeeded) <= Decimal("5000")
'''
BROKEN = '''

def theorem_modest(run: Run) -> bool:
    """In no run is more than 100 EUR paid."""
    return sum(c.total for c in run.calls(PayInvoice) if c.succeeded) <= Decimal("100")
'''


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    path = written_desk(tmp_path)
    policy = path / "policy.py"
    policy.write_text(policy.read_text(encoding="utf-8") + HELD + BROKEN, encoding="utf-8")
    return path


def test_each_theorem_is_shown_with_what_is_assumed_and_the_run_that_breaks_it(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["theorems", str(desk), "--preview"]) == 1
    out = capsys.readouterr().out
    assert "1 of 2 proved for all runs" in out
    assert "In no run is more than 5,000 EUR paid." in out
    assert "assumed: a call that is running" in out
    assert "a run that the guard lets through and that breaks it:" in out
    assert "pay_invoice(" in out and "}  ← decided" in out


def test_the_wrong_versions_that_each_theorem_refuses_are_counted(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["theorems", str(desk), "--preview", "--json"]) == 1
    assert all(one["wrong_versions_refused"] is None for one in json.loads(capsys.readouterr().out))
    assert main(["theorems", str(desk), "--preview", "--strength", "--json"]) == 1
    counts = {one["name"]: one["wrong_versions_refused"] for one in json.loads(capsys.readouterr().out)}
    assert counts.keys() == {"theorem_paid", "theorem_modest"}
    assert counts["theorem_paid"] > 0


def test_the_breaking_run_is_recorded_as_a_log_that_replays_to_the_same_decisions(
    desk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "breaking.jsonl"
    assert main(["theorems", str(desk), "--run", "modest", "--log", str(log)]) == 0
    capsys.readouterr()
    assert main(["replay", str(desk), "--log", str(log), "--json"]) in (0, 1)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["decision"] in ("allow", "ask")
    assert main(["theorems", str(desk), "--run", "modest", "--log", str(log)]) == 2
    assert "exists" in capsys.readouterr().err


def test_no_run_of_a_theorem_that_holds_is_kept(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theorems", str(desk), "--keep", "paid"]) == 1
    assert "No run breaks theorem_paid" in capsys.readouterr().err
    assert main(["theorems", str(desk), "--keep", "missing"]) == 2
    assert "it has theorem_paid, theorem_modest" in capsys.readouterr().err


def test_the_last_call_of_a_breaking_run_is_kept_as_a_case_that_fails(desk: Path) -> None:
    assert main(["theorems", str(desk), "--keep", "modest"]) == 1
    with closing(Workbench.open(desk)) as bench:
        kept = bench.session.cases[-1]
        assert (kept.id, str(kept.expected)) == ("theorem-modest", "deny")
        run = bench.cases.run()
        assert [result.case for result in run.results if not result.passed] == [kept.id]


def test_a_check_is_not_good_while_a_theorem_is_not_proved(desk: Path) -> None:
    with closing(Workbench.open_to_read(desk)) as bench:
        terms = bench.policy.terms()
        proof = bench.proof.preview(terms)
        bench.proof.prove = lambda *_args, **_more: proof  # type: ignore[method-assign] # no verifier is started
        bench.proof.verified = lambda of, ids: Proof(  # type: ignore[method-assign] # as above
            tuple(one for one in preview(of).clauses if one.clause in ids)
        )
        report = bench.check()
    assert [one.name for one in report.unproved] == ["theorem_modest"]
    assert report.exit_code == 1
    text = "\n".join(report_lines(report))
    assert "1 theorem not proved" in text
    assert "All good" not in text
    assert [one for one in obstacles(report) if one.name == "theorem_modest" and not one.by_name]


def test_a_theorem_that_is_taken_away_or_weakened_since_the_acceptance_is_not_in_force(desk: Path) -> None:
    with closing(Workbench.open(desk)) as bench:
        bench.acceptance.store()
        assert not [one for one in bench.in_force.missing() if one.kind is OwedKind.THEOREM]
    policy = desk / "policy.py"
    text = policy.read_text(encoding="utf-8").replace(BROKEN, "").replace("5000", "6000")
    policy.write_text(text, encoding="utf-8")
    with closing(Workbench.open_to_read(desk)) as bench:
        missing = {one.name: one.reason for one in bench.in_force.missing() if one.kind is OwedKind.THEOREM}
    assert missing.keys() == {"theorem_paid", "theorem_modest"}
    assert "nothing proves that it says as much" in missing["theorem_paid"]
    assert "is gone" in missing["theorem_modest"]


def test_a_policy_without_theorems_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theorems", str(written_desk(tmp_path))]) == 0
    assert "has no theorem" in capsys.readouterr().out


def test_the_verdicts_are_printed_as_json(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theorems", str(desk), "--preview", "--json"]) == 1
    held, broken = json.loads(capsys.readouterr().out)
    assert (held["status"], held["engine"]) == (ProofStatus.PROVED, "cvc5")
    assert held["by_tool"] == [{"tool": "pay_invoice", "status": "proved", "why": ""}]
    assert broken["status"] == ProofStatus.REFUTED
    assert broken["breaking_run"][-1]["tool"] == "pay_invoice"


def test_the_calls_of_a_breaking_run_say_whether_a_person_approved_them(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = desk / "policy.py"
    head = '\n\ndef ask_some(call: PayInvoice) -> bool:\n    """R9: A person looks at it."""\n'
    asked = f"{head}    return call.total > 60\n"
    policy.write_text(policy.read_text(encoding="utf-8") + asked, encoding="utf-8")
    assert main(["theorems", str(desk), "--preview", "--json"]) == 1
    *_, broken = json.loads(capsys.readouterr().out)
    calls = [call for call in broken["breaking_run"] if call["tool"] == "pay_invoice"]
    assert any(call["approved"] for call in calls)
    assert {call["approved"] for call in calls} == {call["arguments"]["total"] > 60 for call in calls}
    assert all(call["grants"] == [] for call in calls)


def test_a_theorem_whose_limit_is_a_constant_is_weakened_by_that_constant(desk: Path) -> None:
    policy = desk / "policy.py"
    named = HELD.replace('Decimal("5000")', "LIMIT")
    policy.write_text(policy.read_text(encoding="utf-8").replace(HELD, named), encoding="utf-8")
    with closing(Workbench.open(desk)) as bench:
        bench.acceptance.store()

    def missing() -> set[str]:
        with closing(Workbench.open_to_read(desk)) as bench:
            return {one.name for one in bench.in_force.missing() if one.kind is OwedKind.THEOREM}

    assert missing() == set()
    text = policy.read_text(encoding="utf-8")
    renamed = named.replace("c.", "each.").replace("for c in", "for each in")
    policy.write_text(text.replace(named, renamed), encoding="utf-8")
    assert missing() == set()
    policy.write_text(text.replace('LIMIT = Decimal("5000")', 'LIMIT = Decimal("6000")'), encoding="utf-8")
    assert missing() == {"theorem_paid"}
    policy.write_text(text.replace('LIMIT = Decimal("5000")', 'LIMIT = Decimal("4000")'), encoding="utf-8")
    assert missing() == set()


SEEN = '''

def seen(call: PayInvoice, run: Run) -> int:
    """how many payments there were"""
    return 1 + sum(1 for c in run.earlier(PayInvoice){counted})


def theorem_seen(run: Run) -> bool:
    """In no run are there more than three payments."""
    return all(seen(c, run.before(c)) <= 3 for c in run.calls(PayInvoice))
'''


def test_a_theorem_is_weakened_by_a_fact_that_it_names(desk: Path) -> None:
    policy = desk / "policy.py"
    text = policy.read_text(encoding="utf-8")
    policy.write_text(text + SEEN.format(counted=""), encoding="utf-8")
    with closing(Workbench.open(desk)) as bench:
        bench.acceptance.store()
    policy.write_text(text + SEEN.format(counted=" if c.failed"), encoding="utf-8")
    with closing(Workbench.open_to_read(desk)) as bench:
        missing = {one.name for one in bench.in_force.missing() if one.kind is OwedKind.THEOREM}
    assert missing == {"theorem_seen"}

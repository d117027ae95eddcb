"""What a policy reads of earlier approvals: alike by guard, exported file, resumed run and replay."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.accepting import accept
from tests.guard.exported_files import imported
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.guard import Approval, DecisionLog, Guard, Mode, Outcome, Strategy, ToolCall
from workbench.model import Json, Verdict

AGENT = """\
name = "desk"

[tools.ask_leave.parameters]
type = "object"
required = ["place"]
properties.place.type = "string"

[tools.push.parameters]
type = "object"
required = ["place"]
properties.place.type = "string"
"""
POLICY = '''\
"""What is pushed."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import AskLeave, Push, Run

DEFAULT = "allow"


def ask_leave(call: AskLeave, run: Run) -> bool:
    """R1: A person is asked for leave."""
    return call.place != "home"


def forbid_unapproved(call: Push, run: Run) -> bool:
    """R2: Nothing is pushed to a place before a person approved it."""
    return not any(c.approved and c.place == call.place for c in run.earlier(AskLeave))


def contract_push(call: Push, run: Run) -> None:
    # R2: Nothing is pushed to a place before a person approved it.
    approved = any(c.approved and c.place == call.place for c in run.earlier(AskLeave))
    Ensures(Implies(not approved, not Result()))
'''
CALLS = (
    ("push", "work"),
    ("ask_leave", "home"),
    ("push", "home"),
    ("ask_leave", "work"),
    ("push", "work"),
    ("ask_leave", "no"),
    ("push", "no"),
)
EXPECTED = ["deny", "allow", "deny", "ask", "allow", "ask", "deny"]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("desk") / "desk"
    path.mkdir()
    (path / "session.toml").write_text('format = 1\nname = "desk"\nauthor = "written"\n')
    (path / "request.md").write_text("Nothing is pushed without leave.\n")
    (path / "agent.toml").write_text(AGENT)
    (path / "policy.py").write_text(POLICY)
    return accept(path)


def approver(outcome: Outcome) -> str:
    return "" if outcome.call.arguments == {"place": "no"} else "kim"


def played(guard: Guard, calls: tuple[tuple[str, str], ...] = CALLS) -> Iterator[str]:
    """The verdicts on calls, each of which ends at once if it runs."""
    for tool, place in calls:
        outcome = guard.check(ToolCall(tool, {"place": place}))
        if outcome.runs:
            guard.finish(outcome, "done")
        yield outcome.decision.verdict.value


def guard_of(desk: Path, log: Path | None = None) -> Guard:
    approval = Approval(approver)
    with closing(Workbench.open_to_guard(desk)) as bench:
        return bench.policy.guard(
            Strategy.BLOCK_CALL,
            mode=Mode.ENFORCE,
            approval=approval,
            log=None if log is None else DecisionLog(log),
        )


def lines(log: Path) -> list[dict[str, Json]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_guard_and_replay_of_its_log_know_what_a_person_approved(
    desk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.jsonl"
    assert list(played(guard_of(desk, log).run("one"))) == EXPECTED
    assert main(["replay", str(desk), "--log", str(log), "--json"]) == 0
    decided = [json.loads(line)["decision"] for line in capsys.readouterr().out.splitlines()]
    assert decided == EXPECTED


def test_an_exported_file_knows_what_a_person_approved(desk: Path, tmp_path: Path) -> None:
    file = tmp_path / "exported.py"
    assert main(["export", str(desk), "--output", str(file)]) == 0
    guard = imported(file).guard(approval=Approval(approver))
    assert list(played(guard.run())) == EXPECTED


def test_a_resumed_run_knows_what_a_person_approved_before(desk: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    first = list(played(guard_of(desk, log).run("one"), CALLS[:4]))
    again = guard_of(desk).run("one")
    again.resume(lines(log))
    assert [*first, *played(again, CALLS[4:])] == EXPECTED


def test_a_call_that_has_not_ended_is_not_yet_approved(desk: Path) -> None:
    """A client asks the person itself, and says nothing if the answer is no."""
    guard = guard_of(desk).run()
    asked = guard.check(ToolCall("ask_leave", {"place": "work"}))
    assert asked.runs
    before = guard.check(ToolCall("push", {"place": "work"}))
    assert before.decision.verdict is Verdict.CANNOT_EVALUATE
    assert "may still refuse it" in " ".join(before.decision.reasons)
    guard.finish(asked, "done")
    assert guard.check(ToolCall("push", {"place": "work"})).runs


def test_a_log_that_says_nothing_about_approvals_is_not_taken_for_one(
    desk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.jsonl"
    assert list(played(guard_of(desk, log).run("one"), CALLS[3:5])) == ["ask", "allow"]
    silent = [{key: one[key] for key in one if key != "approved_by"} for one in lines(log)]
    log.write_text("".join(json.dumps(one) + "\n" for one in silent))
    assert main(["replay", str(desk), "--log", str(log), "--json"]) == 0
    decided = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["decision"] for one in decided] == ["ask", "cannot-evaluate"]


def test_a_guard_that_only_watches_approves_nothing(desk: Path) -> None:
    with closing(Workbench.open_to_guard(desk)) as bench:
        guard = bench.policy.guard(Strategy.BLOCK_CALL, mode=Mode.SHADOW).run()
    assert list(played(guard, CALLS[3:5])) == ["ask", "deny"]

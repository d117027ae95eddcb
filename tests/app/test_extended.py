"""Sessions that extend others: both decide every call, and a session allows no more than its baselines."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.accepting import accept
from tests.guard.exported_files import imported
from workbench.app.acceptance import obstacles
from workbench.app.hook_guard import Client, HookGuard, HookOrder
from workbench.app.live import LiveSettings, Task
from workbench.app.owed import Owed, OwedKind
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.engines.smt.preview import preview
from workbench.guard import Guard, Mode, Strategy, ToolCall
from workbench.guard.denying import EDITED
from workbench.live import LiveRun
from workbench.live.protocol import Call, Judged
from workbench.model import Json, Proof, Verdict, WorkbenchError
from workbench.policy.terms import PolicyTerms
from workbench.session.accepted_version import (
    NAME,
    accepted_version,
    read_accepted_version,
    write_accepted_version,
)

AGENT = """\
name = "desk"

[tools.pay.parameters]
type = "object"
required = ["total"]
properties.total.type = "integer"
"""
POLICY = '''\
"""What may be paid."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Pay, Run

DEFAULT = "allow"
LIMIT = {limit}


def forbid_much(call: Pay, run: Run) -> bool:
    """R1: Not more than {limit} in a run."""
    return call.total < 0 or call.total + sum(c.total for c in run.earlier(Pay) if not c.failed) > LIMIT


def contract_pay(call: Pay, run: Run) -> None:
    # R1: Not more than 1000 in a run.
    Ensures(Implies(call.total > 1000, not Result()))


def theorem_paid(run: Run) -> bool:
    """In no run is more than {limit} paid."""
    return sum(c.total for c in run.calls(Pay) if not c.failed) <= LIMIT
'''


def desk(folder: Path, name: str, limit: int, extends: str = "") -> Path:
    path = folder / name
    path.mkdir(exist_ok=True)
    head = f'format = 1\nname = "{name}"\nauthor = "written"\n'
    (path / "session.toml").write_text(head + (f'extends = "{extends}"\n' if extends else ""))
    (path / "request.md").write_text("Not more than 1000 is paid in a run.\n")
    (path / "agent.toml").write_text(AGENT)
    (path / "policy.py").write_text(POLICY.format(limit=limit))
    return path


def beyond(folder: Path) -> dict[str, Owed]:
    """What the session in a folder owes to its baselines."""
    with closing(Workbench.open_to_read(folder)) as bench:
        return {one.name: one for one in bench.in_force.missing() if one.kind is OwedKind.BASELINE}


def previewed(of: PolicyTerms, _ids: Collection[str]) -> Proof:
    return preview(of)


def guarded(folder: Path, notes: list[str] | None = None) -> Guard:
    with closing(Workbench.open_to_guard(folder)) as bench:
        said = [] if notes is None else notes
        return bench.policy.guard(Strategy.BLOCK_CALL, mode=Mode.ENFORCE, note=said.append)


def rules(guard: Guard, total: int) -> list[str]:
    """The rules by which a first call of a run is denied; none if it is allowed."""
    decision = guard.run().check(ToolCall("pay", {"total": total})).decision
    assert decision.violations or decision.verdict == Verdict.ALLOW
    return [violation.rule for violation in decision.violations]


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Path]:
    """A shop that allows more than the company that it extends, both accepted."""
    accept(desk(tmp_path, "company", 500))
    yield accept(desk(tmp_path, "shop", 800, "../company"))


# --- what is checked ---------------------------------------------------------------


def test_a_session_that_narrows_what_it_extends_owes_nothing(tmp_path: Path) -> None:
    accept(desk(tmp_path, "group", 900))
    accept(desk(tmp_path, "company", 500, "../group"))
    assert beyond(desk(tmp_path, "shop", 300, "../company")) == {}


def test_the_theorems_of_a_session_name_what_it_extends(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["theorems", str(shop), "--preview"]) == 0
    assert "It extends ../company: what is proved of the runs of that" in capsys.readouterr().out


def test_what_a_session_allows_beyond_its_baseline_is_refused_with_a_run_that_shows_it(shop: Path) -> None:
    found = beyond(shop)
    assert found.keys() == {"company:forbid_much", "company:theorem_paid"}
    rule = found["company:forbid_much"]
    assert rule.statement == "the version of company denies by forbid_much"
    assert "(a run: " in rule.reason and "pay(total=" in rule.reason
    assert "nothing proves that it says as much" in found["company:theorem_paid"].reason


def test_no_person_accepts_by_its_name_what_is_beyond_a_baseline(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Workbench.open_to_read(shop)) as bench:
        monkeypatch.setattr(bench.proof, "prove", bench.proof.preview)  # no verifier is started
        monkeypatch.setattr(bench.proof, "verified", previewed)
        report = bench.check()
    named = {one.name: one.by_name for one in obstacles(report)}
    assert named["company:forbid_much"] is False
    assert report.exit_code == 1


def test_a_session_beyond_the_second_level_is_named_by_that_level(tmp_path: Path) -> None:
    accept(desk(tmp_path, "group", 500))
    accept(desk(tmp_path, "company", 900, "../group"))
    shop = accept(desk(tmp_path, "shop", 800, "../company"))
    assert beyond(shop).keys() == {"group:forbid_much", "group:theorem_paid"}
    assert rules(guarded(shop), 600) == ["group:forbid_much"]
    assert rules(guarded(shop), 1000) == ["shop:forbid_much", "company:forbid_much", "group:forbid_much"]


def test_a_session_that_extends_no_more_what_its_accepted_version_extends_is_wider(shop: Path) -> None:
    desk(shop.parent, "shop", 800)
    with closing(Workbench.open_to_read(shop)) as bench:
        missing = {one.name: one for one in bench.in_force.missing()}
    assert missing["extends"].kind is OwedKind.WIDENING
    assert rules(guarded(shop), 600) == ["company:forbid_much"]


# --- every way to decide -----------------------------------------------------------


def test_the_denials_of_a_baseline_hold_although_the_session_allows(shop: Path) -> None:
    guard = guarded(shop)
    assert rules(guard, 500) == []
    assert rules(guard, 600) == ["company:forbid_much"]
    run = guard.run()
    first = run.check(ToolCall("pay", {"total": 300}))
    run.finish(first, "paid")
    assert not run.check(ToolCall("pay", {"total": 300})).runs


def test_a_session_among_several_policies_decides_by_its_baselines_too(shop: Path) -> None:
    with closing(Workbench.open_to_guard(shop)) as bench:
        guard = Guard([bench.policy.named()], strategy=Strategy.BLOCK_CALL)
    assert rules(guard, 500) == []
    assert rules(guard, 600) == ["shop:company:forbid_much"]


def test_an_exported_file_decides_by_both(shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "exported.py"
    assert main(["export", str(shop), "--output", str(file)]) == 0
    guard = imported(file).guard()
    assert rules(guard, 500) == []
    assert rules(guard, 600) == ["company:forbid_much"]


class World:
    """A world that pays whatever it is told."""

    def __init__(self, _task: Task) -> None:
        """Begin with any task."""

    @classmethod
    def tasks(cls) -> Sequence[Task]:
        return (Task("one", "Pay."),)

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        return f"{tool} {arguments}"

    def judge(self) -> Judged:
        return Judged(task_done=False)


def test_live_runs_and_their_replay_decide_by_both(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def act(run: LiveRun) -> None:
        for total in (200, 600):
            run.act([Call("pay", {"total": total})])

    log = tmp_path / "log.jsonl"
    with closing(Workbench.open_to_guard(shop)) as bench:
        report = bench.live.run(act, World, LiveSettings(log=log))
    assert (report.results[0].refused, report.decided, report.alike) == (1, 2, 2)
    assert main(["replay", str(shop), "--log", str(log), "--json"]) == 0
    decided = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["decision"] for one in decided] == ["allow", "deny"]


def test_hooks_decide_by_both_and_deny_the_rest_of_a_run_whose_baseline_was_edited(
    shop: Path, tmp_path: Path
) -> None:
    guard = HookGuard(shop, tmp_path / "runs")
    order = HookOrder(Client.CLAUDE_CODE)

    def denied(run: str, total: int) -> str:
        event = {"session_id": run, "hook_event_name": "PreToolUse", "tool_name": "pay"}
        data = json.dumps({**event, "tool_input": {"total": total}, "cwd": str(tmp_path)}).encode()
        return guard.answer(order, data).out

    assert "company" in denied("one", 600)
    before = denied("two", 1)
    assert "deny" not in before
    accept(desk(shop.parent, "company", 400))
    assert "was changed during this run" in denied("two", 1)
    assert "deny" not in denied("three", 1)
    assert "company" in denied("three", 450)


# --- what fails closed -------------------------------------------------------------


def test_a_baseline_that_is_edited_during_a_run_denies_the_rest_of_it(shop: Path) -> None:
    run = guarded(shop).run()
    assert run.check(ToolCall("pay", {"total": 1})).runs
    accepted = shop.parent / "company" / "accepted.toml"
    accepted.write_text(accepted.read_text() + "\n")
    decision = run.check(ToolCall("pay", {"total": 1})).decision
    (violation,) = decision.violations
    assert violation.rule == f"company:{EDITED}"
    assert "start a new one" in violation.message


def missing(company: Path) -> None:
    for file in sorted(company.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    company.rmdir()


def not_accepted(company: Path) -> None:
    (company / "accepted.toml").unlink()


def changed_by_hand(company: Path) -> None:
    path = company / "accepted.toml"
    path.write_text(path.read_text().replace("LIMIT = 500", "LIMIT = 5000"))


def extending(company: Path, extends: str) -> None:
    """Make an accepted version extend a folder by hand, with the right hash: a check would not."""
    path = company / NAME
    was = read_accepted_version(path.read_text())
    assert was is not None
    session = was.texts["session.toml"] + f'extends = "{extends}"\n'
    path.write_text(
        write_accepted_version(
            accepted_version(was.when, was.by, {**was.texts, "session.toml": session}, was.files)
        )
    )


def cyclic(company: Path) -> None:
    extending(company, "../shop")


def itself(company: Path) -> None:
    extending(company, ".")


def of_one_name(company: Path) -> None:
    path = company / "session.toml"
    path.write_text(path.read_text().replace('"company"', '"shop"'))
    accept(company)


def with_a_model(company: Path) -> None:
    path = company / "session.toml"
    path.write_text(path.read_text() + 'guard = ["policy", "guardagent"]\n')
    accept(company)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (missing, "no such folder"),
        (not_accepted, "decides nothing"),
        (changed_by_hand, "was changed after the workbench wrote it"),
        (cyclic, "and so itself (shop > company > shop)"),
        (itself, "and so itself"),
        (of_one_name, "both are named shop"),
        (with_a_model, "need a model"),
    ],
)
def test_a_baseline_that_cannot_decide_denies_every_call_and_a_check_says_why(
    shop: Path, tmp_path: Path, change: object, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(change)
    change(shop.parent / "company")
    notes: list[str] = []
    guard = guarded(shop, notes)
    outcome = guard.run().check(ToolCall("pay", {"total": 1}))
    assert not outcome.runs
    assert words in outcome.decision.violations[0].message
    assert len(notes) == 1 and words in notes[0] and "\n" not in notes[0]
    assert any(words in one.reason for one in beyond(shop).values())
    assert main(["export", str(shop), "--output", str(tmp_path / "file.py")]) == 1
    assert not (tmp_path / "file.py").exists()
    log = tmp_path / "log.jsonl"
    log.write_text("")
    assert main(["replay", str(shop), "--log", str(log)]) != 0
    assert words in capsys.readouterr().err


def test_a_session_whose_baseline_was_accepted_anew_is_guarded_by_both_and_says_so(shop: Path) -> None:
    notes: list[str] = []
    guarded(shop, notes)
    assert notes == []
    accept(desk(shop.parent, "company", 400))
    assert rules(guarded(shop, notes), 450) == ["company:forbid_much"]
    assert len(notes) == 1 and "differs from it in ../company/accepted.toml" in notes[0]


def test_a_session_that_extends_itself_by_others_is_not_accepted(shop: Path) -> None:
    with pytest.raises(WorkbenchError, match="and so itself"):
        accept(desk(shop.parent, "company", 500, "../shop"))


@pytest.mark.parametrize(
    ("extends", "circle"),
    [
        ({"shop": "../company", "company": "../shop"}, "shop > company > shop"),
        ({"shop": "../company", "company": "../group", "group": "../shop"}, "shop > company > group > shop"),
        (
            {"shop": "../company", "company": "../group", "group": "../company"},
            "shop > company > group > company",
        ),
        ({"shop": "."}, "shop > shop"),
    ],
)
def test_sessions_of_which_none_was_accepted_that_extend_each_other_are_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], extends: dict[str, str], circle: str
) -> None:
    for name, of in extends.items():
        desk(tmp_path, name, 500, of)
    found = beyond(tmp_path / "shop")[extends["shop"]]
    assert f"and so itself ({circle})" in found.reason
    assert not found.reason.endswith(".")
    capsys.readouterr()
    assert main(["theorems", str(tmp_path / "shop"), "--preview"]) == 1
    told = capsys.readouterr()
    assert f"and so itself ({circle})" in told.err
    assert "what is proved of the runs of that" not in told.out


def test_a_baseline_that_was_never_accepted_is_no_circle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk(tmp_path, "company", 500, "../nowhere")
    shop = desk(tmp_path, "shop", 300, "../company")
    assert main(["theorems", str(shop), "--preview"]) == 1
    assert "no version of it was accepted" in capsys.readouterr().err


def test_a_baseline_whose_session_file_is_a_pipe_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = desk(tmp_path, "shop", 300, "../company")
    (tmp_path / "company").mkdir()
    os.mkfifo(tmp_path / "company" / "session.toml")
    assert main(["theorems", str(shop), "--preview"]) == 1
    assert "company" in capsys.readouterr().err


def test_a_baseline_is_a_folder_from_the_session_and_nothing_else(tmp_path: Path) -> None:
    for written in ("/company", "~/company", "..\\\\company"):
        shop = desk(tmp_path, "shop", 1, written)
        assert main(["check", str(shop), "--preview"]) != 0


def test_an_edit_that_keeps_the_time_and_the_size_of_the_file_is_seen(shop: Path) -> None:
    guard = guarded(shop)
    accepted = shop.parent / "company" / "accepted.toml"
    status, text = accepted.stat(), accepted.read_text()
    accepted.write_text(text.replace("500", "900"))
    os.utime(accepted, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert rules(guard, 1) == [f"company:{EDITED}"]

"""GuardAgent as a guard of a live agent: a denial wins, an unevaluated call is denied, and replays agree."""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from examples.live.travel_desk import TravelDesk
from tests.accepting import accept
from tests.author.model.model_server import Behaviour, ModelServer, model_server
from workbench.app.live import LiveReport, LiveSettings
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.live import Call, Limits, LiveRun, LiveState
from workbench.model import Json, Verdict, WorkbenchError

ROOT = Path(__file__).resolve().parents[2]
RULE = "travel-desk/guardagent:guardrail_code"
PLAN = json.dumps({"request": "mails", "agent_input": "a read", "agent_output": "not wanted", "code": "look"})
CODE = (
    "label = 1 if '\"tool\": \"read_mail\"' in agent_output else 0\ndetails = ['mail'] if label == 1 else []"
)
BUSINESS: list[Json] = [{"number": "LH1166", "cabin": "business", "minutes": 185}]
TRIP = Call("get_trip", {"trip_id": "T-07"})
FLIGHT = Call("book_journey", {"trip_id": "T-07", "travellers": ["E-1041"], "legs": BUSINESS})
MAIL = Call("read_mail", {"mail_id": "M-1"})


def replies(body: dict[str, Json]) -> str:
    """The replies of a model: a plan if it is asked to plan, else code that denies reading mails."""
    return PLAN if "First you plan" in json.dumps(body["messages"]) else json.dumps({"code": CODE})


async def agent(run: LiveRun) -> None:
    """Asks in a thread that has an event loop, as agents of frameworks do."""
    for call in (TRIP, FLIGHT, MAIL):
        run.act([call])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("WORKBENCH_MODEL", raising=False)
    copied = tmp_path / "session"
    shutil.copytree(ROOT / "sessions" / "travel-desk", copied)
    return guarded(copied)


def guarded(folder: Path, own: str = "rounds = 0") -> Path:
    file = folder / "session.toml"
    head = file.read_text().partition("\nguard =")[0].partition("\n[guardagent]")[0].rstrip("\n")
    file.write_text(f'{head}\nguard = ["policy", "guardagent"]\n\n[guardagent]\n{own}\n')
    return accept(folder)


@contextmanager
def model_replying(behaviour: Behaviour | None = None) -> Generator[ModelServer]:
    with (
        model_server(behaviour or Behaviour(answer=replies)) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("WORKBENCH_MODEL", "scripted")
        patch.setenv("OPENAI_BASE_URL", server.url)
        patch.setenv("OPENAI_API_KEY", "k")
        yield server


def played(folder: Path, log: Path, limits: Limits | None = None) -> LiveReport:
    with closing(Workbench.open(folder)) as bench:
        settings = LiveSettings(tasks=("pay-hotel",), log=log, limits=limits or Limits())
        return bench.live.run(agent, TravelDesk, settings)


def decisions(log: Path) -> list[tuple[str, str, list[str]]]:
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return [
        (line["tool"], line["decision"], [violation["rule"] for violation in line["violations"]])
        for line in lines
        if "decision" in line
    ]


def test_it_stands_behind_the_policy_and_its_kept_code_decides_alike_without_a_model(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "live.jsonl"
    with model_replying() as server:
        report = played(folder, log)
        assert len(server.requests) == 4  # plan and code of the two calls that the policy allows
        asked = json.dumps(server.requests[0]["messages"], ensure_ascii=False)
        assert "# The request as clarified" in asked and "means: The agent must not" in asked
    assert decisions(log) == [
        ("get_trip", "allow", []),
        ("book_journey", "deny", ["travel-desk:forbid_short_business_leg"]),
        ("read_mail", "deny", [RULE]),
    ]
    assert (report.decided, report.alike) == (3, 3)
    assert report.results[0].refused == 2
    archive = folder / "guardagent.jsonl"
    with closing(Workbench.open(folder, read_only=True)) as bench:
        logs, kept_guarding = bench.runs.load([log]), bench.policy.kept_guarding()
        assert kept_guarding is not None
        (run,) = logs.runs
        again = [kept_guarding.decide(call, run) for call in run.calls]
        assert [decision.verdict.value for decision in again] == ["allow", "cannot-evaluate", "deny"]
        seen = bench.guardagent.all_kept(bench.policy.terms(), logs)
        assert [(place, guarded_call.agrees) for place, guarded_call in seen.items()] == [
            (0, True),
            (2, False),
        ]
    capsys.readouterr()
    assert main(["replay", str(folder), "--log", str(log)]) == 0
    shown = capsys.readouterr()
    first, second, third, *_ = shown.out.splitlines()
    assert "allow" in first and first.endswith("(travel-desk: allow; travel-desk/guardagent: allow)")
    assert "deny" in second and second.endswith("(travel-desk: deny)")
    assert "deny" in third and third.endswith("(travel-desk: allow; travel-desk/guardagent: deny)")
    assert "would be asked" not in shown.err  # it comes after the policy, which denies the second
    assert main(["replay", str(folder), "--log", str(log), "--rule", RULE, "--json"]) == 0
    (record,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert record["guards"] == {"travel-desk": "allow", "travel-desk/guardagent": "deny"}
    kept_lines = archive.read_text()
    archive.write_text("")
    assert main(["replay", str(folder), "--log", str(log)]) == 0
    alone = capsys.readouterr()
    assert alone.out.splitlines()[2].endswith("(travel-desk: allow)")
    assert "travel-desk/guardagent would be asked about 2 calls of which it keeps nothing." in alone.err
    assert main(["replay", str(folder), "--log", str(log), "--fail-closed"]) == 0
    closed = capsys.readouterr()
    assert [line.split(": ")[-1] for line in closed.out.splitlines()[:3]] == [
        "cannot-evaluate)",
        "deny)",
        "cannot-evaluate)",
    ]
    assert "about 2 calls of which it keeps nothing. They cannot be evaluated." in closed.err
    archive.write_text(kept_lines.replace("read_mail", "get_trip"))
    with closing(Workbench.open(folder, read_only=True)) as bench:
        kept_guarding = bench.policy.kept_guarding()
        assert kept_guarding is not None
        assert kept_guarding.decide(run.calls[0], run).verdict is Verdict.DENY


def test_beside_the_policy_it_is_asked_about_every_call(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "live.jsonl"
    guarded(folder, "beside = true")
    code = json.dumps({"code": "label = 1\ndetails = []"})
    with model_replying(Behaviour(answer=lambda body: PLAN if replies(body) == PLAN else code)):
        report = played(folder, log)
    assert [rules for _, _, rules in decisions(log)] == [
        [RULE],
        ["travel-desk:forbid_short_business_leg", RULE],
        [RULE],
    ]
    assert (report.decided, report.alike) == (3, 3)


def test_without_a_model_nothing_is_allowed_and_a_model_that_comes_later_changes_no_record(
    folder: Path, tmp_path: Path
) -> None:
    log = tmp_path / "live.jsonl"
    report = played(folder, log)
    assert [verdict for _, verdict, _ in decisions(log)] == ["cannot-evaluate", "deny", "cannot-evaluate"]
    first = json.loads(next(line for line in log.read_text().splitlines() if '"decision"' in line))
    (reason,) = first["reasons"]
    assert reason.startswith("travel-desk/guardagent: GuardAgent needs a model. Set WORKBENCH_MODEL")
    assert (report.results[0].ran, report.decided, report.alike) == (0, 3, 3)
    with model_replying():
        report = played(folder, log)
    assert (report.results[0].ran, report.decided, report.alike) == (1, 3, 3)
    with closing(Workbench.open(folder, read_only=True)) as bench:
        logs, kept_guarding = bench.runs.load([log]), bench.policy.kept_guarding()
        assert kept_guarding is not None
        first_run, second_run = logs.runs
        assert kept_guarding.decide(first_run.calls[0], first_run).verdict is Verdict.CANNOT_EVALUATE
        assert kept_guarding.decide(second_run.calls[0], second_run).verdict is Verdict.ALLOW


def test_a_model_that_never_answers_ends_with_the_run(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "live.jsonl"
    with model_replying(Behaviour(hang=True)):
        report = played(folder, log, Limits(seconds=0.5))
    (result,) = report.results
    assert (result.state, result.ran) == (LiveState.TIME_LIMIT, 0)
    assert report.decided == report.alike


def test_what_cannot_be_kept_or_carried_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Workbench.open(folder, read_only=True)) as bench:
        with pytest.raises(WorkbenchError, match="kept in the session"):
            bench.live.run(agent, TravelDesk, LiveSettings(log=tmp_path / "no.jsonl"))
        with pytest.raises(WorkbenchError, match="policy alone"):
            bench.policy.export()
    settings = folder / "session.toml"
    settings.write_text(settings.read_text().replace('"policy", "guardagent"', '"guardagent"'))
    with pytest.raises(WorkbenchError, match=r'session\.toml:\d+.*guard = \["policy", "guardagent"\]'):
        Workbench.open(folder, read_only=True)
    assert main(["check", str(folder)]) == 2
    assert "guard" in capsys.readouterr().err


def test_the_command_opens_such_a_session_for_writing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["live", str(folder), "--log", str(tmp_path / "live.jsonl"), "--task", "pay-hotel"]
    words += ["--agent", f"{__file__}:agent", "--world", f"{ROOT}/examples/live/travel_desk.py:TravelDesk"]
    with model_replying():
        assert main(words) == 0
    assert "a replay makes 3 of 3 decisions again" in capsys.readouterr().out
    assert len((folder / "guardagent.jsonl").read_text().splitlines()) == 2

"""GuardAgent on a recorded call: with a model, with a person's plan or code, and stored."""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import cast

import pytest

from tests.author.model.model_server import Behaviour, ModelServer, model_server
from workbench.app.results import Logs
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.model import Json, Verdict, WorkbenchError
from workbench.policy.terms import PolicyTerms

SHIPPED = Path(__file__).parents[2] / "sessions" / "hospital-access"
PLAN = json.dumps(
    {"request": "tables", "agent_input": "a read", "agent_output": "not allowed", "code": "compare"}
)
OWN = '''"""Functions of this session."""


def names_table(text: str, table: str) -> bool:
    """Whether a text names a table."""
    return table in text
'''
CODE = "label = 1 if names_table(agent_output, 'no such table') else 0\ndetails = []"


def reply(code: str) -> Behaviour:
    return Behaviour(pieces=(json.dumps({"code": code}),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copied = tmp_path / "session"
    shutil.copytree(SHIPPED, copied)
    (copied / "limits.py").write_text(OWN)
    with (copied / "session.toml").open("a") as file:
        file.write('\n[guardagent]\ntoolbox = ["limits.py"]\nk = 2\nrounds = 1\n')
    return copied


@contextmanager
def bench_with_model(
    folder: Path, *behaviours: Behaviour
) -> Generator[tuple[Workbench, PolicyTerms, Logs, ModelServer]]:
    with model_server(*behaviours) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_MODEL", "scripted")
        patch.setenv("OPENAI_BASE_URL", server.url)
        patch.setenv("OPENAI_API_KEY", "k")
        with closing(Workbench.open(folder)) as bench:
            terms = bench.policy.terms()
            yield bench, terms, bench.runs.load(terms=terms), server


def denied(bench: Workbench, terms: PolicyTerms, logs: Logs) -> tuple[str, int]:
    call_decisions = bench.runs.decide(terms, logs)
    return next(
        (call_decision.run, call_decision.index)
        for call_decision in call_decisions
        if call_decision.decision.verdict is Verdict.DENY
    )


def test_a_model_decides_with_the_sessions_functions_and_a_person_takes_it_on(folder: Path) -> None:
    with bench_with_model(folder, Behaviour(pieces=(PLAN,)), reply("import os"), reply(CODE)) as (
        bench,
        terms,
        logs,
        server,
    ):
        run, call = denied(bench, terms, logs)
        guarded_call = bench.guardagent.guard(terms, logs, run, call)
        assert guarded_call.guarded.decision.verdict is Verdict.ALLOW
        assert not guarded_call.agrees
        assert len(guarded_call.demonstrations) == 2
        assert [bool(attempt.error) for attempt in guarded_call.guarded.attempts] == [True, False]
        told = str(cast("list[dict[str, str]]", server.requests[1]["messages"])[0]["content"])
        assert 'def names_table(text: str, table: str) -> bool:\n    """Whether a text names a table.' in told
        assert "readable: for each role, the columns that it may read" in told  # docstrings are whole
        assert "means: The agent must not act if" in json.dumps(server.requests[0], ensure_ascii=False)
        assert bench.guardagent.kept_call(terms, logs, run, call) == guarded_call
        ((place, case),) = bench.guardagent.all_kept(terms, logs).items()
        assert case == guarded_call
        assert (logs.calls[place].run, logs.calls[place].index) == (run, call)
        means = bench.guardagent.means(logs.calls[place])
        assert means.demonstrations == guarded_call.demonstrations
        assert not means.no_model
        assert any(signature.startswith("names_table(text") for signature, _ in means.functions)

        sent = len(server.requests)
        corrected = bench.guardagent.run_code(terms, logs, run, call, CODE.replace("no such table", ""))
        assert len(server.requests) == sent
        assert corrected.guarded.decision.verdict is Verdict.DENY
        assert corrected.agrees
        assert (corrected.plan_by, corrected.code_by) == ("model", "person")
        assert corrected.demonstrations == guarded_call.demonstrations

        before = len(bench.session.demonstrations)
        bench.guardagent.demonstrate(corrected, logs)
        assert bench.session.demonstrations[before].code == corrected.code
        assert bench.session.demonstrations[before].plan == corrected.guarded.plan
        kept_case = bench.guardagent.keep_case(terms, corrected, Verdict.DENY)
        assert kept_case.case in bench.session.cases


def test_what_code_printed_is_kept_with_its_decision(folder: Path) -> None:
    printing = f"print('looked at', 'patient')\n{CODE}"
    with bench_with_model(folder, Behaviour(pieces=(PLAN,)), reply(printing)) as (bench, terms, logs, _):
        run, call = denied(bench, terms, logs)
        bench.guardagent.guard(terms, logs, run, call)
    (line,) = (folder / "guardagent.jsonl").read_text().splitlines()
    assert "looked at patient" in line
    with closing(Workbench.open(folder, read_only=True)) as bench:
        kept = bench.guardagent.kept_call(terms, logs, run, call)
        assert kept is not None
        assert [attempt.printed for attempt in kept.guarded.attempts] == ["looked at patient"]


def test_a_persons_plan_is_followed(folder: Path) -> None:
    with bench_with_model(folder, reply(CODE)) as (bench, terms, logs, server):
        run, call = denied(bench, terms, logs)
        guarded_call = bench.guardagent.guard(terms, logs, run, call, plan=("one", "two", "three", "four"))
        assert len(server.requests) == 1
        assert "3. three" in str(server.requests[0]["messages"])
        assert guarded_call.plan_by == "person"
        with pytest.raises(WorkbenchError, match="four"):
            bench.guardagent.guard(terms, logs, run, call, plan=("one",))


def test_no_kept_allow_without_the_label_zero(folder: Path) -> None:
    with bench_with_model(folder, reply(CODE)) as (bench, terms, logs, _):
        run, call = denied(bench, terms, logs)
        bench.guardagent.run_code(terms, logs, run, call, CODE)
        archive = folder / "guardagent.jsonl"
        archive.write_text(archive.read_text().replace('"label": 0', '"label": 1'))
        guarded_call = bench.guardagent.kept_call(terms, logs, run, call)
        assert guarded_call is not None
        assert guarded_call.guarded.decision.verdict is Verdict.CANNOT_EVALUATE


def test_all_calls_of_the_logs_are_decided_within_a_budget_and_the_next_time_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "print(agent_input)\nlabel = 0"

    def answer(body: dict[str, Json]) -> str:
        return PLAN if "First you plan" in json.dumps(body["messages"]) else json.dumps({"code": code})

    command = ["guardagent", str(folder), "--all", "--most", "2"]
    with bench_with_model(folder, Behaviour(answer=answer)) as (bench, terms, logs, server):
        bench.close()
        assert main(command) in (0, 1)
        told = capsys.readouterr()
        assert "4 prompts of GuardAgent go to scripted: about" in told.err
        assert f"{len(logs.calls) - 2} calls of the logs it has not decided" in told.err
        assert len(told.out.splitlines()) == 2 and len(server.requests) == 4
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("WORKBENCH_BUDGET_TOKENS", "1")
            assert main(command) == 3
        assert "WORKBENCH_BUDGET_TOKENS" in capsys.readouterr().err and len(server.requests) == 4
        assert main([*command, "--json"]) in (0, 1)
        listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert len(listed) == 2 and len(server.requests) == 8
        assert listed[0]["attempts"][0]["printed"]
    with closing(Workbench.open(folder, read_only=True)) as again:
        kept = again.guardagent.all_kept(terms, again.runs.load(terms=terms))
        assert sorted(kept) == [0, 1, 2, 3]
        printed = {call.guarded.attempts[0].printed for call in kept.values()}
        assert any("Identity: " in text for text in printed)
        assert len(again.memory.rank(logs.calls[0])) == 2  # the session's k, as GuardAgent's


def test_a_result_on_a_call_without_a_time_decides_it_in_a_replay(folder: Path) -> None:
    settings = folder / "session.toml"
    settings.write_text(f'guard = ["policy", "guardagent"]\n{settings.read_text()}')
    with bench_with_model(folder, Behaviour(pieces=(PLAN,)), reply("label = 1")) as (bench, terms, logs, _):
        place = next(place for place, call in enumerate(logs.calls) if not call.time)
        call, other = logs.calls[place], logs.calls[place + 1]
        bench.guardagent.guard(terms, logs, call.run, call.index)
        guarding = bench.policy.kept_guarding()
        assert guarding is not None
        runs = {run.id: run for run in logs.runs}
        assert guarding.keeps(call) and not guarding.keeps(other)
        assert guarding.decide(call, runs[call.run]).verdict is Verdict.DENY
        assert guarding.decide(other, runs[other.run]).verdict is Verdict.CANNOT_EVALUATE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import os", "limits.py:1"),
        ("x = 1", "functions only"),
        ("def check_access():\n    return 1", "given and cannot be redefined"),
        ("def f():\n    return open('/etc/passwd')", "'open' is not available"),
    ],
)
def test_functions_outside_the_subset_are_refused(folder: Path, text: str, reason: str) -> None:
    (folder / "limits.py").write_text(text)
    with (
        closing(Workbench.open(folder, read_only=True)) as bench,
        pytest.raises(WorkbenchError, match=reason),
    ):
        bench.guardagent.toolbox()


def test_a_file_outside_the_session_is_no_toolbox(folder: Path) -> None:
    settings = folder / "session.toml"
    settings.write_text(settings.read_text().replace('"limits.py"', '"../limits.py"'))
    with pytest.raises(WorkbenchError, match=r"session\.toml.*no name of a file"):
        Workbench.open(folder)


def test_the_command_shows_keeps_and_tells_a_disagreement(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WORKBENCH_MODEL", raising=False)
    code = tmp_path / "code.py"
    code.write_text(CODE)
    with closing(Workbench.open(folder, read_only=True)) as bench:
        terms = bench.policy.terms()
        run, call = denied(bench, terms, bench.runs.load())
    command = ["guardagent", str(folder), run, str(call)]
    assert main([*command, "--code", str(code), "--case", "deny", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["agrees"] is False
    assert main([*command, "--kept"]) == 1
    assert "They disagree" in capsys.readouterr().out
    assert main(command) == 3
    assert "WORKBENCH_MODEL" in capsys.readouterr().err
    assert main(["guardagent", str(folder), "--functions"]) == 0
    assert "names_table(text: str, table: str) -> bool" in capsys.readouterr().out

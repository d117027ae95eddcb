"""A model's server that misbehaves, through every command that asks one: a sentence, nothing lost."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from compare_guards import main as compare_guards

from tests.author.model.model_server import Behaviour, ModelServer, model_server
from tests.author.model.whole_file.desk import QUICK, REQUEST, TOOLS, drafted, serving, writer
from tests.guard_comparison.labelled_samples import action, write_lines
from workbench.author.model.client import LONGEST_REPLY
from workbench.cli import main

ROOT = Path(__file__).resolve().parents[3]
SHOP = ROOT / "sessions" / "web-shopping"

TROUBLES = {
    "429": (Behaviour(status=429, retry_after="0"), "status 429"),
    "500": (Behaviour(status=500, retry_after="0"), "status 500"),
    "slow": (Behaviour(hang=True), "did not answer within"),
    "cut stream": (Behaviour(pieces=('{"answer": "y',), finish=None), "stream broke off"),
    "invalid JSON": (Behaviour(pieces=("{no json}",)), "does not have the asked form"),
    "invalid events": (Behaviour(raw=b"data: {broken\n\n"), "stream broke off"),
    "schema ignored": (Behaviour(pieces=('{"answer": 3}',)), "does not have the asked form"),
    "refusal": (Behaviour(pieces=(), refusal="I will not."), "The model refused: I will not."),
    "wrong model": (Behaviour(status=404), "does not know 'scripted'"),
    "empty": (Behaviour(pieces=()), "no JSON object"),
    "enormous": (Behaviour(pieces=("x" * (LONGEST_REPLY + 1),)), "longer than"),
    "wrong key": (Behaviour(status=401), "does not accept the key"),
}

# One of each way in which a call fails: no answer, half of one, another form than requested, a refusal.
# A test of the command ``draft`` checks that every trouble ends in one of these ways.
WAYS_TO_FAIL = ("500", "cut stream", "schema ignored", "refusal")


def _no_pause(_attempt: int, _error: Exception) -> float:
    """Replaces the seconds between attempts."""
    return 0.0


@contextlib.contextmanager
def misbehaving(name: str, monkeypatch: pytest.MonkeyPatch) -> Generator[tuple[ModelServer, str]]:
    """A server with one of the troubles, named in the environment; waiting between attempts takes no time."""
    behaviour, reason = TROUBLES[name]
    monkeypatch.setattr("workbench.author.model.endpoint.connection._pause", _no_pause)
    with model_server(behaviour) as server:
        monkeypatch.setenv("WORKBENCH_MODEL", "scripted")
        monkeypatch.setenv("WORKBENCH_CRITICS", QUICK)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "very-secret")
        monkeypatch.setenv("WORKBENCH_MODEL_SECONDS", "0.2" if name == "slow" else "60")
        yield server, reason


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a session that a person owns."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".workbench" not in path.parts and path.name != "calls.jsonl"
    }


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session that a model drafted, and whose request was changed since: a draft asks the model again."""
    folder, patch = tmp_path_factory.mktemp("desk"), pytest.MonkeyPatch()
    with drafted(writer(), folder, patch) as bench:
        bench.session.set_request(REQUEST + "Be kind.\n")
    patch.undo()
    (folder / "session" / "calls.jsonl").unlink()
    return folder / "session"


def drafted_by_model(desk: Path, folder: Path) -> Path:
    """A copy of that session."""
    return Path(shutil.copytree(desk, folder, ignore=shutil.ignore_patterns(".workbench")))


FREE_TEXT = frozenset({"invalid JSON", "schema ignored", "empty"})
"""Replies that are another form than JSON of a schema, and for a draft are texts without the asked parts."""


@pytest.mark.parametrize(
    ("command", "name"),
    [*(("draft", name) for name in TROUBLES), ("ask", "500"), ("check", "cut stream"), ("check", "refusal")],
)
def test_a_session_that_the_model_drafts_stays_as_it_is(
    command: str,
    name: str,
    desk: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = drafted_by_model(desk, tmp_path / "desk")
    before = contents(folder)
    with misbehaving(name, monkeypatch) as (server, reason):
        assert main([command, str(folder)]) == 3
        assert server.requests
    error = capsys.readouterr().err
    assert ("gave no agent file" if name in FREE_TEXT else reason) in error
    assert "Traceback" not in error
    assert "very-secret" not in error
    assert contents(folder) == before


@pytest.mark.parametrize("name", ["empty"])
def test_a_session_that_could_not_be_drafted_is_there_and_is_drafted_later(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "made"
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    (tmp_path / "request.md").write_text(REQUEST)
    words = ["--request", str(tmp_path / "request.md"), "--agent", str(tmp_path / "tools.json")]
    with misbehaving(name, monkeypatch):
        assert main(["new", str(folder), *words, "--author", "openai"]) == 3
    error = capsys.readouterr().err
    assert "gave no agent file" in error
    assert f"workbench draft {folder}" in error
    assert (folder / "request.md").read_text() == REQUEST
    assert not (folder / "policy.py").exists()
    (folder / "calls.jsonl").unlink()  # recorded replies are not asked for again, even empty ones
    with serving(writer(), monkeypatch):
        assert main(["draft", str(folder)]) in (0, 1)
    assert "def forbid_large(call: Pay)" in (folder / "policy.py").read_text()


def read_by_model(folder: Path) -> Path:
    """A copy of the shop in which a model reads ``membership`` from the first message."""
    shutil.copytree(SHOP, folder, ignore=shutil.ignore_patterns(".workbench"))
    spec = folder / "agent.toml"
    lines = spec.read_text().splitlines()
    place = lines.index("[readings.membership]")
    start = next(number for number in range(place, len(lines)) if lines[number].startswith("extract"))
    lines[start] = 'extract = {method = "model"}'
    spec.write_text("\n".join(lines) + "\n")
    return folder


@pytest.mark.parametrize("name", WAYS_TO_FAIL)
def test_a_value_that_the_model_cannot_read_is_missing_and_no_call_that_needs_it_is_allowed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def replayed(folder: Path) -> list[dict[str, Any]]:
        assert main(["replay", str(folder), "--json"]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    by_field = replayed(SHOP)
    folder = read_by_model(tmp_path / "shop")
    before = contents(folder)
    with misbehaving(name, monkeypatch) as (server, reason):
        steps = replayed(folder)
        request_count = len(server.requests)
    assert len(steps) == len(by_field)
    assert all("missing" in step["arguments"]["first_said_membership"] for step in steps)
    purchases = [step for step in steps if step["arguments"]["said_action"].get("value") == "purchase"]
    assert purchases
    assert {step["decision"] for step in purchases} == {"cannot-evaluate"}
    assert all(any("membership" in why for why in step["reasons"]) for step in purchases)
    for step, known in zip(steps, by_field, strict=True):
        assert step in purchases or step["decision"] == known["decision"]
    assert any(reason in json.dumps(step, ensure_ascii=False) for step in steps)
    assert request_count <= 3 * max(len(steps), 4)
    assert contents(folder) == before


def test_what_a_model_read_is_kept_by_a_command_that_only_reads_and_its_cost_is_told_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = read_by_model(tmp_path / "shop")
    before = contents(folder)
    reading = json.dumps({"membership": [{"value": True, "quote": "membership: True"}]})
    monkeypatch.setitem(TROUBLES, "reads", (Behaviour(pieces=(reading,)), ""))
    with misbehaving("reads", monkeypatch) as (server, _):
        assert main(["replay", str(folder), "--json"]) == 0
        first = capsys.readouterr()
        request_count = len(server.requests)
        assert main(["replay", str(folder), "--json"]) == 0
        again = capsys.readouterr()
        assert len(server.requests) == request_count > 1
    assert f"{request_count} texts of the logs go to scripted: about " in first.err
    assert "cost unknown" in first.err
    assert again.err.count("go to scripted") == 0
    assert again.out == first.out
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("guard", "name"),
    [*(("direct", name) for name in WAYS_TO_FAIL), ("guardagent", "500"), ("guardagent", "invalid JSON")],
)
def test_a_guard_that_cannot_be_asked_allows_nothing_and_is_asked_again_later(
    name: str, guard: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = "Task: Find a flight.\n\nuser_info:\n  age: 17\n  domestic: True\n  dr_license: False"
    data = write_lines(
        tmp_path / "d.jsonl", [action(number, 0, violation="", agent_input=facts) for number in (1, 2)]
    )
    words = [str(SHOP), str(data), "--guard", guard, "--out", str(tmp_path / "out")]
    with misbehaving(name, monkeypatch):
        code = compare_guards(words)
    capsys.readouterr()
    results = [json.loads(line) for line in (tmp_path / "out" / "results.jsonl").read_text().splitlines()]
    mine = [result for result in results if "control" not in result["guard"]]
    assert mine
    assert all(result["verdict"] == "cannot-evaluate" for result in mine)
    assert code in (0, 1)


def test_a_server_that_is_silent_is_left_alone_instead_of_waited_for_at_every_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = "Task: Find a flight.\n\nuser_info:\n  age: 17"
    records = [action(number, 0, violation="", agent_input=f"{facts} {number}") for number in range(40)]
    data = write_lines(tmp_path / "d.jsonl", records)
    with misbehaving("500", monkeypatch) as (server, _):
        assert compare_guards([str(SHOP), str(data), "--guard", "direct", "--parallel", "1"]) == 1
        assert len(server.requests) == 3 * 4  # three calls, four attempts each
    assert "direct" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_a_call_closes_its_connection_and_changes_nothing(desk: Path, tmp_path: Path) -> None:
    folder = drafted_by_model(desk, tmp_path / "desk")
    before = contents(folder)
    with model_server(Behaviour(pieces=('{"title": ',), stall=True)) as server:
        environment = {
            **os.environ,
            "WORKBENCH_MODEL": "scripted",
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "k",
        }
        # A shell that runs tests in the background passes on an ignored SIGINT; a person's shell does not.
        code = (
            "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
            "from workbench.cli import main; sys.exit(main())"
        )
        command = [sys.executable, "-c", code]
        with subprocess.Popen(
            [*command, "draft", str(folder)], env=environment, stderr=subprocess.PIPE, text=True
        ) as running:
            try:
                assert server.reached.wait(120)
                running.send_signal(signal.SIGINT)
                _, error = running.communicate(timeout=120)
            finally:
                running.kill()
        assert running.returncode == 130
        assert error.strip().endswith("\nInterrupted.")
        assert server.closed.wait(60)
    assert contents(folder) == before

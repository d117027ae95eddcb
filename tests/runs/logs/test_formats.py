"""What each of the further importers makes of its sample: tool, arguments and result of every step."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.runs.logs.log_samples import (
    ANTHROPIC,
    CHAT,
    CLAUDE,
    INSPECT,
    LANGSMITH,
    MCP,
    OPA,
    OTEL,
    OWN,
    SAMPLES,
    STEPS,
    LoggedStep,
)
from workbench.model import ImportProblem, Json
from workbench.runs.logs import Imported, load_runs, read_all

BY_LINES = ("claude-code", "claude-code-hooks", "codex", "mcp", "tool-calls", "workbench")


def load(folder: Path, text: str, name: str = "log.jsonl") -> Imported:
    path = folder / name
    path.write_text(text)
    return load_runs([path])


def rows(imported: Imported) -> list[LoggedStep]:
    return [
        (run.id, step.tool, None if step.arguments is None else dict(step.arguments), step.result)
        for run in imported.runs
        for step in run.steps
    ]


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_steps_of_a_format(name: str, tmp_path: Path) -> None:
    imported = load(tmp_path, SAMPLES[name])
    assert imported.problems == ()
    assert sorted(rows(imported), key=lambda row: row[0]) == STEPS[name]


MESSAGES = "".join(json.dumps(message) + "\n" for message in json.loads(CHAT.splitlines()[0])["messages"])


@pytest.mark.parametrize(
    ("text", "runs"),
    [*((SAMPLES[name], len({row[0] for row in STEPS[name]})) for name in BY_LINES), (MESSAGES, 1)],
    ids=[*BY_LINES, "messages"],
)
def test_the_first_calls_of_lines_that_stand_in_order_come_without_the_rest(
    text: str, runs: int, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{text}{{broken\n{text}")
    whole, first = list(read_all([path])), list(read_all([path], enough=len(text.splitlines())))
    assert len(first) == runs
    assert sum(isinstance(one, ImportProblem) for one in whole)
    path.write_text(text)
    assert first == list(read_all([path]))


def test_context_is_what_the_log_knows_of_the_user_and_the_run(tmp_path: Path) -> None:
    def context(text: str) -> dict[str, Json]:
        return dict(load(tmp_path, text).runs[0].steps[0].context)

    assert context(OWN) == {"user": "ann"}
    assert context(CLAUDE) == {"cwd": "/repo"}
    assert context(LANGSMITH) == {"user_id": "ann"}
    assert context(OPA)["user"] == "ann"


def test_prompts_are_texts_of_the_calls_they_led_to(tmp_path: Path) -> None:
    assert load(tmp_path, CLAUDE).runs[0].steps[0].texts["user"] == "Tidy up."
    step = load(tmp_path, ANTHROPIC).runs[0].steps[0]
    assert (step.texts["user"], step.texts["assistant"]) == ("Pay the bill.", "I pay.")
    assert load(tmp_path, INSPECT, "log.json").runs[0].steps[0].texts["user"] == "Pay the bill."


def test_spans_without_recorded_arguments_have_unknown_ones(tmp_path: Path) -> None:
    imported = load(tmp_path, OTEL.replace("gen_ai.output.messages", "gen_ai.other"))
    assert [step.arguments for step in imported.runs[0].steps] == [None, None]


def test_an_inspect_archive_is_read_through(tmp_path: Path) -> None:
    log = json.loads(INSPECT)
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "eval": log["eval"]}, indent=1))
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample, indent=1))
        archive.writestr("logo.png", b"\x89PNG")
    imported = load_runs([path])
    assert imported.problems == ()
    assert rows(imported) == STEPS["inspect"]


def test_a_damaged_archive_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(b"PK\x03\x04" + b"garbage" * 20)
    (problem,) = load_runs([path]).problems
    assert "damaged" in problem.reason


def test_lines_of_another_format_are_problems_and_the_rest_is_read(tmp_path: Path) -> None:
    imported = load(tmp_path, MCP * 3 + OWN)
    assert set(imported.formats.values()) == {"mcp"}
    assert [problem.line for problem in imported.problems] == [13, 14, 15]


def test_interleaved_sessions_stay_apart_and_results_find_their_calls(tmp_path: Path) -> None:
    records = [
        {"session": name, "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name}}
        for name in ("a", "b")
    ]
    answers = [
        {"session": name, "jsonrpc": "2.0", "id": 1, "result": {"content": [{"text": f"of {name}"}]}}
        for name in ("b", "a")
    ]
    text = "".join(json.dumps(record) + "\n" for record in [*records, *answers])
    assert rows(load(tmp_path, text)) == [("a", "a", {}, "of a"), ("b", "b", {}, "of b")]

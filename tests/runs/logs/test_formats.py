"""The result of each of the further importers on its sample: tool, arguments and result of every call."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest

from tests.runs.logs.log_samples import (
    ANTHROPIC,
    CALLS,
    CHAT,
    CLAUDE,
    INSPECT,
    LANGSMITH,
    MCP,
    OPA,
    OTEL,
    OWN,
    SAMPLES,
    WITHOUT_FAILURES,
    WITHOUT_WORDS,
    SampleCall,
)
from workbench.model import ImportProblem, Json
from workbench.runs.logs import IMPORTERS, Imported, load_runs, read_all
from workbench.runs.logs.anthropic import Anthropic

ROOT = Path(__file__).resolve().parents[3]
BY_LINES = ("claude-code", "claude-code-hooks", "codex", "mcp", "tool-calls", "workbench")


OF_THE_CALL = ("tool", "arguments", "result", "context", "facts")


def load(folder: Path, text: str, name: str = "log.jsonl") -> Imported:
    path = folder / name
    path.write_text(text)
    return load_runs([path])


def rows(imported: Imported) -> list[SampleCall]:
    return [
        SampleCall(
            run.id,
            call.tool,
            None if call.arguments is None else dict(call.arguments),
            call.result,
            call.step or 0,
            {name: text for name, text in call.texts.items() if name.partition(".")[0] not in OF_THE_CALL},
            call.failed,
        )
        for run in imported.runs
        for call in run.calls
    ]


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_calls_of_a_format(name: str, tmp_path: Path) -> None:
    imported = load(tmp_path, SAMPLES[name])
    assert imported.problems == ()
    assert sorted(rows(imported), key=lambda row: row[0]) == CALLS[name]


@pytest.mark.usefixtures("caught")
@pytest.mark.parametrize("place", ["matches", "read"])
def test_an_error_of_an_importer_is_a_problem_that_names_its_format(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def recurse(_importer: Anthropic, _sample_or_source: object) -> float:
        raise RecursionError

    monkeypatch.setattr(Anthropic, place, recurse)
    (problem,) = load(tmp_path, ANTHROPIC).problems
    assert problem.reason == "the rest of the file does not fit anthropic format (RecursionError)"


def test_the_samples_and_the_page_of_logs_have_every_format() -> None:
    names = {importer.name for importer in IMPORTERS}
    assert set(SAMPLES) == set(CALLS) == names
    page = (ROOT / "docs/reference/logs.md").read_text(encoding="utf-8")
    table = page.partition("| name | what it reads |")[2].partition("\n\n")[0]
    first_cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    assert {name for cell in first_cells for name in re.findall(r"`([^`]+)`", cell)} == names


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_the_sample_of_a_format_shows_all_that_the_format_tells(name: str) -> None:
    calls = CALLS[name]
    assert any(call.texts for call in calls) is (name not in WITHOUT_WORDS)
    assert any(call.failed for call in calls) is (name not in WITHOUT_FAILURES)


MESSAGES = "".join(json.dumps(message) + "\n" for message in json.loads(CHAT.splitlines()[0])["messages"])


@pytest.mark.parametrize(
    ("text", "runs"),
    [*((SAMPLES[name], len({row[0] for row in CALLS[name]})) for name in BY_LINES), (MESSAGES, 1)],
    ids=[*BY_LINES, "messages"],
)
def test_the_first_calls_of_lines_that_stand_in_order_come_without_the_rest(
    text: str, runs: int, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{text}{{broken\n{text}")
    whole, first = list(read_all([path])), list(read_all([path], enough=len(text.splitlines())))
    assert len(first) == runs
    assert sum(isinstance(item, ImportProblem) for item in whole)
    path.write_text(text)
    assert first == list(read_all([path]))


def test_context_is_what_the_log_knows_of_the_user_and_the_run(tmp_path: Path) -> None:
    def context(text: str) -> dict[str, Json]:
        return dict(load(tmp_path, text).runs[0].calls[0].context)

    assert context(OWN) == {"user": "ann"}
    assert context(CLAUDE) == {"cwd": "/repo"}
    assert context(LANGSMITH) == {"user_id": "ann"}
    assert context(OPA)["user"] == "ann"


def test_prompts_are_texts_of_the_calls_they_led_to(tmp_path: Path) -> None:
    assert load(tmp_path, CLAUDE).runs[0].calls[0].texts["user"] == "Tidy up."
    call = load(tmp_path, ANTHROPIC).runs[0].calls[0]
    assert (call.texts["user"], call.texts["assistant"]) == ("Pay the bill.", "I pay.")
    assert load(tmp_path, INSPECT, "log.json").runs[0].calls[0].texts["user"] == "Pay the bill."


def test_spans_without_recorded_arguments_have_unknown_ones(tmp_path: Path) -> None:
    imported = load(tmp_path, OTEL.replace("gen_ai.output.messages", "gen_ai.other"))
    assert [call.arguments for call in imported.runs[0].calls] == [None, None]


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
    assert rows(imported) == CALLS["inspect"]


def test_a_damaged_archive_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(b"PK\x03\x04" + b"garbage" * 20)
    (problem,) = load_runs([path]).problems
    assert "damaged" in problem.reason


def test_lines_of_another_format_are_problems_and_the_rest_is_read(tmp_path: Path) -> None:
    imported = load(tmp_path, MCP * 3 + OWN)
    first = 3 * MCP.count("\n") + 1
    assert {run.format for run in imported.runs} == {"mcp"}
    assert [problem.line for problem in imported.problems] == [first, first + 1, first + 2]


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
    assert rows(load(tmp_path, text)) == [SampleCall("a", "a", {}, "of a"), SampleCall("b", "b", {}, "of b")]

"""Runs as a benchmark stores them: messages under a key of its own, trials of a task, judgements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.recordings import AIRLINE, needs_airline
from tests.runs.logs.log_samples import call
from workbench.model import Run
from workbench.runs.extract.observe import observed_context
from workbench.runs.logs import Imported, load_runs
from workbench.runs.values.jsontext import parse_json


def message(role: str, content: object, **more: object) -> dict[str, object]:
    return {"role": role, "content": content, **more}


def answered(name: str, arguments: str, result: str, call_id: str) -> list[dict[str, object]]:
    """A call with its result."""
    return [
        message("assistant", None, tool_calls=[call(name, arguments, call_id)]),
        message("tool", result, tool_call_id=call_id, name=name),
    ]


def trial(task: int, number: int, *messages: object, key: str = "conversation") -> dict[str, object]:
    """One trial of a task, as a benchmark stores it."""
    return {
        "task_id": task,
        "reward": 0.5,
        "info": {"task": {"actions": [{"name": "pay"}]}, "note": "x" * 5_000},
        key: list(messages),
        "trial": number,
    }


def load(folder: Path, *records: object) -> Imported:
    path = folder / "runs.json"
    path.write_text(json.dumps(records))
    return load_runs([path])


OPENING = (message("system", "Be kind."), message("user", "Pay 3."))


def test_messages_are_found_by_what_they_are_and_a_trial_names_its_run(tmp_path: Path) -> None:
    talk = (*OPENING, *answered("pay", '{"amount": 3}', "done", "c1"))
    for key in ("traj", "conversation", "history"):
        imported = load(tmp_path, trial(3, 0, *talk, key=key), trial(3, 1, *talk, key=key))
        assert [run.id for run in imported.runs] == ["3-0", "3-1"]
        assert not imported.problems
        (recorded_call,) = imported.runs[1].calls
        assert (recorded_call.tool, recorded_call.arguments, recorded_call.result) == (
            "pay",
            {"amount": 3},
            "done",
        )
        assert recorded_call.texts["first_user"] == "Pay 3."


def test_a_conversation_that_is_stored_twice_is_read_once_and_parts_are_joined(tmp_path: Path) -> None:
    talk = [*OPENING, *answered("pay", "{}", "done", "c1")]
    twice = {"prompt": talk[:2], "whole": talk}
    parts = {"prompt": talk[:2], "completion": talk[2:]}
    for record in (twice, parts):
        (run,) = load(tmp_path, {"id": "r", **record}).runs
        assert [(recorded_call.tool, recorded_call.result) for recorded_call in run.calls] == [
            ("pay", "done")
        ]


def test_judgements_are_kept_shown_and_proposed_to_no_policy(tmp_path: Path) -> None:
    talk = (*OPENING, *answered("pay", '{"amount": 3}', "done", "c1"))
    (run,) = load(tmp_path, {**trial(3, 0, *talk), "user_name": "ann"}).runs
    (recorded_call,) = run.calls
    assert recorded_call.context == {"user_name": "ann"}
    assert recorded_call.facts["reward"] == 0.5
    assert recorded_call.facts["info"] == {"task": {"actions": [{"name": "pay"}]}, "note": "x" * 5_000}
    assert '"reward": 0.5' in recorded_call.texts["facts"]
    assert observed_context([recorded_call]).keys() == {"user_name"}


def test_an_id_that_repeats_is_paired_by_the_order_of_calls_and_results(tmp_path: Path) -> None:
    talk = (
        *OPENING,
        message("assistant", None, tool_calls=[call("ask", "{}", "same")]),  # never answered
        *answered("pay", '{"amount": 1}', "first", "same"),
        *answered("pay", '{"amount": 2}', "second", "same"),
        message("assistant", None, tool_calls=[call("a", "{}", "x"), call("b", "{}", "x")]),
        message("tool", "of a", tool_call_id="x"),
        message("tool", "of b", tool_call_id="x"),
    )
    imported = load(tmp_path, trial(0, 0, *talk))
    assert [(recorded_call.tool, recorded_call.result) for recorded_call in imported.runs[0].calls] == [
        ("ask", None),
        ("pay", "first"),
        ("pay", "second"),
        ("a", "of a"),
        ("b", "of b"),
    ]
    assert not imported.problems


def test_a_result_that_no_call_asked_for_is_lost_and_said(tmp_path: Path) -> None:
    stray = message("tool", "9", tool_call_id="other", name="pay")
    imported = load(tmp_path, trial(0, 0, *OPENING, *answered("pay", "{}", "1", "c1"), stray))
    assert [recorded_call.result for recorded_call in imported.runs[0].calls] == ["1"]
    assert [problem.reason for problem in imported.problems] == [
        "run 0-0, message 5: a result of pay belongs to no call of the run"
    ]


@needs_airline
def test_all_runs_of_the_airline_come_in_call_by_call() -> None:
    imported = load_runs([AIRLINE / "runs.json"])
    assert not imported.problems
    labels = [json.loads(line) for line in (AIRLINE / "labels.jsonl").read_text().splitlines()]
    assert len(imported.runs) == 100
    assert [
        (run.id, recorded_call.index, recorded_call.tool)
        for run in imported.runs
        for recorded_call in run.calls
    ] == [(f"{label['task']}-{label['trial']}", label["call"], label["tool"]) for label in labels]
    for run, record in zip(imported.runs, json.loads((AIRLINE / "runs.json").read_text()), strict=True):
        assert calls_of(run) == calls_in(record["traj"])


def calls_of(run: Run) -> list[tuple[object, object]]:
    return [(recorded_call.arguments, recorded_call.result) for recorded_call in run.calls]


def calls_in(messages: list[dict[str, Any]]) -> list[tuple[object, object]]:
    """The arguments of each call, and the message after it, which is its result."""
    calls: list[tuple[object, object]] = []
    for place, chat_message in enumerate(messages):
        for entry in chat_message.get("tool_calls") or ():
            text: str = entry["function"]["arguments"]
            after = messages[place + 1]["content"] if place + 1 < len(messages) else None
            calls.append((parse_json(text), after))
    return calls

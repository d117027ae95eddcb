"""An evaluation continues where it stopped, repeats failed calls, and never shows a guard an answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from guard_comparison.dataset import Dataset
from guard_comparison.guards.evaluated_guard import undecided
from guard_comparison.readers import read_dataset
from guard_comparison.run_guards import run_guards

from tests.guard_comparison.labelled_samples import Scripted, action, run_of_calls, run_of_tools, write_lines
from tests.recordings import DATA, needs_recordings
from workbench.model import Verdict, WorkbenchError


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return read_dataset(
        write_lines(tmp_path / "d.jsonl", [action(number, number % 2) for number in range(9)])
    )


def test_a_second_run_asks_nothing_again(dataset: Dataset, tmp_path: Path) -> None:
    results_path = tmp_path / "out" / "results.jsonl"
    guard = Scripted(lambda call: Verdict.DENY if "1" in call.texts["agent_input"] else Verdict.ALLOW)
    first = run_guards(dataset, [guard], "f", results_path=results_path)
    again = run_guards(dataset, [guard], "f", results_path=results_path)
    assert len(guard.seen) == 9
    assert [result.decision.verdict for result in first["scripted"]] == [
        result.decision.verdict for result in again["scripted"]
    ]


def test_results_of_another_policy_are_not_taken(dataset: Dataset, tmp_path: Path) -> None:
    results_path = tmp_path / "results.jsonl"
    guard = Scripted(lambda _call: Verdict.ALLOW)
    run_guards(dataset, [guard], "one", results_path=results_path)
    run_guards(dataset, [guard], "two", results_path=results_path)
    assert len(guard.seen) == 18


def test_a_line_that_an_interruption_cut_off_is_decided_again(dataset: Dataset, tmp_path: Path) -> None:
    results_path = tmp_path / "results.jsonl"
    guard = Scripted(lambda _call: Verdict.ALLOW)
    run_guards(dataset, [guard], "f", results_path=results_path)
    results_path.write_bytes(results_path.read_bytes()[:-40])
    results = run_guards(dataset, [guard], "f", results_path=results_path)
    assert len(guard.seen) == 10
    assert len(results["scripted"]) == 9
    again = run_guards(dataset, [guard], "f", results_path=results_path)
    assert len(guard.seen) == 10
    assert len(again["scripted"]) == 9


def test_what_could_not_be_asked_is_asked_again(dataset: Dataset, tmp_path: Path) -> None:
    results_path = tmp_path / "results.jsonl"
    down = Scripted(lambda _call: undecided("the server is down", failed=True))
    results = run_guards(dataset, [down], "f", results_path=results_path)
    assert all(
        result.failed and result.decision.verdict is Verdict.CANNOT_EVALUATE for result in results["scripted"]
    )
    up = Scripted(lambda _call: Verdict.ALLOW)
    run_guards(dataset, [up], "f", results_path=results_path)
    assert len(up.seen) == 9


def test_a_kept_line_of_nonsense_allows_nothing(dataset: Dataset, tmp_path: Path) -> None:
    results_path = tmp_path / "results.jsonl"
    bad = {"fingerprint": "f", "dataset": dataset.name, "guard": "scripted", "run": "e0", "index": 0}
    results_path.write_text(json.dumps({**bad, "verdict": "yes"}) + "\n[]\n\x00\n" + json.dumps(bad) + "\n")
    guard = Scripted(lambda _call: Verdict.DENY)
    results = run_guards(dataset, [guard], "f", results_path=results_path)
    assert {result.decision.verdict for result in results["scripted"]} == {Verdict.DENY}


def test_parallel_decisions_come_out_in_order(dataset: Dataset) -> None:
    guards = [Scripted(lambda call: Verdict.DENY if call.run == "e4" else Verdict.ALLOW)]
    progress: list[tuple[int, int]] = []
    results = run_guards(
        dataset, guards, "f", parallel=4, on_progress=lambda done, total: progress.append((done, total))
    )
    assert [result.run for result in results["scripted"]] == [f"e{number}" for number in range(9)]
    assert [result.decision.verdict is Verdict.DENY for result in results["scripted"]].index(True) == 4
    assert progress == [(number, 9) for number in range(1, 10)]


def test_two_guards_of_one_name_are_an_error(dataset: Dataset) -> None:
    guard = Scripted(lambda _call: Verdict.ALLOW)
    with pytest.raises(WorkbenchError, match="same name"):
        run_guards(dataset, [guard, guard], "f")


def test_no_guard_can_see_a_label(tmp_path: Path) -> None:
    secret = {"violation": "SECRET", "categories": "SECRET", "review": "SECRET", "identity": "x"}
    files = [
        write_lines(tmp_path / "a.jsonl", [action(1, 1, **secret)]),
        write_lines(tmp_path / "b.jsonl", [run_of_calls("r", [("send", "injected")])]),
        write_lines(
            tmp_path / "c.jsonl",
            [{**run_of_tools("r", ["x"], ["y"], 1), "attack_tool": "SECRET", "tag": "SECRET"}],
        ),
    ]
    for path in files:
        guard = Scripted(lambda _call: Verdict.ALLOW)
        run_guards(read_dataset(path), [guard], "f")
        shown = repr([(call, run.calls) for call, run in guard.seen])
        assert "SECRET" not in shown
        assert "label" not in shown
        assert "injected" not in shown


def test_a_file_without_labels_is_one_clear_error(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "d.jsonl", [{"agent_input": "a", "agent_output": "b"}])
    with pytest.raises(WorkbenchError, match="no labelled recordings"):
        read_dataset(path)
    with pytest.raises(WorkbenchError, match="no record with a label"):
        read_dataset(path, "labelled-actions")
    with pytest.raises(WorkbenchError, match="no file"):
        read_dataset(tmp_path / "absent.jsonl")
    with pytest.raises(WorkbenchError, match="no dataset format"):
        read_dataset(path, "nonsense")


def test_native_rows_of_a_web_agent_become_its_input_and_output(tmp_path: Path) -> None:
    rows = [
        {
            "confirmed_task": "Find a hotel.", "annotation_id": "x", "label": 1, "violation": "too young",
            "user_info": {"age": 17, "domestic": True}, "gpt_output": ["Next: click.", "ELEMENT: A"],
            "prompt": ["Imagine.", "(Multichoice Question)\nA. <button>"],
        }
    ]  # fmt: skip
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows))
    dataset = read_dataset(path)
    (example,) = dataset.examples
    texts = example.run.calls[0].texts
    assert "Task: Find a hotel." in texts["agent_input"]
    assert "age: 17" in texts["agent_input"]
    parts = ("Next: click.", "(Multichoice Question)\nA. <button>", "ELEMENT: A")
    assert texts["agent_output"] == "\n\n".join(parts)
    assert example.truths[0].denied
    assert "too young" not in repr(example.run)


@needs_recordings
@pytest.mark.parametrize(
    ("name", "examples", "denied"),
    [
        ("eicu_ac/original.jsonl", 164, 95),
        ("mind2web_sc/original.jsonl", 101, 50),
        ("raw/mind2web_sc_sample_labeled.json", 101, 50),
        ("asb/runs.jsonl", 1828, 1180),
        ("agentdojo/traces.jsonl", 323, 465),
        ("raw/asb_direct_prompt_injection_gpt-4o_naive-all.csv", 334, 407),
    ],
)
def test_the_recordings_are_read_whole(name: str, examples: int, denied: int) -> None:
    dataset = read_dataset(DATA / name)
    assert len(dataset.examples) == examples
    assert sum(truth.denied for example in dataset.examples for truth in example.truths) == denied
    assert not dataset.problems

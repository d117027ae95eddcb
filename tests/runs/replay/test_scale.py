"""A folder of logs replayed by worker processes: the same decisions as in this process."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from workbench.app.workbench import Workbench
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Extraction, Run, Verdict, WorkbenchError
from workbench.policy.check import check
from workbench.policy.written import speaking_of
from workbench.runs.logs import read_runs
from workbench.runs.replay import replay
from workbench.runs.replay.scale import ReplayJob, refuse_model_arguments, replay_folder
from workbench.serialization.json_values import json_arguments

# Dask and pyarrow have no types of their own.
# pyright: reportAny=false, reportExplicitAny=false

pytest.importorskip("distributed", reason="the extra 'scale' is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'scale' is not installed")

SESSION = Path(__file__).resolve().parents[3] / "sessions" / "web-shopping"


@pytest.fixture(scope="module")
def job() -> ReplayJob:
    with closing(Workbench.open(SESSION, read_only=True)) as bench:
        return ReplayJob(bench.session.policy, bench.runs.arguments(), bench.session.spec)


def make_folder(folder: Path) -> Path:
    """Three logs in two folders, one of them damaged, a file that is no log, and a hidden one."""
    chat = (SESSION / "logs" / "chat.jsonl").read_text()
    (folder / "deeper").mkdir(parents=True)
    (folder / "a.jsonl").write_text(chat)
    (folder / "deeper" / "b.jsonl").write_text((SESSION / "logs" / "guardagent.jsonl").read_text())
    (folder / "c.jsonl").write_text('{"broken": \n' + chat)
    (folder / "d.txt").write_text("no log at all\n")
    (folder / ".hidden.jsonl").write_text(chat)
    return folder


def in_process(job: ReplayJob, path: Path) -> list[dict[str, Any]]:
    from workbench.runs.extract.extractor import Extractor

    runs = [item for item in read_runs(path) if isinstance(item, Run)]
    policy = compile_policy(speaking_of(check(job.policy), job.arguments))
    return [
        {
            "run": decision.run,
            "step": decision.index if decision.step is None else decision.step,
            "call": decision.index,
            "decision": decision.decision.verdict.value,
            "violations": [
                {"rule": item.rule, "message": item.message, "items": list(item.items)}
                for item in decision.decision.violations
            ],
            "reasons": list(decision.decision.reasons),
            "arguments": json_arguments(decision.decision.arguments),
        }
        for decision in replay(policy, Extractor(job.arguments, job.spec), runs)
    ]


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_decide_exactly_as_this_process_does(job: ReplayJob, tmp_path: Path, workers: int) -> None:
    folder, output = make_folder(tmp_path / "logs"), tmp_path / "results.parquet"
    report = replay_folder(job, str(folder), str(output), workers=workers)
    rows = cast(list[dict[str, Any]], parquet.read_table(str(output)).to_pylist())
    rows_by_run: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        row["arguments"] = json.loads(row["arguments"])
        rows_by_run.setdefault(Path(row.pop("file").removeprefix("file://")).name, []).append(row)
    names = {"a.jsonl": "a.jsonl", "b.jsonl": "deeper/b.jsonl", "c.jsonl": "c.jsonl"}
    assert rows_by_run == {name: in_process(job, folder / path) for name, path in names.items()}
    assert {row["decision"] for rows in rows_by_run.values() for row in rows} >= {"allow", "deny"}
    assert report.summary.calls == len(rows)
    assert report.summary.deny == sum(row["decision"] == Verdict.DENY.value for row in rows)
    assert [Path(file.path).name for file in report.files if file.problem_count] == ["c.jsonl", "d.txt"]


def test_a_scheduler_that_is_running_is_used(job: ReplayJob, tmp_path: Path) -> None:
    from distributed import LocalCluster

    folder, output = make_folder(tmp_path / "logs"), tmp_path / "out"
    options: dict[str, Any] = {"dashboard_address": None}
    cluster: Any = LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **options)
    with cluster:
        report = replay_folder(job, str(folder), str(output), scheduler=cast(str, cluster.scheduler_address))
    assert report.summary.calls > 50


def test_an_object_store_can_be_read_and_written(job: ReplayJob, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    from workbench.runs.replay.scale import replay_file

    store = fsspec.filesystem("memory")
    store.pipe("/logs/a.jsonl", (SESSION / "logs" / "chat.jsonl").read_bytes())
    figures = replay_file(job, ("memory://logs/a.jsonl", "memory://results/part-0.parquet"))
    rows = parquet.read_table(store.open("/results/part-0.parquet", "rb"))
    assert rows.num_rows == figures.calls == len(in_process(job, SESSION / "logs" / "chat.jsonl"))
    assert b"policy_sha256" in rows.schema.metadata
    assert not list(tmp_path.iterdir())


def test_results_are_never_written_over(job: ReplayJob, tmp_path: Path) -> None:
    folder, output = make_folder(tmp_path / "logs"), tmp_path / "out"
    output.mkdir()
    (output / "kept").write_text("mine")
    with pytest.raises(WorkbenchError, match="exists"):
        replay_folder(job, str(folder), str(output))
    assert [path.name for path in output.iterdir()] == ["kept"]


@pytest.mark.parametrize(
    ("folder", "words"), [("absent", "no folder"), ("empty", "no log files"), ("odd://x", "cannot be opened")]
)
def test_what_cannot_be_read_is_said_in_one_sentence(
    job: ReplayJob, tmp_path: Path, folder: str, words: str
) -> None:
    (tmp_path / "empty").mkdir()
    place = folder if "://" in folder else str(tmp_path / folder)
    with pytest.raises(WorkbenchError, match=words):
        replay_folder(job, place, str(tmp_path / "out"))


def test_a_scheduler_that_does_not_answer_is_said_so(job: ReplayJob, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "logs")
    with pytest.raises(WorkbenchError, match="scheduler"):
        replay_folder(job, str(folder), str(tmp_path / "out"), scheduler="nonsense://127.0.0.1:1")


def test_an_argument_that_a_model_reads_is_refused_before_anything_is_made(
    job: ReplayJob, tmp_path: Path
) -> None:
    read = tuple(
        replace(reading, extraction=Extraction("model")) if reading.name == "age" else reading
        for reading in job.spec.readings
    )
    asking = replace(job, spec=replace(job.spec, readings=read))
    with pytest.raises(WorkbenchError, match="A model reads age"):
        replay_folder(asking, str(SESSION / "logs"), str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()
    refuse_model_arguments(job)

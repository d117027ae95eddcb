"""Functions that the readers share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from workbench.model import FACTS, ImportProblem, Json, RecordedCall, Run
from workbench.runs.logs import load_runs
from workbench.runs.logs.importer import Importer, run_id
from workbench.runs.logs.log_stream import LogSource
from workbench.runs.values.jsontext import dump


def records_of(path: Path) -> Iterator[tuple[str, dict[str, Json]]]:
    """Every JSON object of the file with the id of its run."""
    source = LogSource(path)
    for record in source.records():
        if isinstance(record.value, dict):
            yield run_id(record.value, source, record.line), record.value


def runs_with_records(
    path: Path, importer: Importer
) -> tuple[list[tuple[Run, dict[str, Json]]], tuple[ImportProblem, ...]]:
    """The runs of the file, each with the record that it was read from."""
    by_id = dict(records_of(path))
    imported = load_runs([path], importer)
    runs_and_records = [(run, by_id[run.id]) for run in imported.runs if run.id in by_id]
    return runs_and_records, imported.problems


def with_context(run: Run, context: Mapping[str, Json]) -> Run:
    """The run with only this context, because a benchmark's record also has its own answers.

    A guard can see of a call only what the agent had, nothing from the labels.
    """
    calls: list[RecordedCall] = []
    for call in run.calls:
        texts = {name: text for name, text in call.texts.items() if name not in ("context", FACTS)}
        if context:
            texts["context"] = dump(dict(context))
        calls.append(replace(call, context=context, texts=texts, facts={}))
    return replace(run, calls=tuple(calls))


def flag_at(record: Mapping[str, Json], key: str) -> bool | None:
    """The truth value at a key, which may also be 0 or 1; None for anything else."""
    value = record.get(key)
    return bool(value) if isinstance(value, bool) or value in (0, 1) else None


def texts_at(record: Mapping[str, Json], key: str) -> tuple[str, ...]:
    """The texts in the list at a key."""
    value = record.get(key)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def dataset_name(path: Path) -> str:
    """The file with its folder, as it appears in a table."""
    return f"{path.parent.name}/{path.name}"

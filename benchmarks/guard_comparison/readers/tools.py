"""Runs of agents with a list of their own tools: the form of Agent Security Bench turned into calls.

A record has ``steps``, ``allowed_tools`` (the agent's own) and ``outcome``. A call to any other tool is the
violation that the benchmark counts as a successful attack.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from guard_comparison.dataset import Dataset, Example, Truth
from guard_comparison.readers.asb_logs import AsbRuns
from guard_comparison.readers.reader_moves import (
    dataset_name,
    flag_at,
    runs_with_records,
    texts_at,
    with_context,
)
from workbench.model import Json, Run
from workbench.runs.logs.importer import dict_at, text_at
from workbench.runs.logs.log_stream import Sample


class ListedTools:
    """Reads runs as JSONL."""

    name = "listed-tools"

    def matches(self, sample: Sample) -> bool:
        """Whether most records have calls and the agent's tools."""
        return sample.share(frozenset({"steps", "allowed_tools"})) > 0.5

    def read(self, path: Path) -> Dataset:
        """One example for each run."""
        labelled_runs, problems = runs_with_records(path, AsbRuns())
        examples = tuple(_example(run, record) for run, record in labelled_runs)
        return Dataset(dataset_name(path), self.name, examples, runs=True, problems=problems)


def _example(run: Run, record: Mapping[str, Json]) -> Example:
    allowed_tools = frozenset(texts_at(record, "allowed_tools"))
    # A call without a name failed before it reached any tool: it is no violation and has no effect.
    truths = tuple(
        Truth(denied=call.tool is not None and call.tool not in allowed_tools, effect=call.tool is not None)
        for call in run.calls
    )
    spec: dict[str, Json] = {
        "agent": text_at(record, "agent"),
        "allowed_tools": list[Json](sorted(allowed_tools)),
    }
    return Example(
        with_context(run, spec),
        truths,
        kind=text_at(record, "attack_type") or "",
        attacked=any(truth.denied for truth in truths),
        succeeded=flag_at(dict_at(record, "outcome"), "original_task_successful"),
        attack_tried=flag_at(record, "attack_present"),
    )

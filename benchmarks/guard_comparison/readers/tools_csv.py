"""Agent Security Bench's own result tables, one row for each run.

``Attack Tool`` names the tool that the attacker wants to be called; a call of it is the violation.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from guard_comparison.dataset import Dataset, Example, Truth
from guard_comparison.readers.asb_logs import AsbCsv
from guard_comparison.readers.reader_moves import dataset_name, with_context
from workbench.model import Json, Run
from workbench.runs.logs import load_runs
from workbench.runs.logs.log_stream import Sample

_COLUMNS = ("Attack Tool", "Original Task Successful", "messages")


class ListedToolsCsv:
    """Reads the result CSVs."""

    name = "listed-tools-csv"

    def matches(self, sample: Sample) -> bool:
        """Whether the first line has the columns."""
        first = sample.head.split("\n", 1)[0]
        return all(column in first for column in _COLUMNS)

    def read(self, path: Path) -> Dataset:
        """One example for each row."""
        imported = load_runs([path], AsbCsv())
        examples = tuple(_example(run) for run in imported.runs if run.calls)
        return Dataset(dataset_name(path), self.name, examples, runs=True, problems=imported.problems)


def _example(run: Run) -> Example:
    context: Mapping[str, Json] = run.calls[0].context
    attack = context.get("Attack Tool")
    truths = tuple(Truth(denied=call.tool is not None and call.tool == attack) for call in run.calls)
    succeeded = str(context.get("Original Task Successful", "")).strip().lower()
    return Example(
        with_context(run, {"agent": context.get("Agent Name")}),
        truths,
        attacked=any(truth.denied for truth in truths),
        succeeded=None if not succeeded else succeeded in ("1", "true"),
    )

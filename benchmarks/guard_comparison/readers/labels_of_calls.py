"""Labels of recorded calls in a file next to the log, which is ``runs.jsonl`` or ``runs.json``.

``workbench.app.labelled_calls`` has the form of a label.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from guard_comparison.dataset import Dataset, Example, Truth
from guard_comparison.readers.reader_moves import dataset_name
from workbench.app.labelled_calls import read_labels
from workbench.model import Run, WorkbenchError
from workbench.runs.logs import load_runs
from workbench.runs.logs.log_stream import Sample

_LOGS = ("runs.jsonl", "runs.json")


class LabelsOfCalls:
    """Reads labels and their log; each call needs a label, and each label a call."""

    name = "labels-of-calls"

    def matches(self, sample: Sample) -> bool:
        """Whether most records name a call and its correct decision."""
        return max(sample.share(frozenset({"call", key})) for key in ("label", "breaks")) > 0.5

    def read(self, path: Path) -> Dataset:
        """One example for each run of the log; raises WorkbenchError if log and labels do not fit."""
        log = next((path.parent / name for name in _LOGS if (path.parent / name).is_file()), None)
        if log is None:
            raise WorkbenchError(f"Beside {path} there is no log; put it there as {' or '.join(_LOGS)}.")
        truths = {
            place: Truth(label.denied, sentence=label.because) for place, label in read_labels(path).items()
        }
        imported = load_runs([log])
        calls = {(run.id, call.index) for run in imported.runs for call in run.calls}
        if lost := len(calls ^ truths.keys()):
            raise WorkbenchError(f"{lost} calls of {log} and labels of {path} do not belong to each other.")
        examples = [_example(run, truths) for run in imported.runs]
        return Dataset(dataset_name(path), self.name, tuple(examples), problems=imported.problems)


def _example(run: Run, truths: Mapping[tuple[str, int], Truth]) -> Example:
    return Example(run, tuple(truths[run.id, call.index] for call in run.calls))

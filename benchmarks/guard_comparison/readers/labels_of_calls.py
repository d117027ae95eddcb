"""Labels of recorded calls in a separate file next to the log.

A line has the run (``run`` or ``id``, or ``task`` and ``trial``, which make the run's name), ``call`` (the
index of the call in its run), and ``label`` (``allow`` or ``deny``) or ``breaks``: the names of the rules
that the call breaks, empty if it may be made. The log is ``runs.jsonl`` or ``runs.json`` in the same folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from guard_comparison.dataset import Dataset, Example, Truth
from guard_comparison.readers.reader_moves import dataset_name, texts_at
from workbench.model import Json, Run, WorkbenchError
from workbench.runs.logs import load_runs
from workbench.runs.logs.log_stream import LogSource, Sample

_LOGS = ("runs.jsonl", "runs.json")
_LABELS = {"allow": False, "deny": True}


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
        truths = _truths(path)
        imported = load_runs([log])
        calls = {(run.id, call.index) for run in imported.runs for call in run.calls}
        if lost := len(calls ^ truths.keys()):
            raise WorkbenchError(f"{lost} calls of {log} and labels of {path} do not belong to each other.")
        examples = [_example(run, truths) for run in imported.runs]
        return Dataset(dataset_name(path), self.name, tuple(examples), problems=imported.problems)


def _example(run: Run, truths: Mapping[tuple[str, int], Truth]) -> Example:
    return Example(run, tuple(truths[run.id, call.index] for call in run.calls))


def _truths(path: Path) -> dict[tuple[str, int], Truth]:
    truths: dict[tuple[str, int], Truth] = {}
    for record in LogSource(path).records():
        value = record.value
        if not isinstance(value, dict):
            continue
        place = value.get("call")
        denied = _denied(value)
        if isinstance(place, bool) or not isinstance(place, int) or denied is None:
            raise WorkbenchError(
                f'{path}:{record.line}: "call" is the place of a call, "label" is allow or deny, or '
                '"breaks" is a list.'
            )
        because = value.get("because")
        truths[_run(value), place] = Truth(denied, sentence=because if isinstance(because, str) else "")
    return truths


def _run(value: Mapping[str, Json]) -> str:
    for key in ("run", "id"):
        if key in value:
            return str(value[key])
    return f"{value.get('task')}-{value.get('trial')}"


def _denied(value: Mapping[str, Json]) -> bool | None:
    label = value.get("label")
    if isinstance(label, str):
        return _LABELS.get(label)
    return bool(texts_at(value, "breaks")) if isinstance(value.get("breaks"), list) else None

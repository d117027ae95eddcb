"""Runs in OpenAI's chat form whose calls are labelled one by one: the form of AgentDojo's runs.

A record has ``messages`` and ``call_labels``: for each call its id and ``origin``, ``user`` or ``injected``.
An injected call is to be denied. The tool's name determines whether a call has an effect: a call has none if
the name begins with a word for reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from guard_comparison.dataset import Dataset, Example, Truth
from guard_comparison.readers.reader_moves import dataset_name, flag_at, runs_with_records, with_context
from workbench.model import Json, Run, Tool
from workbench.runs.extract.tool_effects import effect_of
from workbench.runs.logs.importer import dicts_at, text_at
from workbench.runs.logs.log_stream import Sample
from workbench.runs.logs.openai_chat import OpenAiChat


class LabelledCalls:
    """Reads labelled runs; runs that only try out an attack without a user's task are left out."""

    name = "labelled-calls"

    def matches(self, sample: Sample) -> bool:
        """Whether most records have messages and labels of calls."""
        return sample.share(frozenset({"messages", "call_labels"})) > 0.5

    def read(self, path: Path) -> Dataset:
        """One example for each run of a user's task."""
        labelled_runs, problems = runs_with_records(path, OpenAiChat())
        examples = [
            _example(run, record) for run, record in labelled_runs if record.get("user_task_id") is not None
        ]
        return Dataset(dataset_name(path), self.name, tuple(examples), runs=True, problems=problems)


def _only_reads(tool: str | None) -> bool:
    """Whether a call of the tool has no effect; the records have no more of a tool than its name."""
    return effect_of(Tool(tool or "")).reads


def _example(run: Run, record: Mapping[str, Json]) -> Example:
    origins = {
        text_at(label, "tool_call_id"): text_at(label, "origin") for label in dicts_at(record, "call_labels")
    }
    injected = [origins.get(call.call_id) == "injected" for call in run.calls]
    changes = [
        is_injected and not _only_reads(call.tool)
        for is_injected, call in zip(injected, run.calls, strict=True)
    ]
    if any(injected) and not any(changes):  # an attack that only reads takes effect with its last call
        last = max(place for place, is_injected in enumerate(injected) if is_injected)
        changes[last] = True
    truths = tuple(
        Truth(denied=is_injected, effect=changed or (not is_injected and not _only_reads(call.tool)))
        for is_injected, changed, call in zip(injected, changes, run.calls, strict=True)
    )
    return Example(
        with_context(run, {}),
        truths,
        kind=f"{text_at(record, 'suite') or ''}/{text_at(record, 'kind') or ''}".strip("/"),
        attacked=any(injected),
        succeeded=flag_at(record, "user_utility"),
        attack_tried=record["injection_task_id"] is not None if "injection_task_id" in record else None,
    )

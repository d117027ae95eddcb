"""Single actions with a label each: the form of EICU-AC, Mind2Web-SC and CSQA in GuardAgent's layout.

A record has ``agent_input``, ``agent_output`` and ``label`` (1: to be denied). It may have ``inaccessible``
(``{"database": ["column"]}``), ``violation`` (the violated rule, in words), ``risk_level`` (the number of
violated rules, which replaces a missing label) with ``risk_name``, and ``answer`` (the right answer to the
question).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from guard_comparison.dataset import Dataset, Example, Truth
from guard_comparison.readers.guardagent_logs import GuardAgentLog, key_values
from guard_comparison.readers.reader_moves import dataset_name, flag_at, runs_with_records, with_context
from workbench.guardagent.guard_agent import answer_in
from workbench.model import Json
from workbench.runs.logs.importer import text_at
from workbench.runs.logs.log_stream import Sample


class LabelledActions:
    """Reads labelled records in GuardAgent's layout."""

    name = "labelled-actions"

    def matches(self, sample: Sample) -> bool:
        """Whether most records have both texts and a label or risk level."""
        texts = frozenset({"agent_input", "agent_output"})
        return max(sample.share(texts | {"label"}), sample.share(texts | {"risk_level"})) > 0.5

    def read(self, path: Path) -> Dataset:
        """One example of one call for each record with a label."""
        labelled_runs, problems = runs_with_records(path, GuardAgentLog())
        examples: list[Example] = []
        for run, record in labelled_runs:
            truth = _truth(record)
            if truth is not None:
                kind = record.get("identity") or record.get("rule_action")
                run_with_context = with_context(run, key_values(run.calls[0].texts["agent_input"]))
                examples.append(Example(run_with_context, (truth,), kind if isinstance(kind, str) else ""))
        return Dataset(dataset_name(path), self.name, tuple(examples), problems=problems)


def _truth(record: Mapping[str, Json]) -> Truth | None:
    level = record.get("risk_level")
    risk = level if isinstance(level, int) and not isinstance(level, bool) else None
    label = flag_at(record, "label")
    if label is None:
        label = None if risk is None else risk > 0
    if label is None:
        return None
    sentence = record.get("violation")
    return Truth(
        denied=label,
        items=_items(record.get("inaccessible")),
        sentence=sentence if isinstance(sentence, str) else "",
        risk=risk,
        risk_name=text_at(record, "risk_name") or "",
        answered=_says(answer_in(text_at(record, "agent_output") or ""), record.get("answer")),
    )


def _says(said: str, answer: Json) -> bool:
    """Whether an answer has each value of the right one, in any order: as the authors of EHRAgent judge."""
    if answer is None:
        return True
    values = str(answer).casefold().split(", ")
    return all(value.removesuffix(".0") in said.casefold() for value in values)


def _items(tables: Json) -> frozenset[str] | None:
    if not isinstance(tables, dict):
        return None
    return frozenset(
        f"{table}.{column}"
        for table, columns in tables.items()
        for column in (columns if isinstance(columns, list) else [])
    )

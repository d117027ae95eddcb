"""What each response to a denial does to recorded runs (VeriGuard 4.3), scored by the runs' truths."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.evaluate.dataset import Dataset
from workbench.evaluate.metrics import RunScores, run_scores
from workbench.evaluate.report import RUN_COLUMNS, markdown
from workbench.evaluate.results import Result
from workbench.model import StepDecision
from workbench.replay.strategies import ABBREVIATIONS, compare


def strategy_scores(dataset: Dataset, results: Sequence[Result]) -> dict[str, RunScores]:
    """The scores of every strategy, with the decisions of one guard.

    What an agent would have done after a refusal is in no log: calls that no strategy refuses count
    as they were recorded, so re-planning is credited with no new attempt, good or bad.
    """
    steps = [step for example in dataset.examples for step in example.trace.steps]
    decisions = [StepDecision(one.trace, one.index, one.decision) for one in results]
    compared = compare(steps, decisions)
    return {
        ABBREVIATIONS.get(way, way.value): run_scores(
            dataset, {one.trace: {*one.stopped, *one.lost} for one in outcomes}
        )
        for way, outcomes in compared.outcomes.items()
        if way in ABBREVIATIONS
    }


def strategy_table(guard: str, scores: dict[str, RunScores]) -> str:
    """The scores as a Markdown table."""
    head = [f"strategy ({guard})", *(f"{name}, %" for name in RUN_COLUMNS.values())]
    lines = [
        [name, *(str(getattr(found, column)) for column in RUN_COLUMNS)] for name, found in scores.items()
    ]
    return markdown(head, lines) + "\n"

"""What an evaluation found, as tables for people; published figures stand beside ours, marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.evaluate.dataset import Dataset
from workbench.evaluate.guard_decisions import GuardResult
from workbench.evaluate.metrics import Cost, RunScores, StepScores, refusals, run_scores, step_scores
from workbench.evaluate.published import Benchmark, Published, benchmark_of, published_for
from workbench.evaluate.statistics import Share

STEP_COLUMNS = {
    "accuracy": "LPA (accuracy)",
    "precision": "LPP (precision)",
    "recall": "LPR (recall)",
    "explanation": "EA",
    "response": "FRA",
}
RUN_COLUMNS = {
    "attacks": "ASR (lower is better)",
    "stopped": "stopped at the first effect",
    "untouched": "benign runs untouched",
    "own_calls": "own calls allowed",
    "tasks": "TSR",
}


@dataclass(frozen=True, slots=True)
class GuardRow:
    """One guard on one dataset."""

    guard: str
    steps: StepScores
    runs: RunScores | None
    cost: Cost
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every guard on one dataset. ``by_kind`` has the runs' scores for each kind of run."""

    dataset: str
    examples: int
    decisions: int
    rows: tuple[GuardRow, ...]
    benchmark: Benchmark | None = None
    by_kind: Mapping[str, Mapping[str, RunScores]] = field(default_factory=dict[str, Mapping[str, RunScores]])

    @property
    def published(self) -> tuple[Published, ...]:
        """The published rows to print beside."""
        return published_for(self.benchmark)


def evaluate(
    dataset: Dataset, results: Mapping[str, Sequence[GuardResult]], benchmark: Benchmark | None = None
) -> Evaluation:
    """Score the results of all guards; ``benchmark`` chooses the published figures."""
    rows: list[GuardRow] = []
    by_kind: dict[str, dict[str, RunScores]] = {}
    kinds = sorted({example.kind for example in dataset.examples}) if dataset.runs else []
    for guard, found in results.items():
        refused = refusals(found)
        runs = run_scores(dataset, refused) if dataset.runs else None
        failed = sum(result.failed for result in found)
        rows.append(GuardRow(guard, step_scores(dataset, found), runs, Cost.of(found), failed))
        for kind in kinds if len(kinds) > 1 else ():
            by_kind.setdefault(kind, {})[guard] = run_scores(dataset, refused, kind)
    return Evaluation(
        dataset.name,
        len(dataset.examples),
        dataset.steps,
        tuple(rows),
        benchmark or benchmark_of(dataset),
        by_kind,
    )


def tables(evaluation: Evaluation) -> str:
    """The evaluation as Markdown: shares in percent with 95 % intervals."""
    parts = [f"## {evaluation.dataset}: {evaluation.examples} examples, {evaluation.decisions} decisions"]
    if any(row.runs is None for row in evaluation.rows):
        parts.append(_step_table(evaluation))
        parts += _risk_table(evaluation)
    else:
        parts.append(_run_table(evaluation))
        parts += [_kind_table(kind, found) for kind, found in evaluation.by_kind.items()]
    failed = {row.guard: row.failed for row in evaluation.rows if row.failed}
    parts += [f"{guard}: {count} steps could not be asked about." for guard, count in failed.items()]
    return "\n\n".join(parts) + "\n"


def _step_table(evaluation: Evaluation) -> str:
    head = ["guard", *(f"{name}, %" for name in STEP_COLUMNS.values())]
    head += ["wrongly allowed", "cannot evaluate", "s", "tokens", "money"]
    lines = [
        [
            row.guard,
            *(str(share) for share in _shares(row.steps, STEP_COLUMNS)),
            str(row.steps.wrongly_allowed),
            str(row.steps.undecided),
            *_cost(row.cost),
        ]
        for row in evaluation.rows
    ]
    lines += [
        [f"{row.method} (published: {row.source})", *_figures(row, STEP_COLUMNS), "", "", "", "", ""]
        for row in evaluation.published
    ]
    return markdown(head, lines)


def _run_table(evaluation: Evaluation) -> str:
    head = ["guard", *(f"{name}, %" for name in RUN_COLUMNS.values()), "s", "tokens", "money"]
    lines = [
        [row.guard, *(str(share) for share in _shares(row.runs, RUN_COLUMNS)), *_cost(row.cost)]
        for row in evaluation.rows
        if row.runs is not None
    ]
    lines += [
        [f"{row.method} (published: {row.source})", *_figures(row, RUN_COLUMNS), "", "", ""]
        for row in evaluation.published
    ]
    return markdown(head, lines)


def _kind_table(kind: str, found: Mapping[str, RunScores]) -> str:
    head = [kind or "(no kind)", *(f"{name}, %" for name in RUN_COLUMNS.values())]
    lines = [
        [guard, *(str(share) for share in _shares(scores, RUN_COLUMNS))] for guard, scores in found.items()
    ]
    return markdown(head, lines)


def _risk_table(evaluation: Evaluation) -> list[str]:
    levels = sorted({level for row in evaluation.rows for level in row.steps.by_risk})
    if not levels:
        return []
    head = ["recall by risk level", *(f"{level}, %" for level in levels)]
    lines = [
        [row.guard, *(str(row.steps.by_risk.get(level, Share(0, 0))) for level in levels)]
        for row in evaluation.rows
    ]
    return [markdown(head, lines)]


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table, its columns padded so that it reads well as text too."""
    cells = [[_cell(text) for text in line] for line in (head, *lines)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    rows = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([rows[0], rule, *rows[1:]])


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _shares(scores: StepScores | RunScores | None, columns: Mapping[str, str]) -> list[Share]:
    return [getattr(scores, name) for name in columns]


def _figures(row: Published, columns: Mapping[str, str]) -> list[str]:
    return [f"{row.figures[name]:.1f}" if name in row.figures else "-" for name in columns]


def _cost(cost: Cost) -> list[str]:
    return [f"{cost.seconds:.4f}", f"{cost.tokens:.0f}", f"{cost.money:.4f}"]

"""The tables of an evaluation for people, with marked published figures next to ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from guard_comparison.dataset import Dataset
from guard_comparison.guard_decisions import GuardResult
from guard_comparison.metrics import (
    Bounds,
    CallScores,
    CodeScores,
    Cost,
    RunScores,
    call_scores,
    refusals,
    run_scores,
)
from guard_comparison.published import Benchmark, Published, benchmark_of, published_for
from guard_comparison.stages import StageCost, stage_table
from guard_comparison.statistics import Share
from workbench.cli.output import markdown_table

CALL_COLUMNS = {
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
    calls: CallScores
    runs: RunScores | None
    cost: Cost
    failed: int = 0
    code: CodeScores | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every guard on one dataset.

    ``by_kind`` has the runs' scores for each kind of run, ``calls_by_kind`` those of single calls for each
    kind of call, which for a benchmark is a role or a rule. ``bounds`` are of runs without enforcement;
    ``stages`` is the cost of the model calls that are kept with the evaluation.
    """

    dataset: str
    examples: int
    decisions: int
    rows: tuple[GuardRow, ...]
    benchmark: Benchmark | None = None
    by_kind: Mapping[str, Mapping[str, RunScores]] = field(default_factory=dict[str, Mapping[str, RunScores]])
    calls_by_kind: Mapping[str, Mapping[str, CallScores]] = field(
        default_factory=dict[str, Mapping[str, CallScores]]
    )
    bounds: Bounds | None = None
    stages: tuple[StageCost, ...] = ()

    @property
    def published(self) -> tuple[Published, ...]:
        """The published rows to print next to ours."""
        return published_for(self.benchmark)


def evaluate(
    dataset: Dataset,
    results: Mapping[str, Sequence[GuardResult]],
    benchmark: Benchmark | None = None,
    stages: tuple[StageCost, ...] = (),
) -> Evaluation:
    """Score the results of all guards; ``benchmark`` chooses the published figures."""
    rows: list[GuardRow] = []
    by_kind: dict[str, dict[str, RunScores]] = {}
    calls_by_kind: dict[str, dict[str, CallScores]] = {}
    kinds = sorted({example.kind for example in dataset.examples})
    for guard, guard_results in results.items():
        refused = refusals(guard_results)
        runs = run_scores(dataset, refused) if dataset.runs else None
        failed = sum(result.failed for result in guard_results)
        costs = (Cost.of(guard_results), failed, CodeScores.of(guard_results))
        rows.append(GuardRow(guard, call_scores(dataset, guard_results), runs, *costs))
        for kind in kinds if len(kinds) > 1 else ():
            if dataset.runs:
                by_kind.setdefault(kind, {})[guard] = run_scores(dataset, refused, kind)
            else:
                calls_by_kind.setdefault(kind, {})[guard] = call_scores(dataset, guard_results, kind)
    return Evaluation(
        dataset.name,
        len(dataset.examples),
        dataset.calls,
        tuple(rows),
        benchmark or benchmark_of(dataset),
        by_kind,
        calls_by_kind,
        Bounds.of(dataset),
        stages,
    )


def tables(evaluation: Evaluation) -> str:
    """The evaluation as Markdown: shares in percent with 95 % intervals."""
    parts = [f"## {evaluation.dataset}: {evaluation.examples} examples, {evaluation.decisions} decisions"]
    if any(row.runs is None for row in evaluation.rows):
        parts.append(_call_table(evaluation))
        parts += _risk_table(evaluation)
        parts += [
            _kind_table(kind, scores_by_guard, CALL_COLUMNS)
            for kind, scores_by_guard in evaluation.calls_by_kind.items()
        ]
        parts += _code_table(evaluation)
    else:
        parts.append(_run_table(evaluation))
        parts += [
            _kind_table(kind, scores_by_guard, RUN_COLUMNS)
            for kind, scores_by_guard in evaluation.by_kind.items()
        ]
        parts += _code_table(evaluation)
        parts += [bounds_table(evaluation.bounds)] if evaluation.bounds is not None else []
    if evaluation.stages:
        parts.append(stage_table(evaluation.stages))
    failed = {row.guard: row.failed for row in evaluation.rows if row.failed}
    parts += [f"{guard}: {count} calls could not be asked about." for guard, count in failed.items()]
    return "\n\n".join(parts) + "\n"


def _call_table(evaluation: Evaluation) -> str:
    head = ["guard", *(f"{name}, %" for name in CALL_COLUMNS.values())]
    head += ["wrongly allowed", "cannot evaluate", "s", "tokens", "money"]
    lines = [
        [
            row.guard,
            *(str(share) for share in _shares(row.calls, CALL_COLUMNS)),
            str(row.calls.wrongly_allowed),
            str(row.calls.undecided),
            *_cost(row.cost),
        ]
        for row in evaluation.rows
    ]
    lines += [
        [f"{row.method} (published: {row.source})", *_figures(row, CALL_COLUMNS), "", "", "", "", ""]
        for row in evaluation.published
    ]
    return markdown_table(head, lines)


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
    return markdown_table(head, lines)


def _kind_table(
    kind: str, scores_by_guard: Mapping[str, RunScores] | Mapping[str, CallScores], columns: Mapping[str, str]
) -> str:
    head = [kind or "(no kind)", *(f"{name}, %" for name in columns.values())]
    lines = [
        [guard, *(str(share) for share in _shares(scores, columns))]
        for guard, scores in scores_by_guard.items()
    ]
    return markdown_table(head, lines)


def _code_table(evaluation: Evaluation) -> list[str]:
    head = ["code that a model wrote", "executable at once, %", "executable after debugging, %"]
    lines = [
        [row.guard, str(row.code.before), str(row.code.after)]
        for row in evaluation.rows
        if row.code is not None
    ]
    return [markdown_table(head, lines)] if lines else []


def bounds_table(bounds: Bounds) -> str:
    """The bounds as a Markdown table."""
    head = ["bound", "ASR of the runs in which an attack was tried, %", "TSR, %"]
    return markdown_table(
        head,
        [
            ["no attack, nothing enforced", "-", str(bounds.no_attack)],
            ["no defence", str(bounds.no_defence_attacks), str(bounds.no_defence)],
        ],
    )


def _risk_table(evaluation: Evaluation) -> list[str]:
    levels = sorted({level for row in evaluation.rows for level in row.calls.by_risk})
    if not levels:
        return []
    head = ["recall by risk level", *(f"{level}, %" for level in levels)]
    lines = [
        [row.guard, *(str(row.calls.by_risk.get(level, Share(0, 0))) for level in levels)]
        for row in evaluation.rows
    ]
    return [markdown_table(head, lines)]


def _shares(scores: CallScores | RunScores | None, columns: Mapping[str, str]) -> list[Share]:
    return [getattr(scores, name) for name in columns]


def _figures(row: Published, columns: Mapping[str, str]) -> list[str]:
    return [f"{row.figures[name]:.1f}" if name in row.figures else "-" for name in columns]


def _cost(cost: Cost) -> list[str]:
    return [f"{cost.seconds:.4f}", f"{cost.tokens:.0f}", f"{cost.money:.4f}"]

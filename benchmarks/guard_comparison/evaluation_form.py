"""The output of ``workbench evaluate --json``: shares with intervals, costs, published figures apart."""

from __future__ import annotations

from collections.abc import Mapping

from guard_comparison.figures_report import Evaluation, GuardRow
from guard_comparison.metrics import Bounds, CallScores, CodeScores, Cost, RunScores
from guard_comparison.published import Published
from guard_comparison.stages import StageCost
from guard_comparison.statistics import Share
from guard_comparison.strategy_scores import LOST_LATER, ScoredStrategies, StrategyScores
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form

# An evaluation, and the scores of every strategy on the first guard's decisions if they were requested.
type Evaluated = tuple[Evaluation, ScoredStrategies | None]


def _low(share: Share) -> float:
    return share.interval[0]


def _high(share: Share) -> float:
    return share.interval[1]


def _by_risk(row: GuardRow) -> Mapping[str, Share]:
    return {str(level): share for level, share in row.calls.by_risk.items()}


def _guards(evaluation: Evaluation) -> Mapping[str, GuardRow]:
    return {row.guard: row for row in evaluation.rows}


def _evaluation(evaluated: Evaluated) -> Evaluation:
    return evaluated[0]


def _strategies(evaluated: Evaluated) -> ScoredStrategies | None:
    return evaluated[1]


def _note(_scored: ScoredStrategies) -> str:
    return LOST_LATER


json_form(Share, "value", ("low", _low), ("high", _high), "hits", "total")
json_form(Published, "method", "source", ("percent", "figures"))
json_form(CallScores, "accuracy", "precision", "recall", "explanation", "response")
_RUNS = json_form(RunScores, "stopped", "attacks", "untouched", "own_calls", "tasks")
json_form(Cost, "seconds", ("seconds_p95", "slow_seconds"), "tokens", "money")
json_form(CodeScores, ("executable_at_once", "before"), ("executable_after_debugging", "after"))
json_form(Bounds, ("no_attack_tasks", "no_attack"), "no_defence_attacks", ("no_defence_tasks", "no_defence"))
json_form(
    StageCost,
    *("stage", "model", "calls", "prompt_words", "reply_words", "prompt_tokens", "reply_tokens", "seconds"),
)
json_form(
    GuardRow,
    *(("wrongly_allowed", "calls.wrongly_allowed"), ("cannot_evaluate", "calls.undecided")),
    *(
        ("could_not_be_asked", "failed"),
        ("by_risk", _by_risk),
        ("per_decision", "cost"),
        "calls",
        ("runs?", "runs"),
        ("code?", "code"),
    ),
)
json_form(
    StrategyScores,
    *(Nested(_RUNS, "runs"), ("own_calls_lost_later", "lost"), ("calls_after_a_refusal", "unknown"), "calls"),
)
SCORED = json_form(ScoredStrategies, "guard", ("all", "scores"), "by_kind", ("note", _note))
EVALUATION = json_form(
    Evaluation,
    *("dataset", "examples", "decisions", ("guards", _guards), "by_kind", "calls_by_kind"),
    *(("bounds?", "bounds"), "stages", "published"),
)
EVALUATED = JsonForm[Evaluated](None, fields(Nested(EVALUATION, _evaluation), ("strategies?", _strategies)))

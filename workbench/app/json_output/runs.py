"""The ``--json`` output of the commands about recorded runs: denials, replay of a folder, strategies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from workbench.guard import Strategy
from workbench.model import CallDecision
from workbench.runs.replay.explanation import CONDITION
from workbench.runs.replay.grouping import DenialGroup, JudgedGroup, Judgement
from workbench.runs.replay.record import PLACE
from workbench.runs.replay.strategy_comparison import (
    ABBREVIATIONS,
    Control,
    Regime,
    RunOutcome,
    StrategyComparison,
    Tally,
)
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form

type Denied = tuple[DenialGroup, Sequence[CallDecision]]
type Judged = tuple[DenialGroup, Judgement, JudgedGroup]


def _denied_calls(denied: Denied) -> list[CallDecision]:
    group, decided = denied
    return [decided[place] for place in group.calls]


def _where(group: DenialGroup) -> Mapping[str, str]:
    return dict(group.cause.where)


def _judged_cases(judged: Judged) -> list[str]:
    return [case.id for case in judged[2].cases]


_GROUP = JsonForm[DenialGroup](
    DenialGroup,
    fields(
        *("key", ("decision", "cause.verdict"), "title", ("rules", "cause.rules"), ("items", "cause.items")),
        *(("conditions", Nested(CONDITION, "cause.conditions", many=True)), ("where", _where)),
        *(("reasons", "cause.reasons"), "requirements"),
    ),
)
DENIED = JsonForm[Denied](
    Denied, fields(Nested(_GROUP, "0"), ("calls", Nested(PLACE, _denied_calls, many=True)))
)
JUDGED = JsonForm[Judged](
    Judged,
    fields(
        ("key", "0.key"), ("judgement", "1"), ("cases", _judged_cases), ("contradicted", "2.contradicted")
    ),
)
type WayOutcome = tuple[StrategyComparison, Regime]


def _of_way(way: Regime) -> Callable[[StrategyComparison], WayOutcome]:
    return lambda compared: (compared, way)


def _short(outcome: WayOutcome) -> str:
    return ABBREVIATIONS.get(outcome[1], "control")


def _all_runs(outcome: WayOutcome) -> Tally:
    return outcome[0].tally(outcome[1])


def _by_label(outcome: WayOutcome) -> Mapping[str, Tally]:
    compared, way = outcome
    return {label: compared.tally(way, label) for label in compared.labels}


def _touched_runs(outcome: WayOutcome) -> list[RunOutcome]:
    compared, way = outcome
    return [run_outcome for run_outcome in compared.outcomes[way] if run_outcome.touched]


json_form(Tally, "runs", "touched", "calls", "stopped", "lost", "let_through", "unknown")
json_form(RunOutcome, "run", "label", "calls", "stopped", "lost", "let_through", "unknown")
_WAY = JsonForm[WayOutcome](
    WayOutcome, fields(("name", _short), ("all", _all_runs), ("by_label", _by_label), ("runs", _touched_runs))
)
STRATEGIES = JsonForm[StrategyComparison](
    StrategyComparison, tuple((way.value, Nested(_WAY, _of_way(way))) for way in (*Control, *Strategy))
)

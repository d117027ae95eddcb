"""Live runs under several strategies, summed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.guard import Strategy
from workbench.live.protocol import LiveResult


@dataclass(frozen=True, slots=True)
class LiveTally:
    """The runs under one strategy, None where nothing was enforced.

    ``attacks`` counts runs with an attacker, ``stopped`` those in which it did not get what it wanted;
    ``refused`` and ``calls`` are calls, ``steps`` actions of one or several
    calls. ``orderly`` are runs that ended neither by a limit nor by a failure; ``untold`` those that the
    world could not judge.
    """

    strategy: Strategy | None
    runs: int
    attacks: int
    stopped: int
    tasks_done: int
    refused: int
    calls: int
    steps: int
    orderly: int
    untold: int


def tallies(results: Iterable[LiveResult]) -> tuple[LiveTally, ...]:
    """The sums by strategy, in the order in which the strategies were run."""
    by_strategy: dict[Strategy | None, list[LiveResult]] = {}
    for result in results:
        by_strategy.setdefault(result.strategy, []).append(result)
    return tuple(_tally(strategy, live_results) for strategy, live_results in by_strategy.items())


def _tally(strategy: Strategy | None, results: list[LiveResult]) -> LiveTally:
    attacked = [result for result in results if result.task.attack]
    return LiveTally(
        strategy,
        len(results),
        len(attacked),
        sum(live_result.attacked is False for live_result in attacked),
        sum(result.task_done is True for result in results),
        sum(result.refused for result in results),
        sum(result.calls for result in results),
        sum(result.steps for result in results),
        sum(result.state.orderly for result in results),
        sum(result.task_done is None for result in results),
    )

"""Live runs under several strategies, as sums."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.guard import Strategy
from workbench.live.protocol import LiveResult


@dataclass(frozen=True, slots=True)
class LiveTally:
    """The runs under one strategy, None where nothing was enforced.

    ``attacks`` counts runs with an attacker, ``stopped`` those in which it did not get what it wanted;
    ``done`` the tasks that were done, ``refused`` and ``calls`` calls, ``steps`` actions. ``orderly`` are
    runs that ended neither by a limit nor by a failure; ``untold`` those that the world could not judge.
    """

    strategy: Strategy | None
    runs: int
    attacks: int
    stopped: int
    done: int
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
    return tuple(_tally(strategy, found) for strategy, found in by_strategy.items())


def _tally(strategy: Strategy | None, results: list[LiveResult]) -> LiveTally:
    attacked = [one for one in results if one.task.attack]
    return LiveTally(
        strategy,
        len(results),
        len(attacked),
        sum(one.attacked is False for one in attacked),
        sum(one.done is True for one in results),
        sum(one.refused for one in results),
        sum(one.calls for one in results),
        sum(one.steps for one in results),
        sum(one.state.orderly for one in results),
        sum(one.done is None for one in results),
    )

"""The text about strategies compared on recorded logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.cli.output import paint
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.runs import StrategyComparison

_HEAD = ("", "", "runs touched", "stopped", "let through", "harmless lost", "unknown after")
_WIDTHS = (18, 14, 14, 9, 13, 15, 15)


def comparison_lines(strategy_comparison: StrategyComparison) -> Iterator[str]:
    """A table of all strategies and controls, then one for each label."""
    yield from _table(strategy_comparison, None)
    strategies = [way for way in strategy_comparison.outcomes if strategy_comparison.short(way)]
    for ways in strategy_comparison.alike(strategies):
        if len(ways) > 1:
            yield f"the same in every run: {', '.join(way.value for way in ways)}"
    for label in strategy_comparison.labels:
        yield ""
        yield paint(one_line(f"{strategy_comparison.label} = {label or '(none)'}"), Tone.TITLE)
        yield from _table(strategy_comparison, label)
    yield ""
    yield "stopped: denied by the policy and refused; let through: denied and carried out;"
    yield "harmless lost: allowed by the policy, but refused because of an earlier refusal or by a control;"
    yield "unknown after: carried out here, but after a refusal a live agent may have done something else."


def _table(strategy_comparison: StrategyComparison, label: str | None) -> Iterator[str]:
    yield paint(_row(_HEAD), Tone.MUTED)
    for way in strategy_comparison.outcomes:
        sums = strategy_comparison.tally(way, label)
        yield _row(
            (
                way.value,
                strategy_comparison.short(way) or "control",
                f"{sums.touched}/{sums.runs}",
                str(sums.stopped),
                str(sums.let_through),
                str(sums.lost),
                str(sums.unknown),
            )
        )


def _row(cells: tuple[str, ...]) -> str:
    padded_cells = [
        cell.ljust(width) if place < 2 else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, _WIDTHS, strict=True))
    ]
    return "".join(padded_cells).rstrip()

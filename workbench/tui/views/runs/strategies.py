"""The effect of each strategy of enforcement on the recorded runs, where strategies differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.tones import Tone
from workbench.tui.rows import BLANK, Row, heading, paragraph, plural
from workbench.tui.text_runs import TextRun, accent, muted, strong

if TYPE_CHECKING:
    from workbench.app.runs import Regime, StrategyComparison
    from workbench.model import CallDecision

MEANING = (
    ("stopped", "denied by the policy and refused"),
    ("lost", "allowed by the policy, yet refused because of a denial before it"),
    ("passed", "denied by the policy, yet carried out"),
    ("unknown", "carried out in the log after a refusal: no replay knows whether the agent would come to it"),
)
MOST_RUNS = 500


def strategy_rows(decisions: Sequence[CallDecision], comparison: StrategyComparison | None) -> Iterator[Row]:
    """The strategies with their sums, those with equal outcomes together; then the runs that differ."""
    if comparison is None:
        yield paragraph(muted("Replaying the strategies."))
        return
    strategies = [way for way in comparison.outcomes if comparison.short(way)]
    for ways in comparison.alike(strategies):
        yield from _sums(comparison, ways)
    yield from (BLANK, paragraph(muted("Controls, which look at no call:")))
    for ways in comparison.alike([way for way in comparison.outcomes if way not in strategies]):
        yield from _sums(comparison, ways)
    yield from (BLANK, *_differing(decisions, comparison, strategies), BLANK)
    for word, meaning in MEANING:
        yield paragraph(strong(f"{word} "), muted(meaning), hang=2)


def _name(comparison: StrategyComparison, way: Regime) -> str:
    """The name of a strategy, with its letters from the papers."""
    short = comparison.short(way)
    return f"{way.value.replace('-', ' ')}{f' ({short})' if short else ''}"


def _sums(comparison: StrategyComparison, ways: Sequence[Regime]) -> Iterator[Row]:
    tally = comparison.tally(ways[0])
    yield paragraph(strong(", ".join(_name(comparison, way) for way in ways)), hang=2)
    counts = (
        ("stopped", tally.stopped, Tone.GOOD),
        ("lost", tally.lost, Tone.WARN),
        ("passed", tally.let_through, Tone.BAD),
    )
    numbers = (TextRun(f"{name} {count:,}  ", tone if count else Tone.MUTED) for name, count, tone in counts)
    of = muted(f"unknown {tally.unknown:,}  in {tally.touched:,} of {plural(tally.runs, 'run')}")
    yield paragraph(*numbers, of, indent=2, hang=2)


def _differing(
    decisions: Sequence[CallDecision],
    comparison: StrategyComparison,
    strategies: Sequence[Regime],
) -> Iterator[Row]:
    """The runs in which the strategies do not all have the same outcome, each with the outcomes."""
    begins: dict[str, int] = {}
    for position, decided in enumerate(decisions):
        begins.setdefault(decided.run, position)
    runs = comparison.differing(strategies)
    if not runs:
        yield paragraph(muted("They do the same in every run: no run has a call after a denial."))
        return
    yield heading(f"Runs in which they differ  {len(runs):,} of {len(comparison.outcomes[strategies[0]]):,}")
    for by_outcome in runs[:MOST_RUNS]:
        first = next(iter(by_outcome))
        key = f"call:{begins[first.run]}" if first.run in begins else ""
        name = accent(one_line(first.run))
        yield paragraph(name, muted(f"  {plural(first.calls, 'call')}"), key=key)
        for outcome, ways in by_outcome.items():
            names = ", ".join(map(comparison.short, ways))
            words = f"stopped {_calls(outcome.stopped)}" if outcome.stopped else "stopped none"
            words += f", lost {_calls(outcome.lost)}" if outcome.lost else ""
            yield paragraph(f"{names}  ", muted(words), indent=2, hang=2)
    if len(runs) > MOST_RUNS:
        yield paragraph(muted(f"and {len(runs) - MOST_RUNS:,} more"))


def _calls(indices: Sequence[int]) -> str:
    call_numbers = ", ".join(map(str, indices[:6]))
    return f"{len(indices)} (call {call_numbers}{', …' if len(indices) > 6 else ''})"

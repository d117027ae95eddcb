"""The effect of each strategy of enforcement on the recorded runs, where strategies differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.tones import Tone
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import BLANK, heading, paragraph, plural
from workbench.tui.widgets.lines import Row

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


def strategy_rows(
    decisions: Sequence[CallDecision], comparison: StrategyComparison | None, width: int
) -> Sequence[Row]:
    """The strategies with their sums, those with equal outcomes together; then the runs that differ."""
    if comparison is None:
        return paragraph(muted("Replaying the strategies."), width)
    strategies = [way for way in comparison.outcomes if comparison.short(way)]
    controls = [way for way in comparison.outcomes if not comparison.short(way)]
    rows: list[Row] = []
    for ways in comparison.alike(strategies):
        rows += _sums(comparison, ways, width)
    rows += [BLANK, *paragraph(muted("Controls, which look at no call:"), width)]
    for ways in comparison.alike(controls):
        rows += _sums(comparison, ways, width)
    rows += [BLANK, *_differing(decisions, comparison, strategies, width), BLANK]
    for word, meaning in MEANING:
        rows += paragraph(line(TextRun(f"{word} ", Tone.TITLE), muted(meaning)), width, hang=2)
    return rows


def _name(comparison: StrategyComparison, way: Regime) -> str:
    """The name of a strategy, with its letters from the papers."""
    short = comparison.short(way)
    return f"{way.value.replace('-', ' ')}{f' ({short})' if short else ''}"


def _sums(comparison: StrategyComparison, ways: Sequence[Regime], width: int) -> list[Row]:
    tally = comparison.tally(ways[0])
    rows = paragraph(TextRun(", ".join(_name(comparison, way) for way in ways), Tone.TITLE), width, hang=2)
    numbers = (
        TextRun(f"stopped {tally.stopped:,}", Tone.GOOD if tally.stopped else Tone.MUTED),
        TextRun(f"  lost {tally.lost:,}", Tone.WARN if tally.lost else Tone.MUTED),
        TextRun(f"  passed {tally.let_through:,}", Tone.BAD if tally.let_through else Tone.MUTED),
        muted(f"  unknown {tally.unknown:,}  in {tally.touched:,} of {plural(tally.runs, 'run')}"),
    )
    return [*rows, *paragraph(line(*numbers), width, indent=2, hang=2)]


def _differing(
    decisions: Sequence[CallDecision],
    comparison: StrategyComparison,
    strategies: Sequence[Regime],
    width: int,
) -> Iterator[Row]:
    """The runs in which the strategies do not all have the same outcome, each with the outcomes."""
    begins: dict[str, int] = {}
    for position, decided in enumerate(decisions):
        begins.setdefault(decided.run, position)
    runs = comparison.differing(strategies)
    if not runs:
        yield from paragraph(muted("They do the same in every run: no run has a call after a denial."), width)
        return
    yield heading(f"Runs in which they differ  {len(runs):,} of {len(comparison.outcomes[strategies[0]]):,}")
    for by_outcome in runs[:MOST_RUNS]:
        first = next(iter(by_outcome))
        key = f"call:{begins[first.run]}" if first.run in begins else ""
        head = line(TextRun(one_line(first.run), Tone.ACCENT), muted(f"  {plural(first.calls, 'call')}"))
        yield from paragraph(head, width, key)
        for outcome, ways in by_outcome.items():
            names = map(comparison.short, ways)
            words = f"stopped {_calls(outcome.stopped)}" if outcome.stopped else "stopped none"
            words += f", lost {_calls(outcome.lost)}" if outcome.lost else ""
            yield from paragraph(line(f"{', '.join(names)}  ", muted(words)), width, indent=2, hang=2)
    if len(runs) > MOST_RUNS:
        yield from paragraph(muted(f"and {len(runs) - MOST_RUNS:,} more"), width)


def _calls(indices: Sequence[int]) -> str:
    call_numbers = ", ".join(map(str, indices[:6]))
    return f"{len(indices)} (call {call_numbers}{', …' if len(indices) > 6 else ''})"

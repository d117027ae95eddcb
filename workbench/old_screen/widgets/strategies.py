"""What each enforcement strategy would have stopped on the recorded runs, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.old_screen.plain import Line, TextRun, Tone, fit, line, muted
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import BLANK, heading, paragraph, plural
from workbench.old_screen.widgets.lines import Row, RowList

if TYPE_CHECKING:
    from workbench.old_screen.replay_state import RunOutcome, Strategies, Sums, Way
    from workbench.old_screen.widgets.reader import ReaderLine

NUMBER = 8
NAME = 24
HEADS = ("stopped", "lost", "passed", "unknown", "runs")
MEANING = (
    ("stopped", "denied by the policy and refused"),
    ("lost", "allowed by the policy, yet refused because of an earlier denial"),
    ("passed", "denied by the policy, yet carried out"),
    ("unknown", "carried out in the log after a refusal: cannot be known by replay"),
)


class StrategyTable(RowList):
    """A line for each strategy and control; the key of a row is its name."""

    DEFAULT_CSS = style_sheet(__file__)

    def show(self, found: Strategies | None) -> None:
        """Show the comparison; None while it is being made."""
        self.show_rows(lambda width: strategy_rows(found, width))


def strategy_rows(found: Strategies | None, width: int) -> list[Row]:
    """The strategies, the controls under them, and what the columns mean."""
    if found is None:
        return paragraph(line(muted("Replaying the strategies.")), width)
    if not found.ways:
        return paragraph(line(muted("No steps to replay a strategy on.")), width)
    columns = len(HEADS) if width >= NAME + NUMBER * len(HEADS) else len(HEADS) - 1
    name = min(NAME, max(width - NUMBER * columns, 6))
    rows = [Row(line(muted(fit("", name) + "".join(f"{word:>{NUMBER}}" for word in HEADS[:columns]))))]
    rows += [_row(way, name, columns) for way in found.ways if not way.control]
    rows += [Row(line(muted(fit("controls, which read no call", width))))]
    rows += [_row(way, name, columns) for way in found.ways if way.control]
    rows.append(BLANK)
    for word, meaning in MEANING:
        rows += paragraph(line(TextRun(f"{word} ", Tone.TITLE), muted(meaning)), width, hang=2)
    by = f" by {one_line(found.label)}" if found.label else ""
    return [*rows, *paragraph(line(muted(f"Enter shows the runs that a strategy touches{by}.")), width)]


def _row(way: Way, name: int, columns: int) -> Row:
    shown = f"{way.short} {way.name}" if name >= NAME and way.short else way.short or way.name
    return Row(line(fit(one_line(shown), name), *_numbers(way.sums)[:columns]), way.name)


def _numbers(sums: Sums) -> tuple[TextRun, ...]:
    return (
        TextRun(f"{sums.stopped:>{NUMBER},}", Tone.GOOD if sums.stopped else Tone.MUTED),
        TextRun(f"{sums.lost:>{NUMBER},}", Tone.WARN if sums.lost else Tone.MUTED),
        TextRun(f"{sums.let_through:>{NUMBER},}", Tone.BAD if sums.let_through else Tone.MUTED),
        TextRun(f"{sums.unknown:>{NUMBER},}", Tone.MUTED),
        muted(f"{sums.touched:>{NUMBER},}"),
    )


def way_entries(way: Way, label: str) -> list[ReaderLine]:
    """A strategy closer: by label, and each run that it touches, which can be chosen."""
    from workbench.old_screen.widgets.reader import ReaderLine

    entries: list[ReaderLine] = []
    if way.labels:
        entries.append(ReaderLine(line(TextRun(f"By {one_line(label)}", Tone.TITLE))))
        for name, sums in way.labels.items():
            words = f"stopped {sums.stopped:,}, lost {sums.lost:,}, unknown {sums.unknown:,}"
            touched = f" in {sums.touched:,} of {plural(sums.runs, 'run')}"
            entries.append(ReaderLine(line(f"  {one_line(name) or '(none)'}  ", muted(words + touched))))
        entries.append(ReaderLine(()))
    entries.append(ReaderLine(heading(f"Runs that it touches  {len(way.runs)}").line))
    entries += [ReaderLine(_run_line(run), run.run) for run in way.runs[:2000]]
    if len(way.runs) > 2000:
        entries.append(ReaderLine(line(muted(f"and {len(way.runs) - 2000:,} more"))))
    return entries


def _run_line(run: RunOutcome) -> Line:
    words = f"stopped {_places(run.stopped)}" if run.stopped else ""
    words += f"{', ' if words else ''}lost {_places(run.lost)}" if run.lost else ""
    words += f", {run.unknown:,} unknown" if run.unknown else ""
    return line(f"  {one_line(run.run)}  ", muted(f"of {plural(run.steps, 'step')}: {words}"))


def _places(steps: tuple[int, ...]) -> str:
    shown = ", ".join(str(step) for step in steps[:8])
    return f"{len(steps)} ({shown}{', ...' if len(steps) > 8 else ''})"


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample_replay import STRATEGIES

    run_alone(StrategyTable(), lambda widget: widget.show(STRATEGIES))

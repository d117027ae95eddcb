"""The files of the logs: the number of runs and calls read, and the lines that were not understood."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.app.results import Logs
from workbench.clean_text import one_line
from workbench.tones import Tone
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import BLANK, heading, paragraph, plural
from workbench.tui.widgets.lines import Row

MOST = 1_000


def file_rows(logs: Logs | None, width: int) -> Sequence[Row]:
    """Each file with its runs, its calls and the source of its ids; then each unreadable record."""
    if logs is None:
        return paragraph(line(muted("Reading the logs.")), width)
    rows: list[Row] = [heading("Read")]
    position, begins, counts = 0, dict[str, int](), dict[str, tuple[int, int, str, str]]()
    for run in logs.runs:
        begins.setdefault(run.path, position)
        runs, calls, _, _ = counts.get(run.path, (0, 0, "", ""))
        counts[run.path] = runs + 1, calls + len(run.calls), run.format, run.named_by
        position += len(run.calls)
    for path, (runs, calls, format_name, named_by) in counts.items():
        named = f"; the id of a run is {named_by}" if named_by else ""
        words = f"  {format_name}: {plural(runs, 'run')}, {plural(calls, 'call')}{named}"
        head = line(TextRun(one_line(Path(path).name), Tone.TITLE), muted(one_line(words)))
        rows += paragraph(head, width, f"call:{begins[path]}", hang=2)
    if not counts:
        rows += paragraph(line(muted("Nothing yet; o opens a log, f follows one.")), width)
    if logs.problems:
        rows += [BLANK, heading(f"Not understood  {sum(problem.count for problem in logs.problems):,}")]
    for problem in logs.problems[:MOST]:
        place = f"{Path(problem.path).name}{f' line {problem.line}' if problem.line else ''}"
        rows += paragraph(
            line(TextRun(f"{one_line(place)} ", Tone.WARN), one_line(problem.reason)), width, hang=2
        )
    if len(logs.problems) > MOST:
        rows += paragraph(line(muted(f"and {len(logs.problems) - MOST:,} more")), width)
    return rows

"""The effect of a rule before it is stored: proved, with an input for each change, and in the logs."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.app.results import PolicyChange
from workbench.model import NEWLY, Verdict
from workbench.tones import Tone
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import argument_rows, paragraph
from workbench.tui.widgets.lines import Row

MOST_REGIONS = 3


def trial_rows(
    change: PolicyChange, width: int, *, key: str = "", indent: int = 0, most: int = MOST_REGIONS
) -> Iterator[Row]:
    """Rows of inputs that are decided otherwise, at most ``most`` of each, and of the calls that turn."""
    if change.semantic.equivalent:
        words = line(muted("Nothing is decided otherwise, on any input."))
        yield from paragraph(words, width, key, indent)
    for verdict, words in NEWLY.items():
        tone = Tone.BAD if verdict is Verdict.DENY else Tone.WARN
        for item in change.regions(verdict)[:most]:
            yield from paragraph(line(TextRun(f"{words}, for example", tone)), width, key, indent)
            yield from argument_rows(
                item.region.decisive_arguments or item.region.witness, width, key, indent + 2
            )
    if change.semantic.unknown:
        unknown = TextRun(f"Not decided: {change.semantic.unknown}", Tone.WARN)
        yield from paragraph(line(unknown), width, key, indent)
    turned = [flip for flip in change.flips if flip.turns]
    count = f"{len(turned):,} recorded {'call turns' if len(turned) == 1 else 'calls turn'}"
    first = muted(f", first {turned[0].new.run} {turned[0].new.index}: {turned[0].text}" if turned else "")
    text_run = TextRun(count if turned else "no recorded call turns", Tone.ACCENT if turned else Tone.MUTED)
    yield from paragraph(line(text_run, first), width, key, indent)

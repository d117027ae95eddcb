"""The versions of the session, and the difference of one from the present policy: proved, and in logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.app.session_state import PolicyVersion
from workbench.clean_text import one_line
from workbench.model import NEWLY, Verdict
from workbench.tones import Tone
from workbench.tui.change_rows import text_diff
from workbench.tui.text_runs import Line, TextRun, line, muted
from workbench.tui.value_text import BLANK, argument_rows, heading, paragraph, plural
from workbench.tui.verdict_signs import verdict_run
from workbench.tui.widgets.lines import Row

if TYPE_CHECKING:
    from workbench.app.results import PolicyChange, RecordedRegion
    from workbench.app.value_texts import ArgumentWords

MOST_CALLS = 200


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """Two texts of the policy and the inputs that the newer one decides differently."""

    name: str
    old: str
    new: str
    change: PolicyChange

    @property
    def regions(self) -> Sequence[RecordedRegion]:
        """The inputs that are decided differently, those newly allowed first."""
        return self.change.regions(*NEWLY)


def version_rows(versions: Sequence[PolicyVersion], width: int) -> Sequence[Row]:
    """The versions of the session, the newest first, and last the text before them."""
    rows: list[Row] = []
    for version in versions:
        mark = TextRun("▸ " if version.current else "  ", Tone.ACCENT)
        when = version.when[:16].replace("T", " ")
        words = line(mark, muted(f"{version.number:>3} "), one_line(version.label), muted(f"  {when}"))
        rows += paragraph(words, width, f"version:{version.number}", hang=6)
    if rows:
        return [*rows, *paragraph(line("  ", muted("  0 "), "before the first change"), width, "version:0")]
    return paragraph(line(muted("Nothing was changed yet.")), width)


def comparison_rows(comparison: VersionComparison, width: int) -> Sequence[Row]:
    """Inputs that the present policy newly allows and denies, the logged calls that turn, and the text."""
    change = comparison.change
    rows = paragraph(_verdict(comparison), width, hang=2)
    number = 0
    for verdict, words in NEWLY.items():
        regions = change.regions(verdict)
        if regions:
            tone = Tone.ACCENT if verdict is Verdict.DENY else Tone.WARN
            rows += [
                BLANK,
                Row(line(TextRun(f"{words.capitalize()}: {plural(len(regions), 'region')}", tone))),
            ]
        for region in regions:
            rows += _region(region, change.words, f"region:{number}", width, logged=bool(change.flips))
            number += 1
    if change.semantic.more:
        rows += paragraph(line(muted("There are more regions than these.")), width)
    if change.semantic.unknown:
        rows += paragraph(
            line(TextRun(f"Not decided: {one_line(change.semantic.unknown)}", Tone.WARN)), width
        )
    rows += [row for note in change.semantic.notes for row in paragraph(line(muted(one_line(note))), width)]
    rows += _calls(comparison, width)
    if comparison.old != comparison.new:
        rows += [BLANK, heading("Text"), *text_diff(comparison.old, comparison.new, width)]
    return rows


def _verdict(comparison: VersionComparison) -> Line:
    match comparison.change.semantic.equivalent:
        case True:
            return line(TextRun("✓ Decides as now on every input: proved.", Tone.GOOD))
        case False:
            return line(TextRun("Decides otherwise than now.", Tone.TITLE))
        case None:
            return line(TextRun("? It is not known whether it decides as now.", Tone.WARN))


def _region(
    recorded_region: RecordedRegion, words: ArgumentWords, key: str, width: int, *, logged: bool
) -> Iterator[Row]:
    """Rows of inputs that are decided differently for one reason: an input, the rules, a logged call."""
    region = recorded_region.region
    if (region.where or region.bounds) and region.where != region.witness:
        yield from paragraph(line(muted("wherever")), width, key, indent=2)
        yield from argument_rows(words.shown(region.where), width, key, indent=4)
        for bound in region.bounds:
            yield from paragraph(one_line(words.said(bound)), width, key, 4)
    yield from paragraph(line(muted("for instance")), width, key, indent=2)
    turning = {name: value for name, value in region.decisive_arguments.items() if name in region.turning}
    other_arguments = {
        name: value for name, value in region.decisive_arguments.items() if name not in region.turning
    }
    if turning or not other_arguments:
        turning_rows = argument_rows(words.shown(turning), width, key, indent=4)
        yield from turning_rows or paragraph("any input", width, key, 4)
    if other_arguments:
        yield from paragraph(line(muted("with")), width, key, indent=2)
        yield from argument_rows(words.shown(other_arguments), width, key, indent=4)
    rules = line(muted("then "), _rules(region.old_rules), muted("; now "), _rules(region.new_rules))
    yield from paragraph(rules, width, key, indent=2, hang=2)
    if logged and (recorded_region.recorded is not None or recorded_region.placed):
        call = recorded_region.recorded
        place = (
            f"{one_line(call.run)} call {call.index}" if call is not None else "no recorded call lies here"
        )
        yield from paragraph(line(muted(place)), width, key, indent=2, hang=2)


def _rules(names: Sequence[str]) -> TextRun:
    return TextRun(", ".join(names)) if names else muted("no rule")


def _calls(comparison: VersionComparison, width: int) -> Iterator[Row]:
    flips = comparison.change.flips
    if not flips:
        return
    turned = [(place, flip) for place, flip in enumerate(flips) if flip.turns]
    yield BLANK
    yield heading(f"In the logs: {len(turned):,} of {plural(len(flips), 'call')} decided otherwise")
    for place, flip in turned[:MOST_CALLS]:
        verdicts = (
            verdict_run(flip.old.decision.verdict),
            TextRun(" → "),
            verdict_run(flip.new.decision.verdict),
        )
        words = line(f"{one_line(flip.new.run)} call {flip.new.index}  ", *verdicts)
        yield from paragraph(words, width, f"call:{place}", indent=2, hang=2)
    if len(turned) > MOST_CALLS:
        yield Row(line(muted(f"  and {len(turned) - MOST_CALLS:,} more")))

"""What storing a form would change, as rows beside its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.old_screen.log_text import marked_places, marked_text, provenance_text
from workbench.old_screen.plain import Line, TextRun, Tone, line, muted, wrap
from workbench.old_screen.value_text import BLANK, heading, paragraph, plural, value_text, verdict_run
from workbench.old_screen.widgets.lines import Row

if TYPE_CHECKING:
    from workbench.model import Extracted, Verdict
    from workbench.old_screen.agent_state import ArgumentEffect
    from workbench.old_screen.memory_state import MemoryEffect

MOST_CHANGES = 50


def argument_effect_rows(effect: ArgumentEffect, width: int) -> list[Row]:
    """How many steps get, lose or change the value, what that turns, and the selected step's text."""
    if effect.note:
        return paragraph(line(muted(effect.note)), width)
    rows = paragraph(_valued(effect), width)
    for count, tone, words in (
        (effect.gained, Tone.GOOD, "now have a value"),
        (effect.lost, Tone.BAD, "lose their value"),
        (effect.changed, Tone.WARN, "have another value"),
    ):
        if count:
            rows += paragraph(line(TextRun(f"{count:,} ", tone), words), width, indent=1)
    if not (effect.gained or effect.lost or effect.changed):
        rows += paragraph(line(muted("No step's value differs.")), width, indent=1)
    rows += _flip_rows(effect.flips, width)
    rows += _here_rows(effect, width)
    if effect.reasons:
        rows += [BLANK, heading("Why others have none")]
        for reason, count in effect.reasons.items():
            rows += paragraph(line(muted(f"{count:,} "), one_line(reason)), width, indent=1, hang=2)
    return rows + _example_rows(effect, width)


def _valued(effect: ArgumentEffect) -> Line:
    words = f"{effect.valued:,} of {plural(effect.seen, 'step')} give a value"
    if effect.seen < effect.steps:
        words += f" (read so far, of {effect.steps:,})"
    return line(TextRun(words, Tone.TITLE))


def _flip_rows(flips: Mapping[tuple[Verdict, Verdict], int], width: int) -> list[Row]:
    rows = [BLANK, heading("Decisions that turn")]
    if not flips:
        return [*rows, *paragraph(line(muted("None.")), width, indent=1)]
    for (before, after), count in sorted(flips.items(), key=lambda pair: -pair[1]):
        runs = line(f"{count:,} ", verdict_run(before), muted(" to "), verdict_run(after))
        rows += paragraph(runs, width, indent=1)
    return rows


def _here_rows(effect: ArgumentEffect, width: int) -> list[Row]:
    if effect.step is None or effect.here is None:
        return [BLANK, *paragraph(line(muted("Select a step in the replay to see its value here.")), width)]
    rows = [BLANK, heading(one_line(f"Selected: {effect.step.run} call {effect.step.index}"))]
    rows += paragraph(_value(effect.here), width, indent=1)
    source = provenance_text(effect.here.provenance)
    rows += paragraph(line(muted(source)), width, indent=1) if source else []
    for name, spans in marked_places((effect.here,)).items():
        if text := effect.step.texts.get(name):
            rows += [BLANK, heading(one_line(f"Log: {name}"))]
            rows += [Row(part) for part in wrap(marked_text(text, spans), width, limit=60)]
    return rows


def _example_rows(effect: ArgumentEffect, width: int) -> list[Row]:
    if not effect.examples:
        return []
    rows = [BLANK, heading("Steps whose value differs")]
    for step, before, after in effect.examples:
        rows += paragraph(line(one_line(f"{step.run} call {step.index}")), width, indent=1)
        old = _value(before) if before is not None else line(muted("nothing"))
        rows += paragraph(line(*old, muted(" to "), *_value(after)), width, indent=3, hang=2)
    return rows


def memory_effect_rows(effect: MemoryEffect, width: int) -> list[Row]:
    """How many steps would retrieve other demonstrations, and which before and after."""
    words = f"{len(effect.changes):,} of {plural(effect.steps, 'step')} retrieve differently"
    rows = paragraph(line(TextRun(words, Tone.TITLE)), width)
    for change in effect.changes[:MOST_CHANGES]:
        rows += [BLANK, *paragraph(line(one_line(f"{change.step.run} call {change.step.index}")), width)]
        for name, ids in (("before", change.before), ("after", change.after)):
            rows += paragraph(line(muted(f"{name} "), ", ".join(ids) or "none"), width, indent=2, hang=2)
    if len(effect.changes) > MOST_CHANGES:
        rows += paragraph(line(muted(f"and {len(effect.changes) - MOST_CHANGES:,} more")), width)
    return rows


def _value(found: Extracted) -> Line:
    if found.missing is not None:
        return line(TextRun(f"missing: {one_line(found.missing)}", Tone.WARN))
    return line(TextRun(value_text(found.value), Tone.CODE))

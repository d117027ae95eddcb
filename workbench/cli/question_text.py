"""The text about questions: coverage, paths of readings, previews of answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from workbench.clean_text import code_line, counted, one_line
from workbench.cli.conflict_text import conflict_lines, contradiction_lines
from workbench.cli.diff_text import change_lines
from workbench.cli.output import paint
from workbench.tones import Tone

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.app.results import ChoicePreview, SessionChange
    from workbench.app.what_changed import WhatChanged
    from workbench.model import Assumption, Question


_MOST_CHANGES = 24
_MOST_CALLS = 8


def chosen_lines(question: Question, value: str | None) -> Iterator[str]:
    """The words of a question and the option that was chosen; None for ``value`` takes the answer back."""
    label = next((option.label for option in question.options if option.value == value), "")
    said = "taken back" if value is None else f"{value}: {label}" if label else value
    yield f"{one_line(question.id)}  {one_line(question.text)}"
    yield f"  → {one_line(said)}"


def stored_lines(changed: SessionChange, changes: WhatChanged, session: Path) -> Iterator[str]:
    """Lines on a stored answer: files that follow, changes, edits that are kept."""
    parts = [name for name, follows in (("policy", changed.policy), ("cases", changed.cases)) if follows]
    yield f"Stored; changed {' and '.join(parts)}." if parts else "Stored; policy and cases stay as they are."
    yield from (
        f"{one_line(name)} was changed since the answer, and stays as it is." for name in changed.left
    )
    yield from dropped_lines(changed.dropped)
    yield from changed_lines(changes)
    yield from conflict_lines(changed, session)


def dropped_lines(dropped: Iterable[Assumption]) -> Iterator[str]:
    """A line on each answer that an act left nothing to rest on."""
    for one in dropped:
        said = one_line(one.statement or one.value)
        yield f"Dropped the answer to {one_line(one.question)}, as its rules are said anew: {said}"


def changed_lines(changes: WhatChanged) -> Iterator[str]:
    """Lines on the changes of an act: rules, clauses, cases, calls and questions, the first of each kind."""
    sentences = list(changes.sentences())
    if sentences:
        yield paint("What changed:", Tone.TITLE)
    yield from (f"  {one_line(text)}" for text in sentences[:_MOST_CHANGES])
    if len(sentences) > _MOST_CHANGES:
        yield f"  and {len(sentences) - _MOST_CHANGES} more"
    for call in changes.calls[:_MOST_CALLS]:
        yield f"    {one_line(call.run)} call {call.index}: {call.before} → {call.after}"
    if len(changes.calls) > _MOST_CALLS:
        yield f"    and {counted(len(changes.calls) - _MOST_CALLS, 'call')} more"
    for question in changes.questions[:_MOST_CHANGES]:
        act = "opened" if question.opened else "closed"
        yield f"    question {act}, {one_line(question.question)}: {one_line(question.text)}"


def preview_lines(choice_preview: ChoicePreview) -> Iterator[str]:
    """Lines on the changes by an answer: clauses, regions by proof, decisions in the logs."""
    answer = "Taking the answer back" if choice_preview.value is None else f"Answering {choice_preview.value}"
    yield paint(f"{one_line(answer)} would change (nothing is stored):", Tone.TITLE)
    for sign, clauses in (("-", choice_preview.removed), ("+", choice_preview.added)):
        for clause in clauses:
            yield f"  {sign} {one_line(', '.join(clause.requirements))}: {code_line(clause.source)}"
    if not choice_preview.added and not choice_preview.removed:
        yield "  no clause of the contract"
    yield from contradiction_lines(choice_preview.contradictions)
    yield from change_lines(choice_preview.change)
    for conflict in choice_preview.conflicts:
        yield f"  your edit stays as it is: {one_line(conflict.name)}"

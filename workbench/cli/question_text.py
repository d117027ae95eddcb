"""The text about questions: coverage, paths of readings, previews of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.clean_text import clean, counted, one_line
from workbench.cli.conflict_text import conflict_lines, contradiction_lines
from workbench.cli.diff_text import change_lines
from workbench.cli.output import paint
from workbench.cli.report_text import (
    VERDICT_TONE,
    answered_lines,
    arguments_text,
    not_in_force_lines,
    question_lines,
)
from workbench.model import SentenceRole
from workbench.tones import Tone

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.app.questions import QuestionExplanation
    from workbench.app.results import ChoicePreview, OwnWordsRead, SessionChange, Understanding
    from workbench.app.what_changed import WhatChanged
    from workbench.model import Draft, Question


_MOST_CHANGES = 24
_MOST_CALLS = 8


def coverage_line(draft: Draft) -> str:
    """The numbers of sentences of the request that are requirements, context and open."""
    counts = Counter(sentence.role for sentence in draft.sentences)
    role_counts = ", ".join(f"{counts[role]} {role.value}" for role in SentenceRole)
    return f"{counted(len(draft.sentences), 'sentence')}: {role_counts}"


def explanation_lines(question_explanation: QuestionExplanation) -> Iterator[str]:
    """The path that each reading takes on the question's example."""
    question = question_explanation.question
    yield paint(question.id, Tone.WARN)
    yield f"  {one_line(question.text)}"
    if question.example is None or not question_explanation.readings:
        yield "  There is no input on which its readings could be compared."
        return
    yield f"  on: {arguments_text(question.shown)}"
    for reading in question_explanation.readings:
        verdict = paint(reading.verdict.value, VERDICT_TONE[reading.verdict])
        yield f"  - {one_line(reading.option.value)}: {one_line(reading.option.label)}: {verdict}"
        for step in reading.path:
            yield f"      {step.rule} {'fires' if step.fired else 'does not fire'}"
            for condition, holds in step.conditions:
                yield f"        {'yes' if holds else 'no ':3} {one_line(condition)}"


def own_words_lines(own_words_read: OwnWordsRead, session: Path) -> Iterator[str]:
    """Lines on a person's own words: their reading, or that they cannot be read either."""
    if own_words_read.rules:
        yield "Read as:"
        yield from (f"  {clean(text)}" for rule in own_words_read.rules for text in rule.splitlines())
        return
    yield paint("Your words are stored but cannot be read either; the question is still open.", Tone.WARN)
    if own_words_read.open is not None:
        yield from question_lines(own_words_read.open, session)


def understanding_lines(
    understanding: Understanding, session: Path, *, everything: bool = False
) -> Iterator[str]:
    """Lines on the open questions by the sentences that wait for them, and the answers so far."""
    yield from not_in_force_lines(understanding.owed, understanding.open)
    yield coverage_line(understanding.draft)
    for group in understanding.groups:
        yield ""
        if len(group) > 1:
            yield f'{len(group)} questions about "{one_line(group[0].quote)}"'
        for question in group:
            yield from question_lines(question, session, everything=everything)
    if len(understanding.open) > 1:
        yield ""
        yield f"Several at once: workbench answer {session} QUESTION VALUE QUESTION VALUE"
    yield from answered_lines(understanding.answered)
    if not understanding.questions:
        yield "The request leaves nothing open."


def chosen_lines(question: Question, value: str | None) -> Iterator[str]:
    """The words of a question and the option that was chosen; None for ``value`` takes the answer back."""
    label = next((option.label for option in question.options if option.value == value), "")
    said = "taken back" if value is None else f"{value}: {label}" if label else value
    yield f"{one_line(question.id)}  {one_line(question.text)}"
    yield f"  → {one_line(said)}"


def stored_lines(changed: SessionChange, changes: WhatChanged, session: Path) -> Iterator[str]:
    """Lines on a stored answer: files that follow, the reading of own words, changes, edits that are kept."""
    parts = [name for name, follows in (("policy", changed.policy), ("cases", changed.cases)) if follows]
    yield f"Stored; changed {' and '.join(parts)}." if parts else "Stored; policy and cases stay as they are."
    if changed.own_words is not None:
        yield from own_words_lines(changed.own_words, session)
    yield from changed_lines(changes)
    yield from conflict_lines(changed, session)


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
            yield f"  {sign} {one_line(', '.join(clause.requirements))}: {one_line(clause.source)}"
    if not choice_preview.added and not choice_preview.removed:
        yield "  no clause of the contract"
    yield from contradiction_lines(choice_preview.contradictions)
    yield from change_lines(choice_preview.change)
    for conflict in choice_preview.conflicts:
        yield f"  your edit stays as it is: {one_line(conflict.name)}"

"""What a person or a program reads of questions: coverage, paths of readings, previews of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.app.report import json_question
from workbench.cli.diff_text import change_json, change_lines
from workbench.cli.output import Tone, clean, one_line, paint
from workbench.cli.report_text import VERDICT_TONE, arguments_text, counted, question_lines
from workbench.model import SentenceRole
from workbench.policy.json_values import json_arguments

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.app.results import ChoicePreview, OwnWordsRead
    from workbench.clarify import QuestionExplanation
    from workbench.model import Draft, Json
    from workbench.policy.terms import Clause


def coverage_line(draft: Draft) -> str:
    """How many sentences of the request are requirements, context and open."""
    counts = Counter(sentence.role for sentence in draft.sentences)
    each = ", ".join(f"{counts[role]} {role.value}" for role in SentenceRole)
    return f"{counted(len(draft.sentences), 'sentence')}: {each}"


def coverage_json(draft: Draft) -> dict[str, Json]:
    """Every sentence of the request with its place and role, and how many there are of each."""
    counts = Counter(sentence.role for sentence in draft.sentences)
    return {
        "counts": {role.value: counts[role] for role in SentenceRole},
        "sentences": [
            {
                "text": sentence.text,
                "role": sentence.role.value,
                "line": sentence.span.line,
                "start": sentence.span.start,
                "end": sentence.span.end,
                "requirements": list(sentence.requirements),
            }
            for sentence in draft.sentences
        ],
    }


def explanation_lines(found: QuestionExplanation) -> Iterator[str]:
    """The path that each reading takes on the question's example."""
    question = found.question
    yield paint(question.id, Tone.WARN)
    yield f"  {one_line(question.text)}"
    if question.example is None or not found.readings:
        yield "  There is no input on which its readings could be compared."
        return
    yield f"  on: {arguments_text(question.example)}"
    for reading in found.readings:
        verdict = paint(reading.verdict.value, VERDICT_TONE[reading.verdict])
        yield f"  - {one_line(reading.option.value)}: {one_line(reading.option.label)}: {verdict}"
        for step in reading.path:
            yield f"      {step.rule} {'fires' if step.fired else 'does not fire'}"
            for condition, holds in step.conditions:
                yield f"        {'yes' if holds else 'no ':3} {one_line(condition)}"


def explanation_json(found: QuestionExplanation) -> dict[str, Json]:
    """The paths of all readings as JSON."""
    example = found.question.example
    return {
        "question": found.question.id,
        "example": json_arguments(example) if example is not None else None,
        "readings": [
            {
                "value": reading.option.value,
                "verdict": reading.verdict.value,
                "path": [
                    {
                        "rule": step.rule,
                        "fired": step.fired,
                        "conditions": [
                            {"condition": condition, "holds": holds} for condition, holds in step.conditions
                        ],
                    }
                    for step in reading.path
                ],
            }
            for reading in found.readings
        ],
    }


def heard_lines(found: OwnWordsRead, session: Path) -> Iterator[str]:
    """What a person's own words were read as, or that they could not be read either."""
    if found.rules:
        yield "Read as:"
        yield from (f"  {clean(text)}" for rule in found.rules for text in rule.splitlines())
        return
    yield paint("Your words are stored but cannot be read either; the question is still open.", Tone.WARN)
    if found.open is not None:
        yield from question_lines(found.open, session)


def heard_json(found: OwnWordsRead) -> dict[str, Json]:
    """The rules that own words were read as, or the question about them."""
    asked = json_question(found.open) if found.open is not None else None
    return {"rules": list(found.rules), "open": asked}


def preview_lines(found: ChoicePreview) -> Iterator[str]:
    """What an answer would change: clauses, regions by proof, decisions in the logs."""
    answer = "Taking the answer back" if found.value is None else f"Answering {found.value}"
    yield paint(f"{one_line(answer)} would change (nothing is stored):", Tone.TITLE)
    for sign, clauses in (("-", found.removed), ("+", found.added)):
        for clause in clauses:
            yield f"  {sign} {one_line(', '.join(clause.requirements))}: {one_line(clause.source)}"
    if not found.added and not found.removed:
        yield "  no clause of the contract"
    yield from change_lines(found.change)
    for conflict in found.conflicts:
        yield f"  your edit stays as it is: {one_line(conflict.name)}"


def preview_json(found: ChoicePreview) -> dict[str, Json]:
    """The preview as JSON."""
    return {
        "question": found.question,
        "value": found.value,
        "added": [_clause(clause) for clause in found.added],
        "removed": [_clause(clause) for clause in found.removed],
        "conflicts": [conflict.name for conflict in found.conflicts],
        **change_json(found.change),
    }


def _clause(clause: Clause) -> dict[str, Json]:
    return {"id": clause.id, "requirements": list(clause.requirements), "source": clause.source}

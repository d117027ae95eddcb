"""The text about the way through a request: what blocks first, on one screen, and the next step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from workbench.app.requested_sentence import SentenceState
from workbench.clean_text import clean, counted, one_line
from workbench.cli.output import paint
from workbench.cli.report_text import arguments_text, not_in_force_lines, shown_options
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.requested_sentence import RequestedSentence
    from workbench.app.standing import Standing
    from workbench.model import Question

_LINES = 20
"""The most lines without ``--all``, of a screen of 24, beside the head and the next step."""
_WIDTH = 96


def standing_lines(standing: Standing, *, everything: bool = False) -> Iterator[str]:
    """Where a session stands: the sentences by state, what blocks first, and the next step."""
    yield paint(f"{one_line(standing.folder)}: {_counts(standing)}", Tone.TITLE)
    sections = (
        ("", "that are not in force", [[*not_in_force_lines([item])] for item in standing.missing]),
        ("Open sentences", "open sentences", _sentence_items(standing.open_sentences)),
        (
            "Questions",
            "questions",
            [_question_item(one, everything=everything) for one in standing.questions],
        ),
    )
    room = 10**9 if everything else _LINES
    for title, noun, items in sections:
        if not items:
            continue
        if room <= 0:
            yield f"and {len(items)} {noun}; --all lists them"
            continue
        if title:
            yield paint(title, Tone.TITLE)
        for number, item in enumerate(items):
            if number and len(item) >= room:
                yield f"  and {len(items) - number} more {noun}; --all lists them"
                room = 0
                break
            yield from item
            room -= len(item)
    if everything:
        yield from _settled_lines(standing)
    yield paint(f"Next: {standing.next_step}", Tone.ACCENT)


def _counts(standing: Standing) -> str:
    counts = standing.counts
    listed = ", ".join(f"{counts[state]} {state}" for state in SentenceState if counts.get(state))
    return f"{counted(sum(counts.values()), 'sentence')} ({listed or 'none'})"


def _sentence_items(sentences: Sequence[RequestedSentence]) -> list[list[str]]:
    """The open sentences with their lines; the first below a heading or topic has it above."""
    items: list[list[str]] = []
    for under, group in groupby(sentences, key=lambda one: one.under[-1:]):
        above = [f"     {paint(one_line(under[0]), Tone.MUTED)}"] if under else []
        for one in group:
            text = one_line(one.requirement.text)
            shown = text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
            mark = "  (in the language)" if one.exact else ""
            items.append([*above, f"  {one.requirement.span.line:>4}  {shown}{mark}"])
            above = []
    return items


def _question_item(question: Question, *, everything: bool) -> list[str]:
    lines = [f"  {paint(one_line(question.id), Tone.WARN)}", f"     {one_line(question.text)}"]
    if question.example is not None:
        lines.append(f"     they differ on: {arguments_text(question.shown)}")
    options, more = shown_options(question, everything=everything)
    lines += (f"     {one_line(option.value)}: {one_line(option.label)}" for option in options)
    return [*lines, f"     {more}"] if more else lines


def _settled_lines(standing: Standing) -> Iterator[str]:
    """The other sentences with what they are read as, for ``--all``."""
    settled = [one for one in standing.sentences if one.state is not SentenceState.OPEN]
    if settled:
        yield paint("Said", Tone.TITLE)
    for one in settled:
        yield f"  {one.requirement.span.line:>4}  {one_line(one.requirement.text)}"
        if one.state is SentenceState.CONTEXT:
            yield f"        states no rule: {one_line(one.reason)}"
        elif one.state is SentenceState.PYTHON:
            yield f"        python: {one_line(', '.join(one.by_hand))}"
        if one.state is not SentenceState.LANGUAGE:
            yield from (f"        {clean(one_line(text))}" for text in one.texts)


def form_lines(sentences: Sequence[RequestedSentence]) -> Iterator[str]:
    """The open sentences as a form to be filled in, which ``say --file`` reads."""
    yield "# Below each sentence of the request: sentences of the language, a line each, or"
    yield "# context: why it states no rule. What has nothing below it stays open."
    for under, group in groupby(sentences, key=lambda one: one.under[-1:]):
        if under:
            yield from ("", f"# {one_line(under[0])}")
        for one in group:
            yield from ("", f"> {one_line(one.requirement.text)}")
            if one.exact:
                yield one_line(one.requirement.text)

"""The text about sentences: their roles, the words of one, the effect of a meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.clean_text import clean, counted, one_line
from workbench.cli.output import paint
from workbench.cli.report_text import arguments_text
from workbench.model import NEWLY, SentenceRole
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.sentence_words import OpenedSentence, SentenceWords, TriedRules
    from workbench.model import Sentence

_SHOWN = 12
_READ = {
    SentenceRole.REQUIREMENT: "a requirement",
    SentenceRole.CONTEXT: "context",
    SentenceRole.OPEN: "open: it is not read yet",
}


def sentence_lines(sentences: Sequence[Sentence]) -> Iterator[str]:
    """Every sentence of the request with its number and its role."""
    for number, sentence in enumerate(sentences, start=1):
        yield f"{number:3}  {sentence.role.value:11}  {one_line(sentence.text)}"


def context_lines(sentences: Sequence[Sentence]) -> Iterator[str]:
    """The sentences that state no rule, numbered, each with the reason for this role."""
    for number, sentence in enumerate(sentences, start=1):
        yield f'{number:3}  line {sentence.span.line}: "{one_line(sentence.text)}"'
        yield f"       {one_line(sentence.why) or 'context'}"
    if not sentences:
        yield "No sentence of the request is context."


def opened_lines(opened_sentence: OpenedSentence) -> Iterator[str]:
    """Lines on a sentence word by word, the candidates for each unknown word, and the rules it may state."""
    yield paint(
        f'line {opened_sentence.sentence.span.line}: "{one_line(opened_sentence.sentence.text)}"', Tone.TITLE
    )
    for opened in opened_sentence.words:
        if opened.role.value == "adds nothing" and not opened.meaning:
            continue
        if not opened.candidates:
            yield f"  {one_line(opened.text)}: {opened.role.value} {one_line(opened.meaning)}".rstrip()
            continue
        yield paint(f"  {one_line(opened.text)}: not understood", Tone.WARN)
        for number, word_candidate in enumerate(opened.candidates, start=1):
            yield f"    {number} {one_line(word_candidate.explanation)}"
    for number, person_rule in enumerate(opened_sentence.rules, start=1):
        yield f"  rule {number}: {one_line(person_rule.offered)}"


def tried_lines(tried_rules: TriedRules) -> Iterator[str]:
    """Lines on a meaning: its reading, its rules, an input that it decides, and the calls that would turn."""
    for reading in tried_rules.readings:
        yield f"Reads: {one_line(reading)}"
    for text in tried_rules.rules:
        yield from (f"  {clean(line)}" for line in text.splitlines())
    if not tried_rules.rules:
        yield "The sentence is not read with it yet."
    if tried_rules.change.semantic.equivalent:
        yield "Nothing is decided otherwise, on any input."
    for verdict, words in NEWLY.items():
        for item in tried_rules.change.regions(verdict)[:1]:
            example = arguments_text(item.region.decisive_arguments) or "any input"
            yield f"{words.capitalize()}, for example: {example}"
    if tried_rules.change.semantic.unknown:
        yield f"Not decided: {one_line(tried_rules.change.semantic.unknown)}"
    turned = tried_rules.turned
    yield f"{counted(len(turned), 'recorded call')} would turn." if turned else "No recorded call turns."
    for flip in turned[:_SHOWN]:
        yield f"  {one_line(flip.new.run)} call {flip.new.index}: {one_line(flip.text)}"
    if len(turned) > _SHOWN:
        yield f"  and {len(turned) - _SHOWN} more"


def read_lines(words: SentenceWords, sentence: str) -> Iterator[str]:
    """Lines on the role of a sentence; with its words if it is still open."""
    named_sentence = words.sentences.named(sentence)
    yield f"Kept. The sentence is {_READ[named_sentence.role]}."
    if named_sentence.role.value == "open":
        yield from opened_lines(words.open(sentence))

"""The sentences of a request by the names that people use, with the words and the question of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.app.results import choices_of
from workbench.model import Question, Sentence, SentenceRole, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.request import Request
    from workbench.session import Session


class RequestSentences:
    """The sentences of a session's request."""

    def __init__(self, session: Session, request: Request) -> None:
        self._session = session
        self._request = request

    def all(self) -> tuple[Sentence, ...]:
        """The sentences of the request, in order; the number of a sentence is its place from 1."""
        return self._request.draft().sentences

    def named(self, named: str) -> Sentence:
        """The sentence with this number, or the only one with these words; of equal sentences the first.

        If several sentences have the words, it is the one with exactly these words, punctuation and case
        included. If no sentence has them, it is the sentence for which a person said them. Raises
        WorkbenchError if there is none, or several have the words.
        """
        sentences, words = self.all(), bare_words(named)
        if named.isdecimal() and 0 < int(named) <= len(sentences):
            return sentences[int(named) - 1]
        matches = [sentence for sentence in sentences if words and words in bare_words(sentence.text)]
        matches = matches or [
            sentence for sentence in sentences if words and words in self._said_of(sentence)
        ]
        if _several(matches):
            request = self._session.request
            matches = [
                sentence for sentence in matches if named in request[sentence.span.start : sentence.span.end]
            ] or matches
        if not matches or _several(matches):
            trouble = "Several sentences have" if matches else "No sentence has"
            raise WorkbenchError(
                f"{trouble} the words “{named}”; 'workbench word SESSION' lists them by number."
            )
        return matches[0]

    def as_said(self, sentence: Sentence) -> Sentence:
        """A sentence, in the words that a person said in its place if it is unread and there are any."""
        from workbench.author.rules.request_text import plain

        if sentence.role is SentenceRole.OPEN:
            answered = choices_of(self._request.assumptions)
            for doubt in self._request.draft().doubts:
                is_asked = doubt.span == sentence.span and doubt.blocking and doubt.free_text
                if is_asked and doubt.id not in answered:
                    return replace(sentence, text=plain(doubt.quote))
        return sentence

    def question_of(self, sentence: Sentence) -> str:
        """The id of the question that a sentence's rules answer: why it cannot be read, else its meaning."""
        from workbench.author.rules.author_doubts import rewrite_id

        if sentence.role is SentenceRole.OPEN:
            for doubt in self._request.draft().doubts:
                if doubt.span == sentence.span and doubt.blocking and doubt.free_text:
                    return doubt.id
        return rewrite_id(sentence.text)

    def tools_named(self, named: str) -> tuple[str, ...]:
        """The tools that the words of a sentence name, else those that the heading above it names."""
        from workbench.author.rules.author import lexicon_of
        from workbench.clarify.word_meanings import tools_named

        sentence, lexicon = self.named(named), lexicon_of(self._session.spec)
        before = self._session.request[: sentence.span.start].splitlines()
        heading = next((line for line in reversed(before) if line.lstrip().startswith("#")), "")
        return tools_named(self.as_said(sentence).text, lexicon) or tools_named(heading, lexicon)

    def stands_alone(self, sentence: Sentence) -> bool:
        """Whether a sentence is complete without a lead-in, such as a heading that states a rule."""
        from workbench.author.rules.context_reasons import heads_only
        from workbench.author.rules.request_blocks import LeadIn, Plain, read_units
        from workbench.author.rules.request_text import BlockKind, read_blocks

        request, place = self._session.request, sentence.span.start
        for unit in read_units(request, read_blocks(request)):
            if isinstance(unit, Plain) and unit.span == sentence.span:
                return True
            if isinstance(unit, LeadIn) and any(
                entry.span.start <= place < entry.span.end for entry in unit.entries
            ):
                return unit.lead.kind is BlockKind.HEADING and heads_only(unit.lead.text)
        return False

    def _said_of(self, sentence: Sentence) -> str:
        """The meaning of a sentence as bare words: its last wording and the text of its requirements."""
        texts = (
            requirement.text
            for requirement in self._request.draft().requirements
            if requirement.id in sentence.requirements
        )
        return bare_words(" ".join((self.as_said(sentence).text, *texts)))


def number_about(sentences: Sequence[Sentence], question: Question) -> int:
    """The number (from 1) of the sentence that a question is about; 0 if it is about no single sentence."""
    for number, sentence in enumerate(sentences, start=1):
        if sentence.span.start <= question.span.start and question.span.end <= sentence.span.end:
            return number
    return 0


def _several(sentences: Sequence[Sentence]) -> bool:
    """Whether sentences differ in their words."""
    return len({bare_words(sentence.text) for sentence in sentences}) > 1


def bare_words(text: str) -> str:
    """A text without case, spacing and punctuation, for finding words in it."""
    return " ".join(re.findall(r"\w+", text.lower()))

"""The reading of a sentence without its unknown words, if these neither reverse nor narrow it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.app.results import choices_of
from workbench.model import Assumption, Doubt, Draft, Sentence, SentenceRole

if TYPE_CHECKING:
    from workbench.clarify.person_rule import PersonRule
    from workbench.clarify.word_meanings import OpenedWord

_ROUNDS = 2
"""Two rounds of drafting, because some bounds of a sentence are found only after others are decided."""


def reading_without(
    sentence: Sentence,
    words: Sequence[OpenedWord],
    assumptions: tuple[Assumption, ...],
    draft: Callable[[Mapping[str, str]], Draft],
) -> PersonRule | None:
    """The rule that an open sentence states without its unknown words; None if it states none.

    A bound such as “over 100” is taken literally: it does not include 100.
    """
    left_out = _words_to_leave_out(sentence.text, words)
    if not left_out:
        return None
    reading = _drafted_without(sentence, left_out, assumptions, draft)
    return _stated_rule(reading, sentence, left_out)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A draft in which the unknown words of a sentence mean nothing, and the assumptions for it."""

    draft: Draft
    assumed: tuple[Assumption, ...]


def _words_to_leave_out(text: str, words: Sequence[OpenedWord]) -> tuple[str, ...]:
    """The unknown words of a sentence; empty if one of them may reverse or narrow its meaning."""
    from workbench.clarify.reversing_words import can_be_left_out
    from workbench.clarify.word_meanings import WordRole, tool_is_open

    unknown = [word for word in words if word.role is WordRole.UNKNOWN]
    if tool_is_open(words) or not all(can_be_left_out(text, word.start, word.text) for word in unknown):
        return ()
    return tuple(dict.fromkeys(word.text for word in unknown))


def _drafted_without(
    sentence: Sentence,
    left_out: Iterable[str],
    assumptions: tuple[Assumption, ...],
    draft: Callable[[Mapping[str, str]], Draft],
) -> _Reading:
    """The reading in which the bounds of the sentence are taken literally."""
    from workbench.author.doubts import NOTHING
    from workbench.author.rules.author_doubts import idle_word_id

    text = sentence.text
    assumed = [
        Assumption.by_person(idle_word_id(word, text), NOTHING, f"“{word}” adds nothing to “{text}”.")
        for word in left_out
    ]
    drafted = draft(choices_of((*assumptions, *assumed)))
    for _ in range(_ROUNDS):
        answered = {assumption.question for assumption in (*assumptions, *assumed)}
        bounds = [*_open_bounds(drafted, sentence, answered)]
        if not bounds:
            break
        assumed += bounds
        drafted = draft(choices_of((*assumptions, *assumed)))
    return _Reading(drafted, tuple(assumed))


def _stated_rule(reading: _Reading, sentence: Sentence, left_out: tuple[str, ...]) -> PersonRule | None:
    """The rule that a sentence states in a reading; None if it states none."""
    from workbench.author.rules.norms import Effect
    from workbench.clarify.person_rule import PersonRule
    from workbench.policy.check import check
    from workbench.policy.read_aloud import rule_sentence

    sentences = reading.draft.sentences
    read = next((candidate for candidate in sentences if candidate.span == sentence.span), None)
    if read is None or read.role is not SentenceRole.REQUIREMENT:
        return None
    terms = check(reading.draft.policy)
    rules = [rule for rule in terms.rules if set(read.requirements) & set(rule.requirements)]
    if not rules:
        return None
    rules_aloud = "; ".join(rule_sentence(rule, terms).rstrip(".") for rule in rules)
    effect = Effect.FORBID if any(rule.forbids for rule in rules) else Effect.PERMIT
    return PersonRule(effect, (), (), left_out=left_out, aloud=rules_aloud, answers=reading.assumed)


def _open_bounds(draft: Draft, sentence: Sentence, answered: Iterable[str]) -> Iterable[Assumption]:
    """The assumptions that take the bounds of a sentence literally: “over 100” does not include 100."""
    from workbench.author.doubts import EXCLUDED
    from workbench.question_wording import question_about

    for doubt in draft.doubts:
        if doubt.kind == "boundary" and doubt.span == sentence.span and doubt.id not in answered:
            statement = next(
                (option.statement for option in question_about(doubt).options if option.value == EXCLUDED), ""
            )
            yield Assumption.by_person(doubt.id, EXCLUDED, statement or _as_it_stands(doubt))


def _as_it_stands(doubt: Doubt) -> str:
    return f"The bound of “{doubt.quote}” is not included."

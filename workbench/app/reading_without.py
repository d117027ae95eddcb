"""The reading of a sentence without its unknown words, where these neither reverse nor narrow it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.app.results import choices_of
from workbench.model import Assumption, Doubt, Draft, Sentence, SentenceRole

if TYPE_CHECKING:
    from workbench.clarify.told_rule import ToldRule
    from workbench.clarify.word_meanings import OpenedWord
    from workbench.policy.terms import PolicyTerms

_ROUNDS = 2
"""Only with a bound decided are all others of a sentence met."""


def reading_without(
    sentence: Sentence,
    words: Sequence[OpenedWord],
    assumptions: tuple[Assumption, ...],
    draft: Callable[[Mapping[str, str]], Draft],
) -> ToldRule | None:
    """The rule that an open sentence states without its unknown words; None where it states none.

    A bound such as “over 100” is taken as it stands: without the bound itself.
    """
    from workbench.author.doubts import NOTHING
    from workbench.author.rules.author_doubts import idle_word_id
    from workbench.author.rules.norms import Effect
    from workbench.clarify.reversing_words import can_be_left_out
    from workbench.clarify.told_rule import ToldRule
    from workbench.clarify.word_meanings import WordRole, tool_is_open
    from workbench.policy.check import check
    from workbench.policy.read_aloud import rule_sentence

    text = sentence.text
    unknown = [word for word in words if word.role is WordRole.UNKNOWN]
    if (
        not unknown
        or tool_is_open(words)
        or not all(can_be_left_out(text, word.start, word.text) for word in unknown)
    ):
        return None
    left = tuple(dict.fromkeys(word.text for word in unknown))
    new_assumptions = [
        Assumption.by_person(idle_word_id(word, text), NOTHING, f"“{word}” adds nothing to “{text}”.")
        for word in left
    ]
    drafted = draft(choices_of((*assumptions, *new_assumptions)))
    for _ in range(_ROUNDS):
        bounds = [
            *_open_bounds(
                drafted, sentence, {assumption.question for assumption in (*assumptions, *new_assumptions)}
            )
        ]
        if not bounds:
            break
        new_assumptions += bounds
        drafted = draft(choices_of((*assumptions, *new_assumptions)))
    read = next((candidate for candidate in drafted.sentences if candidate.span == sentence.span), None)
    if read is None or read.role is not SentenceRole.REQUIREMENT:
        return None
    terms: PolicyTerms = check(drafted.policy)
    rules = [rule for rule in terms.rules if set(read.requirements) & set(rule.requirements)]
    if not rules:
        return None
    rules_aloud = "; ".join(rule_sentence(rule, terms).rstrip(".") for rule in rules)
    effect = Effect.FORBID if any(rule.forbids for rule in rules) else Effect.PERMIT
    return ToldRule(effect, (), (), left_out=left, aloud=rules_aloud, answers=tuple(new_assumptions))


def _open_bounds(draft: Draft, sentence: Sentence, answered: Iterable[str]) -> Iterable[Assumption]:
    """The assumptions that take the bounds of a sentence literally: “over 100” does not include 100."""
    from workbench.author.doubts import EXCLUDED
    from workbench.clarify.wording import question

    for doubt in draft.doubts:
        if doubt.kind == "boundary" and doubt.span == sentence.span and doubt.id not in answered:
            statement = next(
                (option.statement for option in question(doubt).options if option.value == EXCLUDED), ""
            )
            yield Assumption.by_person(doubt.id, EXCLUDED, statement or _as_it_stands(doubt))


def _as_it_stands(doubt: Doubt) -> str:
    return f"The bound of “{doubt.quote}” is not included."

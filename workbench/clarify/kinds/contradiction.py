"""Contradictions within a rule card, and between two rules that leave nothing allowed."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import BOTH, CardContradiction, Incompatible
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Option, Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each card that contradicts itself and for each two rules that clash."""
    for card in situation.doubts(CardContradiction):
        yield _card(card)
    for rules in situation.doubts(Incompatible):
        yield _rules(rules)


def _card(doubt: CardContradiction) -> Question:
    about = ", ".join(doubt.requirements)
    text = (
        f"The condition “{doubt.condition}” contradicts the sentence “{doubt.message}”. Which one is meant?"
    )
    options = (
        Option(
            "condition",
            f"The condition: {doubt.condition}",
            f"Denied if {doubt.condition_denies}.",
            f"{about} means its condition “{doubt.condition}”, not its sentence.",
        ),
        Option(
            "message",
            f"The sentence: {doubt.message}",
            f"Denied if {doubt.message_denies}.",
            f"{about} means its sentence “{doubt.message}”, not its condition.",
        ),
    )
    return question(doubt, text, options)


def _rules(doubt: Incompatible) -> Question:
    first, second = doubt.first, doubt.second
    text = f"Together these two rules leave nothing allowed: “{doubt.texts[0]}” and “{doubt.texts[1]}”."
    both = Option(
        BOTH,
        "Both hold: nothing of it is allowed",
        "Everything that both rules speak of is denied.",
        f"{first} and {second} both hold.",
    )
    return question(
        doubt, text, [both, _only(first, second, doubt.texts[0]), _only(second, first, doubt.texts[1])]
    )


def _only(kept: str, dropped: str, text: str) -> Option:
    effect = f"{dropped} is left out; what {kept} allows is allowed."
    return Option(kept, f"Only: {text}", effect, f"{kept} holds and {dropped} does not.")

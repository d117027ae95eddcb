"""Contradictions within a rule card, and between two rules that leave nothing allowed."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import CardContradiction, Incompatible
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each card that contradicts itself and for each two rules that clash."""
    for card in situation.doubts(CardContradiction):
        yield question("contradiction-card", card)
    for rules in situation.doubts(Incompatible):
        first_text, second_text = rules.texts
        by_value = {
            rules.first: {"text": first_text, "other": rules.second},
            rules.second: {"text": second_text, "other": rules.first},
        }
        yield question(
            "contradiction-rules", rules, by_value=by_value, first_text=first_text, second_text=second_text
        )

"""A sentence of which a person has said that no reading is meant."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import Unread
from workbench.clarify.situation import Situation
from workbench.clarify.wording import context_option, question
from workbench.model import Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each sentence."""
    for doubt in situation.doubts(Unread, "rewrite"):
        yield worded(doubt)


def worded(doubt: Unread) -> Question:
    """The request for other words for a sentence."""
    text = "None of the readings of this sentence is meant. Please say it in other words."
    return question(doubt, text, [context_option(doubt.quote)])

"""A word that the agent spec does not define, or an argument that it cannot supply."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import Unread
from workbench.clarify.situation import Situation
from workbench.clarify.wording import context_option, question
from workbench.model import Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each sentence."""
    for doubt in situation.doubts(Unread, "undefined"):
        text = (
            f"This sentence uses a word that the agent spec does not define: {doubt.reason}. "
            "Please say it with the agent's own words, or add a synonym to the agent spec."
        )
        yield question(doubt, text, [context_option(doubt.quote)])

"""Words that presuppose more than the agent knows: it only knows whether something is so."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import Presupposed, Unread
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for the words that presuppose something, or for a consent that no argument tells."""
    for doubt in situation.doubts(Presupposed):
        yield question("presupposition", doubt)
    for unread in situation.doubts(Unread, "presupposition"):
        yield question("presupposition-unread", unread)

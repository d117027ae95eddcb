"""A sentence that the language does not have a reading for."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import Unread
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each sentence."""
    for doubt in situation.doubts(Unread, "unreadable"):
        yield question("unreadable", doubt)

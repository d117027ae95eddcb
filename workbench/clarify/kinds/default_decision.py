"""The decision on inputs of which no sentence of the request speaks."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import NothingElseSaid
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for the whole request."""
    for doubt in situation.doubts(NothingElseSaid):
        yield question("default-decision", doubt)

"""The decision of a rule where the argument that it reads has no value."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import MissingValue
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each optional argument that a rule reads."""
    for doubt in situation.doubts(MissingValue):
        yield question("missing", doubt)

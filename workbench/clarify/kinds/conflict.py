"""A permission within a prohibition, and which of the two sentences wins."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import NormConflict
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each permission and prohibition that meet."""
    for doubt in situation.doubts(NormConflict):
        allowed, denied = doubt.texts
        yield question("conflict", doubt, allowed=allowed, denied=denied)

"""A word that is close to one of the agent's words without being one."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import NearMiss
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each such word."""
    for doubt in situation.doubts(NearMiss):
        listed = ", ".join(f"“{known}”" for known in doubt.near)
        yield question("vocabulary", doubt, nearest=doubt.near[0], listed=listed)

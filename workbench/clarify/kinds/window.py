"""Asks over which window a limit on several actions counts, where no argument counts its window."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.clarify.situation import Situation
from workbench.model import Question
from workbench.question_wording import phrase, question_about


def find(situation: Situation) -> Iterator[Question]:
    """One question for each such limit."""
    for doubt in situation.doubts("window"):
        words = doubt.facts["words"]
        yield question_about(
            doubt, lacking=phrase("window", "uncounted" if words else "unnamed", words=words)
        )

"""Questions about the time window of a limit on several actions, if no argument counts that window."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.clarify.situation import Situation
from workbench.model import Question
from workbench.question_wording import phrase, question_about


def find(situation: Situation) -> Iterator[Question]:
    """Yield one question for each such limit."""
    for doubt in situation.doubts("window"):
        words = doubt.facts["words"]
        yield question_about(
            doubt, lacking=phrase("window", "uncounted" if words else "unnamed", words=words)
        )

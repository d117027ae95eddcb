"""Questions that only the author can ask.

Vocabulary, contradictions within a card, conflicts, bounds, the default decision, missing
values, and sentences that it could not read.
"""

from __future__ import annotations

from collections.abc import Iterable

from workbench.clarify.situation import Situation
from workbench.model import Question


def find(situation: Situation) -> Iterable[Question]:
    """The questions of the draft."""
    return situation.draft.questions

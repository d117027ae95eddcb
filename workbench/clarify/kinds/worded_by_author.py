"""Questions that the author words itself: those of a model, about its own readings."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.clarify.situation import Situation
from workbench.model import Question


def find(situation: Situation) -> Iterable[Question]:
    """The questions of the draft."""
    return situation.draft.questions

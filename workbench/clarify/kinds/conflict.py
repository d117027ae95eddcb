"""A permission within a prohibition, and which of the two sentences wins."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import FORBID, PERMIT, NormConflict
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Option, Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each permission and prohibition that meet."""
    for doubt in situation.doubts(NormConflict):
        yield _worded(doubt)


def _worded(doubt: NormConflict) -> Question:
    allowed, denied = doubt.texts
    options = (
        Option(
            FORBID,
            f"The prohibition: {denied}",
            f"Denied where {doubt.forbid} forbids it, whatever {doubt.permit} permits.",
            f"{doubt.forbid} wins over {doubt.permit}.",
        ),
        Option(
            PERMIT,
            f"The permission: {allowed}",
            f"What {doubt.permit} permits is an exception to {doubt.forbid}.",
            f"{doubt.permit} is an exception to {doubt.forbid}.",
        ),
    )
    return question(doubt, f"Where both apply, which sentence wins: “{allowed}” or “{denied}”?", options)

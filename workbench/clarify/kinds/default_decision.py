"""What holds where no sentence of the request speaks."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import ALLOW, DENY, NothingElseSaid
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Option, Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for the whole request."""
    for doubt in situation.doubts(NothingElseSaid):
        options = (
            Option(
                DENY,
                "Deny them",
                "Only what the request permits is allowed.",
                "What the request does not permit is denied.",
            ),
            Option(
                ALLOW,
                "Allow them",
                "Everything that no rule forbids is allowed.",
                "What no rule forbids is allowed.",
            ),
        )
        text = "The request does not say what happens to actions that it does not mention."
        yield question(doubt, text, options)

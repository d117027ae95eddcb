"""What a rule decides where the argument it reads has no value."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import DENY, IGNORE, MissingValue
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Option, Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each optional argument that a rule reads."""
    for doubt in situation.doubts(MissingValue):
        name = doubt.argument
        options = (
            Option(
                DENY,
                "Deny",
                f"A rule that reads {name} denies where there is none.",
                f"Where {name} is missing, the rules that read it deny.",
            ),
            Option(
                IGNORE,
                "Ignore the rule",
                f"A rule that reads {name} does not apply where there is none.",
                f"Where {name} is missing, the rules that read it do not apply.",
            ),
        )
        yield question(doubt, f"What should happen where {name} is missing?", options)

"""A bound of which the sentence does not say whether it includes its value."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import OpenBound
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each open bound."""
    for doubt in situation.doubts(OpenBound):
        included, excluded = ("deny", "allow") if doubt.wide else ("allow", "deny")
        yield question("boundary", doubt, bound=doubt.value, if_included=included, if_excluded=excluded)

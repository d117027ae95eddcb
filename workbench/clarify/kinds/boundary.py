"""A bound of which the sentence does not say whether it includes its value."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import EXCLUDED, INCLUDED, OpenBound
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Option, Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each open bound."""
    for doubt in situation.doubts(OpenBound):
        text = f"“{doubt.word} {doubt.value}”: does it include {doubt.argument} = {doubt.value} itself?"
        yield question(doubt, text, _options(doubt))


def _options(doubt: OpenBound) -> Iterator[Option]:
    included, excluded = ("deny", "allow") if doubt.wide else ("allow", "deny")
    words, at = f"“{doubt.word} {doubt.value}”", f"At {doubt.argument} = {doubt.value} the rule would"
    about = ", ".join(doubt.requirements)
    yield Option(
        INCLUDED,
        f"Yes, {doubt.value} is included",
        f"{at} {included}.",
        f"In {about}, {words} includes {doubt.value}.",
    )
    yield Option(
        EXCLUDED,
        f"No, {doubt.value} is not included",
        f"{at} {excluded}.",
        f"In {about}, {words} does not include {doubt.value}.",
    )

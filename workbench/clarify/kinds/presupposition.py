"""Words that presuppose more than the agent knows: it only knows whether something is so."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import FALSE, TRUE, Presupposed
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Option, Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for the words that presuppose something."""
    for doubt in situation.doubts(Presupposed):
        known = f"{doubt.argument} ({doubt.description})"
        text = f"The sentence speaks of “{doubt.words}”; all that the agent spec knows of it is {known}."
        yield question(doubt, text, [_option(doubt, TRUE), _option(doubt, FALSE)])


def _option(doubt: Presupposed, value: str) -> Option:
    held = f"{doubt.argument} is {value}"
    return Option(
        value,
        f"It means: {held}",
        f"The sentence holds where {held}.",
        f"“{doubt.words}” in “{doubt.quote}” means {held}.",
    )

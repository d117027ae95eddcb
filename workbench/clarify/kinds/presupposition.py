"""Words that presuppose more than the agent knows: it only knows whether something is so."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import FALSE, TRUE, Presupposed, Unread
from workbench.clarify.situation import Situation
from workbench.clarify.wording import context_option, question
from workbench.model import Option, Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for the words that presuppose something, or for a consent that no argument tells."""
    for doubt in situation.doubts(Presupposed):
        known = f"{doubt.argument} ({doubt.description})"
        text = f"The sentence speaks of “{doubt.words}”; all that the agent spec knows of it is {known}."
        yield question(doubt, text, [_option(doubt, TRUE), _option(doubt, FALSE)])
    for unread in situation.doubts(Unread, "presupposition"):
        text = (
            f"The sentence presupposes that the agent knows who agreed to what: {unread.reason}. Please "
            "declare an argument for it in the agent spec (“whether the user approved”), or say the rule in "
            "other words."
        )
        yield question(unread, text, [context_option(unread.quote)])


def _option(doubt: Presupposed, value: str) -> Option:
    held = f"{doubt.argument} is {value}"
    return Option(
        value,
        f"It means: {held}",
        f"The sentence holds where {held}.",
        f"“{doubt.words}” in “{doubt.quote}” means {held}.",
    )

"""A limit on several actions together, and over what it counts."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import RUN, UncountedWindow, Unread
from workbench.clarify.situation import Situation
from workbench.clarify.wording import context_option, one_line, question
from workbench.model import Option, Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each limit whose window no argument counts, or that cannot be read at all."""
    for window in situation.doubts(UncountedWindow):
        yield _window(window)
    for unread in situation.doubts(Unread, "stateful"):
        text = (
            "This sentence limits several actions together, which needs a window and a count that the "
            f"agent spec does not have as an argument: {unread.reason}. Please say it of one action, or add "
            "such an argument."
        )
        yield question(unread, text, [context_option(unread.quote)])


def _window(doubt: UncountedWindow) -> Question:
    lacking = (
        f"the agent spec has no argument that counts “{doubt.words}”" if doubt.words else "it names no window"
    )
    text = (
        f"This sentence limits several actions together, but {lacking}. A guard sees the calls of one "
        "run of the agent. Should it count those? If not, please declare an argument that counts."
    )
    run = Option(
        RUN,
        "Count the calls of one run",
        "Denied where the calls of one run exceed the limit.",
        f"The limit of “{one_line(doubt.quote)}” is for each run of the agent.",
    )
    return question(doubt, text, [run, context_option(doubt.quote)])

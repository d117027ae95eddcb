"""A limit on several actions together, and over what it counts."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import UncountedWindow, Unread
from workbench.clarify.situation import Situation
from workbench.clarify.wording import phrase, question
from workbench.model import Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each limit whose window no argument counts, or that cannot be read at all."""
    for window in situation.doubts(UncountedWindow):
        lacking = phrase("stateful-window", "uncounted" if window.words else "unnamed", words=window.words)
        yield question("stateful-window", window, lacking=lacking)
    for unread in situation.doubts(Unread, "stateful"):
        yield question("stateful-unread", unread)

"""A word that is close to one of the agent's words without being one."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import DIFFERENT, NearMiss
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question
from workbench.model import Option, Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each such word."""
    for doubt in situation.doubts(NearMiss):
        text = (
            f"The request says “{doubt.word}”; the agent knows “{doubt.near[0]}”. Is it the same {doubt.of}?"
        )
        yield question(doubt, text, _options(doubt))


def _options(doubt: NearMiss) -> Iterator[Option]:
    for known in doubt.near:
        yield Option(
            known,
            f"It means “{known}”",
            f"What the request says of “{doubt.word}” holds for {doubt.of} “{known}”.",
            f"“{doubt.word}” is the {doubt.of} “{known}”.",
        )
    listed = ", ".join(f"“{known}”" for known in doubt.near)
    yield Option(
        DIFFERENT,
        f"It is a different {doubt.of}",
        f"What the request says of “{doubt.word}” holds for no {doubt.of} of the agent.",
        f"“{doubt.word}” is a different {doubt.of} from {listed}.",
    )

"""Doubts that need a wording only: their kind is a table of ``questions.toml`` and no file of its own."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.clarify.registry import kinds
from workbench.clarify.situation import Situation
from workbench.clarify.wording import question, wordings
from workbench.model import Question


def find(situation: Situation) -> Iterator[Question]:
    """One question for each such doubt; the wording's placeholders are the doubt's facts."""
    with_file = {kind.name.replace("_", "-") for kind in kinds()}
    for doubt in situation.draft.doubts:
        if doubt.kind in wordings().questions and doubt.kind not in with_file:
            yield question(doubt)

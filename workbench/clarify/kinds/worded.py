"""Doubts that need a wording only: their kind is a table of ``questions.toml`` and no file of its own.

The author of a model asks while it drafts, because the model is told what was answered; the questions of its
draft are passed on.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.clarify.question_kinds import kinds
from workbench.clarify.situation import Situation
from workbench.model import Question
from workbench.question_wording import question_about, wordings


def find(situation: Situation) -> Iterator[Question]:
    """One question for each such doubt, with its facts in the placeholders; the questions of the draft."""
    with_file = {kind.name.replace("_", "-") for kind in kinds()}
    for doubt in situation.draft.doubts:
        if doubt.kind in wordings().questions and doubt.kind not in with_file:
            yield question_about(doubt)
    yield from situation.draft.questions

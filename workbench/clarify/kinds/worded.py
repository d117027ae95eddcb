"""Doubts that need only a wording: their kind is a table of ``questions.toml`` without a file of its own.

The model author asks while it drafts, because the model gets the answers. The questions of its draft are
passed on.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.clarify.question_kinds import kinds
from workbench.clarify.situation import Situation
from workbench.model import Question
from workbench.question_wording import question_about, wordings


def find(situation: Situation) -> Iterator[Question]:
    """Yield one question for each such doubt, with its facts filled in, and the questions of the draft."""
    with_file = {kind.name.replace("_", "-") for kind in kinds()}
    for doubt in situation.draft.doubts:
        if doubt.kind in wordings().questions and doubt.kind not in with_file:
            yield question_about(doubt)
    yield from situation.draft.questions

"""JSON forms of what single commands write; those of a whole check are in ``workbench.app.report``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.app.report import json_assumption, json_question
from workbench.model import Assumption, CaseResult, Json, Question

if TYPE_CHECKING:
    from workbench.app.results import SessionChange


def json_answered(question: Question, assumption: Assumption) -> dict[str, Json]:
    """A question with the assumption that its answer became."""
    return {**json_question(question), "assumption": json_assumption(assumption)}


def json_cases(results: Sequence[CaseResult]) -> dict[str, Json]:
    """How many cases passed and failed, and every failure."""
    failed = [result for result in results if not result.passed]
    return {
        "passed": len(results) - len(failed),
        "failed": len(failed),
        "failures": [{"case": item.case, "got": item.got, "detail": item.detail} for item in failed],
    }


def json_changed(changed: SessionChange) -> dict[str, Json]:
    """What an answer changed, which edits it could not merge, and how own words were read."""
    from workbench.cli.question_text import heard_json

    return {
        "policy": changed.policy,
        "cases": changed.cases,
        "conflicts": [
            {"name": item.name, "ours": item.ours, "theirs": item.theirs} for item in changed.conflicts
        ],
        "heard": heard_json(changed.heard) if changed.heard is not None else None,
    }

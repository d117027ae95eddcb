"""Clarifying: what is ambiguous, inconsistent or silently presupposed becomes a question."""

from workbench.clarify.engine import choose_defaults, find_questions
from workbench.clarify.explaining import Explanation, ReadingPath, explain
from workbench.clarify.refined import RefinedRequest, RefinedSentence, refine
from workbench.clarify.situation import Situation
from workbench.clarify.standing import NEITHER, SKIP, choices_of, standing

__all__ = [
    "NEITHER",
    "SKIP",
    "Explanation",
    "ReadingPath",
    "RefinedRequest",
    "RefinedSentence",
    "Situation",
    "choices_of",
    "choose_defaults",
    "explain",
    "find_questions",
    "refine",
    "standing",
]

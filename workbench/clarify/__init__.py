"""Clarification: questions about what a request leaves ambiguous, contradicts or presupposes."""

from workbench.clarify.engine import find_questions
from workbench.clarify.explaining import QuestionExplanation, ReadingPath, explain
from workbench.clarify.refined import RefinedRequest, RefinedSentence, refine, touched
from workbench.clarify.situation import Situation
from workbench.clarify.standing import NEITHER, SKIP, choices_of, rejected, standing
from workbench.clarify.unattended_run import TakenDefault, unattended

__all__ = [
    "NEITHER",
    "SKIP",
    "QuestionExplanation",
    "ReadingPath",
    "RefinedRequest",
    "RefinedSentence",
    "Situation",
    "TakenDefault",
    "choices_of",
    "explain",
    "find_questions",
    "refine",
    "rejected",
    "standing",
    "touched",
    "unattended",
]

"""Clarification: questions about what a request leaves ambiguous, contradicts or presupposes."""

from workbench.clarify.answers_without_option import NEITHER, SKIP, choices_of, rejected, standing
from workbench.clarify.option_explanation import QuestionExplanation, ReadingPath, explain
from workbench.clarify.question_selection import find_questions
from workbench.clarify.refined_request import RefinedRequest, RefinedSentence, refine, touched
from workbench.clarify.situation import Situation
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

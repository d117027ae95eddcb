"""Answers that choose no option: a question is skipped, or all of its readings are rejected.

Both are stored with the assumptions, and both leave their question open. A skipped question is asked last. If
all readings are rejected, the person has to rephrase the sentence: the question becomes a request to do so,
and the new words are read in place of the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from workbench.author.doubts import rewrite
from workbench.model import Assumption, Draft, Question, WorkbenchError
from workbench.question_wording import question_about

SKIP = "~skip"
NEITHER = "~neither"
STANDING = frozenset([SKIP, NEITHER])


def choices_of(assumptions: Iterable[Assumption]) -> Mapping[str, str]:
    """The chosen value of each question id, without skipped questions and rejected readings."""
    return {item.question: item.value for item in assumptions if item.value not in STANDING}


def rejected(assumptions: Iterable[Assumption]) -> frozenset[str]:
    """The questions for which a person rejected all readings."""
    return frozenset(item.question for item in assumptions if item.value == NEITHER)


def statement_of(question: Question, value: str) -> str:
    """The statement to store for a question that was answered with ``SKIP`` or ``NEITHER``."""
    quote = f" of “{' '.join(question.quote.split())}”" if question.quote else ""
    if value == SKIP:
        return f"The question {question.id} was skipped."
    return f"None of the readings{quote} is meant; it is to be said in other words."


def standing(
    questions: Iterable[Question], draft: Draft, assumptions: Iterable[Assumption]
) -> tuple[Question, ...]:
    """The questions with the skipped ones last, and a rewrite request for each with rejected readings."""
    value_by_question = {item.question: item.value for item in assumptions if item.value in STANDING}
    rewritten = [
        rewrite_request(question, draft) if value_by_question.get(question.id) == NEITHER else question
        for question in questions
    ]
    first = {question.id: question for question in rewritten if value_by_question.get(question.id) != SKIP}
    last = {question.id: question for question in rewritten if question.id not in first}
    return (*first.values(), *last.values())


def check_rewritable(question: Question, draft: Draft) -> None:
    """Raise WorkbenchError if a question is about no sentence that could be rephrased."""
    if rewrite_request(question, draft).id == question.id and not question.free_text:
        raise WorkbenchError(
            f"{question.id} is about no single sentence, so none can be said in other words; "
            "choose an option, or edit the request."
        )


def rewrite_request(question: Question, draft: Draft) -> Question:
    """The request to rephrase the sentence of a question; the question itself if it has no sentence."""
    if question.free_text:
        return question
    for sentence in draft.sentences:
        within = sentence.span.start <= question.span.start < sentence.span.end
        if within and question.span.end > question.span.start:
            return replace(
                question_about(rewrite(sentence.text, sentence.span)),
                requirements=question.requirements or sentence.requirements,
            )
    return question

"""The assumption that an answer to a question makes, and what counts as an answer."""

from __future__ import annotations

from workbench.model import Assumption, MadeBy, Question, WorkbenchError, assumption_id
from workbench.timestamps import timestamp


def assumption_of(question: Question, value: str, made_by: MadeBy) -> Assumption:
    """The assumption that choosing ``value`` makes; raises WorkbenchError if it is no option."""
    from workbench.clarify.answers_without_option import STANDING, statement_of

    option = next((item for item in question.options if item.value == value), None)
    if not value.strip():
        raise WorkbenchError(f"The answer to {question.id} is empty; {how_to_answer(question)}.")
    if option is None and not question.free_text and value not in STANDING:
        raise WorkbenchError(f"{value!r} does not answer {question.id}; {how_to_answer(question)}.")
    statement = option.statement if option else statement_of(question, value) if value in STANDING else value
    when = timestamp()
    return Assumption(
        id=assumption_id(question.id),
        question=question.id,
        value=value,
        statement=statement,
        made_by=made_by,
        when=when,
        requirements=question.requirements,
    )


def how_to_answer(question: Question) -> str:
    """Half a sentence on what counts as an answer to a question."""
    possible_answers = ", ".join(item.value for item in question.options)
    if question.free_text:
        return f"say the sentence in other words, or answer with: {possible_answers}"
    return f"answer with one of: {possible_answers}"

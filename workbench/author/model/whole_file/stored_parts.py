"""Conversion of the questions, cases and sentences of a drafting to and from their stored form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.author.model.context_questions import CONTEXT
from workbench.author.model.whole_file.design import all_sentences
from workbench.author.model.whole_file.model_cases import CasesUnder, ModelCaseForm, RunCase
from workbench.author.model.whole_file.stored_drafting import (
    KeptDrafting,
    KeptQuestion,
    StoredCase,
)
from workbench.model import Question, Sentence, SentenceRole, span_of
from workbench.serialization.json_values import json_arguments


def kept_question(question: Question, run: ModelCaseForm | None = None) -> KeptQuestion:
    """A question in its stored form, with a run that gives its example."""
    return KeptQuestion(
        id=question.id,
        kind=question.kind,
        text=question.text,
        quote=question.quote,
        start=question.span.start,
        end=question.span.end,
        options=question.options,
        requirements=question.requirements,
        blocking=question.blocking,
        free_text=question.free_text,
        example=None if question.example is None else json_arguments(question.example),
        run=run,
    )


def question_of(question: KeptQuestion, request: str) -> Question:
    """The question of a stored one about this request."""
    return Question(
        id=question.id,
        kind=question.kind,
        text=question.text,
        quote=question.quote,
        span=span_of(request, question.start, question.end),
        options=question.options,
        default="",
        requirements=question.requirements,
        blocking=question.blocking,
        free_text=question.free_text,
    )


def with_example(question: Question, kept: KeptQuestion, under: CasesUnder | None) -> Question:
    """The question with its example as the policy has it now: read from its run, which no draft changes."""
    if kept.run is None or under is None:
        return question
    decided = under.decided(RunCase(kept.id, kept.run, kept.requirements))
    return replace(question, example=decided.arguments)


def kept_case(case: RunCase) -> StoredCase:
    """A case in its stored form."""
    return StoredCase(id=case.id, form=case.form, reason=case.reason, requirements=case.requirements)


def cases_of(drafting: KeptDrafting) -> list[RunCase]:
    """The stored cases."""
    return [RunCase(case.id, case.form, case.requirements, case.reason) for case in drafting.cases]


def sentences_of(drafting: KeptDrafting, request: str, choices: Mapping[str, str]) -> tuple[Sentence, ...]:
    """Every sentence with its role: covered by a requirement, context by the model or a person, or open."""
    question_by_place = {
        (question.start, question.end): question.id
        for question in drafting.questions
        if question.kind == "unreadable"
    }
    sentences: list[Sentence] = []
    for span in all_sentences(request):
        ids = tuple(
            requirement.id
            for requirement in drafting.requirements
            if requirement.start < span.end and span.start < requirement.end
        )
        quoted = any(place.start < span.end and span.start < place.end for place in drafting.context)
        question = question_by_place.get((span.start, span.end))
        open_ = not ids and (not quoted or question is not None)
        if open_ and question is not None and choices.get(question) == CONTEXT:
            open_ = False
        role = SentenceRole.REQUIREMENT if ids else SentenceRole.OPEN if open_ else SentenceRole.CONTEXT
        sentences.append(Sentence(request[span.start : span.end], span, role, ids))
    return tuple(sentences)


def untold(kept_drafting: KeptDrafting, choices: Mapping[str, str]) -> list[str]:
    """The ids of questions with an answer that the model does not know yet and that changes the draft."""
    question_ids: list[str] = []
    for question in kept_drafting.questions:
        value = choices.get(question.id, "")
        told = kept_drafting.choices.get(question.id, "")
        first = question.kind == "ambiguity" and bool(question.options) and value == question.options[0].value
        if value and value != told and not (first and not told):
            question_ids.append(question.id)
    return question_ids

"""Conversion of the questions, cases and sentences of a drafting to and from their stored form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.author.doubts import CONTEXT
from workbench.author.model.draft_findings import evaluable
from workbench.author.model.whole_file.design import all_sentences
from workbench.author.model.whole_file.stored_drafting import (
    KeptDrafting,
    KeptQuestion,
    StoredCase,
)
from workbench.model import AgentSpec, Case, Question, Sentence, SentenceRole, Verdict, span_of
from workbench.policy.check import check
from workbench.policy.problems import PolicyError
from workbench.runs.values.coerce import coerce_whole
from workbench.runs.values.found_value import Missing
from workbench.serialization.json_values import json_arguments


def kept_question(question: Question) -> KeptQuestion:
    """A question in its stored form."""
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


def with_typed_example(question: Question, example: Mapping[str, object] | None, spec: AgentSpec) -> Question:
    """The question with its example in the types of the arguments, if they still fit."""
    if example is None:
        return question
    types = {argument.name: argument.type for argument in spec.arguments}
    try:
        values = {name: coerce_whole(value, types[name]) for name, value in example.items()}  # type: ignore[arg-type] # JSON
    except (Missing, KeyError):
        return question
    return replace(question, example=values)


def kept_case(case: Case) -> StoredCase:
    """A case in its stored form."""
    return StoredCase(
        id=case.id,
        arguments=json_arguments(case.arguments),
        expected=case.expected,
        reason=case.reason,
        requirements=case.requirements,
    )


def cases_of(drafting: KeptDrafting, spec: AgentSpec) -> list[Case]:
    """The stored cases whose arguments still fit the types of the agent spec."""
    types = {argument.name: argument.type for argument in spec.arguments}
    cases: list[Case] = []
    for case in drafting.cases:
        try:
            values = {name: coerce_whole(value, types[name]) for name, value in case.arguments.items()}
        except (Missing, KeyError):
            continue
        cases.append(Case(case.id, values, Verdict(case.expected), case.reason, case.requirements, "model"))
    return cases


def fitting(cases: Sequence[Case], policy: str) -> list[Case]:
    """The cases with the arguments that the policy takes; none if it is not in the dialect."""
    try:
        terms = check(policy)
    except PolicyError:
        return []
    return [replace(case, arguments=evaluable(terms, case.arguments)) for case in cases]


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

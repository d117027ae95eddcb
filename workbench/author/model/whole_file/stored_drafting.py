"""The stored drafting in the style ``file`` of a session: ``drafting.json``.

Drafts are read from it until the request or a person's part of the agent file changes, or a new draft is
asked for. Its content is not trusted: the policy is checked whenever it is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field

from workbench.author.model.context_questions import CONTEXT
from workbench.author.model.whole_file.design import all_sentences
from workbench.author.model.whole_file.model_cases import CasesUnder, ModelCaseForm, RunCase
from workbench.model import Json, Option, Question, Sentence, SentenceRole, span_of
from workbench.serialization.json_values import json_arguments

AMBIGUITY, UNREADABLE = "ambiguity", "unreadable"
"""The kinds of questions about the words of a request."""


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KeptQuestion(_Kept):
    """A question of the drafting; ``example`` in the JSON of its arguments' types.

    ``run`` is a run whose last call has the example, if the question is about one input.
    """

    id: str
    kind: str
    text: str
    quote: str
    start: int
    end: int
    options: tuple[Option, ...]
    requirements: tuple[str, ...] = ()
    blocking: bool = False
    free_text: bool = False
    example: dict[str, Json] | None = None
    run: ModelCaseForm | None = None


class KeptRequirement(_Kept):
    """A requirement with its place in the request."""

    id: str
    text: str
    start: int
    end: int


class KeptPlace(_Kept):
    """Words of the request."""

    start: int
    end: int


class KeptRound(_Kept):
    """A version on the way: the parts as the model wrote them, and what was found against it."""

    agent: str
    policy: str
    score: str
    found: tuple[str, ...] = ()


class KeptReplies(_Kept):
    """The model's last usable replies, from which the next draft goes on."""

    design: str = ""
    policy: str = ""
    contract: str = ""
    cases: str = ""


class KeptDrafting(_Kept):
    """``drafting.json``: the parts that a model drafted, and the steps that led to them.

    ``key`` is the hash of what it was drafted from; ``agent`` are the parts of ``agent.toml`` that the model
    wrote, ``former_agent`` those of the drafting before, which ``agent.toml`` may contain until this one is
    taken over; ``choices`` are the answers that the model has been told.
    """

    format: Annotated[int, Field(ge=1, le=1)] = 1
    key: str
    model: str = ""
    title: str = ""
    agent: str = ""
    former_agent: str = ""
    requirements: tuple[KeptRequirement, ...] = ()
    context: tuple[KeptPlace, ...] = ()
    questions: tuple[KeptQuestion, ...] = ()
    choices: dict[str, str] = {}
    policy: str = ""
    cases: tuple[RunCase, ...] = ()
    rounds: tuple[KeptRound, ...] = ()
    best: int = 0
    stopped: str = ""
    calls: int = 0
    replies: KeptReplies = KeptReplies()


class KeepsDrafting(Protocol):
    """The store of a drafting; the session implements it, and an author does not know the session."""

    def read(self) -> KeptDrafting | None:
        """The stored drafting; None if there is none."""
        ...

    def write(self, drafting: KeptDrafting) -> None:
        """Store a drafting in place of the former one."""
        ...


def key_of(request: str, agent_text: str) -> str:
    """The key of a drafting: a hash of the request and of a person's part of the agent file."""
    return hashlib.sha256(f"{request}\0{agent_text}".encode()).hexdigest()


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


def sentences_of(drafting: KeptDrafting, request: str, choices: Mapping[str, str]) -> tuple[Sentence, ...]:
    """Every sentence with its role: covered by a requirement, context by the model or a person, or open."""
    question_by_place = {
        (question.start, question.end): question.id
        for question in drafting.questions
        if question.kind == UNREADABLE
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


def drafted_value(question: KeptQuestion, drafting: KeptDrafting) -> str:
    """The answer with which a question was drafted: the one that was told, else its first reading."""
    told = drafting.choices.get(question.id, "")
    reads_first = question.kind == AMBIGUITY and question.options
    return told or (question.options[0].value if reads_first else "")


def untold(drafting: KeptDrafting, choices: Mapping[str, str]) -> list[KeptQuestion]:
    """The questions with an answer other than the one that was drafted."""
    answers = ((one, choices.get(one.id, "")) for one in drafting.questions)
    return [one for one, value in answers if value and value != drafted_value(one, drafting)]

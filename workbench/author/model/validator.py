"""The validator (VeriGuard, section 3.2): the request as requirements, doubts and open sentences.

The analysis is one call that does not depend on any choice, so that the same doubt is the same question in
every draft. Each quotation of the model must be in the request; otherwise it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.author.doubts import ALLOW, CONTEXT, DENY, short_hash
from workbench.author.model.context_questions import unread_id, unread_sentence
from workbench.author.model.errors import ModelError
from workbench.author.model.expression_check import line
from workbench.author.model.passages import without_lists
from workbench.author.model.prompts import ask_for_analysis, ask_for_sentence
from workbench.author.model.quotation_places import card, find_quote, is_english, overlap, passage, understood
from workbench.author.model.recording import Message
from workbench.author.model.reply_schemas import Analysis, FoundRule, SentenceReply
from workbench.author.model.reply_schemas import Doubt as FoundDoubt
from workbench.author.model.usable_reply import Conversation
from workbench.model import (
    AgentSpec,
    Argument,
    Doubt,
    Question,
    Requirement,
    Sentence,
    SentenceRole,
    Span,
    assumption_id,
)
from workbench.question_wording import phrase, question_about

OTHERWISE = "default:otherwise"
_VALUES = "abcd"
_MOST_MISSED = 20
# A default decision is taken from the model only for an English request that mentions a rest.
_REST = re.compile(r"\b(else|others?|otherwise|rest|remaining|default|anything not|everything not)\b", re.I)


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """The request as read under the choices.

    ``otherwise`` is ``allow`` or ``deny``; ``refused`` lists what was rejected in the reply. A question's
    requirements are those that its answer changes.
    """

    title: str
    requirements: tuple[Requirement, ...]
    sentences: tuple[Sentence, ...]
    otherwise: str
    questions: tuple[Question, ...]
    refused: tuple[str, ...] = ()


def read_request(
    talk: Conversation,
    request: str,
    spec: AgentSpec,
    arguments: Sequence[Argument],
    choices: Mapping[str, str],
    decided: str = "",
) -> ReadRequest:
    """Ask for the analysis and check it against the request; raises ModelError if there is none.

    ``decided`` is the part of the prompt that shows actions that were decided before.
    """
    analysis, refused = talk.ask(
        "analysis",
        analysis_prompt(request, spec, arguments, decided),
        Analysis,
        lambda reply: list(_strange(reply)),
    )
    if analysis is None:
        raise ModelError(f"The model did not analyse the request in {talk.tries} tries. {' '.join(refused)}")
    analysis = _with_missed(talk, analysis, request, without_lists(request, spec, arguments))
    requirements = _requirements(analysis, request)
    doubts = tuple(_doubts(analysis, request, requirements))
    may_be_stated = _REST.search(request) is not None or not is_english(request)
    otherwise = analysis.otherwise if may_be_stated else "unsaid"
    if otherwise == "unsaid":
        doubts = (*doubts, _otherwise(request, analysis.otherwise))
        otherwise = choices.get(OTHERWISE, "deny")
    context = frozenset(
        quote
        for quote in _unread(request, requirements)
        if choices.get(unread_id(quote)) == CONTEXT  # a person confirmed that the sentence states no rule
    )
    unread = _sentences(request, requirements, frozenset())[1]
    questions = tuple(unread_sentence(sentence.text, sentence.span, "no_requirement") for sentence in unread)
    requirements = _restated(requirements, questions, choices)
    sentences, _ = _sentences(request, requirements, context)
    return ReadRequest(
        line(analysis.title) or "What the agent may do",
        requirements,
        tuple(sentences),
        "allow" if otherwise == "allow" else "deny",
        (*doubts, *questions),
        tuple(dict.fromkeys((*refused, *_invented(analysis, request)))),
    )


def analysis_prompt(
    request: str, spec: AgentSpec, arguments: Sequence[Argument], decided: str
) -> tuple[Message, ...]:
    """The prompt of the analysis, in which names replace the request's lists of values."""
    shown_request = without_lists(request, spec, arguments)
    return ask_for_analysis(shown_request, spec, arguments, few=shown_request != request, decided=decided)


def _strange(analysis: Analysis) -> Iterator[str]:
    """The faults of an analysis; sentences that it overlooks are asked about one by one, elsewhere."""
    if not analysis.rules:
        yield "It has no rules. Quote every sentence that allows, forbids or requires something."
    for doubt in analysis.doubts:
        if len({reading.statement for reading in doubt.readings}) < len(doubt.readings):
            yield f"The doubt {doubt.question[:80]!r} has two readings that are the same."


def _with_missed(talk: Conversation, analysis: Analysis, request: str, request_text: str) -> Analysis:
    """The analysis with the sentences that it overlooked, each asked about in a call of its own.

    A sentence that the model calls context stays open: only a person can confirm that it states no rule.
    """
    added: list[FoundRule] = []
    for sentence in list(_unread(request, _requirements(analysis, request)))[:_MOST_MISSED]:
        reply, _ = talk.ask("sentence", ask_for_sentence(request_text, sentence), SentenceReply)
        if reply is not None and reply.kind == "rule":
            added.append(FoundRule(quote=" ".join(sentence.split())[:400], statement=reply.statement))
    return analysis.model_copy(update={"rules": [*analysis.rules, *added]}) if added else analysis


def _invented(analysis: Analysis, request: str) -> Iterator[str]:
    for quote in (*(rule.quote for rule in analysis.rules), *(doubt.quote for doubt in analysis.doubts)):
        if find_quote(request, quote) is None:
            yield f"The quote {quote[:120]!r} is not in the request. Copy a sentence letter by letter."


def _requirements(analysis: Analysis, request: str) -> tuple[Requirement, ...]:
    """The rules whose quotation is in the request, in its order; the lines of a card are one rule."""
    statements_by_place: dict[tuple[int, int], tuple[Span, list[str]]] = {}
    for rule in analysis.rules:
        place, statement = find_quote(request, rule.quote), line(rule.statement)
        if place is not None and statement:
            span = card(request, place)
            _, statements = statements_by_place.setdefault((span.start, span.end), (span, []))
            if statement not in statements:
                statements.append(statement)
    return tuple(
        Requirement(f"R{number}", " ".join(statements), request[span.start : span.end], span)
        for number, (_, (span, statements)) in enumerate(sorted(statements_by_place.items()), 1)
    )


# --- questions --------------------------------------------------------------------


def _doubts(analysis: Analysis, request: str, requirements: tuple[Requirement, ...]) -> Iterator[Question]:
    seen: set[str] = set()
    for doubt in analysis.doubts:
        span = find_quote(request, doubt.quote)
        statements = [line(reading.statement) for reading in doubt.readings]
        if span is None or not requirements or len(set(statements)) < len(statements) or not all(statements):
            continue
        question = _doubt(doubt, statements, request[span.start : span.end], span)
        if question.id not in seen:
            seen.add(question.id)
            yield _about(question, request, requirements)


def _doubt(doubt: FoundDoubt, statements: list[str], quote: str, span: Span) -> Question:
    text = line(doubt.question) or phrase("model-ambiguity", "unasked")
    readings = {
        value: {"label": line(reading.label) or statement, "statement": statement}
        for value, reading, statement in zip(_VALUES, doubt.readings, statements, strict=False)
    }
    return question_about(
        Doubt(
            id=f"ambiguity:{short_hash(quote + text)}",
            kind="model-ambiguity",
            quote=quote,
            span=span,
            values=tuple(readings),
            facts={"question": text},
            value_facts=readings,
        )
    )


def _about(question: Question, request: str, requirements: tuple[Requirement, ...]) -> Question:
    """The question with the requirements that its answer changes: those around it, else the nearest one."""
    from dataclasses import replace

    spans = [requirement.span for requirement in requirements]
    around = [
        requirement.id
        for requirement in requirements
        if overlap(passage(request, requirement.span, spans), question.span)
    ]
    nearest = min(requirements, key=lambda requirement: abs(requirement.span.start - question.span.start))
    return replace(question, requirements=tuple(around) or (nearest.id,))


def _otherwise(request: str, otherwise: str) -> Question:
    return question_about(
        Doubt(
            id=OTHERWISE,
            kind="model-default",
            quote="",
            span=Span(len(request), len(request), request.count("\n") + 1),
            values=(DENY, ALLOW),
            default=DENY,
            facts={"taken": phrase("model-default", otherwise) if otherwise in (ALLOW, DENY) else ""},
        )
    )


def _sentences(
    request: str, requirements: tuple[Requirement, ...], context: frozenset[str]
) -> tuple[list[Sentence], list[Sentence]]:
    """All sentences, and the open ones among them."""
    sentences = understood(
        request, [requirement for requirement in requirements if requirement.quote], context
    )
    return sentences, [sentence for sentence in sentences if sentence.role is SentenceRole.OPEN]


def _unread(request: str, requirements: tuple[Requirement, ...]) -> Iterator[str]:
    for sentence in _sentences(request, requirements, frozenset())[1]:
        yield sentence.text


def _restated(
    requirements: tuple[Requirement, ...], questions: tuple[Question, ...], choices: Mapping[str, str]
) -> tuple[Requirement, ...]:
    """The requirements, with a person's rewordings of open sentences added and numbered after the rest."""
    added: list[Requirement] = []
    for question in questions:
        own_words = " ".join(choices.get(question.id, CONTEXT).split())
        if own_words and own_words != CONTEXT:
            number = f"R{len(requirements) + len(added) + 1}"
            added.append(
                Requirement(number, own_words, question.quote, question.span, (assumption_id(question.id),))
            )
    return (*requirements, *added)

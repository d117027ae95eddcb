"""The refined request: every sentence with its present reading, next to the original."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from workbench.clean_text import one_line
from workbench.model import Assumption, Draft, Question, Requirement, Sentence, SentenceRole

_CLARIFIED = "# The request as clarified\n\nThis holds, whatever the words above say or leave open."


@dataclass(frozen=True, slots=True)
class RefinedSentence:
    """One sentence of the request: its original text, its present reading, and the assumptions behind it.

    ``aloud`` are the rules of its requirements, each as a sentence.
    """

    written: str
    role: SentenceRole
    understood: tuple[Requirement, ...]
    assumptions: tuple[Assumption, ...]
    why: str = ""
    aloud: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RefinedRequest:
    """The request in its present reading; ``general`` are assumptions about no single sentence.

    ``added`` are requirements that no sentence states, ``open`` the questions that are not answered.
    """

    sentences: tuple[RefinedSentence, ...]
    added: tuple[Requirement, ...]
    general: tuple[Assumption, ...]
    open: tuple[Question, ...]

    def clarified(self, request: str) -> str:
        """The request, and below it what its sentences mean where a person or a rule says more than they do.

        A model that judges the agent by the request gets this text.
        """
        lines = [
            f"- “{one_line(sentence.written)}” means: {one_line(said)}"
            for sentence in self.sentences
            for said in (
                *(rule.partition(": ")[2] for rule in sentence.aloud),
                *(assumption.statement for assumption in sentence.assumptions),
            )
            if said not in [requirement.text for requirement in sentence.understood]
        ]
        lines += [f"- {one_line(assumption.statement)}" for assumption in self.general]
        if not lines:
            return request
        return f"{request.rstrip()}\n\n{_CLARIFIED}\n\n" + "\n".join(lines) + "\n"

    def markdown(self, title: str) -> str:
        """The refined request next to the original, as Markdown; text from outside is escaped."""
        return "\n".join(_lines(self, title)) + "\n"


def refine(
    draft: Draft,
    assumptions: Sequence[Assumption],
    open_: tuple[Question, ...],
    aloud: Mapping[str, tuple[str, ...]],
) -> RefinedRequest:
    """The refined request of a draft under its assumptions; ``aloud`` has the rules of each requirement."""
    by_id = {requirement.id: requirement for requirement in draft.requirements}
    attached_ids: set[str] = set()
    sentences: list[RefinedSentence] = []
    for sentence in draft.sentences:
        understood = tuple(by_id[id_] for id_ in sentence.requirements if id_ in by_id)
        own_assumptions = tuple(item for item in assumptions if sentence in touched(draft, item))
        attached_ids.update(item.id for item in own_assumptions)
        rule_texts = tuple(
            f"{requirement.id}: {rule}"
            for requirement in understood
            for rule in aloud.get(requirement.id, (requirement.text,))
        )
        sentences.append(
            RefinedSentence(
                sentence.text, sentence.role, understood, own_assumptions, sentence.why, rule_texts
            )
        )
    stated = {id_ for sentence in draft.sentences for id_ in sentence.requirements}
    added = tuple(requirement for requirement in draft.requirements if requirement.id not in stated)
    general = tuple(item for item in assumptions if item.id not in attached_ids)
    return RefinedRequest(tuple(sentences), added, general, open_)


def touched(draft: Draft, assumption: Assumption) -> tuple[Sentence, ...]:
    """The sentences of the request whose reading an assumption changes."""
    asked = (one.requirements for one in draft.questions if one.id == assumption.question)
    about = {*assumption.requirements, *chain.from_iterable(asked)}
    return tuple(sentence for sentence in draft.sentences if about & set(sentence.requirements))


def _lines(refined: RefinedRequest, title: str) -> Iterator[str]:
    yield f"# {_plain(title)}: the request as understood"
    yield ""
    yield "| Written | Understood |"
    yield "|---|---|"
    for sentence in refined.sentences:
        yield f"| {_plain(sentence.written)} | {_understood(sentence)} |"
    for requirement in refined.added:
        yield f"| | {_plain(requirement.id)}: {_plain(requirement.text)} |"
    if refined.general:
        yield ""
        yield "Further assumptions:"
        yield ""
        yield from (f"- {_plain(item.statement)} ({item.when})" for item in refined.general)
    if refined.open:
        yield ""
        yield "Still open:"
        yield ""
        yield from (f"- {_plain(question.text)}" for question in refined.open)


def _understood(sentence: RefinedSentence) -> str:
    if sentence.role is SentenceRole.CONTEXT:
        return f"*context*: {_plain(sentence.why)}" if sentence.why else "*context*"
    if sentence.role is SentenceRole.OPEN:
        return "**open**"
    parts = [_plain(rule) for rule in sentence.aloud]
    parts += [f"Assumed: {_plain(item.statement)}" for item in sentence.assumptions]
    return "<br>".join(parts)


def _plain(text: str) -> str:
    """The text, escaped so that neither Markdown nor HTML reads markup in it."""
    text = one_line(text)
    return re.sub(r"([\\`*_\[\]<>|#&])", r"\\\1", text)

"""Conversion of answers that name sentences by requirement numbers to answers that name them by words.

Sessions that were stored before sentences were named by their words have such answers. A number belongs to
another sentence as soon as a sentence before it is added or removed; the words do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from workbench.author.doubts import FIRST, SECOND, SENTENCE_KINDS
from workbench.clarify.answers_without_option import choices_of
from workbench.model import Assumption, Doubt, Draft
from workbench.question_wording import question_about

_NUMBERED = re.compile(rf"({'|'.join(SENTENCE_KINDS)}):R\d+(?:, R\d+)*(:|$)")
_PAIRS = ("conflict", "incompatible")
# Some doubts appear only under the answers to others.
_ROUNDS = 4


def is_numbered(assumption: Assumption) -> bool:
    """Whether an answer names a sentence by the number of its requirement."""
    return _NUMBERED.match(assumption.question) is not None


def by_words(
    assumptions: tuple[Assumption, ...], draft: Callable[[Mapping[str, str]], Draft]
) -> tuple[Assumption, ...]:
    """The answers with each number of a question in ``draft`` replaced by the sentence's words.

    Two equal sentences are one question. If they were answered differently, it is open again.
    """
    for _ in range(_ROUNDS):
        if not any(map(is_numbered, assumptions)):
            break
        doubt_by_former_id = {
            former: doubt for doubt in draft(choices_of(assumptions)).doubts for former in _former_ids(doubt)
        }
        named = tuple(
            _named(assumption, doubt_by_former_id[assumption.question])
            if assumption.question in doubt_by_former_id
            else assumption
            for assumption in assumptions
        )
        if named == assumptions:
            break
        assumptions = tuple(_agreed(named))
    return assumptions


def _former_ids(doubt: Doubt) -> tuple[str, ...]:
    kind, *id_parts = doubt.id.split(":")
    if kind not in SENTENCE_KINDS:
        return ()
    if doubt.kind in _PAIRS:
        return (":".join((kind, *doubt.requirements[:2])),)
    return tuple(":".join((kind, number, *id_parts[1:])) for number in doubt.requirements)


def _named(assumption: Assumption, doubt: Doubt) -> Assumption:
    """The answer under the id of the doubt; the chosen rule of an incompatible pair is renamed too."""
    first, second = (*doubt.requirements[:2], "", "")[:2]
    meant = {first: FIRST, second: SECOND} if doubt.kind == "incompatible" else {}
    value = meant.get(assumption.value, assumption.value)
    options = {option.value: option.statement for option in question_about(doubt).options}
    return replace(
        assumption.about(doubt.id),
        value=value,
        statement=options.get(value, assumption.statement),
    )


def _agreed(assumptions: Iterable[Assumption]) -> Iterator[Assumption]:
    values: dict[str, set[str]] = {}
    every = tuple(assumptions)
    for assumption in every:
        values.setdefault(assumption.question, set()).add(assumption.value)
    for assumption in every:
        if len(values.pop(assumption.question, ())) == 1:
            yield assumption

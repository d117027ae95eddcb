"""Answers that name sentences by the numbers of their requirements, as ones that name them by their words.

Sessions that were stored before sentences were named by their words have such answers. A number belongs to
another sentence as soon as one before it comes or goes; the words do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from workbench.author.doubts import FIRST, SECOND, SENTENCE_KINDS
from workbench.clarify.standing import choices_of
from workbench.clarify.wording import question
from workbench.model import Assumption, Doubt, Draft

_NUMBERED = re.compile(rf"({'|'.join(SENTENCE_KINDS)}):R\d+(?:, R\d+)*(:|$)")
_PAIRS = ("conflict", "incompatible")
# Some doubts are met only under the answers to others.
_ROUNDS = 4


def is_numbered(made: Assumption) -> bool:
    """Whether an answer names a sentence by the number of its requirement."""
    return _NUMBERED.match(made.question) is not None


def by_words(
    made: tuple[Assumption, ...], draft: Callable[[Mapping[str, str]], Draft]
) -> tuple[Assumption, ...]:
    """The answers with every number that asks something in ``draft`` turned into words.

    Two equal sentences are one question: where they were answered differently, it is open again.
    """
    for _ in range(_ROUNDS):
        if not any(map(is_numbered, made)):
            break
        known = {former: doubt for doubt in draft(choices_of(made)).doubts for former in _former_ids(doubt)}
        named = tuple(_named(one, known[one.question]) if one.question in known else one for one in made)
        if named == made:
            break
        made = tuple(_agreed(named))
    return made


def _former_ids(doubt: Doubt) -> tuple[str, ...]:
    kind, *rest = doubt.id.split(":")
    if kind not in SENTENCE_KINDS:
        return ()
    if doubt.kind in _PAIRS:
        return (":".join((kind, *doubt.requirements[:2])),)
    return tuple(":".join((kind, number, *rest[1:])) for number in doubt.requirements)


def _named(made: Assumption, doubt: Doubt) -> Assumption:
    """The answer under the id of the doubt; the rule of two that is meant was named by its number too."""
    first, second = (*doubt.requirements[:2], "", "")[:2]
    meant = {first: FIRST, second: SECOND} if doubt.kind == "incompatible" else {}
    value = meant.get(made.value, made.value)
    options = {option.value: option.statement for option in question(doubt).options}
    return replace(
        made.about(doubt.id),
        value=value,
        statement=options.get(value, made.statement),
    )


def _agreed(made: Iterable[Assumption]) -> Iterator[Assumption]:
    values: dict[str, set[str]] = {}
    every = tuple(made)
    for one in every:
        values.setdefault(one.question, set()).add(one.value)
    for one in every:
        if len(values.pop(one.question, ())) == 1:
            yield one

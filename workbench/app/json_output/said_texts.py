"""The texts of a JSON result in the words of the person, where arguments stand for expressions.

An argument keeps its name where it is named: as a key, and under ``argument``, ``name`` or ``left_out``.
Values of calls stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable

from workbench.model import Json
from workbench.policy.written import ArgumentWords

TEXTS = frozenset(
    {
        *("condition", "conditions", "description", "message", "reason", "reasons", "says", "sentence"),
        *("source", "statement", "title", "why"),
    }
)
"""The fields that are read by a person, and may be about arguments."""
VALUES = frozenset(
    {"arguments", "context", "decisive_arguments", "example", "items", "quote", "value", "where", "witness"}
)
"""The fields whose values are those of calls."""


def said_texts(result: Json, words: ArgumentWords) -> Json:
    """The result with the expressions in place of their arguments, in every text for a person."""
    return _said(result, words, is_text=False) if words else result


def _said(value: Json, words: ArgumentWords, *, is_text: bool) -> Json:
    match value:
        case str():
            return words.said(value) if is_text else value
        case list():
            return [_said(item, words, is_text=is_text) for item in value]
        case dict():
            return dict(_fields(value.items(), words))
        case _:
            return value


def _fields(fields: Iterable[tuple[str, Json]], words: ArgumentWords) -> Iterable[tuple[str, Json]]:
    for name, value in fields:
        yield name, value if name in VALUES else _said(value, words, is_text=name in TEXTS)

"""How a session uses its nouns: how often each tool and field is called and read, and the values seen of it.

Completion offers first what is used, and offers the texts that the logs and the policy have of a field.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from workbench.language.completion import Uses
from workbench.model import Json, RecordedCall

if TYPE_CHECKING:
    from workbench.language.lexicon import Lexicon

_MOST_VALUES = 8
_MOST_LETTERS = 40
_MOST_CALLS = 5_000
_IN_POLICY = 100
"""How many uses of the logs one in the policy counts for."""
_LONGEST_RESULT = 20_000
_DEEPEST = 6


def noun_uses(lexicon: Lexicon, source: str, calls: Iterable[RecordedCall]) -> Uses:
    """The uses of the nouns of a policy's language, in the text of the policy and in recorded calls."""
    names: Counter[str] = Counter()
    tools: Counter[str] = Counter()
    values: dict[str, Counter[str]] = {}
    for name, value in _of_policy(source):
        names[name] += _IN_POLICY
        if value:
            values.setdefault(name, Counter())[value] += _IN_POLICY
    for number, call in enumerate(calls):
        if number == _MOST_CALLS:
            break
        tools[call.tool or ""] += 1
        for name, value in (*_texts(dict(call.arguments or {})), *_texts(_result(call))):
            names[name] += 1
            if value and len(value) <= _MOST_LETTERS:
                values.setdefault(name, Counter())[value] += 1
    return Uses(dict(_words(lexicon, names, tools)), dict(_seen(lexicon, values)))


def _words(lexicon: Lexicon, names: Counter[str], tools: Counter[str]) -> Iterator[tuple[str, int]]:
    for call in lexicon.types.calls.values():
        used = tools[call.tool] + names[call.name]
        yield lexicon.tool_words(call).casefold(), used
    for fields in lexicon.fields.values():
        yield from ((one.words.casefold(), names[one.name]) for one in fields if names[one.name])
    for record in lexicon.types.records.values():
        yield lexicon.words_of_record(record).casefold(), names[record.name]
    for fact in lexicon.facts.values():
        yield lexicon.words_of_fact(fact).casefold(), names[fact.name]


def _seen(lexicon: Lexicon, values: dict[str, Counter[str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The values of fields by their words, the most frequent first."""
    for fields in lexicon.fields.values():
        for one in fields:
            if (found := values.get(one.name)) is not None and one.words:
                yield one.words.casefold(), tuple(value for value, _ in found.most_common(_MOST_VALUES))


def _of_policy(source: str) -> Iterator[tuple[str, str]]:
    """The names that a policy reads, with the texts that it compares them to."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name):
                yield name, ""
            case ast.Compare(left=ast.Attribute(attr=name), comparators=others):
                for inner in (each for other in others for each in ast.walk(other)):
                    if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                        yield name, inner.value
            case _:
                continue


def _result(call: RecordedCall) -> Json:
    if not call.result or len(call.result) > _LONGEST_RESULT or call.result.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(call.result)  # type: ignore[no-any-return] # JSON is any value
    except (ValueError, RecursionError):
        return None


def _texts(value: Json, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The keys of a JSON value with their texts; of a key without a text, nothing."""
    if isinstance(value, dict) and depth < _DEEPEST:
        for key, inner in value.items():
            texts = inner if isinstance(inner, list) else [inner]
            yield from ((key, one if isinstance(one, str) else "") for one in texts)
            yield from _texts(inner, depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for one in value:
            yield from _texts(one, depth + 1)

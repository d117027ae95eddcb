"""Strict reading of JSON text from outside, which is made safe to show.

Every text of a call is cleaned here once, when it is read; provenance refers to the result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import cast

from workbench.clean_text import clean, is_clean
from workbench.model import Json

MOST_VALUES = 200_000
"""The most values of a JSON text from outside: a list of a few million empty lists takes gigabytes."""
MANY_VALUES = f"the JSON has more than {MOST_VALUES} values and was not read"
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"')
_EXACT_DIGITS = 15
MAX_DEPTH = 100
_TOO_DEEP = f"the JSON is nested deeper than {MAX_DEPTH} levels"

# The JSON escapes that may encode such a character. Line ends are harmless.
_ESCAPED = re.compile(r"\\[ubfr]")


_LONGEST_SHARED = 256
"""The most characters of a text that is looked for among those in memory."""
_kept = lru_cache(maxsize=16_384)(str)


def shared(text: str) -> str:
    """An equal text that is in memory already, if there is one: most texts of a log come again and again."""
    return _kept(text) if len(text) <= _LONGEST_SHARED else text


def shared_json(value: Json) -> Json:
    """A JSON value whose keys and texts are those that are in memory already."""
    match value:
        case str():
            return shared(value)
        case dict():
            return {shared(key): shared_json(inner) for key, inner in value.items()}
        case list():
            return [shared_json(inner) for inner in value]
        case _:
            return value


class TooDeep(ValueError):
    """A JSON value is nested deeper than ``MAX_DEPTH``."""


class BadJson(ValueError):
    """Text that is not usable JSON; the error's text is the reason in a few words."""


def _number(text: str) -> float | str:
    """The float, or the digits as text if a float would change the value.

    A limit of 100 must not hold for 100.00000000000000001, which as a float is 100.
    """
    value = float(text)
    if len(text) <= _EXACT_DIGITS and "e" not in text and "E" not in text:
        return value
    return value if value - value == 0 and Decimal(repr(value)) == Decimal(text) else text


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise BadJson("a key appears twice in one object, so its value is ambiguous")
    return result


_PLAIN = json.JSONDecoder(parse_constant=str, parse_float=_number)
_STRICT = json.JSONDecoder(parse_constant=str, parse_float=_number, object_pairs_hook=_unique)


def has_many_values(text: str) -> bool:
    """Whether a JSON text certainly has more than ``MOST_VALUES`` values; what is in strings is none."""
    return _has_many_marks(text) and _has_many_marks(_STRING.sub("", text))


def _has_many_marks(text: str) -> bool:
    return text.count(",") > MOST_VALUES or text.count("[") + text.count("{") > MOST_VALUES


def is_harmless(json_text: str) -> bool:
    """Whether no string of this JSON text needs cleaning.

    This is a quick check of the text; False only means that the values have to be checked.
    """
    return is_clean(json_text) and _ESCAPED.search(json_text) is None


def not_too_deep(value: Json) -> Json:
    """The value itself; raises TooDeep past ``MAX_DEPTH``."""
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH + 1):
        held = [item for item in level if isinstance(item, dict | list)]
        if not held:
            return value
        level = [
            item
            for container in held
            for item in (container.values() if isinstance(container, dict) else container)
        ]
    raise TooDeep(_TOO_DEEP)


def clean_json(value: Json, depth: int = 0) -> Json:
    """The value with every string in it, keys too, cleaned; raises TooDeep past ``MAX_DEPTH``."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        if depth >= MAX_DEPTH:
            raise TooDeep(_TOO_DEEP)
        return {clean(key): clean_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        if depth >= MAX_DEPTH:
            raise TooDeep(_TOO_DEEP)
        return [clean_json(item, depth + 1) for item in value]
    return value


def parse_json(text: str, *, unique_keys: bool = False, bounded: bool = True) -> Json:
    """The sanitised value of a JSON text; raises BadJson, also for too many values if it is ``bounded``.

    NaN and Infinity, which are not JSON but which many tools write, become strings.
    """
    if bounded and has_many_values(text):
        raise BadJson(MANY_VALUES)
    try:
        value = cast(Json, (_STRICT if unique_keys else _PLAIN).decode(text))
        return not_too_deep(value) if is_harmless(text) else clean_json(value)
    except BadJson:
        raise
    except RecursionError:
        raise BadJson("the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise BadJson(f"not valid JSON at character {error.pos + 1}: {error.msg}") from None
    except ValueError as error:
        raise BadJson(str(error)) from None


def parse_arguments(value: Json) -> tuple[Mapping[str, Json] | None, str | None]:
    """The arguments of a call and their text, from an object or from a JSON text.

    Arguments that are not a JSON object are unknown (None), and their raw text is kept. An empty text means a
    call without arguments, as several servers write it; None means not recorded.
    """
    if value is None:
        return None, None
    if isinstance(value, dict):
        return value, dump(value)
    if not isinstance(value, str):
        return None, dump(value)
    if not value.strip():
        return {}, value
    try:
        parsed = parse_json(value, unique_keys=True)
    except BadJson:
        return None, value
    return (parsed if isinstance(parsed, dict) else None), value


def dump(value: Json) -> str:
    """The value as one line of JSON text."""
    return json.dumps(value, ensure_ascii=False)


def as_text(value: Json) -> str | None:
    """A recorded result as text: text itself, the texts of a list of content blocks, else JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        blocks = [_block_text(item) for item in value]
        if blocks and all(block is not None for block in blocks):
            return "\n".join(block for block in blocks if block is not None)
    return dump(value)


def _block_text(item: Json) -> str | None:
    if isinstance(item, str):
        return item
    if isinstance(item, dict):
        text = item.get("text")
        if text is None and item.get("type") == "text":
            text = item.get("content")  # as AgentDojo writes a block
        if isinstance(text, str):
            return text
    return None

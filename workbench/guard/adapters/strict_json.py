"""JSON text that every reader turns into the same value; any other text is refused.

The checked text is what is forwarded, so a text that two parsers may read differently is refused: a repeated
key, a malformed number or one that a double does not hold, half a surrogate pair.
"""

from __future__ import annotations

import json
from typing import cast

from workbench.model import Json

LONGEST_MESSAGE = 16 * 1024 * 1024
DEEPEST = 100
LARGEST = 2**53 - 1  # RFC 7493: the integers on which all readers agree
LARGEST_RESULT = 2**64


class Unclear(ValueError):
    """Raised for a text or message that can be read in several ways or in none; its text gives the reason."""


def read_json(data: bytes, *, largest: int = LARGEST) -> Json:
    """The value of a JSON text in UTF-8; ``largest`` bounds the absolute value of its integers.

    Raises:
        Unclear: the text is too long, is not JSON, or could be read in more than one way.
    """
    if len(data) > LONGEST_MESSAGE:
        raise Unclear("the message is too long")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Unclear("the message is not UTF-8") from None

    def integer(digits: str) -> int:
        if len(digits) > 21 or abs(int(digits)) > largest:
            raise Unclear("an integer is larger than all readers can hold")
        return int(digits)

    decoder = json.JSONDecoder(
        object_pairs_hook=_unique, parse_int=integer, parse_float=_finite, parse_constant=_no_number
    )
    try:
        value = cast("Json", decoder.decode(text))
    except Unclear:
        raise
    except RecursionError:
        raise Unclear("the JSON is nested too deeply") from None
    except ValueError:
        raise Unclear("the message is not JSON") from None
    _check(value)
    return value


def write_json(value: Json) -> str:
    """The value as JSON in one line of ASCII."""
    return json.dumps(value, allow_nan=False)


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Unclear("a key appears twice in one object")
    return members


def _finite(digits: str) -> float:
    value = float(digits)
    if value - value != 0:
        raise Unclear("a number is larger than all readers can hold")
    return value


def _no_number(word: str) -> Json:
    raise Unclear(f"{word} is not JSON")


def _check(value: Json) -> None:
    """Raise Unclear for a value that is nested too deeply or has half a surrogate pair."""
    open_values: list[tuple[Json, int]] = [(value, 1)]
    while open_values:
        item, depth = open_values.pop()
        if depth > DEEPEST:
            raise Unclear("the JSON is nested too deeply")
        if isinstance(item, str):
            _check_text(item)
        elif isinstance(item, dict):
            for key, inner in item.items():
                _check_text(key)
                open_values.append((inner, depth + 1))
        elif isinstance(item, list):
            open_values.extend((inner, depth + 1) for inner in item)


def _check_text(text: str) -> None:
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise Unclear("a text has half a surrogate pair")

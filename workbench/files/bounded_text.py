"""TOML and JSON of any author parsed within bounds of size and depth, which are checked before parsing.

Nothing that reads or writes such a value has to survive a depth that no file needs.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import cast

LONGEST_TOML = 5_000_000
DEEPEST_TOML = 40
"""The most brackets within each other, and the most names of one dotted key."""
DEEPEST_JSON = 100
_LARGEST_EXPONENT = 400

_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""(?:"{1,2})?|\Z)'
    r"|'''(?:[^']|'(?!''))*+(?:'''(?:'{1,2})?|\Z)"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+"
    rf"|0[xob][0-9A-Fa-f_]{{{_LARGEST_EXPONENT}}}"  # Python reads it, and cannot write it in digits
    r"|[\[{\]}.,=\n]",
    re.DOTALL,
)
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{\]}]', re.DOTALL)


class OutOfBoundsError(ValueError):
    """A text that is larger or deeper than any file needs; the error's text says which."""


def exact_number(text: str) -> Decimal:
    """The exact decimal of a number in TOML; raises ValueError for one that is far out of any range."""
    value = Decimal(text.replace("_", ""))
    if value and abs(value.adjusted()) > _LARGEST_EXPONENT:
        raise OutOfBoundsError(f"a number is out of range ({text[:20]})")
    return value


def load_toml(text: str, parse_float: Callable[[str], object] = exact_number) -> dict[str, object]:
    """The tables of a TOML text; numbers with a decimal point become exact decimals.

    Raises ValueError: ``OutOfBoundsError`` before parsing, ``tomllib.TOMLDecodeError`` for a mistake.
    """
    if len(text) > LONGEST_TOML:
        raise OutOfBoundsError(f"it has more than {LONGEST_TOML} characters")
    depth = names = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign.startswith("0"):
            raise OutOfBoundsError(f"a number is out of range ({sign[:20]})")
        if sign in "[{":
            depth, names = depth + 1, 0
        elif sign in "]}":
            depth, names = max(0, depth - 1), 0
        elif sign == ".":
            names += 1
        elif sign in ",=\n":
            names = 0
        if depth > DEEPEST_TOML or names >= DEEPEST_TOML:
            line = text.count("\n", 0, token.start()) + 1
            raise OutOfBoundsError(f"line {line} is nested more than {DEEPEST_TOML} deep")
    return tomllib.loads(text, parse_float=parse_float)


@lru_cache(maxsize=4)
def toml_read_once(text: str) -> dict[str, object]:
    """The tables of a TOML text that is read several times as it is changed; they must not be changed."""
    return load_toml(text)


def load_json(text: str) -> object:
    """The value of a JSON text; raises ValueError: ``OutOfBoundsError`` before parsing, or for a mistake."""
    if text.count("[") + text.count("{") <= DEEPEST_JSON:
        return cast("object", json.loads(text))
    depth = 0
    for token in _JSON_TOKEN.finditer(text):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        if depth > DEEPEST_JSON:
            raise OutOfBoundsError(f"it is nested more than {DEEPEST_JSON} deep")
    value: object = json.loads(text)
    return value


def _left_out(_number: int, _line: bytes) -> None:
    """Leave out a line that is no object."""


def json_objects(
    data: bytes, damaged: Callable[[int, bytes], None] = _left_out
) -> Iterator[tuple[int, dict[str, object]]]:
    """The objects of JSON lines, each with its number from 1.

    ``damaged`` is told the number and the text of each line that is none, and may raise; empty lines are no
    damage. What a guard or a person wrote is read so. Logs of agents, of which a line may be larger than
    memory, and the lines of a journal, which have kinds, are read in their own ways.
    """
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = load_json(line.decode("utf-8"))
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield number, cast("dict[str, object]", value)
        else:
            damaged(number, line)

"""Places of values in a JSON text, by path."""

from __future__ import annotations

import json
import re

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = r'"(?:[^"\\]|\\.)*+"'
_PLAIN = r"(?:-?\d++(?:\.\d++)?+(?:[eE][+-]?\d++)?+|true|false|null)"
_SCALAR = re.compile(f"{_STRING}|{_PLAIN}", re.DOTALL)
# A key with its colon, and its value with the comma after it if the value is a scalar.
_MEMBER = re.compile(
    rf'\s*"(?P<key>(?:[^"\\]|\\.)*+)"\s*(?P<colon>:\s*)(?:(?:{_STRING}|{_PLAIN})\s*(?P<comma>,))?',
    re.DOTALL | re.ASCII,
)
_DECODER = json.JSONDecoder(strict=False)

type Path = tuple[str | int, ...]


def locate(text: str, path: Path) -> tuple[int, int] | None:
    """The start and end of the value at the path, without the quotes of a string; None if not found."""
    try:
        position = _skip(text, 0)
        for key in path:
            next_position = (
                _member(text, position, key) if isinstance(key, str) else _element(text, position, key)
            )
            if next_position is None:
                return None
            position = next_position
        end = _end(text, position)
    except (ValueError, IndexError, RecursionError):
        return None
    if text[position] == '"':
        return position + 1, end - 1
    return position, end


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _member(text: str, position: int, key: str) -> int | None:
    """The start of the value of a key; earlier members with scalar values take one match each."""
    if text[position] != "{":
        return None
    position += 1
    while True:
        match = _MEMBER.match(text, position)
        if match is None:
            return None
        written = match["key"]
        name = written if "\\" not in written else _DECODER.raw_decode(f'"{written}"')[0]
        if name == key:
            return match.end("colon")
        position = match.end()
        if match["comma"] is None:
            position = _skip(text, _DECODER.raw_decode(text, match.end("colon"))[1])
            if text[position] != ",":
                return None
            position += 1


def _element(text: str, position: int, index: int) -> int | None:
    if text[position] != "[":
        return None
    position = _skip(text, position + 1)
    for _ in range(index):
        position = _skip(text, _DECODER.raw_decode(text, position)[1])
        if text[position] != ",":
            return None
        position = _skip(text, position + 1)
    return position


def _end(text: str, position: int) -> int:
    match = _SCALAR.match(text, position)
    return match.end() if match else _DECODER.raw_decode(text, position)[1]

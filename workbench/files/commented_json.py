"""JSON with comments and trailing commas, edited in its text: what is not edited stays byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from workbench.model import Json

_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\r\n]*|/\*(?s:.*?)\*/)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DEEPEST = 50


class NoJson(ValueError):
    """Raised for a text that is no JSON, even with comments; its text says where."""


@dataclass(slots=True)
class _Node:
    """A value in the text: its place, and what it holds; members of an object have names."""

    start: int
    end: int = 0
    kind: str = ""
    parts: list[_Part] = field(default_factory=list["_Part"])


@dataclass(slots=True)
class _Part:
    """A member of an object or an element of an array; it begins with its name, if it has one."""

    name: str
    start: int
    value: _Node


def value_of(text: str) -> Json:
    """The value of the text. Raises NoJson; a name that an object has twice is no JSON either."""
    return _value(text, _read(text)) if text.strip() else {}


def is_plain(text: str) -> bool:
    """Whether a strict reader takes the text for JSON, too: it has no comments, and no comma at an end."""
    try:
        json.loads(text.removeprefix("\ufeff") or "{}")
    except (ValueError, RecursionError):
        return False
    return True


def appended(text: str, path: Sequence[str], element: Json) -> str:
    """The text with one more element of the array at ``path``; what is missing of the path is made.

    Raises NoJson, also where something else than objects and an array stands on the path.
    """
    if not text.strip():
        text = "{}\n"
    node = _read(text)
    for depth, name in enumerate(path):
        if node.kind != "{":
            raise NoJson(f"{'.'.join(path[:depth]) or 'the file'} is no object")
        part = next((part for part in node.parts if part.name == name), None)
        if part is None:
            value: Json = [element]
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return _inserted(text, node, f"{json.dumps(name)}: ", value)
        node = part.value
    if node.kind != "[":
        raise NoJson(f"{'.'.join(path)} is no array")
    return _inserted(text, node, "", element)


def without(text: str, path: Sequence[str], gone: Callable[[Json], bool]) -> str:
    """The text without the elements of the array at ``path`` for which ``gone`` is true.

    An array or object that becomes empty by it goes too, except the whole. Raises NoJson.
    """
    while text.strip():
        chain = [_read(text)]
        parts: list[_Part] = []
        for name in path:
            part = next((part for part in chain[-1].parts if part.name == name), None)
            if part is None:
                return text
            parts.append(part)
            chain.append(part.value)
        if chain[-1].kind != "[":
            return text
        found = next((part for part in chain[-1].parts if gone(_value(text, part.value))), None)
        if found is None:
            return text
        owner, removed = chain[-1], found
        for holder, part in zip(reversed(chain[:-1]), reversed(parts), strict=True):
            if len(owner.parts) > 1:
                break
            owner, removed = holder, part
        text = _cut(text, owner, removed)
    return text


def _read(text: str) -> _Node:
    node, place = _node(text, _space(text, 0), 1)
    if _space(text, place) != len(text):
        raise NoJson(_where(text, place))
    return node


def _node(text: str, place: int, depth: int) -> tuple[_Node, int]:
    if depth > _DEEPEST:
        raise NoJson("it is nested too deeply")
    node = _Node(place)
    opening = text[place : place + 1]
    if opening not in ("{", "["):
        match = _STRING.match(text, place) or _SCALAR.match(text, place)
        if match is None:
            raise NoJson(_where(text, place))
        node.end = match.end()
        return node, node.end
    node.kind = opening
    place = _space(text, place + 1)
    names: set[str] = set()
    while text[place : place + 1] != ("}" if opening == "{" else "]"):
        part, place = _part(text, place, depth, named=opening == "{")
        if opening == "{" and part.name in names:
            raise NoJson(f"it has {part.name!r} twice in one object")
        names.add(part.name)
        node.parts.append(part)
        place = _space(text, place)
        if text[place : place + 1] == ",":
            place = _space(text, place + 1)
        elif text[place : place + 1] not in ("}", "]"):
            raise NoJson(_where(text, place))
    node.end = place + 1
    return node, node.end


def _part(text: str, place: int, depth: int, *, named: bool) -> tuple[_Part, int]:
    start, name = place, ""
    if named:
        match = _STRING.match(text, place)
        if match is None:
            raise NoJson(_where(text, place))
        name = _scalar(match[0])
        place = _space(text, match.end())
        if text[place : place + 1] != ":":
            raise NoJson(_where(text, place))
        place = _space(text, place + 1)
    value, place = _node(text, place, depth + 1)
    return _Part(str(name), start, value), place


def _space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return place if match is None else match.end()


def _where(text: str, place: int) -> str:
    return f"it is no JSON at line {text.count(chr(10), 0, place) + 1}"


def _scalar(text: str) -> Json:
    try:
        return cast("Json", json.loads(text))
    except ValueError:
        raise NoJson(f"it has {text[:40]}, which is no JSON") from None


def _value(text: str, node: _Node) -> Json:
    match node.kind:
        case "{":
            return {part.name: _value(text, part.value) for part in node.parts}
        case "[":
            return [_value(text, part.value) for part in node.parts]
        case _:
            return _scalar(text[node.start : node.end])


def _inserted(text: str, node: _Node, lead: str, value: Json) -> str:
    """The text with a new last part of an object or array, laid out as the file is."""
    outer = re.match(r"[ \t]*", text[text.rfind("\n", 0, node.start) + 1 :])
    margin = outer[0] if outer is not None else ""
    step = "\t" if "\n\t" in text else "  "
    inner = margin + step
    body = json.dumps(value, indent=step, ensure_ascii=False).replace("\n", f"\n{inner}")
    if not node.parts:
        held = text[node.start + 1 : node.end - 1]
        kept = held.rstrip() if held.strip() else ""
        return f"{text[: node.start + 1]}{kept}\n{inner}{lead}{body}\n{margin}{text[node.end - 1 :]}"
    last = node.parts[-1].value.end
    rest = text[last : node.end - 1]
    comma = "" if text[_space(text, last) : _space(text, last) + 1] == "," else ","
    tail = rest.rstrip()
    return f"{text[:last]}{comma}{tail}\n{inner}{lead}{body}\n{margin}{text[node.end - 1 :]}"


def _cut(text: str, owner: _Node, removed: _Part) -> str:
    """The text without a part of an object or array, its comma and its blanks."""
    place = owner.parts.index(removed)
    if len(owner.parts) == 1:
        after = _space(text, removed.value.end)
        end = after + 1 if text[after : after + 1] == "," else removed.value.end
        before, rest = text[: removed.start].rstrip(" \t\r\n"), text[end:]
        return before + (rest.lstrip(" \t\r\n") if rest.lstrip()[:1] in ("}", "]") else rest)
    if place + 1 < len(owner.parts):
        return text[: removed.start] + text[owner.parts[place + 1].start :]
    previous = owner.parts[place - 1].value.end
    comma = _space(text, previous)
    return text[:comma] + text[comma + 1 : removed.start].rstrip(" \t\r\n") + text[removed.value.end :]

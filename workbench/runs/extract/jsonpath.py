"""Method ``jsonpath``: a value of the call, its context or its result, by a path."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from workbench.model import AgentSpec, Argument, Json, Kind, Provenance, Step
from workbench.runs.extract.coerce import shown
from workbench.runs.extract.found_value import Absent, FoundValue, Method, Missing, span_of
from workbench.runs.extract.json_places import Path, locate
from workbench.runs.extract.options import Options

ROOTS = ("tool", "arguments", "context", "result", "time", "call_id", "run", "index")
_SPELLINGS = {"trace": "run"}
"""What a root may also be called."""
_PART = re.compile(
    r"""\.(?P<name>[^\W\d][\w-]*)|\[(?P<index>\d+)\]|\[(?P<quote>['"])(?P<key>[^'"]*)(?P=quote)\]|(?P<all>\[\*\]|\.\*)"""
)
_ALL = "*"

type Pattern = tuple[str | int | None, ...]


def parse_path(path: str, options: Options) -> Pattern:
    """The parts of a path such as ``$.arguments.to[*].address``; None stands for all members."""
    position = 1 if path.startswith("$") else 0
    if not position:
        path = "." + path
    parts: list[str | int | None] = []
    while position < len(path):
        match = _PART.match(path, position)
        if match is None:
            raise options.error(f"the path {path!r} is not understood at character {position + 1}")
        if match["all"]:
            parts.append(None)
        elif match["index"] is not None:
            parts.append(int(match["index"]))
        else:
            parts.append(match["name"] or match["key"])
        position = match.end()
    if parts:
        parts[0] = _SPELLINGS.get(str(parts[0]), parts[0])
    if not parts or parts[0] not in ROOTS:
        raise options.error(f"a path begins with one of {', '.join('$.' + root for root in ROOTS)}")
    return tuple(parts)


def matches(step: Step, pattern: Pattern, *, every: bool = False) -> list[tuple[Json, Provenance]]:
    """The values at the path with their places.

    With ``every`` a member of a list that lacks what the path says of it raises Missing, rather than
    being passed over. Raises Absent where a recorded call certainly lacks the value, Missing where the
    log does not say.
    """
    root = str(pattern[0])
    value, text = _root(step, root)
    found = _only(value, pattern[1:]) if None not in pattern else list(_walk(value, pattern[1:], (), every))
    if not found and None not in pattern:
        message = f"the call has no argument {_shown(pattern[1:])}" if root == "arguments" else ""
        if root == "arguments":
            raise Absent(message)
        raise Missing(f"the log has no {root} {_shown(pattern[1:])}".rstrip())
    return [(item, _provenance(step, text, path)) for item, path in found]


def jsonpath(argument: Argument, _spec: AgentSpec, options: Options) -> Method:
    """The value at ``path``; for a set every value there, and the elements of a list."""
    pattern = parse_path(options.text("path"), options)
    many = argument.type.kind is Kind.SET
    root = str(pattern[0])
    keys = tuple(part for part in pattern[1:] if isinstance(part, str))
    plain = len(keys) == len(pattern) - 1 and not many

    def extract(step: Step, _history: Sequence[Step]) -> FoundValue:
        if plain and not step.texts:
            # Nothing says where a value stands, so only the value has to be found.
            inner, text = _root(step, root)
            for key in keys:
                if not isinstance(inner, dict) or key not in inner:
                    break
                inner = inner[key]
            else:
                return FoundValue(inner, (_without_place(text),))
        found = matches(step, pattern)
        if many:
            return _gathered(step, pattern, found)
        if len(found) != 1:
            raise Missing(f"the path matches {len(found)} values, where one is needed")
        value, provenance = found[0]
        return FoundValue(value, (provenance,))

    return extract


def _gathered(step: Step, pattern: Pattern, found: list[tuple[Json, Provenance]]) -> FoundValue:
    if pattern[-1] is not None and len(found) == 1 and isinstance(found[0][0], list):
        found = matches(step, (*pattern, None))
    items: dict[str, tuple[Provenance, ...]] = {}
    for value, provenance in found:
        if isinstance(value, str):
            items[value] = (*items.get(value, ()), provenance)
    return FoundValue([value for value, _ in found], tuple(provenance for _, provenance in found), items)


def _root(step: Step, root: str) -> tuple[Json, str]:
    """The value that the path starts from, and the text that it is written in."""
    if root == "arguments":
        if step.arguments is None:
            raise Missing("the log does not say which arguments the call had")
        return _object(step.arguments), "arguments"
    if root == "context":
        return _object(step.context), "context"
    if root == "result":
        if step.result is None:
            raise Missing("the log has no result of the call")
        return _parsed(step.result), "result"
    value = cast("Json", getattr(step, root))
    if value is None:
        raise Missing(f"the log does not say the {root} of the call")
    return value, root if root in step.texts else ""


def _object(members: Mapping[str, Json]) -> Json:
    return members if isinstance(members, dict) else dict(members)


def _parsed(text: str) -> Json:
    try:
        return cast("Json", json.loads(text, parse_constant=str))
    except (ValueError, RecursionError):
        return text


def _only(value: Json, pattern: Pattern) -> list[tuple[Json, Path]]:
    """What a path without a wildcard leads to: one value or none."""
    for part in pattern:
        if isinstance(part, str):
            if not isinstance(value, dict) or part not in value:
                return []
            value = value[part]
        elif isinstance(part, int) and isinstance(value, list) and part < len(value):
            value = value[part]
        else:
            return []
    return [(value, cast(Path, pattern))]


def _walk(
    value: Json, pattern: Pattern, path: Path, every: bool, *, member: bool = False
) -> Iterator[tuple[Json, Path]]:
    if not pattern:
        yield value, path
        return
    part, rest = pattern[0], pattern[1:]
    if part is None:
        if not isinstance(value, dict | list):
            # No members is not the same as members that are not written as the path says.
            raise Missing(f"{shown(value)} at {_shown(path) or 'the path'} is no list")
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in members:
            yield from _walk(item, rest, (*path, key), every, member=True)
    elif inner := _only(value, (part,)):
        yield from _walk(inner[0][0], rest, (*path, part), every, member=member)
    elif every and member:
        raise Missing(f"{_shown(path)} has no {part}")


@functools.cache
def _without_place(name: str) -> Provenance:
    return Provenance("jsonpath", name)


def _provenance(step: Step, name: str, path: Path) -> Provenance:
    text = step.texts.get(name)
    if text is None:
        return _without_place(name)
    place = locate(text, path) if path else (0, len(text))
    return Provenance("jsonpath", name, (span_of(text, *place),) if place else ())


def _shown(pattern: Pattern | Path) -> str:
    return ".".join(_ALL if part is None else str(part) for part in pattern)

"""Paths into JSON: parsed from texts such as ``to[*].address``, and walked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import cast

from workbench.model import Json
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Missing
from workbench.runs.values.json_places import Path

_PART = re.compile(
    r"""\.(?P<name>[^\W\d][\w-]*)|\[(?P<index>\d+)\]|\[(?P<quote>['"])(?P<key>[^'"]*)(?P=quote)\]|(?P<all>\[\*\]|\.\*)"""
)
_ALL = "*"

type Pattern = tuple[str | int | None, ...]


class BadPath(ValueError):
    """A text that is no path; the error's text has the place where it stops being one."""


@lru_cache(maxsize=4096)
def parse_parts(path: str) -> Pattern:
    """The parts of a path, with or without ``$`` before them; None means all members. Raises BadPath."""
    position = 1 if path.startswith("$") else 0
    if not position:
        path = "." + path
    parts: list[str | int | None] = []
    while position < len(path):
        match = _PART.match(path, position)
        if match is None:
            raise BadPath(f"the path {path!r} is not understood at character {position + 1}")
        if match["all"]:
            parts.append(None)
        elif match["index"] is not None:
            parts.append(int(match["index"]))
        else:
            parts.append(match["name"] or match["key"])
        position = match.end()
    return tuple(parts)


def walked(value: Json, pattern: Pattern, *, every: bool = False) -> list[tuple[Json, Path]]:
    """The values at a path with the paths that lead to them.

    With ``every``, a member of a list that lacks the rest of the path raises Missing instead of being
    skipped.
    """
    return only(value, pattern) if None not in pattern else list(_walk(value, pattern, (), every))


def only(value: Json, pattern: Pattern) -> list[tuple[Json, Path]]:
    """The value at a path without a wildcard: one or none."""
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
            # A value that is no list is not the same as a list without members.
            raise Missing(f"{shown(value)} at {path_text(path) or 'the path'} is no list")
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in members:
            yield from _walk(item, rest, (*path, key), every, member=True)
    elif inner := only(value, (part,)):
        yield from _walk(inner[0][0], rest, (*path, part), every, member=member)
    elif every and member:
        raise Missing(f"{path_text(path)} has no {part}")


def path_text(pattern: Pattern | Path) -> str:
    """A path for a message."""
    return ".".join(_ALL if part is None else str(part) for part in pattern)


def as_object(members: Mapping[str, Json]) -> Json:
    """A mapping as a JSON object."""
    return members if isinstance(members, dict) else dict(members)

"""Values of a call by a path: in the call, its context or its result, each with its place in the log."""

from __future__ import annotations

import functools
import json
from typing import cast

from workbench.model import Json, Provenance, RecordedCall, span_of
from workbench.runs.values.found_value import Absent, Missing
from workbench.runs.values.json_paths import BadPath, Pattern, as_object, only, parse_parts, path_text, walked
from workbench.runs.values.json_places import Path, locate

ROOTS = ("tool", "arguments", "context", "result", "time", "call_id", "run", "index")
_SPELLINGS = {"trace": "run"}
"""Other names of roots."""


def call_pattern(path: str) -> Pattern:
    """The parts of a path such as ``$.arguments.to[*].address``; None is all members. Raises BadPath."""
    parts = list(parse_parts(path))
    if parts:
        parts[0] = _SPELLINGS.get(str(parts[0]), parts[0])
    if not parts or parts[0] not in ROOTS:
        raise BadPath(f"a path begins with one of {', '.join('$.' + root for root in ROOTS)}")
    return tuple(parts)


def matches(call: RecordedCall, pattern: Pattern, *, every: bool = False) -> list[tuple[Json, Provenance]]:
    """The values at the path with their places.

    With ``every``, a member of a list that lacks the rest of the path raises Missing instead of being
    skipped. Raises Absent if a recorded call certainly lacks the value. Raises Missing if the log does not
    show it: for example, a context without the list leaves its members unknown.
    """
    root = str(pattern[0])
    value, text = root_of(call, root)
    if root == "context" and None in pattern:
        whole = pattern[1 : pattern.index(None)]
        if not only(value, whole):
            raise Missing(f"the context of the run has no {path_text(whole)}")
    placed_values = walked(value, pattern[1:], every=every)
    if not placed_values and None not in pattern:
        where = path_text(pattern[1:])
        match root:
            case "arguments":
                raise Absent(f"the call has no argument {where}")
            case "context":
                raise Missing(f"the context of the run has no {where}")
            case _:
                raise Missing(f"the log has no {root} {where}".rstrip())
    return [(item, _provenance(call, text, path)) for item, path in placed_values]


def context_lacks(call: RecordedCall, pattern: Pattern) -> bool:
    """Whether the context of the run has other values in the place of this one, but not this one.

    For a path to the members of a list, the list is the value. An empty context, or a context without the
    object that holds the value, leaves the value unknown.
    """
    whole = pattern[1 : pattern.index(None)] if None in pattern else pattern[1:]
    if pattern[0] != "context" or not whole:
        return False
    *above, last = whole
    holders = [value for value, _ in walked(as_object(call.context), tuple(above))]
    return bool(holders) and all(
        isinstance(holder, dict) and holder and last not in holder for holder in holders
    )


def root_of(call: RecordedCall, root: str) -> tuple[Json, str]:
    """The value that the path starts from, and the name of the text that it is written in."""
    if root == "arguments":
        if call.arguments is None:
            raise Missing("the log does not say which arguments the call had")
        return as_object(call.arguments), "arguments"
    if root == "context":
        return as_object(call.context), "context"
    if root == "result":
        if call.result is None:
            raise Missing("the log has no result of the call")
        return _parsed(call.result), "result"
    value = cast("Json", getattr(call, root))
    if value is None:
        raise Missing(f"the log does not say the {root} of the call")
    return value, root if root in call.texts else ""


def _parsed(text: str) -> Json:
    try:
        return cast("Json", json.loads(text, parse_constant=str, object_pairs_hook=_unique))
    except (ValueError, RecursionError):
        return text


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """The members of an object; raises ValueError for a repeated key, so that the text stays a text."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key appears twice")
    return members


@functools.cache
def without_place(name: str) -> Provenance:
    """A provenance that names a text and no place in it."""
    return Provenance("jsonpath", name)


def _provenance(call: RecordedCall, name: str, path: Path) -> Provenance:
    text = call.texts.get(name)
    if text is None:
        return without_place(name)
    place = locate(text, path) if path else (0, len(text))
    return Provenance("jsonpath", name, (span_of(text, *place),) if place else ())

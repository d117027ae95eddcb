"""Method ``jsonpath``: a value of the call, its context or its result, by a path.

Values of a call by a path: in the call, its context or its result, each with its place in the log.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from typing import cast

from workbench.model import Argument, Json, Kind, Provenance, RecordedCall, span_of
from workbench.runs.extract.options import Options
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing
from workbench.runs.values.json_paths import BadPath, Pattern, as_object, only, parse_parts, path_text, walked
from workbench.runs.values.json_places import Path, locate

JSONPATH = "jsonpath"
"""The name of the method."""


def jsonpath(argument: Argument, options: Options) -> Method:
    """The value at ``path``; for a set every value there, or the elements of a list there.

    A list that a recorded call, or the context of its run, certainly lacks is empty.
    """
    try:
        pattern = _call_pattern(options.text("path"))
    except BadPath as error:
        raise options.error(str(error)) from None
    if argument.type.kind is Kind.LIST:
        return _list(pattern, optional=argument.type.optional)
    if argument.type.kind is Kind.SET:
        return _set(pattern)
    return _single(pattern)


def _single(pattern: Pattern) -> Method:
    """The only value at a path. One without wildcards is found fast in a call without texts."""
    root = str(pattern[0])
    keys = tuple(part for part in pattern[1:] if isinstance(part, str))
    is_plain = len(keys) == len(pattern) - 1

    def extract(call: RecordedCall, _history: Sequence[RecordedCall]) -> FoundValue:
        if is_plain and not call.texts:
            # Without texts a value has no place in them, so only the value is needed.
            inner, text = _root_of(call, root)
            for key in keys:
                if not isinstance(inner, dict) or key not in inner:
                    break
                inner = inner[key]
            else:
                return FoundValue(inner, (_without_place(text),))
        _check_context(call, pattern)
        placed_values = _matches(call, pattern)
        if len(placed_values) != 1:
            raise Missing(f"the path matches {len(placed_values)} values, where one is needed")
        value, provenance = placed_values[0]
        return FoundValue(value, (provenance,))

    return extract


def _set(pattern: Pattern) -> Method:
    """All values at a path, or the elements of the list there."""

    def extract(call: RecordedCall, _history: Sequence[RecordedCall]) -> FoundValue:
        if _context_lacks(call, pattern):
            return FoundValue([], (_without_place("context"),))
        placed_values = _matches(call, pattern)
        if pattern[-1] is not None and len(placed_values) == 1 and isinstance(placed_values[0][0], list):
            placed_values = _matches(call, (*pattern, None))
        items: dict[str, tuple[Provenance, ...]] = {}
        for value, provenance in placed_values:
            if isinstance(value, str):
                items[value] = (*items.get(value, ()), provenance)
        places = tuple(provenance for _, provenance in placed_values)
        return FoundValue([value for value, _ in placed_values], places, items)

    return extract


def _list(pattern: Pattern, *, optional: bool) -> Method:
    """The list at a path, or the members that a path with ``[*]`` matches, in order."""

    def extract(call: RecordedCall, _history: Sequence[RecordedCall]) -> FoundValue:
        try:
            _check_context(call, pattern)
            placed_values = _matches(call, pattern, every=True)
        except Absent:
            if optional:
                raise
            return FoundValue(None, (Provenance(JSONPATH),), fitted=())
        places = tuple(place for _, place in placed_values)
        items: list[Json] = [value for value, _ in placed_values]
        if None in pattern:
            return FoundValue(items, places)
        (whole,) = items
        if not isinstance(whole, list):
            raise Missing(f"{shown(whole)} is no list")
        return FoundValue(whole, places)

    return extract


def _check_context(call: RecordedCall, pattern: Pattern) -> None:
    """Raise Absent for a value that the context of the run certainly lacks."""
    if _context_lacks(call, pattern):
        raise Absent(f"the context of the run has no {path_text(pattern[1:])}")


_ROOTS = ("tool", "arguments", "context", "result", "time", "call_id", "run", "index")
_SPELLINGS = {"trace": "run"}
"""Other names of roots."""


def _call_pattern(path: str) -> Pattern:
    """The parts of a path such as ``$.arguments.to[*].address``; None is all members. Raises BadPath."""
    parts = list(parse_parts(path))
    if parts:
        parts[0] = _SPELLINGS.get(str(parts[0]), parts[0])
    if not parts or parts[0] not in _ROOTS:
        raise BadPath(f"a path begins with one of {', '.join('$.' + root for root in _ROOTS)}")
    return tuple(parts)


def _matches(call: RecordedCall, pattern: Pattern, *, every: bool = False) -> list[tuple[Json, Provenance]]:
    """The values at the path with their places.

    With ``every``, a member of a list that lacks the rest of the path raises Missing instead of being
    skipped. Raises Absent if a recorded call certainly lacks the value. Raises Missing if the log does not
    show it: for example, a context without the list leaves its members unknown.
    """
    root = str(pattern[0])
    value, text = _root_of(call, root)
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


def _context_lacks(call: RecordedCall, pattern: Pattern) -> bool:
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


def _root_of(call: RecordedCall, root: str) -> tuple[Json, str]:
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
def _without_place(name: str) -> Provenance:
    """A provenance that names a text and no place in it."""
    return Provenance("jsonpath", name)


def _provenance(call: RecordedCall, name: str, path: Path) -> Provenance:
    text = call.texts.get(name)
    if text is None:
        return _without_place(name)
    place = locate(text, path) if path else (0, len(text))
    return Provenance("jsonpath", name, (span_of(text, *place),) if place else ())

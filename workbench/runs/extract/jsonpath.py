"""Method ``jsonpath``: a value of the call, its context or its result, by a path."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.model import Argument, Json, Kind, Provenance, RecordedCall
from workbench.runs.extract.options import Options
from workbench.runs.values.call_paths import call_pattern, context_lacks, matches, root_of, without_place
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing
from workbench.runs.values.json_paths import BadPath, Pattern, path_text

JSONPATH = "jsonpath"
"""The name of the method."""


def jsonpath(argument: Argument, options: Options) -> Method:
    """The value at ``path``; for a set every value there, or the elements of a list there.

    A list that a recorded call, or the context of its run, certainly lacks is empty.
    """
    try:
        pattern = call_pattern(options.text("path"))
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
            inner, text = root_of(call, root)
            for key in keys:
                if not isinstance(inner, dict) or key not in inner:
                    break
                inner = inner[key]
            else:
                return FoundValue(inner, (without_place(text),))
        _check_context(call, pattern)
        placed_values = matches(call, pattern)
        if len(placed_values) != 1:
            raise Missing(f"the path matches {len(placed_values)} values, where one is needed")
        value, provenance = placed_values[0]
        return FoundValue(value, (provenance,))

    return extract


def _set(pattern: Pattern) -> Method:
    """All values at a path, or the elements of the list there."""

    def extract(call: RecordedCall, _history: Sequence[RecordedCall]) -> FoundValue:
        if context_lacks(call, pattern):
            return FoundValue([], (without_place("context"),))
        placed_values = matches(call, pattern)
        if pattern[-1] is not None and len(placed_values) == 1 and isinstance(placed_values[0][0], list):
            placed_values = matches(call, (*pattern, None))
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
            placed_values = matches(call, pattern, every=True)
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
    if context_lacks(call, pattern):
        raise Absent(f"the context of the run has no {path_text(pattern[1:])}")

"""Method ``jsonpath``: a value of the call, its context or its result, by a path."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from typing import cast

from workbench.model import AgentSpec, Argument, Json, Kind, Provenance, Step
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing, span_of
from workbench.runs.values.json_paths import BadPath, Pattern, as_object, parse_parts, path_text, walked
from workbench.runs.values.json_places import Path, locate

ROOTS = ("tool", "arguments", "context", "result", "time", "call_id", "run", "index")
_SPELLINGS = {"trace": "run"}
"""What a root may also be called."""


def parse_path(path: str, options: Options) -> Pattern:
    """The parts of a path such as ``$.arguments.to[*].address``; None stands for all members."""
    try:
        parts = list(parse_parts(path))
    except BadPath as error:
        raise options.error(str(error)) from None
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
    found = walked(value, pattern[1:], every=every)
    if not found and None not in pattern:
        message = f"the call has no argument {path_text(pattern[1:])}" if root == "arguments" else ""
        if root == "arguments":
            raise Absent(message)
        raise Missing(f"the log has no {root} {path_text(pattern[1:])}".rstrip())
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
        return as_object(step.arguments), "arguments"
    if root == "context":
        return as_object(step.context), "context"
    if root == "result":
        if step.result is None:
            raise Missing("the log has no result of the call")
        return _parsed(step.result), "result"
    value = cast("Json", getattr(step, root))
    if value is None:
        raise Missing(f"the log does not say the {root} of the call")
    return value, root if root in step.texts else ""


def _parsed(text: str) -> Json:
    try:
        return cast("Json", json.loads(text, parse_constant=str))
    except (ValueError, RecursionError):
        return text


@functools.cache
def _without_place(name: str) -> Provenance:
    return Provenance("jsonpath", name)


def _provenance(step: Step, name: str, path: Path) -> Provenance:
    text = step.texts.get(name)
    if text is None:
        return _without_place(name)
    place = locate(text, path) if path else (0, len(text))
    return Provenance("jsonpath", name, (span_of(text, *place),) if place else ())

"""Method ``jsonpath``: a value of the call, its context or its result, by a path."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.model import AgentSpec, Argument, ArgumentType, Json, Kind, Provenance, Step
from workbench.runs.extract.options import Options
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing
from workbench.runs.values.json_paths import BadPath, Pattern
from workbench.runs.values.step_paths import matches, root_of, step_pattern, without_place
from workbench.runs.world.finding import RecordFinder
from workbench.runs.world.record_values import RecordValues


def parse_path(path: str, options: Options) -> Pattern:
    """The parts of a path such as ``$.arguments.to[*].address``; None stands for all members."""
    try:
        return step_pattern(path)
    except BadPath as error:
        raise options.error(str(error)) from None


def jsonpath(argument: Argument, _spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    """The value at ``path``; for a set every value there, and the elements of a list.

    A list that a recorded call does not have is empty.
    """
    pattern = parse_path(options.text("path"), options)
    if argument.type.kind is Kind.LIST and argument.type.element is not None:
        return _list(pattern, argument.type, argument.type.element, finder.values)
    many = argument.type.kind is Kind.SET
    root = str(pattern[0])
    keys = tuple(part for part in pattern[1:] if isinstance(part, str))
    plain = len(keys) == len(pattern) - 1 and not many

    def extract(step: Step, _history: Sequence[Step]) -> FoundValue:
        if plain and not step.texts:
            # Nothing says where a value stands, so only the value has to be found.
            inner, text = root_of(step, root)
            for key in keys:
                if not isinstance(inner, dict) or key not in inner:
                    break
                inner = inner[key]
            else:
                return FoundValue(inner, (without_place(text),))
        found = matches(step, pattern)
        if many:
            return _gathered(step, pattern, found)
        if len(found) != 1:
            raise Missing(f"the path matches {len(found)} values, where one is needed")
        value, provenance = found[0]
        return FoundValue(value, (provenance,))

    return extract


def _list(pattern: Pattern, type_: ArgumentType, element: ArgumentType, values: RecordValues) -> Method:
    """The list at a path, or the members that a path with ``[*]`` leads to, in order."""

    def extract(step: Step, _history: Sequence[Step]) -> FoundValue:
        try:
            found = matches(step, pattern, every=True)
        except Absent:
            if type_.optional:
                raise
            return FoundValue(None, (Provenance("jsonpath"),), fitted=())
        places = tuple(place for _, place in found)
        items = [value for value, _ in found]
        if None not in pattern:
            (whole,) = items
            if not isinstance(whole, list):
                raise Missing(f"{shown(whole)} is no list")
            items = whole
        return FoundValue(None, places, fitted=values.elements(items, element))

    return extract


def _gathered(step: Step, pattern: Pattern, found: list[tuple[Json, Provenance]]) -> FoundValue:
    if pattern[-1] is not None and len(found) == 1 and isinstance(found[0][0], list):
        found = matches(step, (*pattern, None))
    items: dict[str, tuple[Provenance, ...]] = {}
    for value, provenance in found:
        if isinstance(value, str):
            items[value] = (*items.get(value, ()), provenance)
    return FoundValue([value for value, _ in found], tuple(provenance for _, provenance in found), items)

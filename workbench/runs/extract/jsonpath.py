"""Method ``jsonpath``: a value of the call, its context or its result, by a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.model import AgentSpec, Argument, ArgumentType, Json, Kind, Provenance, RecordedCall
from workbench.runs.extract.options import Options
from workbench.runs.values.call_paths import call_pattern, context_lacks, matches, root_of, without_place
from workbench.runs.values.coerce import coerce, shown
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing
from workbench.runs.values.json_paths import BadPath, Pattern, path_text
from workbench.runs.values.normal_texts import normal_text
from workbench.runs.world.record_of_call import RecordFinder


def parse_path(path: str, options: Options) -> Pattern:
    """The parts of a path such as ``$.arguments.to[*].address``; None means all members."""
    try:
        return call_pattern(path)
    except BadPath as error:
        raise options.error(str(error)) from None


class Paths:
    """The path of an option: one for all tools, or one per tool."""

    def __init__(self, options: Options, name: str = "path") -> None:
        """Parse the option; raises WorkbenchError for a text that is not a path."""
        option = options.path(name)
        self._every = parse_path(option, options) if isinstance(option, str) and option else None
        table: Mapping[str, str] = {} if isinstance(option, str) else option
        self._by_tool: Mapping[str, Pattern] = {
            tool: parse_path(path, options) for tool, path in table.items()
        }

    @property
    def is_given(self) -> bool:
        """Whether a path is given."""
        return self._every is not None or bool(self._by_tool)

    @property
    def every(self) -> Pattern | None:
        """The path for all tools; None if the paths are per tool."""
        return self._every

    @property
    def tools(self) -> frozenset[str]:
        """The tools with a path of their own; empty if one path is for all tools."""
        return frozenset(self._by_tool)

    def of(self, call: RecordedCall) -> Pattern:
        """The path for a call; raises Absent if its tool has none, Missing if the log names no tool."""
        if self._every is not None:
            return self._every
        if call.tool is None:
            raise Missing("the log does not say which tool the call is of")
        if call.tool not in self._by_tool:
            raise Absent(f"it is not an argument of {call.tool}")
        return self._by_tool[call.tool]


def jsonpath(argument: Argument, _spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    """The value at ``path``; for a set every value there, or the elements of a list there.

    A list that a recorded call, or the context of its run, certainly lacks is empty.
    """
    paths = Paths(options)
    normal = options.choice("normal")
    if normal:
        if argument.type.kind is not Kind.STR:
            raise options.error("normal is the normal form of a text")
        return _Normal(argument.type, paths, normal).extract
    if argument.type.kind is Kind.LIST and argument.type.element is not None:
        return _List(argument, argument.type.element, paths, finder).extract
    many = argument.type.kind is Kind.SET

    def extract(call: RecordedCall, _history: Sequence[RecordedCall]) -> FoundValue:
        pattern = paths.of(call)
        if context_lacks(call, pattern):
            if many:
                return FoundValue([], (without_place("context"),))
            raise Absent(f"the context of the run has no {path_text(pattern[1:])}")
        placed_values = matches(call, pattern)
        if many:
            return _gathered(call, pattern, placed_values)
        if len(placed_values) != 1:
            raise Missing(f"the path matches {len(placed_values)} values, where one is needed")
        value, provenance = placed_values[0]
        return FoundValue(value, (provenance,))

    return extract if many or paths.every is None else _single(paths.every, extract)


def _single(pattern: Pattern, otherwise: Method) -> Method:
    """The fast method for one path without wildcards for all tools."""
    root = str(pattern[0])
    keys = tuple(part for part in pattern[1:] if isinstance(part, str))
    if len(keys) < len(pattern) - 1:
        return otherwise

    def extract(call: RecordedCall, history: Sequence[RecordedCall]) -> FoundValue:
        if not call.texts:
            # Without texts a value has no place in them, so only the value is needed.
            inner, text = root_of(call, root)
            for key in keys:
                if not isinstance(inner, dict) or key not in inner:
                    break
                inner = inner[key]
            else:
                return FoundValue(inner, (without_place(text),))
        return otherwise(call, history)

    return extract


class _Normal:
    """A text at a path in its normal form."""

    def __init__(self, type_: ArgumentType, paths: Paths, normal: str) -> None:
        self._type = type_
        self._paths = paths
        self._normal = normal

    def extract(self, call: RecordedCall, _history: Sequence[RecordedCall]) -> FoundValue:
        placed_values = matches(call, self._paths.of(call))
        if len(placed_values) != 1:
            raise Missing(f"the path matches {len(placed_values)} values, where one is needed")
        value, place = placed_values[0]
        text = normal_text(coerce(value, self._type), self._normal)
        return FoundValue(text if isinstance(text, str) else None, (place,))


_CALL = ("arguments",)


class _List:
    """The list at a path, or the members that a path with ``[*]`` matches, in order.

    If a tool has the path ``$.arguments``, the arguments of its call are the only element.
    """

    def __init__(self, argument: Argument, element: ArgumentType, paths: Paths, finder: RecordFinder) -> None:
        self._name = argument.name
        self._optional = argument.type.optional
        self._element = element
        self._paths = paths
        self._finder = finder
        self._joined = finder.joins(argument.type)

    def extract(self, call: RecordedCall, history: Sequence[RecordedCall]) -> FoundValue:
        try:
            items, places = self._items(call)
        except Absent:
            if self._optional:
                raise
            return FoundValue(None, (Provenance("jsonpath"),), fitted=())
        if not self._joined:
            return FoundValue(items, places)
        elements = self._finder.values.elements(items, self._element)
        joined = self._finder.joined(elements, self._element, call, history)
        named = {f"{self._name}{place}": provenances for place, provenances in joined.places.items()}
        look_up = joined.remedies[0] if joined.remedies else None
        return FoundValue(
            None, places, named, fitted=joined.elements, look_up=look_up, more=joined.remedies[1:]
        )

    def _items(self, call: RecordedCall) -> tuple[list[Json], tuple[Provenance, ...]]:
        pattern = self._paths.of(call)
        if context_lacks(call, pattern):
            raise Absent(f"the context of the run has no {path_text(pattern[1:])}")
        placed_values = matches(call, pattern, every=True)
        places = tuple(place for _, place in placed_values)
        items = [value for value, _ in placed_values]
        if None in pattern or (pattern == _CALL and self._paths.tools):
            return items, places
        (whole,) = items
        if not isinstance(whole, list):
            raise Missing(f"{shown(whole)} is no list")
        return whole, places


def _gathered(
    call: RecordedCall, pattern: Pattern, placed_values: list[tuple[Json, Provenance]]
) -> FoundValue:
    if pattern[-1] is not None and len(placed_values) == 1 and isinstance(placed_values[0][0], list):
        placed_values = matches(call, (*pattern, None))
    items: dict[str, tuple[Provenance, ...]] = {}
    for value, provenance in placed_values:
        if isinstance(value, str):
            items[value] = (*items.get(value, ()), provenance)
    return FoundValue(
        [value for value, _ in placed_values], tuple(provenance for _, provenance in placed_values), items
    )

"""The values in calls, from the schemas of the tools and from recorded calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from workbench.model import AgentSpec, ArgumentType, Json, Kind, RecordedCall, Tool
from workbench.policy.types import MOMENTS
from workbench.runs.extract.propose import path_part

_DEPTH = 3
_MOST_VALUES = 12
_LONGEST_VALUE = 40
_DECIMAL = re.compile(r"-?\d+\.\d{1,2}")
_LOOKS_DECIMAL = re.compile(r"\\d\+\(?\\\.")
_SAFE_KEY = re.compile(r"[^\"\]\x00-\x1f]{1,80}")


@dataclass(frozen=True, slots=True)
class ToolValue:
    """A value at a path of a call: its type, and whether it is in a list.

    ``required`` is whether every call has the value; in a list, whether each element has it.
    """

    path: tuple[str, ...]
    type: ArgumentType
    many: bool = False
    required: bool = field(default=True, compare=False)

    @property
    def words(self) -> str:
        """The words of the value's path."""
        return " ".join(part.replace("_", " ") for part in self.path if part != "[*]")

    def written(self, root: str) -> str:
        """The path of the value below a root."""
        return root + "".join("[*]" if part == "[*]" else path_part(part) for part in self.path)


def called_values(spec: AgentSpec, calls: Sequence[RecordedCall]) -> Mapping[str, tuple[ToolValue, ...]]:
    """The values in the schemas of the tools; a text that is a date in every recorded call is a date."""
    values_by_place: dict[tuple[str, tuple[str, ...]], list[Json]] = {}
    for call in calls:
        for path, value in json_leaves(dict(call.arguments or {}), ()):
            values_by_place.setdefault((call.tool or "", path), []).append(value)
    return {
        tool.name: tuple(
            _as_seen(leaf, values_by_place.get((tool.name, leaf.path), ())) for leaf in _called(tool)
        )
        for tool in spec.tools
    }


def _as_seen(leaf: ToolValue, values: Sequence[Json]) -> ToolValue:
    argument_type = observed_type(values) if leaf.type.kind is Kind.STR and not leaf.many else None
    return (
        replace(leaf, type=argument_type)
        if argument_type is not None and argument_type.kind in MOMENTS
        else leaf
    )


def _called(tool: Tool) -> Iterator[ToolValue]:
    """Yield the values in the schema of a tool."""
    yield from _schema_leaves(dict(tool.parameters), (), many=False)


def _schema_leaves(schema: Json, path: tuple[str, ...], *, many: bool) -> Iterator[ToolValue]:
    if not isinstance(schema, dict) or len(path) > 2 * _DEPTH:
        return
    properties, listed = schema.get("properties"), schema.get("required")
    items, needed = schema.get("items"), listed if isinstance(listed, list) else []
    if isinstance(properties, dict):
        for name, inner in properties.items():
            if _SAFE_KEY.fullmatch(name):
                for leaf in _schema_leaves(inner, (*path, name), many=many):
                    inside = "[*]" in leaf.path[len(path) + 1 :]
                    yield replace(leaf, required=leaf.required and (inside or name in needed))
    elif isinstance(items, dict) and path:
        yield from _schema_leaves(items, (*path, "[*]"), many=True)
    elif path and (type_ := _schema_type(schema)) is not None:
        yield ToolValue(path, type_, many)


def _schema_type(schema: Mapping[str, Json]) -> ArgumentType | None:
    values, kind = schema.get("enum"), schema.get("type")
    if isinstance(values, list) and values and all(isinstance(value, str) for value in values):
        return ArgumentType(Kind.ENUM, tuple(dict.fromkeys(map(str, values))))
    pattern, form = schema.get("pattern"), schema.get("format")
    if kind == "string" and isinstance(pattern, str) and _LOOKS_DECIMAL.search(pattern):
        return ArgumentType(Kind.DECIMAL)
    by_form = {"date": Kind.DATE, "date-time": Kind.DATETIME, "time": Kind.TIME}
    if kind == "string" and isinstance(form, str) and form in by_form:
        return ArgumentType(by_form[form])
    kinds = {"string": Kind.STR, "integer": Kind.INT, "number": Kind.DECIMAL, "boolean": Kind.BOOL}
    return ArgumentType(kinds[kind]) if isinstance(kind, str) and kind in kinds else None


def json_leaves(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json]]:
    """The single values in a JSON value, each with its path."""
    if len(path) > 2 * _DEPTH:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            if _SAFE_KEY.fullmatch(name):
                yield from json_leaves(inner, (*path, name))
    elif isinstance(value, list):
        for inner in value[:50]:
            yield from json_leaves(inner, (*path, "[*]"))
    elif path:
        yield path, value


def observed_type(values: Sequence[Json]) -> ArgumentType | None:
    """The type that all values have; None if they have no common type."""
    present = [value for value in values if value is not None]
    if not present:
        return None
    if all(isinstance(value, bool) for value in present):
        return ArgumentType(Kind.BOOL)
    if all(isinstance(value, int) and not isinstance(value, bool) for value in present):
        return ArgumentType(Kind.INT)
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in present):
        return ArgumentType(Kind.DECIMAL)
    texts = [value for value in present if isinstance(value, str)]
    if len(texts) != len(present):
        return None
    if all(_DECIMAL.fullmatch(text) for text in texts):
        return ArgumentType(Kind.DECIMAL)
    for kind, read in ((Kind.DATE, date.fromisoformat), (Kind.DATETIME, datetime.fromisoformat)):
        if all(len(text) >= 10 and _reads(text, read) for text in texts):
            return ArgumentType(kind)
    few = tuple(sorted(set(texts)))
    if len(few) <= min(_MOST_VALUES, len(texts)) and all(0 < len(text) <= _LONGEST_VALUE for text in few):
        return ArgumentType(Kind.STR, few)
    return ArgumentType(Kind.STR)


def _reads(text: str, read: object) -> bool:
    try:
        read(text)  # type: ignore[operator]
    except ValueError:
        return False
    return True

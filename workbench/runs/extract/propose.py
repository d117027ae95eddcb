"""What the JSON schemas of an agent's tools say of the values in its calls, and names for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workbench.model import ArgumentType, Json, Kind, Tool
from workbench.policy.names import usable
from workbench.runs.values.schema_kinds import FORMATS, SCALARS

_DEPTH = 3
_MOST_PLACES = 10
_PLAIN_KEY = re.compile(r"[^\W\d][\w-]*")


@dataclass(frozen=True, slots=True)
class SchemaField:
    """A property of a tool's parameters: its place, its type, and whether every call has it.

    ``format`` is the format in the schema; for a list it is the format of the elements.
    """

    tool: str
    path: tuple[str, ...]
    type: ArgumentType
    description: str
    needed: bool
    format: str = ""


def path_part(key: str) -> str:
    """A key as one part of a JSONPath."""
    return f".{key}" if _PLAIN_KEY.fullmatch(key) else f'["{key}"]'


def name_of(path: tuple[str, ...]) -> str:
    """The path as a name of the dialect: lower case, ASCII, not a keyword and not a word of the dialect."""
    words = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", "_".join(path)).lower())
    name = words.strip("_") or "value"
    name = f"argument_{name}" if name[0].isdigit() else name
    return usable(name)


def free_name(name: str, taken_names: set[str]) -> str:
    """The name, or the first numbered form of it that is not taken; adds it to ``taken_names``."""
    candidate, count = name, 2
    while candidate in taken_names:
        candidate, count = f"{name}_{count}", count + 1
    taken_names.add(candidate)
    return candidate


def fields_of(tool: Tool) -> Iterator[SchemaField]:
    """The properties of the tool's parameters that a policy can take, including nested ones."""
    yield from _properties(tool.name, tool.parameters, tool.parameters, (), needed=True)


def _properties(
    tool: str, schema: Mapping[str, Json], root: Mapping[str, Json], path: tuple[str, ...], *, needed: bool
) -> Iterator[SchemaField]:
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(properties, dict) or len(path) >= _DEPTH:
        return
    required_names = (
        {key for key in required if isinstance(key, str)} if isinstance(required, list) else set[str]()
    )
    for name, value in properties.items():
        inner, absent = resolved(value, root)
        if not name or '"' in name or "]" in name:
            continue
        sure = needed and name in required_names and not absent
        type_ = _type(inner, root)
        if type_ is not None:
            description = inner.get("description")
            text = " ".join(description.split())[:200] if isinstance(description, str) else ""
            yield SchemaField(tool, (*path, name), type_, text, sure, _format(inner, root))
        elif isinstance(inner.get("properties"), dict):
            yield from _properties(tool, inner, root, (*path, name), needed=sure)


def _format(schema: Mapping[str, Json], root: Mapping[str, Json]) -> str:
    """The format in the schema of a text, or of the texts in a list."""
    inner = resolved(schema.get("items"), root)[0] if schema.get("type") == "array" else schema
    format_name = inner.get("format")
    return format_name if isinstance(format_name, str) else ""


def resolved(value: Json, root: Mapping[str, Json]) -> tuple[dict[str, Json], bool]:
    """The schema without references and without the alternative null, and whether the value may be null."""
    absent = False
    for _ in range(8):
        if not isinstance(value, dict):
            return {}, absent
        reference, choices = value.get("$ref"), value.get("anyOf") or value.get("oneOf")
        if isinstance(reference, str):
            value = _referred(reference, root)
        elif isinstance(choices, list):
            real = [
                choice
                for choice in choices
                if not (isinstance(choice, dict) and choice.get("type") == "null")
            ]
            absent = absent or len(real) < len(choices)
            if len(real) != 1 or not isinstance(real[0], dict):
                return {}, absent
            value = {**{key: item for key, item in value.items() if key == "description"}, **real[0]}
        else:
            kinds = value.get("type")
            if isinstance(kinds, list):
                real_kinds = [kind for kind in kinds if kind != "null"]
                absent = absent or len(real_kinds) < len(kinds)
                value = {**value, "type": real_kinds[0] if len(real_kinds) == 1 else None}
            return value, absent
    return {}, absent


def _referred(reference: str, root: Mapping[str, Json]) -> Json:
    if not reference.startswith("#/"):
        return None
    value: Json = dict(root)
    for part in reference[2:].split("/"):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _type(schema: Mapping[str, Json], root: Mapping[str, Json]) -> ArgumentType | None:
    """The argument type of a schema; None if a policy cannot take its values."""
    members = _members(schema)
    if members is not None:
        return ArgumentType(Kind.ENUM, members) if members else None
    kind = schema.get("type")
    if kind == "array":
        items, absent = resolved(schema.get("items"), root)
        inner = _type(items, root) if not absent else None
        if inner is None or inner.kind not in (Kind.STR, Kind.ENUM):
            return None
        return ArgumentType(Kind.SET, inner.values)
    if not isinstance(kind, str) or kind not in SCALARS:
        return None
    format_name = schema.get("format")
    if kind == "string" and isinstance(format_name, str) and format_name in FORMATS:
        return ArgumentType(FORMATS[format_name])
    if kind == "number":
        return ArgumentType(Kind.DECIMAL, places=_places(schema.get("multipleOf")))
    return ArgumentType(SCALARS[kind])


def _members(schema: Mapping[str, Json]) -> tuple[str, ...] | None:
    """The members of an enum of texts; empty for an enum of other values, None if there is no enum."""
    values = schema.get("enum")
    if "const" in schema:
        values = [schema["const"]]
    if not isinstance(values, list):
        return None
    texts = tuple(dict.fromkeys(value for value in values if isinstance(value, str)))
    return texts if len(texts) == len([value for value in values if value is not None]) else ()


def _places(multiple: Json) -> int:
    """The decimal places of a number: two, as in money, unless the schema has finer ones."""
    text = repr(multiple) if isinstance(multiple, float) else ""
    digits = len(text.partition(".")[2]) if "e" not in text else 0
    return min(max(digits, 2), _MOST_PLACES)

"""What the JSON schemas of an agent's tools say of the values in its calls, and names for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.dialect.json_schemas import Plain, Schemas, Untyped
from workbench.dialect.schema_fields import scalar
from workbench.model import ArgumentType, Json, Kind, Tool
from workbench.policy.names import free_name, usable

_DEPTH = 3
_PLAIN_KEY = re.compile(r"[^\W\d][\w-]*")


@dataclass(frozen=True, slots=True)
class SchemaField:
    """A property of a tool's parameters: its place, its type, and whether every call has it."""

    path: tuple[str, ...]
    type: ArgumentType
    needed: bool


def path_part(key: str) -> str:
    """A key as one part of a JSONPath."""
    return f".{key}" if _PLAIN_KEY.fullmatch(key) else f'["{key}"]'


def name_of(path: tuple[str, ...]) -> str:
    """The path as a name of the dialect: lower case, ASCII, not a keyword and not a word of the dialect."""
    words = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", "_".join(path)).lower())
    name = words.strip("_") or "value"
    name = f"argument_{name}" if name[0].isdigit() else name
    return usable(name)


def take_name(name: str, taken_names: set[str]) -> str:
    """The name, or the first numbered form of it that is not taken; adds it to ``taken_names``."""
    taken_names.add(own := free_name(name, taken_names))
    return own


def fields_of(tool: Tool) -> Iterator[SchemaField]:
    """The properties of the tool's parameters that are one value or a set of texts, also nested ones."""
    schemas = Schemas(tool.parameters)
    yield from _fields(schemas, dict(tool.parameters))


def fields_in_lists(tool: Tool) -> Iterator[SchemaField]:
    """The fields of the objects in the lists of a tool's parameters."""
    schemas = Schemas(tool.parameters)
    for _, plain, _ in _properties(schemas, dict(tool.parameters)):
        if plain.type == "array":
            yield from _fields(schemas, plain.keys.get("items"))


def _fields(schemas: Schemas, schema: Json) -> Iterator[SchemaField]:
    for path, plain, needed in _properties(schemas, schema):
        if (type_ := _type(schemas, plain)) is not None:
            yield SchemaField(path, type_, needed)


def _properties(
    schemas: Schemas, schema: Json, path: tuple[str, ...] = (), *, needed: bool = True
) -> Iterator[tuple[tuple[str, ...], Plain, bool]]:
    """The properties of an object that are no objects with properties, each with whether it is needed."""
    try:
        plain = schemas.plain(schema)
    except Untyped:
        return
    properties, required = plain.keys.get("properties"), plain.keys.get("required")
    if path and not isinstance(properties, dict):
        yield path, plain, needed and not plain.nullable
    if not isinstance(properties, dict) or len(path) >= _DEPTH:
        return
    for name, inner in properties.items():
        if name and not set(name) & set("\"']"):
            sure = needed and not plain.nullable and isinstance(required, list) and name in required
            yield from _properties(schemas, inner, (*path, name), needed=sure)


def _type(schemas: Schemas, plain: Plain) -> ArgumentType | None:
    """The type of one value or a set of texts; None for what is neither."""
    try:
        if plain.type != "array":
            return scalar(plain).type
        items = schemas.plain(plain.keys.get("items"))
        element = scalar(items).type
    except Untyped:
        return None
    is_text = element.kind in (Kind.STR, Kind.ENUM) and not items.nullable
    return ArgumentType(Kind.SET, element.values) if is_text else None

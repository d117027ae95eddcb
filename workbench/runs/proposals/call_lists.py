"""Lists of objects in the arguments of calls, as the schemas of the tools declare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from workbench.model import ArgumentType, Json, Kind, RecordField, Tool
from workbench.runs.extract.propose import SchemaField, fields_of, free_name, resolved
from workbench.runs.proposals.list_elements import path_of
from workbench.runs.proposals.proposed_names import field_name

_DEPTH = 3
_NUMBERS = {"integer": Kind.INT, "number": Kind.DECIMAL, "boolean": Kind.BOOL}


@dataclass(frozen=True, slots=True)
class CallList:
    """A parameter of a tool that is a list: of objects with these fields, or of single values."""

    tool: str
    path: tuple[str, ...]
    fields: tuple[RecordField, ...]
    element: ArgumentType | None
    description: str


def lists_of(tool: Tool) -> tuple[CallList, ...]:
    """The lists of objects and of numbers in a tool's parameters; a list of texts is a set, so left out."""
    return tuple(_lists(tool.name, tool.parameters, tool.parameters, ()))


def _lists(
    tool: str, schema: Mapping[str, Json], root: Mapping[str, Json], path: tuple[str, ...]
) -> Iterator[CallList]:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or len(path) >= _DEPTH:
        return
    for name, value in properties.items():
        inner, _ = resolved(value, root)
        if not name or set(name) & set("\"']"):
            continue
        if inner.get("type") == "array":
            items, absent = resolved(inner.get("items"), root)
            description = inner.get("description")
            text = " ".join(description.split())[:200] if isinstance(description, str) else ""
            fields = () if absent else _fields(items, root)
            kind = _NUMBERS.get(str(items.get("type")))
            if fields or (kind is not None and not absent):
                yield CallList(
                    tool, (*path, name), fields, None if fields or kind is None else ArgumentType(kind), text
                )
        elif isinstance(inner.get("properties"), dict):
            yield from _lists(tool, inner, root, (*path, name))


def _fields(items: Mapping[str, Json], root: Mapping[str, Json]) -> tuple[RecordField, ...]:
    """The fields of the elements of a list."""
    rest_of_root = {key: value for key, value in root.items() if key not in ("properties", "required")}
    taken_names: set[str] = set()
    record_fields: list[RecordField] = []
    for schema_field in fields_of(Tool("", "", {**rest_of_root, **items})):
        name = free_name(field_name(schema_field.path), taken_names)
        record_fields.append(RecordField(name, _type(schema_field), path_of(schema_field.path, name)))
    return tuple(record_fields)


def _type(field: SchemaField) -> ArgumentType:
    """The type of a field; an optional list of texts is still a set, although no set can be absent."""
    if field.type.kind is not Kind.SET:
        return replace(field.type, optional=not field.needed)
    return ArgumentType(Kind.SET)

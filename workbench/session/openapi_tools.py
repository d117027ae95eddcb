"""The operations of an OpenAPI 3 document as tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from workbench.files.file_error import at
from workbench.model import Json, Tool

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_READS = ("get", "head", "options", "trace")
_SCHEMAS = "#/components/schemas/"
_MOST_STEPS = 20


def is_openapi(value: Json) -> bool:
    """Whether a JSON value is a document of OpenAPI or Swagger."""
    return isinstance(value, dict) and ("openapi" in value or "swagger" in value)


def openapi_tools(document: Mapping[str, Json], path: str) -> tuple[Tool, ...]:
    """A tool for each operation: its parameters, and those of its JSON body beside them.

    A body whose parameters would have the names of others is the parameter ``body``. Raises FileError for a
    document of another version, and for one without operations.
    """
    version = document.get("openapi")
    if not isinstance(version, str) or not version.startswith("3."):
        said = f"is not OpenAPI 3 (it says {str(version or document.get('swagger'))[:20]})."
        raise at(path, said, "Convert it to OpenAPI 3, as JSON.")
    paths = document.get("paths")
    tools = [
        _tool(document, route, method, item, operation)
        for route, item in (paths.items() if isinstance(paths, dict) else ())
        if isinstance(item, dict)
        for method, operation in item.items()
        if method in _METHODS and isinstance(operation, dict)
    ]
    if not tools:
        raise at(path, "has no operation.", "Give a document with paths and their operations.")
    return tuple(tools)


def _tool(
    document: Mapping[str, Json],
    route: str,
    method: str,
    item: Mapping[str, Json],
    operation: Mapping[str, Json],
) -> Tool:
    named = operation.get("operationId")
    name = named if isinstance(named, str) and named.strip() else f"{method}_{_words(route)}"
    said = operation.get("summary") or operation.get("description")
    properties: dict[str, Json] = {}
    required: list[Json] = []
    listed = [*_list(item.get("parameters")), *_list(operation.get("parameters"))]
    for parameter in (_resolved(document, one) for one in listed):
        key = parameter.get("name")
        if not isinstance(key, str) or parameter.get("in") == "cookie":
            continue
        properties[key] = {**_schema_of(parameter), **_description(parameter)}
        if parameter.get("required") is True and key not in required:
            required.append(key)
    body = _resolved(document, operation.get("requestBody"))
    schema = _body_schema(body)
    if schema is not None:
        _add_body(document, schema, body.get("required") is True, properties, required)
    parameters: dict[str, Json] = {"type": "object", "properties": properties, "required": required}
    return Tool(
        name.strip(),
        said if isinstance(said, str) else "",
        _with_definitions(document, parameters),
        method in _READS,
    )


def _words(route: str) -> str:
    return "_".join(re.findall(r"[A-Za-z0-9]+", route)).lower() or "root"


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _description(holder: Mapping[str, Json]) -> dict[str, Json]:
    said = holder.get("description")
    return {"description": said} if isinstance(said, str) else {}


def _schema_of(holder: Mapping[str, Json]) -> dict[str, Json]:
    """The schema of a parameter, which may stand in its content."""
    schema = holder.get("schema")
    content = holder.get("content")
    if not isinstance(schema, dict) and isinstance(content, dict):
        schema = next((one.get("schema") for one in content.values() if isinstance(one, dict)), None)
    return schema if isinstance(schema, dict) else {}


def _body_schema(body: Mapping[str, Json]) -> dict[str, Json] | None:
    """The schema of a body: the JSON one, else that of a form."""
    content = body.get("content")
    if not isinstance(content, dict):
        return None
    kinds = sorted(content, key=lambda kind: ("json" not in kind, "form" not in kind))
    one = content[kinds[0]] if kinds else None
    schema = one.get("schema") if isinstance(one, dict) else None
    return schema if isinstance(schema, dict) else None


def _add_body(
    document: Mapping[str, Json],
    schema: dict[str, Json],
    is_required: bool,
    properties: dict[str, Json],
    required: list[Json],
) -> None:
    """Add the parameters of a body, or the body as one parameter."""
    whole = _resolved(document, schema)
    inner = whole.get("properties")
    if (
        isinstance(inner, dict)
        and whole.keys().isdisjoint({"allOf", "anyOf", "oneOf"})
        and not inner.keys() & properties
    ):
        properties |= inner
        if is_required:
            required += [key for key in _list(whole.get("required")) if key in inner]
        return
    properties["body"] = schema
    if is_required:
        required.append("body")


def _resolved(document: Mapping[str, Json], value: Json) -> dict[str, Json]:
    """What a reference within the document leads to; empty for one that leads nowhere, or in a circle."""
    for _ in range(_MOST_STEPS):
        if not isinstance(value, dict):
            return {}
        reference = value.get("$ref")
        if not isinstance(reference, str):
            return value
        value = _at(document, reference)
    return {}


def _at(document: Mapping[str, Json], reference: str) -> Json:
    value: Json = dict(document)
    if not reference.startswith("#/"):
        return None
    for step in reference[2:].split("/"):
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _with_definitions(document: Mapping[str, Json], parameters: dict[str, Json]) -> dict[str, Json]:
    """A schema with the definitions that it needs, so that it stands by itself."""
    definitions: dict[str, Json] = {}
    waiting = [*_references(parameters)]
    while waiting:
        name = waiting.pop()
        if name not in definitions:
            definitions[name] = _own_references(_at(document, f"{_SCHEMAS}{name}"))
            waiting += _references(definitions[name])
    own = _own_references(parameters)
    whole = own if isinstance(own, dict) else {}
    return {**whole, "$defs": definitions} if definitions else whole


def _references(value: Json) -> Iterator[str]:
    """The names of the schemas of components to which references lead."""
    stack: list[Json] = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            reference = one.get("$ref")
            if isinstance(reference, str):
                for start in (_SCHEMAS, "#/$defs/"):
                    if reference.startswith(start):
                        yield reference.removeprefix(start)
            stack += one.values()
        elif isinstance(one, list):
            stack += one


def _own_references(value: Json) -> Json:
    """A value whose references lead to its own definitions."""
    if isinstance(value, list):
        return [_own_references(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: f"#/$defs/{item.removeprefix(_SCHEMAS)}"
        if key == "$ref" and isinstance(item, str) and item.startswith(_SCHEMAS)
        else _own_references(item)
        for key, item in value.items()
    }

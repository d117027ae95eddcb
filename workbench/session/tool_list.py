"""A list of tools as JSON, in the form of OpenAI, Anthropic, MCP or OpenAPI 3.

The operations of an OpenAPI 3 document as tools.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import cast
from urllib.parse import unquote

from workbench.files.bounded_text import load_json
from workbench.files.file_error import FileError, at
from workbench.model import Json, Tool

_SCHEMAS = ("parameters", "input_schema", "inputSchema")


def is_json(text: str) -> bool:
    """Whether a text is meant as JSON, not as TOML: TOML begins with no brace, and has a name after ``[``."""
    head = text.lstrip("\ufeff \t\r\n")
    return head.startswith("{") or (head.startswith("[") and head[1:].lstrip()[:1] in ("{", "]"))


def read_tools(text: str, path: str) -> tuple[Tool, ...]:
    """The tools of a JSON text: a list, an object with ``tools``, perhaps within ``result``, or an OpenAPI.

    Raises FileError, with ``path`` and the tool, if it is no list of tools.
    """
    try:
        value = cast("Json", load_json(text))
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        raise at(
            path, "is not valid JSON.", "Give a list of tools, or an agent spec in TOML.", line
        ) from None
    if isinstance(value, dict) and _is_openapi(value):
        return _each_once(_openapi_tools(value, path), path)
    for key in ("result", "tools"):
        if isinstance(value, dict) and key in value:
            value = value[key]
    if not isinstance(value, list) or not value:
        raise at(path, "has no list of tools.", "Give a list of tools, or an agent spec in TOML.")
    return _each_once(tuple(_tool(entry, place, path) for place, entry in enumerate(value, start=1)), path)


def _each_once(tools: tuple[Tool, ...], path: str) -> tuple[Tool, ...]:
    names = [tool.name for tool in tools]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise at(path, f'has the tool "{twice}" twice.', "Leave one of them out.")
    return tools


def _tool(value: Json, place: int, path: str) -> Tool:
    inner = value.get("function") if isinstance(value, dict) and "function" in value else value
    if not isinstance(inner, dict):
        raise _no_tool(path, place)
    name, description = inner.get("name"), inner.get("description")
    schema = next((inner[key] for key in _SCHEMAS if inner.get(key) is not None), None)
    if not isinstance(name, str) or not name.strip():
        raise _no_tool(path, place)
    if schema is not None and not isinstance(schema, dict):
        raise at(path, f'the parameters of the tool "{name}" are no object.', "Give them as a JSON schema.")
    parameters: Mapping[str, Json] = schema or {}
    description_text = description if isinstance(description, str) else ""
    return Tool(name, description_text, parameters, _reads_only(inner.get("annotations")))


def _reads_only(hints: Json) -> bool | None:
    """Whether the hints of an MCP server state that a tool only reads; None if they do not state it."""
    if not isinstance(hints, dict):
        return None
    if hints.get("destructiveHint") is True:
        return False
    read = hints.get("readOnlyHint")
    return read if isinstance(read, bool) else None


def _no_tool(path: str, place: int) -> FileError:
    return at(path, f"the entry {place} is no tool with a name.", "Each tool is an object with a name.")


_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_READS = ("get", "head", "options", "trace")
_COMPONENTS = "#/components/schemas/"
_MOST_STEPS = 20


def _is_openapi(value: Json) -> bool:
    """Whether a JSON value is a document of OpenAPI or Swagger."""
    return isinstance(value, dict) and ("openapi" in value or "swagger" in value)


def _openapi_tools(document: Mapping[str, Json], path: str) -> tuple[Tool, ...]:
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
        _operation_tool(document, route, method, item, operation)
        for route, item in (paths.items() if isinstance(paths, dict) else ())
        if isinstance(item, dict)
        for method, operation in item.items()
        if method in _METHODS and isinstance(operation, dict)
    ]
    if not tools:
        raise at(path, "has no operation.", "Give a document with paths and their operations.")
    return tuple(tools)


def _operation_tool(
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
            definitions[name] = _own_references(_at(document, f"{_COMPONENTS}{name}"))
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
                for start in (_COMPONENTS, "#/$defs/"):
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
        key: f"#/$defs/{item.removeprefix(_COMPONENTS)}"
        if key == "$ref" and isinstance(item, str) and item.startswith(_COMPONENTS)
        else _own_references(item)
        for key, item in value.items()
    }

"""A list of tools as JSON, in the form of OpenAI, Anthropic, MCP or OpenAPI 3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import cast

from workbench.files.bounded_text import load_json
from workbench.files.file_error import FileError, at
from workbench.model import Json, Tool
from workbench.session.openapi_tools import is_openapi, openapi_tools

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
    if isinstance(value, dict) and is_openapi(value):
        return _each_once(openapi_tools(value, path), path)
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

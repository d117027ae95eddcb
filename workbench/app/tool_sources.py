"""The tools of an agent: in a file, or of a running MCP server.

A file has JSON as for OpenAI, Anthropic or MCP, OpenAPI 3, or functions of Python. A Python file is parsed
and never run, so that it may be anybody's.
"""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import inspect
import json
import logging
import os
import re
import shlex
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import unquote

from workbench.clean_text import one_line
from workbench.files.bounded_text import OutOfBoundsError, load_json
from workbench.files.file_error import FileError, at
from workbench.model import Json, Tool, WorkbenchError

if TYPE_CHECKING:
    import httpx2
    from mcp import Client
    from mcp.client import Transport

_SCHEMAS = ("parameters", "input_schema", "inputSchema")
_RESULTS = ("outputSchema", "output_schema")


@dataclass(frozen=True, slots=True)
class ToolList:
    """The tools of an agent, and by their names the JSON schemas of the results that are said to have one."""

    tools: tuple[Tool, ...]
    results: Mapping[str, Mapping[str, Json]]


type _Listed = tuple[Tool, Json]
"""A tool, and what is said of its results."""


def is_json(text: str) -> bool:
    """Whether a text is meant as JSON, not as TOML: TOML begins with no brace, and has a name after ``[``."""
    head = text.lstrip("\ufeff \t\r\n")
    return head.startswith("{") or (head.startswith("[") and head[1:].lstrip()[:1] in ("{", "]"))


def read_tools(text: str, path: str) -> ToolList:
    """The tools of a JSON text: a list, an object with ``tools``, perhaps within ``result``, or an OpenAPI.

    Raises FileError, with ``path`` and the tool, if it is no list of tools.
    """
    try:
        value = cast("Json", load_json(text))
    except OutOfBoundsError as error:
        raise at(path, f"is not read: {error}.", "Give the tools with flatter schemas.") from None
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
    return _each_once([_tool(entry, place, path) for place, entry in enumerate(value, start=1)], path)


def _each_once(listed: Sequence[_Listed], path: str) -> ToolList:
    names = [tool.name for tool, _ in listed]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise at(path, f'has the tool "{twice}" twice.', "Leave one of them out.")
    return _tool_list(listed)


def _tool_list(listed: Sequence[_Listed]) -> ToolList:
    results = {tool.name: result for tool, result in listed if isinstance(result, dict) and result}
    return ToolList(tuple(tool for tool, _ in listed), results)


def _tool(value: Json, place: int, path: str) -> _Listed:
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
    result = next((inner[key] for key in _RESULTS if inner.get(key) is not None), None)
    return Tool(name, description_text, parameters, _reads_only(inner.get("annotations"))), result


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
_SUCCEEDED = ("200", "201", "2XX")
_COMPONENTS = "#/components/schemas/"
_MOST_STEPS = 20


def _is_openapi(value: Json) -> bool:
    """Whether a JSON value is a document of OpenAPI or Swagger."""
    return isinstance(value, dict) and ("openapi" in value or "swagger" in value)


def _openapi_tools(document: Mapping[str, Json], path: str) -> Sequence[_Listed]:
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
    return tools


def _operation_tool(
    document: Mapping[str, Json],
    route: str,
    method: str,
    item: Mapping[str, Json],
    operation: Mapping[str, Json],
) -> _Listed:
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
    tool = Tool(
        name.strip(),
        said if isinstance(said, str) else "",
        _with_definitions(document, parameters),
        method in _READS,
    )
    return tool, _response_schema(document, operation.get("responses"))


def _response_schema(document: Mapping[str, Json], responses: Json) -> Json:
    """The schema of the JSON with which an operation answers that it succeeded; None without one."""
    told = responses if isinstance(responses, dict) else {}
    for status in _SUCCEEDED:
        content = _resolved(document, told.get(status)).get("content")
        for kind, one in content.items() if isinstance(content, dict) else ():
            schema = one.get("schema") if isinstance(one, dict) else None
            if "json" in kind and isinstance(schema, dict):
                return _with_definitions(document, schema)
    return None


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


# --- The functions of a Python file as tools


_SCALARS: dict[str, dict[str, Json]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "Decimal": {"type": "number"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "time": {"type": "string", "format": "time"},
    "UUID": {"type": "string"},
    "Path": {"type": "string"},
    "AnyUrl": {"type": "string", "format": "uri"},
    "HttpUrl": {"type": "string", "format": "uri"},
    "EmailStr": {"type": "string", "format": "email"},
}
_LISTS = frozenset(
    [
        "list",
        "List",
        "Sequence",
        "Iterable",
        "tuple",
        "Tuple",
        "set",
        "Set",
        "frozenset",
        "FrozenSet",
        "Collection",
    ]
)
_MARKS_OF_KEYS = frozenset(["NotRequired", "Required", "ReadOnly", "Awaitable", "Final"])
_OBJECTS = frozenset(["dict", "Dict", "Mapping", "MutableMapping"])
_SURROUNDINGS = ("Context", "RunContext", "RunContextWrapper", "ToolContext", "ToolRuntime", "Request")
_MARKS_TOOL = re.compile(r"tool", re.IGNORECASE)
_ARGUMENT_LINE = re.compile(
    r"^\s+\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s+(\S.*)$|^\s*:param\s+(?:\w+\s+)?(\w+):\s*(\S.*)$"
)
_DEEPEST = 8
_MOST_PARTS = 20_000
"""The most annotations that are read: classes that have each other's fields have no end."""

type _Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_tools(text: str, path: str) -> ToolList:
    """A tool for each function that a decorator marks as a tool; without any mark for each public function.

    Types are those of the annotations; a parameter without one, or with one that says no type, has none.
    Raises FileError if the text is no Python, or has no such function.
    """
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno or 0 if isinstance(error, SyntaxError) else 0
        raise at(path, "is not valid Python.", "Give a file with the functions of the tools.", line) from None
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    functions += [
        node
        for owner in module.body
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_marked(node)
    ]
    marked = [node for node in functions if _is_marked(node)]
    chosen = marked or [node for node in functions if not node.name.startswith("_")]
    if not chosen:
        raise at(path, "has no public function.", "Give a file with the functions of the tools.")
    by_name = {node.name: node for node in chosen}
    types = _Types({node.name: node for node in module.body if isinstance(node, ast.ClassDef)})
    return _tool_list([(_function_as_tool(node, types), types.result(node)) for node in by_name.values()])


def _is_marked(node: _Function) -> bool:
    return any(_MARKS_TOOL.search(_last_name(decorator)) for decorator in node.decorator_list)


def _last_name(node: ast.expr) -> str:
    while isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _function_as_tool(node: _Function, types: _Types) -> Tool:
    described = inspect.cleandoc(ast.get_docstring(node, clean=False) or "")
    said = dict(_argument_lines(described))
    properties: dict[str, Json] = {}
    required: list[Json] = []
    for argument, default in _arguments(node):
        name = argument.arg
        if name in ("self", "cls") or _is_surroundings(argument.annotation):
            continue
        schema = types.schema(argument.annotation)
        properties[name] = {"description": said[name], **schema} if name in said else schema
        if default is None:
            required.append(name)
    summary = described.split("\n\n")[0].replace("\n", " ").strip()
    return Tool(node.name, summary, {"type": "object", "properties": properties, "required": required})


def _arguments(node: _Function) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """The parameters of a function, each with its default; those that take any number are left out."""
    plain = [*node.args.posonlyargs, *node.args.args]
    defaults = [None] * (len(plain) - len(node.args.defaults)) + list(node.args.defaults)
    yield from zip(plain, defaults, strict=True)
    yield from zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)


def _is_surroundings(annotation: ast.expr | None) -> bool:
    """Whether a framework gives the value, not the model."""
    inner = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return inner is not None and _last_name(inner) in _SURROUNDINGS


def _argument_lines(described: str) -> Iterator[tuple[str, str]]:
    """What a docstring says of parameters, in the forms of Google and Sphinx."""
    for line in described.splitlines():
        if match := _ARGUMENT_LINE.match(line):
            yield match[1] or match[3], (match[2] or match[4]).strip()


@dataclass(slots=True)
class _Types:
    """The JSON schemas of annotations, with the classes of the file."""

    classes: dict[str, ast.ClassDef]
    depth: int = field(default=0)
    steps: int = field(default=0)
    returned: bool = field(default=False)
    opened: list[str] = field(default_factory=list[str])

    def result(self, node: _Function) -> dict[str, Json]:
        """The schema of what a function returns: an object has its fields with a default too."""
        self.steps, self.returned = 0, True
        schema = self.schema(node.returns)
        self.returned = False
        return schema

    def schema(self, node: ast.expr | None) -> dict[str, Json]:
        """The schema of an annotation; empty if it says no type that JSON has."""
        self.steps += 1
        if self.depth > _DEEPEST or self.steps > _MOST_PARTS or node is None:
            return {}
        self.depth += 1
        try:
            return self._schema(node)
        finally:
            self.depth -= 1

    def _schema(self, node: ast.expr) -> dict[str, Json]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                return self.schema(ast.parse(node.value, mode="eval").body)
            except (SyntaxError, ValueError):
                return {}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._union([node.left, node.right])
        if isinstance(node, ast.Constant) and node.value is None:
            return {"type": "null"}
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        name = _last_name(node)
        if name in _SCALARS:
            return dict(_SCALARS[name])
        if name in _LISTS:
            return {"type": "array"}
        if name in _OBJECTS:
            return {"type": "object"}
        return self._of_file(name) if name in self.classes else {}

    def _of_file(self, name: str) -> dict[str, Json]:
        """The schema of a class of the file; of results one that has itself is recursive."""
        if self.returned and name in self.opened:
            return {"$ref": "#"}
        self.opened.append(name)
        try:
            return self._class(self.classes[name])
        finally:
            self.opened.pop()

    def _subscript(self, node: ast.Subscript) -> dict[str, Json]:
        name = _last_name(node.value)
        inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Optional":
            return self._union([inner[0], ast.Constant(None)])
        if name == "Union":
            return self._union(inner)
        if name == "Literal":
            values: list[Json] = [
                one.value
                for one in inner
                if isinstance(one, ast.Constant) and isinstance(one.value, str | int)
            ]
            return {"enum": values} if len(values) == len(inner) else {}
        if name in _MARKS_OF_KEYS:
            return self.schema(inner[0])
        if name == "Annotated":
            described = _described(inner[1:])
            return {**self.schema(inner[0]), **({"description": described} if described else {})}
        if name in _LISTS:
            return {"type": "array", "items": self.schema(inner[0])}
        if name in _OBJECTS and len(inner) == 2:
            return {"type": "object", "additionalProperties": self.schema(inner[1])}
        return {}

    def _union(self, nodes: Sequence[ast.expr]) -> dict[str, Json]:
        choices: list[Json] = [self.schema(node) for node in nodes]
        return {"anyOf": choices} if all(choices) else {}

    def _class(self, node: ast.ClassDef) -> dict[str, Json]:
        """The schema of an enumeration, or of a class whose body annotates its fields."""
        if any(_last_name(base) in ("Enum", "StrEnum") for base in node.bases):
            values: list[Json] = [
                each.value.value
                for each in node.body
                if isinstance(each, ast.Assign)
                and isinstance(each.value, ast.Constant)
                and isinstance(each.value.value, str)
            ]
            return {"type": "string", "enum": values} if values else {}
        properties: dict[str, Json] = {}
        required: list[Json] = []
        for owner in self._with_bases(node):
            total = not any(
                keyword.arg == "total" and isinstance(keyword.value, ast.Constant) and not keyword.value.value
                for keyword in owner.keywords
            )
            for each in owner.body:
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                    if _marked(each.annotation) == "ClassVar":
                        continue
                    properties[each.target.id] = self.schema(each.annotation)
                    has_value = each.value is None or self.returned
                    if total and has_value and _marked(each.annotation) != "NotRequired":
                        required.append(each.target.id)
        return {"type": "object", "properties": properties, "required": required} if properties else {}

    def _with_bases(self, node: ast.ClassDef) -> Sequence[ast.ClassDef]:
        """A class after those of the file from which it has fields too."""
        found = [node]
        for owner in found:
            bases = [self.classes[name] for base in owner.bases if (name := _last_name(base)) in self.classes]
            found += [base for base in bases if base not in found]
        return found[::-1]


def _marked(annotation: ast.expr) -> str:
    """What stands before the brackets of an annotation."""
    return _last_name(annotation.value if isinstance(annotation, ast.Subscript) else annotation)


def _described(nodes: Sequence[ast.expr]) -> str:
    """The description among the notes of an annotation: a text, or the one of a field."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.Call):
            given = [keyword.value for keyword in node.keywords if keyword.arg == "description"]
            for one in [*given, *node.args[:1]]:
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    return one.value
    return ""


# --- The tools of a running MCP server: asked over its standard input and output, or over HTTP

SECONDS = 30.0
"""The time in which a server has to list its tools."""
MOST_BYTES = 32_000_000
_MOST_PAGES = 200


def mcp_tools(server: str, seconds: float = SECONDS) -> str:
    """The list of tools of an MCP server, as JSON text: of an http or https address, or of a command.

    The command is started as it is written, without a shell, and ended afterwards. Raises WorkbenchError,
    with the server, if it cannot be asked, answers something else, or does not answer in time.
    """
    if importlib.util.find_spec("mcp") is None:
        raise WorkbenchError(
            "To ask an MCP server needs mcp; install it with: pip install 'policy-workbench[mcp]'",
            exit_code=3,
        )
    with _without_logging():
        try:
            return asyncio.run(asyncio.wait_for(_asked(server), seconds))
        except TimeoutError:
            raise _refused(server, "it does not answer in time") from None
        except Exception as error:  # whatever a strange server makes the client raise
            raise _told(server, _first(error)) from None


async def _asked(server: str) -> str:
    from mcp import Client

    async with AsyncExitStack() as stack:
        transport = await stack.enter_async_context(_transport(server))
        client = await stack.enter_async_context(Client(transport))
        return await _listed(server, client)


async def _listed(server: str, client: Client) -> str:
    """The tools of all pages, as JSON text."""
    tools: list[object] = []
    cursors: set[str | None] = {None}
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += (tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools)
        cursor = page.next_cursor
        if not cursor:
            return json.dumps({"tools": tools})
        if cursor in cursors:
            raise _refused(server, "it lists the same tools again and again")
        cursors.add(cursor)
    raise _refused(server, f"its list has more than {_MOST_PAGES} pages")


@asynccontextmanager
async def _transport(server: str) -> AsyncGenerator[Transport]:
    """The way to a server; what it writes beside its messages is left out."""
    import httpx2
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client

    if server.startswith(("http://", "https://")):
        async with httpx2.AsyncClient(transport=_bounded(), timeout=SECONDS) as http:
            yield streamable_http_client(server, http_client=http)
        return
    try:
        words = shlex.split(server)
    except ValueError as error:
        raise _refused(server, f"the command cannot be read ({error})") from None
    if not words:
        raise WorkbenchError("Say which MCP server to ask: a command, or an http address.")
    command = StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ))
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        yield stdio_client(command, nowhere)


def _bounded() -> httpx2.AsyncBaseTransport:
    """A transport whose answers end in an error after ``MOST_BYTES``."""
    import httpx2

    class Body(httpx2.AsyncByteStream):
        def __init__(self, stream: httpx2.AsyncByteStream) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = MOST_BYTES
            async for part in self._stream:
                left -= len(part)
                if left < 0:
                    raise httpx2.ReadError(f"more than {MOST_BYTES} bytes")
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    class Bounded(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            response = await super().handle_async_request(request)
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            return httpx2.Response(
                response.status_code,
                headers=response.headers,
                stream=Body(response.stream),
                extensions=response.extensions,
            )

    return Bounded()


@contextmanager
def _without_logging() -> Generator[None]:
    """Keep the client from writing a server's text to the terminal."""
    logger = logging.getLogger("mcp")
    was, logger.disabled = logger.disabled, True
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.disabled = was
        logger.setLevel(level)


def _first(error: Exception) -> Exception:
    """The first of errors that were raised together."""
    if isinstance(error, ExceptionGroup):
        return _first(cast("ExceptionGroup[Exception]", error).exceptions[0])
    return error


def _told(server: str, error: Exception) -> WorkbenchError:
    """A client's error as a sentence about the server."""
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED
    from pydantic import ValidationError

    match error:
        case WorkbenchError():
            return error
        case ValidationError():
            return _refused(server, "its answer is none of MCP")
        case MCPError(code=code) if code == CONNECTION_CLOSED:
            return _refused(server, "it ended without an answer")
        case MCPError():
            return _refused(server, f"it answers with the error {error.message}")
        case OSError():
            return _refused(server, f"it cannot be started ({error.strerror})")
        case _:
            return _refused(server, f"it cannot be asked ({error or type(error).__name__})")


def _refused(server: str, why: str) -> WorkbenchError:
    return WorkbenchError(
        f"The MCP server {one_line(server, 80)} does not list its tools: {one_line(why, 200)}. "
        "Save the list as JSON and give the file with --agent."
    )

"""The functions of a Python file as tools. The file is parsed and never run, so that it may be anybody's."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workbench.files.file_error import at
from workbench.model import Json, Tool

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
_OBJECTS = frozenset(["dict", "Dict", "Mapping", "MutableMapping"])
_SURROUNDINGS = ("Context", "RunContext", "RunContextWrapper", "ToolContext", "ToolRuntime", "Request")
_MARKS_TOOL = re.compile(r"tool", re.IGNORECASE)
_ARGUMENT_LINE = re.compile(
    r"^\s+\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s+(\S.*)$|^\s*:param\s+(?:\w+\s+)?(\w+):\s*(\S.*)$"
)
_DEEPEST = 8

type _Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_tools(text: str, path: str) -> tuple[Tool, ...]:
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
    return tuple(_tool(node, types) for node in by_name.values())


def _is_marked(node: _Function) -> bool:
    return any(_MARKS_TOOL.search(_last_name(decorator)) for decorator in node.decorator_list)


def _last_name(node: ast.expr) -> str:
    while isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _tool(node: _Function, types: _Types) -> Tool:
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

    def schema(self, node: ast.expr | None) -> dict[str, Json]:
        """The schema of an annotation; empty if it says no type that JSON has."""
        if self.depth > _DEEPEST or node is None:
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
        return self._class(self.classes[name]) if name in self.classes else {}

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
        fields = [
            each
            for each in node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        ]
        properties: dict[str, Json] = {
            each.target.id: self.schema(each.annotation)
            for each in fields
            if isinstance(each.target, ast.Name)
        }
        if not properties:
            return {}
        required: list[Json] = [
            each.target.id for each in fields if isinstance(each.target, ast.Name) and each.value is None
        ]
        return {"type": "object", "properties": properties, "required": required}


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

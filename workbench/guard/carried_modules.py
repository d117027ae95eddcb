"""The modules that an exported file carries to read calls: the workbench's own text, under another name.

They are found by parsing the imports in their texts; no module is imported. Further modules that a method of
extraction needs are carried with a session that uses it. Definitions that no carried text names are left out,
and so are the types of parameters and results.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

_PACKAGE = "workbench"
_ROOTS = (
    "workbench.files.regular",
    "workbench.guard",
    "workbench.guard.guarded_functions",
    "workbench.guard.several_policies",
    "workbench.policy.deciding",
    "workbench.runs.replay.live_guard",
)
EXPRESSION = "expression"
"""What a policy of calls has that reads anything but the tool of a call."""
PARTS_OF_RUNS = "parts of runs"
"""What a policy of calls has that reads ``run.since(...)`` or ``run.until(...)``."""
READING = "reading"
"""What a policy of calls has that reads a text by a reading."""
# Modules that are imported only if a method is used.
_LATE = {
    "embedding": ("workbench.runs.extract.embedding", "workbench.runs.extract.embedding_model"),
    EXPRESSION: (
        "workbench.dialect.call_fields",
        "workbench.dialect.run_values",
        "workbench.runs.expressions.evaluator",
        "workbench.runs.expressions.moment",
        "workbench.runs.extract.expression",
        "workbench.runs.world.earlier_places",
    ),
    "field": ("workbench.runs.extract.simple_methods",),
    "json": ("workbench.runs.extract.simple_methods",),
    PARTS_OF_RUNS: ("workbench.dialect.run_terms", "workbench.runs.expressions.parts_of_runs"),
    "nearest": ("workbench.runs.extract.nearest",),
    "phrases": ("workbench.runs.extract.phrases",),
    READING: ("workbench.runs.extract.text_readings",),
    "regex": ("workbench.runs.extract.simple_methods",),
}
# The module of a kind of value, which is imported when a value is read, and those that it imports only then.
_LATE_OF_KINDS: Mapping[str, tuple[str, ...]] = {
    "amount": ("workbench.runs.kinds.amount",),
    "code": (
        "workbench.runs.kinds.code",
        "workbench.runs.kinds.python_code.file_uses",
        "workbench.runs.kinds.python_code.follow",
        "workbench.runs.kinds.python_code.known_texts",
        "workbench.runs.kinds.python_code.parse",
        "workbench.runs.kinds.python_code.tables",
        "workbench.runs.kinds.python_code.written_code",
        "workbench.runs.sql.statement_kinds",
    ),
    "command": (
        "workbench.runs.expressions.earlier_findings",
        "workbench.runs.kinds.command",
        "workbench.runs.kinds.shell.named_paths",
        "workbench.runs.kinds.shell.shell_statements",
    ),
    "mail_address": ("workbench.runs.kinds.mail_address",),
    "path": ("workbench.runs.kinds.path", "workbench.runs.kinds.file_systems"),
    "sql": ("workbench.runs.kinds.sql", "workbench.runs.sql.statement_kinds"),
    "url": ("workbench.runs.kinds.url",),
    "version": ("workbench.runs.kinds.version",),
}
# A part such as `hour` is one of a moment, whatever it is called by.
_ALWAYS = ("workbench.runs.kinds.moment",)
_READ_DATA = re.compile(r"""read_data\(__name__, "([\w.]+)"\)""")
_IMPORT = re.compile(r"^(\s*(?:from|import) )workbench(?=[.\s])", re.MULTILINE)


_WHOLE = ("workbench.dialect.call_fields", "workbench.dialect.run_values", "workbench.policy.terms")
"""The modules of which the written expressions of a policy name any class."""
_NAMING = "workbench.guard.exported_guard"
"""The module that says what else the rest of the file names."""


_MOST_MODULES, _MOST_NAMES = 512, 4_096
"""The most modules of which is kept what is in them: exported files carry nearly the same ones."""


@lru_cache(maxsize=8)
def carried_text(methods: frozenset[str], kinds: frozenset[str] = frozenset()) -> str:
    """The modules for these methods and kinds of values as assignments.

    The assignments are the package's name, its modules and its data files.
    """
    late = [module for name in methods for module in _LATE.get(name, ())]
    late += [module for name in kinds for module in _LATE_OF_KINDS.get(name, ())]
    imported = sorted(_modules_imported([*_ROOTS, *_ALWAYS, *late]))
    modules = _used_parts({module: _untyped(text) for module, text in imported})
    data = {
        name: (_folder(module.rpartition(".")[0]) / name).read_text("utf-8")
        for module, text in modules.items()
        for name in _READ_DATA.findall(text)
    }
    together = "\0".join([*modules, *modules.values(), *data.values()])
    package = f"exported_{hashlib.sha256(together.encode()).hexdigest()[:16]}"
    lines = [f'_PACKAGE = "{package}"', "_DATA = {"]
    lines += [f"    {name!r}: {literal(text)}," for name, text in data.items()]
    lines += ["}", "_MODULES = {"]
    for name, text in modules.items():
        renamed = _IMPORT.sub(rf"\g<1>{package}", text)
        lines.append(f'    "{name.removeprefix(_PACKAGE).removeprefix(".")}": {literal(renamed)},')
    return "\n".join([*lines, "}"])


def literal(text: str) -> str:
    """A text as a string literal of several lines."""
    escaped = text.replace("\\", "\\\\").replace("'''", "\\'\\'\\'")
    return f"'''{escaped}'''"


@lru_cache(maxsize=_MOST_MODULES)
def _untyped(text: str) -> str:
    """The text without the types of parameters and results, which cost time and which nothing reads."""
    content = text.encode()
    starts = [0, *(found.end() for found in re.finditer(b"\n", content))]
    typed: list[tuple[int, int]] = []
    for node in ast.walk(ast.parse(content)):
        match node:
            case ast.arg(annotation=ast.expr(), end_lineno=int(line), end_col_offset=int(column)):
                name_end = starts[node.lineno - 1] + node.col_offset + len(node.arg.encode())
                typed.append((name_end, starts[line - 1] + column))
            case (
                ast.FunctionDef(returns=ast.expr() as returns)
                | ast.AsyncFunctionDef(returns=ast.expr() as returns)
            ):
                start = starts[returns.lineno - 1] + returns.col_offset
                end = starts[(returns.end_lineno or 0) - 1] + (returns.end_col_offset or 0)
                typed.append((content.rindex(b" ->", 0, start), content.index(b":", end)))
            case _:
                pass
    for start, end in sorted(typed, reverse=True):
        content = content[:start] + content[end:]
    return content.decode()


def _used_parts(modules: Mapping[str, str]) -> Mapping[str, str]:
    """The modules without the classes and functions that nothing in the file names but themselves."""
    used = set[str]().union(*(part.names for part in _parts(_text(_NAMING) or "")))
    unused: dict[str, list[_Part]] = {}
    for module, text in modules.items():
        for part in _parts(text):
            if part.defines and module not in _WHOLE:
                unused.setdefault(module, []).append(part)
            else:
                used |= part.names
    while kept := [
        (module, part) for module, parts in unused.items() for part in parts if part.defines in used
    ]:
        for module, part in kept:
            unused[module].remove(part)
            used |= part.names
    lines = {module: text.splitlines(keepends=True) for module, text in modules.items()}
    for module, parts in unused.items():
        for part in parts:
            lines[module][part.first - 1 : part.last] = [""] * (part.last - part.first + 1)
    return {module: "".join(parts) for module, parts in lines.items()}


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A statement of a module: the lines that it is on, the names in it, and what it defines, if that."""

    first: int
    last: int
    names: frozenset[str]
    defines: str = ""


@lru_cache(maxsize=_MOST_MODULES)
def _parts(text: str) -> Sequence[_Part]:
    """The statements of a module."""
    parts: list[_Part] = []
    for one in ast.parse(text).body:
        first, name = one.lineno, ""
        if isinstance(one, ast.ClassDef | ast.FunctionDef):
            first, name = min([first, *(each.lineno for each in one.decorator_list)]), one.name
        parts.append(_Part(first, one.end_lineno or one.lineno, frozenset(_names_in(one)), name))
    return parts


def _names_in(part: ast.AST) -> set[str]:
    """The names in a part of a text: also what it imports, attributes, and texts that may be names."""
    names: set[str] = set()
    for node in ast.walk(part):
        match node:
            case (
                ast.Name(id=name)
                | ast.Attribute(attr=name)
                | ast.alias(name=name)
                | ast.Constant(value=str(name))
            ):
                names.add(name)
            case _:
                pass
    return names


def _modules_imported(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The modules that are loaded by importing ``names``, with the packages that they are in."""
    waiting = list(names)
    visited: set[str] = set()
    packages: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in visited:
            continue
        visited.add(name)
        text = _text(name) or ""
        yield name, text
        packages.update(_above(name))
        for module, inner in _imported(text):
            waiting.append(inner if _text(inner) is not None else module)
    for name in packages - visited:
        yield name, ""


def _above(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


@lru_cache(maxsize=_MOST_MODULES)
def _imported(text: str) -> Sequence[tuple[str, str]]:
    """What a module imports from the workbench when it is imported: a module, and a name in it."""
    return [
        (statement.module or "", f"{statement.module}.{alias.name}")
        for statement in ast.parse(text).body
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").split(".")[0] == _PACKAGE
        for alias in statement.names
    ]


@lru_cache(maxsize=_MOST_NAMES)
def _text(name: str) -> str | None:
    """The text of a module; None if there is no module of this name."""
    folder = _folder(name.rpartition(".")[0]) if "." in name else None
    if folder is not None and (file := folder / f"{name.rpartition('.')[2]}.py").is_file():
        return file.read_text("utf-8")
    inner = _folder(name) / "__init__.py"
    return inner.read_text("utf-8") if inner.is_file() else None


def _folder(package: str) -> Traversable:
    folder = resources.files(_PACKAGE)
    for part in package.split(".")[1:]:
        folder = folder / part
    return folder

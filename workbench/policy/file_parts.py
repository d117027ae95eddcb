"""The parts of a policy file: its statements, with their kinds, names, lines and the comments above them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.policy.checker.syntax_tree import ReadSource, read

CONTRACT = "contract_"
"""The beginning of the names of functions with clauses in a policy of calls."""


class PartKind(StrEnum):
    """The kinds of statements of a policy file. An expression is a docstring, or a clause of a contract."""

    EXPRESSION = "expression"
    IMPORT = "import"
    TABLE = "table"
    CONSTANT = "constant"
    FUNCTION = "function"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FilePart:
    """A statement: its kind, its name, its text with the comment directly above it, and its lines from 1.

    ``name`` is the name that it defines, or the modules of an import; it is empty if there is none. ``first``
    is the first line of the comment, ``line`` is the first line of the statement. ``body`` has the statements
    of a function with clauses.
    """

    node: ast.stmt
    kind: PartKind
    name: str
    text: str
    first: int
    line: int
    last: int
    body: tuple[FilePart, ...] = ()


def file_parts(text: str) -> Sequence[FilePart]:
    """The statements of a policy file in order; raises ``PolicyError`` if the text does not parse."""
    source = read(text)
    return _parts(source, source.source.split("\n"), source.tree.body)


def _parts(source: ReadSource, lines: Sequence[str], nodes: Iterable[ast.stmt]) -> tuple[FilePart, ...]:
    return tuple(_part(source, lines, node) for node in nodes)


def _part(source: ReadSource, lines: Sequence[str], node: ast.stmt) -> FilePart:
    kind, name = _kind_and_name(node)
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
    line = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    first, last = line, node.end_lineno or node.lineno
    while first - 1 in source.alone and _indent(lines[first - 2]) <= node.col_offset:
        first -= 1
    has_clauses = isinstance(node, ast.FunctionDef) and name.startswith(CONTRACT)
    body = _parts(source, lines, node.body) if isinstance(node, ast.FunctionDef) and has_clauses else ()
    return FilePart(node, kind, name, "\n".join(lines[first - 1 : last]), first, line, last, body)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _kind_and_name(node: ast.stmt) -> tuple[PartKind, str]:
    match node:
        case ast.Expr():
            return PartKind.EXPRESSION, ""
        case ast.ImportFrom(module=module):
            return PartKind.IMPORT, module or ""
        case ast.Import(names=aliases):
            return PartKind.IMPORT, ", ".join(alias.name for alias in aliases)
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            return PartKind.TABLE if isinstance(value, ast.Dict) else PartKind.CONSTANT, name
        case ast.FunctionDef(name=name):
            return PartKind.FUNCTION, name
        case _:
            return PartKind.OTHER, ""

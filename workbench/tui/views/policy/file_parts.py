"""The parts of a policy file: rules and clauses, and what is long and neither, to be folded."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from workbench.app.session_state import SessionState

LONGEST_OPEN = 3
"""Lines of a part that is no rule up to which it is never folded."""


class PartKind(StrEnum):
    """The kinds of parts of the file."""

    RULE = "rule"
    CLAUSE = "clause"
    IMPORTS = "imports"
    TABLE = "table"
    WORDS = "words"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class FilePart:
    """Lines of the file that belong together: ``first`` to ``last`` from 1, what they are, and their name."""

    first: int
    last: int
    kind: PartKind
    name: str

    @property
    def key(self) -> str:
        """Its key among the rows."""
        return f"{self.kind}:{self.name}"

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self.last - self.first + 1

    @property
    def folds(self) -> bool:
        """Whether it can be one line."""
        if self.kind is PartKind.IMPORTS:
            return self.lines > 1
        return self.kind not in (PartKind.TEXT, PartKind.RULE) and self.lines > LONGEST_OPEN


type _Named = tuple[tuple[int, int, PartKind, str], ...]


def file_parts(state: SessionState) -> Sequence[FilePart]:
    """The parts of the file in order. Rules and clauses are known of a text that is in the dialect."""
    terms = state.terms
    if terms is None or terms.source != state.policy:
        return _parts(state.policy, ())
    rules = [(rule.line, rule.end_line, PartKind.RULE, rule.name) for rule in terms.rules]
    clauses = [(clause.line, clause.end_line, PartKind.CLAUSE, clause.id) for clause in terms.clauses]
    return _parts(state.policy, (*rules, *clauses))


@lru_cache(maxsize=8)
def _parts(text: str, named: _Named) -> Sequence[FilePart]:
    lines = text.splitlines()
    known_parts = [_with_comment(lines, FilePart(*part)) for part in named]
    covered_lines = {number for part in known_parts for number in range(part.first, part.last + 1)}
    known_parts += [part for part in _statements(text) if not covered_lines & {part.first, part.last}]
    parts: list[FilePart] = []
    at, last = 1, len(lines)
    for part in sorted(known_parts, key=lambda file_part: file_part.first):
        if part.first > at:
            parts.append(FilePart(at, part.first - 1, PartKind.TEXT, str(at)))
        if part.first >= at:
            parts.append(part)
            at = part.last + 1
    if at <= last:
        parts.append(FilePart(at, last, PartKind.TEXT, str(at)))
    return parts


def _with_comment(lines: Sequence[str], part: FilePart) -> FilePart:
    """A clause with the comment over it, which says what it says."""
    first = part.first
    while part.kind is PartKind.CLAUSE and first > 1 and lines[first - 2].lstrip().startswith("#"):
        first -= 1
    return replace(part, first=first)


def _statements(text: str) -> Iterator[FilePart]:
    """The imports together, each table, and everything else that is named before the rules, together."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    run: list[ast.stmt] = []
    kind = PartKind.TEXT
    for node in [*body, None]:
        own = PartKind.TEXT if node is None else _kind(node)
        if run and (own is not kind or own is PartKind.TABLE):
            yield _run(run, kind)
            run = []
        kind = own
        if node is not None and own is not PartKind.TEXT:
            run.append(node)


def _run(nodes: Sequence[ast.stmt], kind: PartKind) -> FilePart:
    first = _first_line(nodes[0])
    name = ", ".join(name for node in nodes for name in _names(node))
    return FilePart(first, nodes[-1].end_lineno or first, kind, name)


def _kind(node: ast.stmt) -> PartKind:
    match node:
        case ast.Import() | ast.ImportFrom():
            return PartKind.IMPORTS
        case ast.Assign(value=ast.Dict()) | ast.AnnAssign(value=ast.Dict()):
            return PartKind.TABLE
        case ast.Assign() | ast.AnnAssign() | ast.ClassDef() | ast.TypeAlias():
            return PartKind.WORDS
        case _:
            return PartKind.TEXT


def _first_line(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, ast.ClassDef) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _names(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.ImportFrom(module=str(name)) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.TypeAlias(name=ast.Name(id=name)):
            yield name
        case _:
            return

"""The layout of a policy file: its statements with their comments, and its imports."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from workbench.policy.checker.syntax_tree import ReadSource, read
from workbench.policy.layout import WIDTH, fold, header, statement
from workbench.policy.problems import Problems


class _Formatter:
    """Prints a tree with its comments; a comment at the end of a statement's line moves above it."""

    def __init__(self, text: ReadSource) -> None:
        self.text = text
        self.problems = Problems(text.source)
        self.waiting = sorted(text.comments.items())
        self.lines: list[str] = []

    def file(self) -> str:
        previous: ast.stmt | None = None
        for node in self.text.tree.body:
            self._space(node, previous)
            self.statement(node, "")
            previous = node
        self.comments(len(self.problems.lines), "")
        return "\n".join(self.lines).strip("\n") + "\n"

    def _space(self, node: ast.stmt, previous: ast.stmt | None) -> None:
        if previous is None:
            return
        if isinstance(node, ast.FunctionDef) or isinstance(previous, ast.FunctionDef):
            self.lines += ["", ""]
            return
        first = min([line for line, _ in self.waiting if line < node.lineno], default=node.lineno)
        apart = first > (previous.end_lineno or 0) + 1 or type(node) is not type(previous)
        folded = len(self.lines) > 1 and self.lines[-1] in ("}", "]")
        if apart or folded:
            self.lines.append("")

    def comments(self, until: int, indent: str) -> None:
        while self.waiting and self.waiting[0][0] <= until:
            comment = self.waiting.pop(0)[1]
            self.lines.append(f"{indent}# {comment}".rstrip())

    def statement(self, node: ast.stmt, indent: str) -> None:
        if isinstance(node, ast.FunctionDef):
            ends = [part.end_lineno or 0 for part in (*node.args.args, node.returns) if part is not None]
            self.comments(max([node.lineno, *ends]), indent)
            self.lines += [f"{indent}{line}" for line in header(node)]
            self.block(node.body, indent + "    ")
        elif isinstance(node, ast.If):
            self._branch(node, indent, "if")
        elif _is_docstring(node):
            self.comments(node.lineno, indent)
            self.lines.append(indent + self._docstring(node))
        else:
            self.comments(node.end_lineno or node.lineno, indent)
            self.lines += [f"{indent}{line}" for line in statement(node, WIDTH - len(indent))]

    def block(self, body: list[ast.stmt], indent: str) -> None:
        """Print statements, one below the other."""
        for node in body:
            self.statement(node, indent)

    def _branch(self, node: ast.If, indent: str, word: str) -> None:
        self.comments(node.test.end_lineno or node.lineno, indent)
        test = fold(node.test, WIDTH - len(indent) - len(word) - 2)
        test = [f"{word} {test[0]}", *test[1:]]
        test[-1] += ":"
        self.lines += [f"{indent}{line}" for line in test]
        self.block(node.body, indent + "    ")
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            self._branch(node.orelse[0], indent, "elif")
        elif node.orelse:
            self.lines.append(f"{indent}else:")
            self.block(node.orelse, indent + "    ")

    def _docstring(self, node: ast.stmt) -> str:
        assert isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        value = node.value.value
        if isinstance(value, str) and value.isprintable() and '"' not in value and "\\" not in value:
            return f'"""{value.strip()}"""'
        return self.problems.segment(node.value)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def format_policy(source: str) -> str:
    """The same policy in one deterministic layout with lines of at most 100 columns.

    A comment stays above its statement, or moves above it from the end of its line. Raises ``PolicyError``
    for text that does not parse; the text need not be in the dialect otherwise.
    """
    return _Formatter(read(source)).file()


_IMPORT_WIDTH = 110


def import_text(module: str, names: Iterable[str]) -> str:
    """The import of these names, on several lines if it is long."""
    ordered = sorted(names, key=lambda name: (name.islower(), name))
    text = f"from {module} import {', '.join(ordered)}"
    if len(text) <= _IMPORT_WIDTH:
        return text
    return "\n".join((f"from {module} import (", *(f"    {name}," for name in ordered), ")"))

"""Problems of a policy text: one error that has all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from workbench.model import Problem, WorkbenchError

MOST_PROBLEMS = 100


class PolicyError(WorkbenchError):
    """A text that is not a policy in the dialect; ``problems`` has every reason with its place."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        """Put the first problem in full and the number of the others into the message."""
        all_problems = tuple(problems)
        more_count = len(all_problems) - 1
        more_text = f" ({more_count} more problem{'s' if more_count > 1 else ''})" if more_count > 0 else ""
        super().__init__(
            f"{all_problems[0]}{more_text}" if all_problems else "The policy is not valid.",
            problems=all_problems,
        )


class Problems:
    """Collects the problems of one text, each at the place of a syntax node."""

    def __init__(self, source: str) -> None:
        """Remember the lines of the text, to count columns in characters."""
        self.lines = source.split("\n")
        self.items: list[Problem] = []

    def add(self, node: ast.AST | None, message: str, instead: str = "") -> None:
        """Add a problem at a node; the same problem at the same place is added once."""
        line = int(getattr(node, "lineno", 0))
        column = self.column(line, int(getattr(node, "col_offset", 0))) if line else 0
        self.add_at(line, column, message, instead)

    def add_at(self, line: int, column: int, message: str, instead: str = "") -> None:
        """Add a problem at a line and column, both from 1."""
        problem = Problem(message, instead, line, column)
        if problem not in self.items and len(self.items) < MOST_PROBLEMS:
            self.items.append(problem)

    def column(self, line: int, offset: int) -> int:
        """The column in characters, from 1, of an offset in UTF-8 bytes."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if text.isascii():
            return min(offset, len(text)) + 1
        return len(text.encode("utf-8", "replace")[:offset].decode("utf-8", "ignore")) + 1

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """The text of an expression or statement in the file."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        start = self.column(first + 1, node.col_offset) - 1
        end = self.column(last + 1, node.end_col_offset or 0) - 1
        if first == last:
            return self.lines[first][start:end]
        middle = self.lines[first + 1 : last]
        return "\n".join([self.lines[first][start:], *middle, self.lines[last][:end]])

    def raise_if_any(self) -> None:
        """Raise a ``PolicyError`` with all problems in the order of the file, if there are any."""
        if self.items:
            raise PolicyError(sorted(self.items, key=lambda problem: (problem.line, problem.column)))

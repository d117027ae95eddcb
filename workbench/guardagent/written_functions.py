"""A session's own functions for guardrail code, written in the subset of guardrail code.

They are checked like guardrail code, and run only in the sandbox: a session may come from a stranger.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass

from workbench.guardagent.subset import check_subset
from workbench.model import Problem, WorkbenchError


@dataclass(frozen=True, slots=True)
class WrittenFunction:
    """A function as a prompt shows it: its name, its signature as written, and its first line."""

    name: str
    signature: str
    summary: str


def written_functions(
    source: str, path: str, known_names: Collection[str] = ()
) -> tuple[WrittenFunction, ...]:
    """The functions that a file of functions defines.

    Args:
        source: the file's text, hostile until checked.
        path: the name of the file in messages.
        known_names: names that its code may call and that none of its functions may take.

    Raises:
        WorkbenchError: the text is outside the subset, or contains more than functions and a docstring.
    """
    problems = [*check_subset(source, known_names)]
    if not problems:
        problems += _beside_functions(source)
    if problems:
        first = problems[0]
        raise WorkbenchError(f"{path}:{first.line or 1}: {first.message} {first.instead}".strip())
    tree = ast.parse(source)
    return tuple(_function(node) for node in tree.body if isinstance(node, ast.FunctionDef))


def _beside_functions(source: str) -> list[Problem]:
    return [
        Problem("A file of functions holds functions only.", "Move it into a function.", node.lineno)
        for place, node in enumerate(ast.parse(source).body)
        if not isinstance(node, ast.FunctionDef) and not (place == 0 and _is_text(node))
    ]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _function(node: ast.FunctionDef) -> WrittenFunction:
    result = "" if node.returns is None else f" -> {ast.unparse(node.returns)}"
    summary = (ast.get_docstring(node) or "").partition("\n")[0]
    return WrittenFunction(node.name, f"({ast.unparse(node.args)}){result}", summary)

"""An exported file carries the workbench's own text, without the types of parameters and results."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import override

from workbench.guard.carried_modules import EXPRESSION, PARTS_OF_RUNS, carried_text
from workbench.runs.kinds.kinds_by_name import KINDS

PACKAGE = Path(__file__).resolve().parents[2] / "workbench"


class Untyped(ast.NodeTransformer):
    """Takes the types of parameters and results away."""

    @override
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    @override
    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    @override
    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node


def own_text(name: str) -> str:
    """The text of a module of the workbench."""
    path = PACKAGE / name.replace(".", "/")
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8")


def test_each_carried_statement_is_an_own_one_without_types() -> None:
    text = carried_text(frozenset({EXPRESSION, PARTS_OF_RUNS}), frozenset(KINDS))
    said = {
        target.id: ast.literal_eval(statement.value)
        for statement in ast.parse(text).body
        if isinstance(statement, ast.Assign) and isinstance(target := statement.targets[0], ast.Name)
    }
    typed = 0
    for name, carried in said["_MODULES"].items():
        if not carried:
            continue
        own = ast.parse(own_text(name).replace("from workbench.", f"from {said['_PACKAGE']}."))
        typed += sum(isinstance(node, ast.arg) and node.annotation is not None for node in ast.walk(own))
        untyped = {ast.dump(Untyped().visit(statement)) for statement in own.body}
        assert {ast.dump(statement) for statement in ast.parse(carried).body} <= untyped, name
    assert typed > 1000

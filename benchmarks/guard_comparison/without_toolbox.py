"""Demonstrations whose code includes the toolbox functions that it calls (GuardAgent 5.3, without a toolbox).

An example that calls a function which is not given teaches a model to call it. The rewritten example has the
function's own text before its code, so that it runs without a toolbox and decides the same.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import override

from workbench.guardagent.subset import check_subset
from workbench.guardagent.toolbox import Toolbox, ToolFunction
from workbench.model import Demonstration, WorkbenchError

_VARIABLES = ("agent_input", "agent_output")


def without_toolbox(demonstrations: Sequence[Demonstration], toolbox: Toolbox) -> tuple[Demonstration, ...]:
    """The demonstrations with the functions that their code calls written out.

    Raises WorkbenchError for a function of an imported module that cannot be written as guardrail code.
    """
    return tuple(
        replace(demonstration, code=written_out(demonstration.code, toolbox))
        for demonstration in demonstrations
    )


def written_out(code: str, toolbox: Toolbox) -> str:
    """Guardrail code, preceded by the text of every function of the toolbox that it names."""
    try:
        named = _named(ast.parse(code))
    except SyntaxError:  # an example that cannot be parsed stays as it is
        return code
    definitions: dict[str, ast.FunctionDef] = {}
    for name in named:
        if name in toolbox.functions:
            definitions |= _with_private_ones(toolbox.functions[name])
    if any(written_function.name in named for written_function in toolbox.written):
        for node in ast.parse(toolbox.source).body:
            if isinstance(node, ast.FunctionDef):
                definitions[node.name] = node
    if not definitions:
        return code
    public = {name: name.lstrip("_") for name in definitions}
    texts = [ast.unparse(_Plain(public).visit(node)) for node in definitions.values()]
    problems = check_subset("\n\n".join(texts), _VARIABLES)
    if problems:
        raise WorkbenchError(
            f"The examples cannot be written without the toolbox: {', '.join(definitions)} cannot be "
            f"guardrail code. {problems[0].message}"
        )
    return "\n\n".join([*texts, code.strip()]) + "\n"


def _named(tree: ast.AST) -> tuple[str, ...]:
    """The names that the code reads."""
    return tuple(dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)))


def _with_private_ones(function: ToolFunction) -> dict[str, ast.FunctionDef]:
    """The definition of a function, after the functions of its module that it calls."""
    return dict(_defined(function.__name__, vars(sys.modules[function.__module__]), ()))


def _defined(
    name: str, module: Mapping[str, object], inside: tuple[str, ...]
) -> Iterator[tuple[str, ast.FunctionDef]]:
    function = module.get(name)
    if name in inside or not inspect.isfunction(function):
        return
    node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    if not isinstance(node, ast.FunctionDef):
        return
    for called in _named(node):
        yield from _defined(called, module, (*inside, name))
    yield name, node


class _Plain(ast.NodeTransformer):
    """A function without types and docstring, its private names made public, as guardrail code allows."""

    def __init__(self, public: Mapping[str, str]) -> None:
        self._public = public

    @override
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.name = self._public.get(node.name, node.name)
        node.returns = None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    @override
    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    @override
    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is None:
            return ast.Pass()
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    @override
    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(self._public.get(node.id, node.id), node.ctx), node)

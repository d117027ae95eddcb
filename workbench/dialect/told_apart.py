"""``isinstance(call, BookRoom)`` in a function about several tools: what the function is for one of them.

A function is read once for each class of its call. In each reading every such test is known, so that it goes,
with the parts that are not about the class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import override

from workbench.dialect.element_names import copied
from workbench.policy.checker.syntax_tree import nodes_in

TEST = "isinstance"
"""The function of Python that tests the class of a call."""
type Test = tuple[ast.Call, tuple[str, ...] | None]


def tests(node: ast.AST, name: str) -> Iterator[Test]:
    """Yield the tests of a parameter's class, each with the names of the classes; None if it has none."""
    for part in nodes_in(node):
        if isinstance(part, ast.Call) and _is_test(part, name):
            yield part, _classes(part.args[1]) if len(part.args) == 2 else None


def for_class(node: ast.FunctionDef, name: str, class_name: str) -> ast.FunctionDef:
    """What a function is if its parameter is of a class: a copy, or itself where it has no test of that."""
    if not any(tests(node, name)):
        return node
    changed = _Known(name, class_name).visit(copied(node))
    assert isinstance(changed, ast.FunctionDef)
    return changed


def expression_for_class(node: ast.expr, name: str, class_name: str) -> ast.expr:
    """What an expression is if a call is of a class: a copy, or itself where it has no test of that."""
    if not any(tests(node, name)):
        return node
    changed = _Known(name, class_name).visit(copied(node))
    assert isinstance(changed, ast.expr)
    return changed


def _is_test(node: ast.Call, name: str) -> bool:
    first = node.args[0] if node.args else None
    is_named = isinstance(node.func, ast.Name) and node.func.id == TEST
    return is_named and isinstance(first, ast.Name) and first.id == name


def _classes(node: ast.expr) -> tuple[str, ...] | None:
    """The names in ``A``, ``A | B`` or ``(A, B)``."""
    match node:
        case ast.Name(name):
            return (name,)
        case ast.BinOp(left, ast.BitOr(), right):
            parts = (left, right)
        case ast.Tuple(elements):
            parts = tuple(elements)
        case _:
            return None
    named = [_classes(part) for part in parts]
    return None if None in named else tuple(name for names in named for name in names or ())


class _Known(ast.NodeTransformer):
    """Replaces the tests of the class of a parameter by their results."""

    def __init__(self, name: str, class_name: str) -> None:
        self._name = name
        self._class = class_name

    @override
    def visit_Call(self, node: ast.Call) -> ast.expr:
        if not _is_test(node, self._name):
            self.generic_visit(node)
            return node
        classes = _classes(node.args[1]) if len(node.args) == 2 and not node.keywords else None
        return node if classes is None else _constant(self._class in classes, node)

    @override
    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        known = _known(node.operand) if isinstance(node.op, ast.Not) else None
        return node if known is None else _constant(not known, node)

    @override
    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        settles = isinstance(node.op, ast.Or)
        results = [_known(operand) for operand in node.values]
        if settles in results:
            return _constant(settles, node)
        left = [
            operand
            for operand, result in zip(node.values, results, strict=True)
            if result is not (not settles)
        ]
        if not left:
            return _constant(not settles, node)
        return left[0] if len(left) == 1 else ast.copy_location(ast.BoolOp(node.op, left), node)

    @override
    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        known = _known(node.test)
        return node if known is None else node.body if known else node.orelse

    @override
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = self._block(node.body)
        return node

    def _block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        block: list[ast.stmt] = []
        for statement in statements:
            changed = self.visit(statement)
            if not isinstance(changed, ast.If):
                block.append(changed)
                continue
            known = _known(changed.test)
            taken = [changed] if known is None else changed.body if known else changed.orelse
            block += taken
            if taken and known is not None and isinstance(taken[-1], ast.Return):
                break
        return block

    @override
    def visit_If(self, node: ast.If) -> ast.If:
        node.test = self.visit(node.test)
        node.body = self._block(node.body)
        node.orelse = self._block(node.orelse)
        return node


class Result(ast.Constant):
    """The result of a test of a class."""


def _constant(result: bool, place: ast.expr) -> ast.Constant:
    return ast.copy_location(Result(result), place)


def _known(node: ast.expr) -> bool | None:
    """The result of a test of a class; a constant that a person wrote is none."""
    return bool(node.value) if isinstance(node, Result) else None

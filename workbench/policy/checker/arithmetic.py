"""``+``, ``-``, ``*``, ``//`` and ``%``, of numbers and of times."""

from __future__ import annotations

import ast
from datetime import timedelta
from decimal import Decimal

from workbench.model import Kind, Scalar
from workbench.policy.checker.aggregates import has_few_values
from workbench.policy.checker.present_values import present, promoted
from workbench.policy.checker.scope import File, Scope, Typed
from workbench.policy.terms import Arithmetic, Constant
from workbench.policy.types import DURATION, a_type

NOTHING: dict[Kind, Scalar] = {Kind.INT: 0, Kind.DECIMAL: Decimal(0), Kind.DURATION: timedelta(0)}
_MOST_DURATIONS = 60
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}


def arithmetic(node: ast.BinOp, scope: Scope, file: File) -> Typed | None:
    """A binary operator between two numbers or two times."""
    operator = _ARITHMETIC.get(type(node.op))
    if operator is None:
        hint = "Multiply the other side instead." if isinstance(node.op, ast.Div) else "Use + - * // and %."
        file.say(node, f"`{ast.unparse(node)[:60]}` uses an operator that is not part of the dialect.", hint)
        return None
    left = present(node.left, file.term(node.left, scope), file)
    right = present(node.right, file.term(node.right, scope), file)
    if left is None or right is None:
        return None
    left, right = promoted(left, right), promoted(right, left)
    kinds = {left.type.kind, right.type.kind}
    if kinds & {Kind.DATE, Kind.DATETIME, Kind.DURATION}:
        return _of_times(node, operator, left, right, file)
    mixed = kinds == {Kind.INT, Kind.DECIMAL} and operator == "*"
    if kinds not in ({Kind.INT}, {Kind.DECIMAL}) and not mixed:
        hint = (
            "Make both of them Decimal or both int." if kinds == {Kind.INT, Kind.DECIMAL} else "Use numbers."
        )
        file.say(node, f"`{operator}` cannot join {a_type(left.type)} and {a_type(right.type)}.", hint)
        return None
    if operator in ("//", "%") and not _divides(node, right, file):
        return None
    if operator == "*" and not (has_few_values(left.term, file) or has_few_values(right.term, file)):
        file.say(node, "One factor of a product must have finitely many values.",
                 "Write a constant, an entry of a table, or a choice of such.")  # fmt: skip
        return None
    kind = right.type if mixed and right.type.kind is Kind.DECIMAL else left.type
    return file.typed(node, Arithmetic(operator, left.term, right.term), kind, left, right)


def _of_times(node: ast.BinOp, operator: str, left: Typed, right: Typed, file: File) -> Typed | None:
    """The difference of two dates or datetimes, and sums and differences of durations."""
    kinds = (left.type.kind, right.type.kind)
    typed = None
    if (operator == "-" and kinds in ((Kind.DATE, Kind.DATE), (Kind.DATETIME, Kind.DATETIME))) or (
        operator in ("+", "-") and kinds == (Kind.DURATION, Kind.DURATION)
    ):
        typed = file.typed(node, Arithmetic(operator, left.term, right.term), DURATION, left, right)
    else:
        hint = "Compare values of one type."
        if Kind.DURATION in kinds and {Kind.DATE, Kind.DATETIME} & {*kinds}:
            hint = "Compare the difference: `later - earlier > timedelta(hours=24)`."
        file.say(node, f"`{operator}` cannot join {a_type(left.type)} and {a_type(right.type)}.", hint)
    if typed is not None and typed.size > _MOST_DURATIONS:
        file.say(node, f"This joins more than {_MOST_DURATIONS} parts to a duration.", "Simplify it.")
        return None
    return typed


def _divides(node: ast.BinOp, right: Typed, file: File) -> bool:
    value = right.term.value if isinstance(right.term, Constant) else None
    if type(value) is int and value > 0:
        return True
    file.say(node.right, "`//` and `%` divide ints by a positive int constant.", "Write the number itself.")
    return False

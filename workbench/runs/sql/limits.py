"""The conditions that limit every row of a source: the conjuncts that every row of a SELECT has to meet.

A condition counts if the result does not depend on the rows of the source that fail it. Only conditions
that are not true of NULL are considered, because a row that an outer join adds must fail them too.
"""

# sqlglot is typed only in part: its expression arguments are untyped mappings.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from sqlglot import exp

from workbench.runs.sql.column_uses import Condition

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
_TURNED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TIMES = frozenset({"DATE", "DATETIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ", "TIMESTAMPLTZ"})


class ColumnLimit(NamedTuple):
    """A condition on a column that is still a node of the query."""

    column: exp.Column
    operator: str
    value: str

    def named(self, column: str) -> Condition:
        """The condition, on a column of this name."""
        return Condition(column, self.operator, self.value)


def and_operands(node: exp.Expr | None) -> Iterator[exp.Expr]:
    """The conjuncts: the conditions that all have to be true."""
    if node is None:
        return
    if isinstance(node, exp.Where | exp.Having | exp.Paren):
        yield from and_operands(node.this)
    elif isinstance(node, exp.And):
        yield from and_operands(node.this)
        yield from and_operands(node.expression)
    else:
        yield node


def limits(node: exp.Expr | None) -> Iterator[ColumnLimit]:
    """The limits on columns among the conjuncts."""
    for part in and_operands(node):
        yield from _limits(part)


def _limits(part: exp.Expr) -> Iterator[ColumnLimit]:
    if isinstance(part, exp.Between):
        if not part.args.get("symmetric"):
            yield from _compared(part.this, ">=", part.args["low"])
            yield from _compared(part.this, "<=", part.args["high"])
    elif isinstance(part, exp.In):
        yield from _listed(part)
    elif isinstance(part, exp.Not):
        inner = part.this
        if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
            column = _column(inner.this)
            if column is not None:
                yield ColumnLimit(column, "is not null", "")
    elif type(part) in _OPERATORS:
        operator = _OPERATORS[type(part)]
        yield from _compared(part.this, operator, part.expression)
        yield from _compared(part.expression, _TURNED[operator], part.this)


def _compared(left: exp.Expr, operator: str, right: exp.Expr) -> Iterator[ColumnLimit]:
    column, value = _column(left), constant(right)
    if column is not None and value is not None:
        yield ColumnLimit(column, operator, value)


def _listed(part: exp.In) -> Iterator[ColumnLimit]:
    column = _column(part.this)
    values = [constant(expression) for expression in part.expressions]
    known_values = sorted({value for value in values if value is not None})
    if column is None or part.args.get("query") is not None or None in values or not known_values:
        return
    is_single = len(known_values) == 1
    yield ColumnLimit(
        column, "=" if is_single else "in", known_values[0] if is_single else f"({', '.join(known_values)})"
    )


def _column(node: exp.Expr) -> exp.Column | None:
    while isinstance(node, exp.Paren):
        node = node.this
    return node if isinstance(node, exp.Column) else None


def constant(node: exp.Expr) -> str | None:
    """A constant in SQL: a number, a text in quotes, a date as the text that it is made from; else None."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Cast):
        inner = node.this
        text = isinstance(inner, exp.Literal) and inner.is_string
        return constant(inner) if text and node.to.this.name in _TIMES else None
    if isinstance(node, exp.Neg):
        inner = node.this
        return f"-{inner.this}" if isinstance(inner, exp.Literal) and not inner.is_string else None
    if not isinstance(node, exp.Literal):
        return None
    return "'" + str(node.this).replace("'", "''") + "'" if node.is_string else str(node.this)


def sides(select: exp.Select) -> Iterator[tuple[exp.Expr | None, int, int]]:
    """Each condition of a SELECT with the places in FROM (from, to) of the sources that it limits.

    The ON of an outer join does not limit its outer side.
    """
    joins: list[exp.Join] = select.args.get("joins") or []
    yield select.args.get("where"), 0, len(joins) + 1
    for place, join in enumerate(joins, 1):
        side, kind = str(join.args.get("side") or ""), str(join.args.get("kind") or "")
        if side == "LEFT":
            yield join.args.get("on"), place, place + 1
        elif side == "RIGHT":
            yield join.args.get("on"), 0, place
        elif not side and kind in ("", "INNER", "CROSS"):
            yield join.args.get("on"), 0, place + 1


def least_rows(having: exp.Expr | None, counts: Callable[[exp.Count], bool]) -> int:
    """The least number of rows of each group, by the counts in HAVING that ``counts`` accepts."""
    return max((number for part in and_operands(having) for number in _bounds(part, counts)), default=0)


def _bounds(part: exp.Expr, counts: Callable[[exp.Count], bool]) -> Iterable[int]:
    sides: list[tuple[exp.Expr, str, exp.Expr]] = []
    if isinstance(part, exp.Between) and not part.args.get("symmetric"):
        sides.append((part.this, ">=", part.args["low"]))
    elif type(part) in _OPERATORS:
        operator = _OPERATORS[type(part)]
        sides += [
            (part.this, operator, part.expression),
            (part.expression, _TURNED[operator], part.this),
        ]
    for left, operator, right in sides:
        value = constant(right)
        if isinstance(left, exp.Count) and counts(left) and value is not None and value.isdigit():
            if operator in (">=", "="):
                yield int(value)
            elif operator == ">":
                yield int(value) + 1

"""The results of operators on values."""

from __future__ import annotations

import ast

from workbench.runs.kinds.python_code.effects import Effects
from workbench.runs.kinds.python_code.store import Store
from workbench.runs.kinds.python_code.texts import concatenate, percent
from workbench.runs.kinds.python_code.values import (
    COMPUTED,
    NOTHING,
    TRUTH,
    Container,
    Data,
    Origin,
    Row,
    Text,
    Value,
    Values,
    data,
    is_only_called,
)


class Operators:
    """Combines the possible values of operands, and notes what this reads."""

    def __init__(self, store: Store, effects: Effects) -> None:
        """Take the store and the effects."""
        self._store = store
        self._effects = effects

    def unary(self, op: ast.unaryop, values: Values, node: ast.expr) -> Values:
        """The values of ``-x``, ``~x`` or ``not x``."""
        if isinstance(op, ast.Not):
            return TRUTH
        self._effects.show(values, node)
        origin = self._store.origin(values)
        return data(origin if origin <= Origin.TRUTH else max(origin, Origin.PLAIN))

    def compare(self, op: ast.cmpop, left: Values, right: Values, node: ast.expr) -> Values:
        """A comparison reads its operands, but ``is`` reads none, and ``'x' in row`` reads x only."""
        if isinstance(op, ast.In | ast.NotIn):
            rows = frozenset(value for value in right if isinstance(value, Row))
            if rows:
                tables = frozenset(row.table for row in rows)
                self._effects.columns(tables, left, node)
            self._effects.show((right - rows) | left, node)
        elif not isinstance(op, ast.Is | ast.IsNot):
            self._effects.show(left | right, node)
        return TRUTH

    def binary(self, op: ast.operator, left: Values, right: Values, node: ast.expr | ast.stmt) -> Values:
        """The values of a binary operation."""
        combined: set[Value] = set()
        for left_value in left:
            for right_value in right:
                combined |= self._pair(op, left_value, right_value, node)
        return self._store.limit(frozenset(combined))

    def _pair(self, op: ast.operator, left: Value, right: Value, node: ast.expr | ast.stmt) -> Values:
        if isinstance(left, Text) and isinstance(op, ast.Mod):
            return self._percent(left, right, node)
        if isinstance(left, Container) or isinstance(right, Container):
            return self._joined(op, left, right, node)
        if is_only_called(left) or is_only_called(right):
            return NOTHING
        self._effects.show(frozenset({left, right}), node)
        if isinstance(op, ast.Add) and (isinstance(left, Text) or isinstance(right, Text)):
            return concatenate([frozenset({left}), frozenset({right})], self._effects.place(node))
        return data(_arithmetic(op, left, right))

    def _percent(self, pattern: Text, value: Value, node: ast.expr | ast.stmt) -> Values:
        self._effects.show(frozenset({value}), node)
        place = self._effects.place(node)
        if isinstance(value, Container) and value.kind == "tuple":
            parts = self._store.parts(value)
            if parts is None:
                return COMPUTED
            return percent(pattern, [self._effects.printed(part, node) for part in parts], NOTHING, place)
        return percent(pattern, None, self._effects.printed(frozenset({value}), node), place)

    def _joined(self, op: ast.operator, left: Value, right: Value, node: ast.expr | ast.stmt) -> Values:
        """The result of an operation on containers: a new container with the elements of both."""
        first = left if isinstance(left, Container) else right
        assert isinstance(first, Container)
        joined = self._store.container(node, first.kind, "combined")
        for value in (left, right):
            if isinstance(value, Container):
                self._store.write(joined, self._store.held(value), self._store.keys(value))
            elif not isinstance(op, ast.Mult):
                self._effects.show(frozenset({value}), node)
                self._store.write(joined, COMPUTED, COMPUTED)
        return frozenset({joined})


def _arithmetic(op: ast.operator, left: Value, right: Value) -> Origin:
    """The origin of the result of an operation on data. ``+``, ``*`` and ``%`` may make texts, ``/`` not."""
    if not isinstance(left, Data) or not isinstance(right, Data):
        return Origin.COMPUTED
    worst = max(left.origin, right.origin)
    if worst <= Origin.TRUTH and isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return worst
    if worst is Origin.NUMBER or isinstance(op, ast.Div | ast.FloorDiv | ast.Pow):
        return min(worst, Origin.PLAIN)
    if isinstance(op, ast.Add):
        # A text and a number cannot be added, so the other operand is a number too.
        return worst if Origin.NUMBER in (left.origin, right.origin) else Origin.COMPUTED
    if isinstance(op, ast.Mult) or (isinstance(op, ast.Mod) and left.origin is not Origin.NUMBER):
        return Origin.COMPUTED
    return max(worst, Origin.PLAIN)

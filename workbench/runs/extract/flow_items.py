"""The parts of values in the static data flow: elements, columns, rows, characters and attributes."""

from __future__ import annotations

import ast
from typing import Protocol

from workbench.runs.extract.flow_names import FlowNames
from workbench.runs.extract.flow_state import FlowState
from workbench.runs.extract.flow_strings import sliced
from workbench.runs.extract.flow_values import (
    COMPUTED,
    PLAIN,
    STORED,
    Data,
    FlowOrigin,
    FlowRow,
    FlowSite,
    FlowValue,
    FlowValues,
    LoadedTable,
    Text,
)
from workbench.runs.values.found_value import Missing

_METADATA = frozenset({"shape", "empty", "size", "ndim"})
_PARTS_OF_DATES = frozenset(
    [
        "year", "month", "day", "hour", "minute", "second", "microsecond", "days", "seconds", "shape", "size",
        "empty",
    ]
)  # fmt: skip


class Evaluates(Protocol):
    """An object that gives the possible values of an expression.

    A protocol, because the object that evaluates expressions imports this module to look up their parts.
    """

    def evaluate(self, node: ast.expr) -> FlowValues:
        """The possible values of the expression."""
        ...


class Items:
    """Looks up parts of values, and notes the columns that this reads."""

    def __init__(self, state: FlowState, names: FlowNames, expressions: Evaluates) -> None:
        """Take the state and names, and the object that evaluates the expressions in an index."""
        self._state = state
        self._names = names
        self._expressions = expressions

    def attribute(self, node: ast.Attribute) -> FlowValues:
        """The value of an attribute: a column of a table, or a part of a date."""
        path = self._names.path(node)
        if path is not None:
            return self._names.constant(path, node)
        values: set[FlowValue] = set()
        for value in self._expressions.evaluate(node.value):
            if isinstance(value, LoadedTable) and node.attr in (
                self._state.reads.columns_of(value.name) or ()
            ):
                self._state.reads.read(frozenset({value.name}), node.attr, self._state.place(node))
                values |= STORED
            elif (isinstance(value, LoadedTable) and node.attr in _METADATA) or (
                isinstance(value, Data) and node.attr in _PARTS_OF_DATES
            ):
                values |= PLAIN
            else:
                raise Missing(
                    f"the code uses the attribute {node.attr} in line {node.lineno}, which is not followed"
                )
        return frozenset(values)

    def subscript(self, node: ast.Subscript) -> FlowValues:
        """The value at an index: an element, a column, a row, or some characters."""
        held = self._expressions.evaluate(node.value)
        index = self._expressions.evaluate(node.slice)
        values: set[FlowValue] = set()
        for value in held:
            match value:
                case FlowSite():
                    values |= self._item(value, node, index)
                case LoadedTable():
                    values |= self._table_item(value, node, index)
                case FlowRow():
                    values |= self.row_columns(frozenset({value}), index, node)
                case Text():
                    values |= self._characters(value, node)
                case Data():
                    self._state.show(index, node)
                    values.add(_part(value, node.slice))
        return frozenset(values)

    def _item(self, site: FlowSite, node: ast.Subscript, index: FlowValues) -> FlowValues:
        if isinstance(node.slice, ast.Slice):
            copy = self._state.site(node, site.kind, "slice")
            self._state.write(copy, self._state.held(site), self._state.keys(site))
            return frozenset({copy})
        self._state.show(index, node)
        parts = self._state.parts(site)
        number = _integer(node.slice)
        if parts is not None and number is not None and -len(parts) <= number < len(parts):
            return parts[number]
        return self._state.held(site)

    def _characters(self, text: Text, node: ast.Subscript) -> FlowValues:
        if isinstance(node.slice, ast.Slice):
            bounds = [_bound(part) for part in (node.slice.lower, node.slice.upper, node.slice.step)]
            if all(is_known for is_known, _ in bounds):
                part = sliced(text, *(number for _, number in bounds))
                if part is not None:
                    return frozenset({part})
        number = _integer(node.slice)
        if number is not None and text.literal is not None:
            part = sliced(text, number, number + 1 if number != -1 else None, None)
            return frozenset({part}) if part is not None else COMPUTED
        return COMPUTED

    def _table_item(self, table: LoadedTable, node: ast.Subscript, index: FlowValues) -> FlowValues:
        """The value of ``db["column"]`` or ``db[["a", "b"]]``, a row, or a selection of rows."""
        if isinstance(node.slice, ast.Slice):
            return frozenset({table})
        if isinstance(node.slice, ast.Compare) or (
            isinstance(node.slice, ast.BinOp) and isinstance(node.slice.op, ast.BitAnd | ast.BitOr)
        ):
            return frozenset({table, FlowRow(table.name)})
        values: set[FlowValue] = set()
        for value in index:
            if isinstance(value, Data) and value.origin is FlowOrigin.NUMBER:
                values.add(FlowRow(table.name))
            elif isinstance(value, FlowSite):
                self._state.read_columns(table.name, self._state.held(value), node)
                values |= STORED
            else:
                self._state.read_columns(table.name, frozenset({value}), node)
                values |= STORED
        return frozenset(values)

    def row_columns(self, rows: FlowValues, index: FlowValues, node: ast.expr) -> FlowValues:
        """Note that ``row["x"]`` or ``"x" in row`` reads the column of the row."""
        for row in rows:
            if isinstance(row, FlowRow):
                self._state.read_columns(row.table, index, node)
        return STORED


def _integer(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)) if not isinstance(
            value, bool
        ):
            return -value
        case _:
            return None


def _part(value: Data, index: ast.expr) -> Data:
    """An element, or a run of characters; a step changes the order of the characters."""
    if not isinstance(index, ast.Slice) or value.origin is FlowOrigin.NUMBER:
        return value
    return Data(FlowOrigin.COMPUTED if index.step is not None else max(value.origin, FlowOrigin.PLAIN))


def _bound(node: ast.expr | None) -> tuple[bool, int | None]:
    """Whether a bound of a slice is known, and its value."""
    if node is None:
        return True, None
    number = _integer(node)
    return number is not None, number

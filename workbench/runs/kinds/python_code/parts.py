"""The parts of values at an index: elements, columns, rows and characters."""

from __future__ import annotations

import ast

from workbench.runs.kinds.python_code.effects import Effects
from workbench.runs.kinds.python_code.store import Store
from workbench.runs.kinds.python_code.texts import only_literal, sliced
from workbench.runs.kinds.python_code.values import (
    COMPUTED,
    NOTHING,
    Container,
    Data,
    Origin,
    Outside,
    Row,
    Table,
    Text,
    Value,
    Values,
)


class Parts:
    """Looks up parts of values, and notes the columns that this reads."""

    def __init__(self, store: Store, effects: Effects) -> None:
        """Take the store and the effects."""
        self._store = store
        self._effects = effects

    def at(self, held: Values, index: Values, node: ast.expr, written: ast.expr | None = None) -> Values:
        """The values at an index; ``written`` is the index as the code writes it, if it does."""
        tables = frozenset(value for value in held if isinstance(value, Table))
        rows = frozenset(value for value in held if isinstance(value, Row))
        found = self._of_tables(tables, index, node, written) if tables else NOTHING
        if rows:
            found |= self._effects.columns(frozenset(row.table for row in rows), index, node)
        for value in held - tables - rows:
            found |= self._at(value, index, node, written)
        return found

    def _at(self, value: Value, index: Values, node: ast.expr, written: ast.expr | None) -> Values:
        match value:
            case Container():
                return self._item(value, index, node, written)
            case Text():
                return self._characters(value, written)
            case Data():
                self._effects.show(index, node)
                return frozenset({_part(value, written)})
            case Outside(kind="type" | "library"):
                # A type with its parameters.
                self._effects.lose(index, node)
                return frozenset({value})
            case _:
                # A function has no parts.
                return NOTHING

    def _item(self, container: Container, index: Values, node: ast.expr, written: ast.expr | None) -> Values:
        if isinstance(written, ast.Slice):
            copy = self._store.container(node, container.kind, "slice")
            self._store.write(copy, self._store.held(container), self._store.keys(container))
            return frozenset({copy})
        self._effects.show(index, node)
        parts = self._store.parts(container)
        number = None if written is None else _integer(written)
        if parts is not None and number is not None and -len(parts) <= number < len(parts):
            return parts[number]
        key = only_literal(index)
        part = self._store.part(container, key) if key is not None else None
        return self._store.held(container) if part is None else part

    def _characters(self, text: Text, written: ast.expr | None) -> Values:
        if isinstance(written, ast.Slice):
            bounds = [_bound(part) for part in (written.lower, written.upper, written.step)]
            if all(is_known for is_known, _ in bounds):
                part = sliced(text, *(number for _, number in bounds))
                if part is not None:
                    return frozenset({part})
        number = None if written is None else _integer(written)
        if number is not None and text.literal is not None:
            part = sliced(text, number, number + 1 if number != -1 else None, None)
            return frozenset({part}) if part is not None else COMPUTED
        return COMPUTED

    # --- tables -----------------------------------------------------------------------

    def _of_tables(
        self, tables: frozenset[Table], index: Values, node: ast.expr, written: ast.expr | None
    ) -> Values:
        """The value of ``db["column"]`` or ``db[["a", "b"]]``, a row, or a selection of rows."""
        if isinstance(written, ast.Slice):
            return frozenset(Table(table.name) for table in tables)
        cells = frozenset(table for table in tables if table.form == "cells")
        found = self._cells(cells, index, node) if cells else NOTHING
        whole = tables - cells
        return found | (self._selected(whole, index, node) if whole else NOTHING)

    def _cells(self, tables: frozenset[Table], index: Values, node: ast.expr) -> Values:
        """The value of ``db.loc[rows]`` or of ``db.loc[rows, columns]``."""
        names = frozenset(table.name for table in tables)
        found = NOTHING
        for value in index:
            if not (isinstance(value, Container) and value.kind == "tuple"):
                if isinstance(value, Text):
                    # The label of a row; or, where tables have none, a column.
                    self._effects.columns(names, frozenset({value}), node)
                found |= frozenset(Table(name) for name in names) | frozenset(map(Row, names))
                continue
            parts = self._store.parts(value)
            columns = parts[1] if parts is not None and len(parts) == 2 else COMPUTED
            found |= self._effects.columns(names, columns, node)
        return found

    def _selected(self, tables: frozenset[Table], index: Values, node: ast.expr) -> Values:
        names = frozenset(table.name for table in tables)
        found = NOTHING
        for value in index:
            kinds = self._store.held(value) if isinstance(value, Container) else frozenset({value})
            if kinds == frozenset({Data(Origin.NUMBER)}):
                found |= frozenset(map(Row, names))
            elif kinds == frozenset({Data(Origin.TRUTH)}):
                found |= frozenset(tables) | frozenset(map(Row, names))
            else:
                found |= self._effects.columns(names, frozenset({value}), node)
        return found


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


def _part(value: Data, written: ast.expr | None) -> Data:
    """An element, or a run of characters; a step changes the order of the characters."""
    if not isinstance(written, ast.Slice) or value.origin is Origin.NUMBER:
        return value
    return Data(Origin.COMPUTED if written.step is not None else max(value.origin, Origin.PLAIN))


def _bound(node: ast.expr | None) -> tuple[bool, int | None]:
    """Whether a bound of a slice is known, and its value."""
    if node is None:
        return True, None
    number = _integer(node)
    return number is not None, number

"""What becomes of values: they are shown, lost to what is not followed, or columns of them are read."""

from __future__ import annotations

import ast
from collections.abc import Callable

from workbench.runs.kinds.python_code.store import Store
from workbench.runs.kinds.python_code.tables import Reads
from workbench.runs.kinds.python_code.texts import only_literal
from workbench.runs.kinds.python_code.values import (
    COMPUTED,
    NOTHING,
    Arguments,
    Bound,
    Container,
    Data,
    Function,
    Origin,
    Outside,
    Piece,
    Row,
    Table,
    Text,
    Value,
    Values,
    is_only_called,
)
from workbench.runs.values.found_value import Missing

type Place = Callable[[ast.expr | ast.stmt], tuple[int, int]]
type CallValue = Callable[[Value, Arguments, ast.expr], Values]

UNKNOWN_ARGUMENTS = Arguments(more=COMPUTED, more_named=COMPUTED)


class Effects:
    """Notes in ``reads`` what becomes of values, with the places of their use."""

    def __init__(self, store: Store, reads: Reads, place: Place, call: CallValue) -> None:
        """Take the store, and the functions that give the place of a node and follow a call."""
        self.reads = reads
        self.settled = False
        self.place = place
        self._store = store
        self._call = call

    def show(self, values: Values, node: ast.expr | ast.stmt) -> None:
        """Note that the values are used as a whole, so that the tables in them are read whole."""
        self._leave(values, node, set(), called=False, kept=False)

    def give(self, values: Values, node: ast.expr) -> None:
        """Note that what is not followed uses the values, and calls functions in them with anything."""
        self._leave(values, node, set(), called=True, kept=False)

    def lose(self, values: Values, node: ast.expr) -> None:
        """Note that the values go where they cannot be followed.

        Containers and tables may be changed there, and functions called with anything.
        """
        self._leave(values, node, set(), called=True, kept=True)

    def _leave(
        self, values: Values, node: ast.expr | ast.stmt, seen: set[Value], *, called: bool, kept: bool
    ) -> None:
        for value in values:
            if value in seen or isinstance(value, Text | Data):
                continue
            seen.add(value)
            match value:
                case Table(name=table) | Row(table=table):
                    self.reads.read_all(table, self.place(node))
                    if kept:
                        self._store.join(("lost",), frozenset({Table(table)}))
                case Container():
                    if kept:
                        self._store.write(value, COMPUTED, COMPUTED)
                    inside = self._store.held(value) | self._store.keys(value)
                    self._leave(inside, node, seen, called=called, kept=kept)
                case Bound():
                    self._leave(frozenset({value.owner}), node, seen, called=called, kept=kept)
                case Function() if called and isinstance(node, ast.expr):
                    returned = self._call(value, UNKNOWN_ARGUMENTS, node)
                    self._leave(returned, node, seen, called=True, kept=kept)
                case Outside(kind="tool", path=name) if called and self.reads.tools.functions[name] != "pure":
                    raise Missing(
                        f"the code hands {name} on in line {node.lineno}, and its calls cannot be followed"
                    )
                case _:
                    pass

    def elements(self, values: Values, node: ast.expr | ast.stmt) -> Values:
        """The values that iterating over the values may give.

        Of a row they are the names of its columns or its values, which is not certain, so it is read whole.
        """
        rows = frozenset(value for value in values if isinstance(value, Row))
        self.show(rows, node)
        groups = frozenset(value for value in values if isinstance(value, Table) and value.form != "rows")
        found = self._store.elements(values - groups)
        for group in groups:
            assert isinstance(group, Table)
            stored = self._store.stored(frozenset({group.name}))
            found |= self._store.pair(node, f"group {group.name}", stored, frozenset({Table(group.name)}))
        return found

    def columns(self, tables: frozenset[str], names: Values, node: ast.expr) -> Values:
        """The values of columns of one of the tables; all columns are read if their names are not known."""
        for name in names:
            if isinstance(name, Container):
                self.columns(tables, self._store.held(name), node)
                continue
            literal = name.literal if isinstance(name, Text) else None
            if isinstance(name, Text) and literal is not None and literal.strip():
                self.reads.read(tables, literal, name.place(0, len(literal)))
                continue
            for table in tables:
                self.reads.read_all(table, self.place(node))
        return self._store.stored(tables)

    def into_data(self, container: Data, values: Values, node: ast.expr) -> None:
        """Put values into a container that only exists at run time; raises Missing if they could spoil it."""
        if container.origin is not Origin.COMPUTED and any(
            not isinstance(value, Data) or value.origin > container.origin for value in values
        ):
            raise Missing(
                f"line {node.lineno} puts something into a container that only exists when the code runs"
            )
        for table in self._store.cell("lost"):
            # The container may be a part of what was lost.
            if isinstance(table, Table):
                self._store.write_table(table.name, COMPUTED)
        self.lose(values, node)

    def as_data(self, values: Values, node: ast.expr) -> Values:
        """The values as they are in a table or text that only exists at run time."""
        self.lose(values, node)
        return frozenset({Data(self._store.origin(values))}) if values else NOTHING

    def printed(self, values: Values, node: ast.expr | ast.stmt) -> Values:
        """The texts that ``str`` makes of values. A list of known texts is known; a table is read whole."""
        self.show(values, node)
        return frozenset(self._printed(value, node) for value in values)

    def _printed(self, value: Value, node: ast.expr | ast.stmt) -> Value:
        if isinstance(value, Text | Data):
            return value
        if not isinstance(value, Container):
            return Data(Origin.PLAIN if is_only_called(value) else Origin.COMPUTED)
        if value.kind in ("list", "tuple"):
            parts = self._store.parts(value)
            texts = [only_literal(part) for part in parts or []]
            known_texts = [text for text in texts if text is not None]
            if texts and len(known_texts) == len(texts):
                text = repr(known_texts) if value.kind == "list" else repr(tuple(known_texts))
                return Text((Piece(text, *self.place(node), False),))
        return Data(max(self._store.origin(frozenset({value})), Origin.PLAIN))

"""What variables, containers and tables may hold while code is followed.

The store only ever grows. The code is followed again and again until no value is added. So neither the order
of statements nor the number of their runs can hide a value.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.runs.kinds.python_code.scopes import Defined, Variable
from workbench.runs.kinds.python_code.texts import cut
from workbench.runs.kinds.python_code.values import (
    COMPUTED,
    NOTHING,
    STORED,
    Bound,
    Container,
    Data,
    Function,
    Origin,
    Outside,
    Row,
    Table,
    Text,
    Value,
    Values,
    is_only_called,
)
from workbench.runs.values.found_value import Missing

_MOST_VALUES = 32
_PRECISE_ROUNDS = 12
_MOST_STEPS = 150_000
_MOST_PARTS = 16

type _Cell = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """One way to reach a function: its number, the frames of the scopes around it, and its callers."""

    number: int
    scopes: Mapping[int, int]
    callers: tuple[tuple[Function, Frame], ...] = ()


@dataclass(slots=True)
class _Parts:
    """The elements of a container one by one, as long as no code changes it; of a dict with its keys."""

    parts: list[Values] | None = None
    keys: tuple[str, ...] | None = None
    written: bool = False


@dataclass(slots=True)
class Store:
    """The possible values of variables, containers and tables."""

    frame: Frame = field(default_factory=lambda: Frame(0, {0: 0}))
    grown: bool = False
    round: int = 0
    _cells: dict[_Cell, Values] = field(default_factory=dict[_Cell, Values])
    _widened: set[_Cell] = field(default_factory=set[_Cell])
    _parts: dict[Container, _Parts] = field(default_factory=dict[Container, _Parts])
    _frames: dict[tuple[int, int, Function], int] = field(
        default_factory=dict[tuple[int, int, Function], int]
    )
    _defined: dict[int, Defined] = field(default_factory=dict[int, Defined])
    _around: dict[int, Mapping[int, int]] = field(default_factory=dict[int, Mapping[int, int]])
    _steps: int = 0

    def tick(self) -> None:
        """Count a step, so that no code keeps the reader busy for long; raises Missing beyond the limit."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise Missing("the code is too intricate to be followed")

    # --- cells ------------------------------------------------------------------------

    def join(self, cell: _Cell, values: Values) -> None:
        """Add values to a cell."""
        known_values = self._cells.get(cell, NOTHING)
        if cell in self._widened:
            values = _without_texts(values)
        joined = known_values | values
        if joined == known_values:
            return
        if len(joined) > _MOST_VALUES or self.round > _PRECISE_ROUNDS:
            self._widened.add(cell)
            joined = _without_texts(joined)
        self.grown = self.grown or joined != known_values
        self._cells[cell] = joined

    def cell(self, *cell: object) -> Values:
        """The values of a cell."""
        return self._cells.get(cell, NOTHING)

    def _key(self, variable: Variable) -> _Cell:
        return (variable.scope, self.frame.scopes.get(variable.scope, self.frame.number), variable.name)

    def bind(self, variable: Variable, values: Values) -> None:
        """Add the values to the possible values of a variable."""
        key = self._key(variable)
        self.join(key, values)
        if variable.version is not None:
            self.join((*key, variable.version), values)

    def value(self, variable: Variable) -> Values:
        """The possible values of a variable."""
        key = self._key(variable)
        if variable.version is not None and (*key, variable.version) in self._cells:
            return self._cells[(*key, variable.version)]
        return self._cells.get(key, NOTHING)

    # --- functions of the code ----------------------------------------------------------

    def function(self, node: Defined) -> Function:
        """A function with the names around it."""
        self._defined[id(node)] = node
        number = self.frame.number
        self._around[number] = {**self._around.get(number, {}), **self.frame.scopes}
        return Function(id(node), number)

    def definition(self, function: Function) -> Defined:
        """The code of a function."""
        return self._defined[function.node]

    def enter(self, function: Function, call: ast.AST, scope: int) -> Frame:
        """The frame of this call in the current frame; a function that calls itself has one frame."""
        callers = self.frame.callers
        active = next((frame for caller, frame in callers if caller == function), None)
        if active is not None:
            return active
        number = self._frames.setdefault((self.frame.number, id(call), function), len(self._frames) + 1)
        frame = Frame(number, {**self._around[function.frame], scope: number}, callers)
        return Frame(number, frame.scopes, (*callers, (function, frame)))

    def enclose(self, scope: int) -> None:
        """Note that the names of a comprehension belong to the current frame."""
        self.frame = Frame(
            self.frame.number, {**self.frame.scopes, scope: self.frame.number}, self.frame.callers
        )

    # --- containers -------------------------------------------------------------------

    def container(self, node: ast.AST, kind: str, part: str = "") -> Container:
        """The container that this place of the code makes."""
        container = Container(id(node), self.frame.number, kind, part)
        self._parts.setdefault(container, _Parts())
        return container

    def iterator(self, node: ast.AST, part: str, values: Values) -> Values:
        """What gives these values one after the other."""
        container = self.container(node, "iterator", part)
        self.write(container, values)
        return frozenset({container})

    def adopt(self, container: Container, values: Values) -> Values:
        """A container that is known from elsewhere, with more elements."""
        self._parts.setdefault(container, _Parts())
        self.write(container, values)
        return frozenset({container})

    def pair(self, node: ast.AST, part: str, *values: Values) -> Values:
        """A tuple of these values."""
        container = self.container(node, "tuple", part)
        self.fill_parts(container, list(values))
        return frozenset({container})

    def held(self, container: Container) -> Values:
        """The elements of a container; of a dict its values."""
        return self.cell("held", container)

    def keys(self, container: Container) -> Values:
        """The keys of a dict."""
        return self.cell("keys", container)

    def fill(self, container: Container, values: Values, keys: Values = NOTHING) -> None:
        """Add elements that the container is created with."""
        self.join(("held", container), values)
        self.join(("keys", container), keys)

    def fill_parts(
        self, container: Container, parts: list[Values], keys: tuple[str, ...] | None = None
    ) -> None:
        """Note that the container is created with exactly these elements, in this order."""
        self.fill(container, NOTHING.union(*parts))
        noted = self._parts[container]
        known_parts = noted.parts if noted.parts is not None else [NOTHING] * len(parts)
        same = len(known_parts) == len(parts) and (noted.parts is None or noted.keys == keys)
        if len(parts) > _MOST_PARTS or not same:
            self.write(container, NOTHING)
        elif not noted.written and ("held", container) not in self._widened:
            joined = [old | new for old, new in zip(known_parts, parts, strict=True)]
            self.grown = self.grown or joined != noted.parts
            noted.parts, noted.keys = joined, keys

    def parts(self, container: Container) -> list[Values] | None:
        """The elements one by one if they are certain; else None. Of a dict it is None."""
        noted = self._parts[container]
        return noted.parts if noted.keys is None and self._certain(container) else None

    def part(self, container: Container, key: str) -> Values | None:
        """The value at a key of a dict if it is certain; else None."""
        noted = self._parts[container]
        if noted.keys is None or noted.parts is None or key not in noted.keys or not self._certain(container):
            return None
        return noted.parts[noted.keys.index(key)]

    def _certain(self, container: Container) -> bool:
        return not self._parts[container].written and ("held", container) not in self._widened

    def write(self, container: Container, values: Values, keys: Values = NOTHING) -> None:
        """Note a change of the container: the order and number of its elements are unknown from here on."""
        noted = self._parts[container]
        if not noted.written:
            noted.written = True
            self.grown = True
        self.fill(container, values, keys)

    # --- tables -----------------------------------------------------------------------

    def stored(self, tables: frozenset[str]) -> Values:
        """A value of one of the tables, or what the code has written into it."""
        return STORED.union(*(self.cell("table", table) for table in tables))

    def write_table(self, table: str, values: Values) -> None:
        """Note that the code writes these values into the table, under whatever name."""
        self.join(("table", table), values)

    def elements(self, values: Values) -> Values:
        """The values that iterating over the values may give. Rows are read elsewhere."""
        found: set[Value] = set()
        for value in values:
            match value:
                case Container():
                    found |= self.keys(value) if value.kind == "dict" else self.held(value)
                case Table():
                    found.add(Row(value.name))
                case Text():
                    found |= _characters(value)
                case Data():
                    found.add(value)
                case Row() | Outside(kind="type" | "library"):
                    found |= COMPUTED
                case _:
                    pass
        return self.limit(frozenset(found))

    def origin(self, values: Values, seen: frozenset[Container] = frozenset()) -> Origin:
        """The least certain origin of the text of these values."""
        worst = Origin.NUMBER
        for value in values:
            if isinstance(value, Data):
                worst = max(worst, value.origin)
            elif isinstance(value, Container) and value not in seen:
                inside = self.held(value) | self.keys(value)
                worst = max(worst, self.origin(inside, seen | {value}))
            elif isinstance(value, Table | Row) or is_only_called(value):
                worst = max(worst, Origin.PLAIN)
            elif not isinstance(value, Container):
                return Origin.COMPUTED
        return worst

    @staticmethod
    def limit(values: Values) -> Values:
        """The values; if there are too many, without the texts."""
        return values if len(values) <= _MOST_VALUES else _without_texts(values)


def _characters(text: Text) -> Values:
    literal = text.literal
    if literal is None or len(literal) > _MOST_VALUES:
        return COMPUTED
    return frozenset(cut(text, index, index + 1) for index in range(len(literal)))


def _without_texts(values: Values) -> Values:
    """The values with texts replaced by a value only known at run time; tables and containers stay."""
    if not any(isinstance(_text_of(value), Text) for value in values):
        return values
    kept = frozenset(value for value in values if not isinstance(_text_of(value), Text))
    methods = frozenset(
        Bound(Data(Origin.COMPUTED), value.name)
        for value in values
        if isinstance(value, Bound) and isinstance(value.owner, Text)
    )
    return kept | methods | (COMPUTED if any(isinstance(value, Text) for value in values) else NOTHING)


def _text_of(value: Value) -> Value:
    return value.owner if isinstance(value, Bound) else value

"""The state while code is followed: the values that each variable and each container may hold.

The state only ever grows. The program is followed again and again until no value is added. So neither the
order of statements nor the number of their runs can hide a value.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.runs.extract.code_text import ParsedCode
from workbench.runs.extract.flow_scopes import CodeVariable
from workbench.runs.extract.flow_strings import cut
from workbench.runs.extract.flow_values import (
    COMPUTED,
    NOTHING,
    Data,
    FlowOrigin,
    FlowRow,
    FlowSite,
    FlowValue,
    FlowValues,
    LoadedTable,
    Text,
)
from workbench.runs.extract.tool_roles import Reads
from workbench.runs.values.found_value import Missing

_MOST_VALUES = 32
_PRECISE_ROUNDS = 12
_MOST_STEPS = 150_000
_MOST_PARTS = 16

type _Cell = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """One way to reach a function: its number, the frames of the enclosing scopes, and its callers."""

    number: int
    scopes: Mapping[int, int]
    callers: tuple[tuple[ast.FunctionDef, Frame], ...] = ()


@dataclass(slots=True)
class FlowContents:
    """The possible contents of a container: its elements (of a dict its values) and its keys.

    ``parts`` are its elements one by one, as long as no code changes the container.
    """

    parts: list[FlowValues] | None = None
    written: bool = False


@dataclass(slots=True)
class FlowState:
    """The variables and containers of the programs, and what the programs read."""

    programs: Sequence[ParsedCode]
    reads: Reads
    frame: Frame = field(default_factory=lambda: Frame(0, {0: 0}))
    settled: bool = False
    grown: bool = False
    round: int = 0
    _cells: dict[_Cell, FlowValues] = field(default_factory=dict[_Cell, FlowValues])
    _widened: set[_Cell] = field(default_factory=set[_Cell])
    _contents: dict[FlowSite, FlowContents] = field(default_factory=dict[FlowSite, FlowContents])
    _frames: dict[tuple[int, int, int], int] = field(default_factory=dict[tuple[int, int, int], int])
    _program_of: dict[int, ParsedCode] = field(default_factory=dict[int, ParsedCode])
    _steps: int = 0

    def __post_init__(self) -> None:
        """Note the program of each node."""
        for program in self.programs:
            for node in ast.walk(program.tree):
                self._program_of[id(node)] = program

    def program(self, node: ast.AST) -> ParsedCode:
        """The program that a node belongs to."""
        return self._program_of[id(node)]

    def place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The place of a node in the text."""
        return self.program(node).place(node)

    def tick(self) -> None:
        """Count a step, so that no code keeps the reader busy for long; raises Missing beyond the limit."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise Missing("the code is too intricate to be followed")

    # --- cells ------------------------------------------------------------------------

    def _join(self, cell: _Cell, values: FlowValues) -> None:
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

    def _key(self, variable: CodeVariable) -> _Cell:
        return (variable.scope, self.frame.scopes.get(variable.scope, self.frame.number), variable.name)

    def bind(self, variable: CodeVariable, values: FlowValues) -> None:
        """Add the values to the possible values of a variable."""
        key = self._key(variable)
        self._join(key, values)
        if variable.version is not None:
            self._join((*key, variable.version), values)

    def value(self, variable: CodeVariable) -> FlowValues:
        """The possible values of a variable."""
        key = self._key(variable)
        if variable.version is not None and (*key, variable.version) in self._cells:
            return self._cells[(*key, variable.version)]
        return self._cells.get(key, NOTHING)

    def give_back(self, frame: int, values: FlowValues) -> None:
        """Add the values to the possible return values of a function."""
        self._join(("return", frame), values)

    def returned(self, frame: int) -> FlowValues:
        """The possible return values of a function."""
        return self._cells.get(("return", frame), NOTHING)

    def frame_number(self, call: ast.Call, function: ast.FunctionDef) -> int:
        """The number of the frame of this call in the current frame."""
        key = (self.frame.number, id(call), id(function))
        return self._frames.setdefault(key, len(self._frames) + 1)

    def give_default(self, function: ast.FunctionDef, parameter: str, values: FlowValues) -> None:
        """Add the values to the possible defaults of a parameter."""
        self._join(("default", id(function), parameter), values)

    def default(self, function: ast.FunctionDef, parameter: str) -> FlowValues:
        """The possible defaults of a parameter; none before the definition of its function was followed."""
        return self._cells.get(("default", id(function), parameter), NOTHING)

    # --- containers -------------------------------------------------------------------

    def site(self, node: ast.AST, kind: str, part: str = "") -> FlowSite:
        """The container that this place of the code makes."""
        site = FlowSite(id(node), self.frame.number, kind, part)
        self._contents.setdefault(site, FlowContents())
        return site

    def held(self, site: FlowSite) -> FlowValues:
        """The elements of a container; of a dict its values."""
        return self._cells.get(("held", site), NOTHING)

    def keys(self, site: FlowSite) -> FlowValues:
        """The keys of a dict."""
        return self._cells.get(("keys", site), NOTHING)

    def fill(self, site: FlowSite, values: FlowValues, keys: FlowValues = NOTHING) -> None:
        """Add elements that the container is created with."""
        self._join(("held", site), values)
        self._join(("keys", site), keys)

    def fill_parts(self, site: FlowSite, parts: list[FlowValues]) -> None:
        """Note that the container is created with exactly these elements, in this order."""
        self.fill(site, NOTHING.union(*parts))
        contents = self._contents[site]
        known_parts = contents.parts if contents.parts is not None else [NOTHING] * len(parts)
        if len(parts) > _MOST_PARTS or len(known_parts) != len(parts):
            self.write(site, NOTHING)
        elif not contents.written and ("held", site) not in self._widened:
            joined = [old | new for old, new in zip(known_parts, parts, strict=True)]
            self.grown = self.grown or joined != contents.parts
            contents.parts = joined

    def parts(self, site: FlowSite) -> list[FlowValues] | None:
        """The elements one by one if they are certain; else None."""
        contents = self._contents[site]
        if contents.written or contents.parts is None or ("held", site) in self._widened:
            return None
        return contents.parts

    def write(self, site: FlowSite, values: FlowValues, keys: FlowValues = NOTHING) -> None:
        """Note a change of the container: the order and number of its elements are unknown from here on."""
        contents = self._contents[site]
        if not contents.written:
            contents.written = True
            self.grown = True
        self.fill(site, values, keys)

    # --- leaving ----------------------------------------------------------------------

    def show(self, values: FlowValues, node: ast.expr | ast.stmt) -> None:
        """Note that the values are used as a whole, so that the tables in them are read whole."""
        self._leave(values, node, set(), is_kept=False)

    def lose(self, values: FlowValues, node: ast.expr | ast.stmt) -> None:
        """Note that the values go where they cannot be followed, and that containers may be changed there."""
        self._leave(values, node, set(), is_kept=True)

    def _leave(
        self, values: FlowValues, node: ast.expr | ast.stmt, seen: set[FlowSite], *, is_kept: bool
    ) -> None:
        for value in values:
            if isinstance(value, LoadedTable):
                self.reads.read_all(value.name, self.place(node))
            elif isinstance(value, FlowRow):
                self.reads.read_all(value.table, self.place(node))
            elif isinstance(value, FlowSite) and value not in seen:
                seen.add(value)
                if is_kept:
                    self.write(value, COMPUTED, COMPUTED)
                self._leave(self.held(value) | self.keys(value), node, seen, is_kept=is_kept)

    def origin(self, values: FlowValues, seen: frozenset[FlowSite] = frozenset()) -> FlowOrigin:
        """The least certain origin of the text of these values."""
        worst = FlowOrigin.NUMBER
        for value in values:
            if isinstance(value, Data):
                worst = max(worst, value.origin)
            elif isinstance(value, FlowSite) and value not in seen:
                inside = self.held(value) | self.keys(value)
                worst = max(worst, self.origin(inside, seen | {value}))
            elif isinstance(value, LoadedTable | FlowRow):
                worst = max(worst, FlowOrigin.PLAIN)
            else:
                return FlowOrigin.COMPUTED
        return worst

    def into_data(self, container: Data, values: FlowValues, node: ast.expr) -> None:
        """Put values into a container that only exists at run time; raises Missing if they could spoil it."""
        if container.origin is not FlowOrigin.COMPUTED and any(
            not isinstance(value, Data) or value.origin > container.origin for value in values
        ):
            raise Missing(
                f"line {node.lineno} puts something into a container that only exists when the code runs"
            )
        self.lose(values, node)

    def read_columns(self, table: str, names: FlowValues, node: ast.expr) -> None:
        """Note that columns of a table are read; all columns if their names are not known."""
        for name in names:
            literal = name.literal if isinstance(name, Text) else None
            if isinstance(name, Text) and literal is not None and literal.strip():
                self.reads.read(frozenset({table}), literal, name.place(0, len(literal)))
            else:
                self.reads.read_all(table, self.place(node))

    def elements(self, values: FlowValues, node: ast.expr | ast.stmt) -> FlowValues:
        """The values that iterating over the values may give."""
        inner_values: set[FlowValue] = set()
        for value in values:
            if isinstance(value, FlowSite):
                inner_values |= self.keys(value) if value.kind == "dict" else self.held(value)
            elif isinstance(value, LoadedTable | FlowRow):
                inner_values |= self._rows(value, node)
            elif isinstance(value, Text):
                inner_values |= _characters(value)
            else:
                inner_values.add(value)
        return self.limit(frozenset(inner_values))

    def _rows(self, value: LoadedTable | FlowRow, node: ast.expr | ast.stmt) -> FlowValues:
        if isinstance(value, LoadedTable):
            return frozenset({FlowRow(value.name)})
        # Either the names of a row's columns or its values; this is not certain.
        self.show(frozenset({value}), node)
        return COMPUTED

    def limit(self, values: FlowValues) -> FlowValues:
        """The values; if there are too many, without the texts."""
        return values if len(values) <= _MOST_VALUES else _without_texts(values)


def _characters(text: Text) -> FlowValues:
    literal = text.literal
    if literal is None or len(literal) > _MOST_VALUES:
        return COMPUTED
    return frozenset(cut(text, index, index + 1) for index in range(len(literal)))


def _without_texts(values: FlowValues) -> FlowValues:
    """The values with texts replaced by a value only known at run time; tables and containers stay."""
    if not any(isinstance(value, Text) for value in values):
        return values
    return frozenset(value for value in values if not isinstance(value, Text)) | COMPUTED

"""The state while code is followed: the values that each variable and each container may hold.

It only ever grows. The program is followed again and again until nothing is added, so that neither the
order of statements nor how often they run can hide a value.
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
    """One way to come to a function: its number, the frames of the scopes around it, and its callers."""

    number: int
    scopes: Mapping[int, int]
    callers: tuple[tuple[ast.FunctionDef, Frame], ...] = ()


@dataclass(slots=True)
class FlowContents:
    """The possible contents of a container: its elements (of a dict its values) and its keys.

    ``parts`` are its elements one by one, as long as nothing writes to it.
    """

    parts: list[FlowValues] | None = None
    written: bool = False


@dataclass(slots=True)
class FlowState:
    """The variables and containers of the programs, and what the programs are found to read."""

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
        """Remember which program every node belongs to."""
        for program in self.programs:
            for node in ast.walk(program.tree):
                self._program_of[id(node)] = program

    def program(self, node: ast.AST) -> ParsedCode:
        """The program that a node belongs to."""
        return self._program_of[id(node)]

    def place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Where a node stands in the text."""
        return self.program(node).place(node)

    def tick(self) -> None:
        """Count a step, so that no code can keep the reader busy for long."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise Missing("the code is too intricate to be followed")

    # --- cells ------------------------------------------------------------------------

    def _join(self, cell: _Cell, values: FlowValues) -> None:
        known = self._cells.get(cell, NOTHING)
        if cell in self._widened:
            values = _without_texts(values)
        joined = known | values
        if joined == known:
            return
        if len(joined) > _MOST_VALUES or self.round > _PRECISE_ROUNDS:
            self._widened.add(cell)
            joined = _without_texts(joined)
        self.grown = self.grown or joined != known
        self._cells[cell] = joined

    def _key(self, variable: CodeVariable) -> _Cell:
        return (variable.scope, self.frame.scopes.get(variable.scope, self.frame.number), variable.name)

    def bind(self, variable: CodeVariable, values: FlowValues) -> None:
        """A variable may have these values."""
        key = self._key(variable)
        self._join(key, values)
        if variable.version is not None:
            self._join((*key, variable.version), values)

    def value(self, variable: CodeVariable) -> FlowValues:
        """All that a variable may be."""
        key = self._key(variable)
        if variable.version is not None and (*key, variable.version) in self._cells:
            return self._cells[(*key, variable.version)]
        return self._cells.get(key, NOTHING)

    def give_back(self, frame: int, values: FlowValues) -> None:
        """A function may return these values."""
        self._join(("return", frame), values)

    def returned(self, frame: int) -> FlowValues:
        """What a function may return."""
        return self._cells.get(("return", frame), NOTHING)

    def frame_number(self, call: ast.Call, function: ast.FunctionDef) -> int:
        """The number of the frame of this call, seen from here."""
        key = (self.frame.number, id(call), id(function))
        return self._frames.setdefault(key, len(self._frames) + 1)

    def give_default(self, function: ast.FunctionDef, parameter: str, values: FlowValues) -> None:
        """A parameter of a function may have this default."""
        self._join(("default", id(function), parameter), values)

    def default(self, function: ast.FunctionDef, parameter: str) -> FlowValues:
        """The default of a parameter; nothing as long as its function is not made."""
        return self._cells.get(("default", id(function), parameter), NOTHING)

    # --- containers -------------------------------------------------------------------

    def site(self, node: ast.AST, kind: str, part: str = "") -> FlowSite:
        """The container that this place of the code makes."""
        site = FlowSite(id(node), self.frame.number, kind, part)
        self._contents.setdefault(site, FlowContents())
        return site

    def held(self, site: FlowSite) -> FlowValues:
        """The elements of a container, of a dict its values."""
        return self._cells.get(("held", site), NOTHING)

    def keys(self, site: FlowSite) -> FlowValues:
        """The keys of a dict."""
        return self._cells.get(("keys", site), NOTHING)

    def fill(self, site: FlowSite, values: FlowValues, keys: FlowValues = NOTHING) -> None:
        """The container is made with these elements."""
        self._join(("held", site), values)
        self._join(("keys", site), keys)

    def fill_parts(self, site: FlowSite, parts: list[FlowValues]) -> None:
        """The container is made with exactly these elements, in this order."""
        self.fill(site, NOTHING.union(*parts))
        contents = self._contents[site]
        known = contents.parts if contents.parts is not None else [NOTHING] * len(parts)
        if len(parts) > _MOST_PARTS or len(known) != len(parts):
            self.write(site, NOTHING)
        elif not contents.written and ("held", site) not in self._widened:
            joined = [old | new for old, new in zip(known, parts, strict=True)]
            self.grown = self.grown or joined != contents.parts
            contents.parts = joined

    def parts(self, site: FlowSite) -> list[FlowValues] | None:
        """The elements one by one, where that is certain."""
        contents = self._contents[site]
        if contents.written or contents.parts is None or ("held", site) in self._widened:
            return None
        return contents.parts

    def write(self, site: FlowSite, values: FlowValues, keys: FlowValues = NOTHING) -> None:
        """Something writes to the container: order and number of its elements are not known any more."""
        contents = self._contents[site]
        if not contents.written:
            contents.written = True
            self.grown = True
        self.fill(site, values, keys)

    # --- leaving ----------------------------------------------------------------------

    def show(self, values: FlowValues, node: ast.expr | ast.stmt) -> None:
        """The values are looked at as a whole, so the tables in them are read whole."""
        self._leave(values, node, set(), is_kept=False)

    def lose(self, values: FlowValues, node: ast.expr | ast.stmt) -> None:
        """The values go where they cannot be followed: containers among them may be written to."""
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
        """The least certain thing that the text of these values may hold."""
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
        """Values go into a container that only exists when the code runs: it must not be spoiled by them."""
        if container.origin is not FlowOrigin.COMPUTED and any(
            not isinstance(value, Data) or value.origin > container.origin for value in values
        ):
            raise Missing(
                f"line {node.lineno} puts something into a container that only exists when the code runs"
            )
        self.lose(values, node)

    def read_columns(self, table: str, names: FlowValues, node: ast.expr) -> None:
        """Note that columns of a table are read: all of them where it is not known which."""
        for name in names:
            literal = name.literal if isinstance(name, Text) else None
            if isinstance(name, Text) and literal is not None and literal.strip():
                self.reads.read(frozenset({table}), literal, name.place(0, len(literal)))
            else:
                self.reads.read_all(table, self.place(node))

    def elements(self, values: FlowValues, node: ast.expr | ast.stmt) -> FlowValues:
        """What iterating over the values may yield."""
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
        # The names of a row's columns, or its values: no telling.
        self.show(frozenset({value}), node)
        return COMPUTED

    def limit(self, values: FlowValues) -> FlowValues:
        """The values, or their kinds only where there are too many of them."""
        return values if len(values) <= _MOST_VALUES else _without_texts(values)


def _characters(text: Text) -> FlowValues:
    literal = text.literal
    if literal is None or len(literal) > _MOST_VALUES:
        return COMPUTED
    return frozenset(cut(text, index, index + 1) for index in range(len(literal)))


def _without_texts(values: FlowValues) -> FlowValues:
    """Texts become what is only known when the code runs; tables and containers stay what they are."""
    if not any(isinstance(value, Text) for value in values):
        return values
    return frozenset(value for value in values if not isinstance(value, Text)) | COMPUTED

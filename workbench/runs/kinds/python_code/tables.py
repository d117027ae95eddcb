"""The tables and columns that code reads by an agent's functions, and the grammars of their arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.runs.kinds.python_code.values import HOLE, Origin, Text
from workbench.runs.sql.columns import SQL_HOLE, SQL_NUMBER, Schema, read_sql
from workbench.runs.values.found_value import Missing

_OPERATIONS = frozenset({
    "min", "max", "sum", "mean", "avg", "average", "count", "list", "unique", "std", "median", "first",
    "last",
})  # fmt: skip
_SEPARATOR = "||"
_AGGREGATE = re.compile(r"\s*(\w+)\s*\(\s*([^()]*?)\s*\)\s*")
_CONDITION = re.compile(
    r"\s*(?P<column>[^<>=!]+?)\s*(?:<=|>=|!=|<>|==|=|<|>|(?<=\s)(?:not\s+in|in|not\s+like|like|is\s+not|is|between)(?=[\s(\["
    + HOLE
    + "]))(?P<value>.*)",
    re.DOTALL | re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d][\w$ ]*(?:\.[^\W\d][\w$]*)?")
_SOFT = re.compile(r"\s+(?:and|or)\s+|&&?|\|", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TableTools:
    """What an agent's functions do with tables.

    ``functions`` maps a name to its role: ``table`` (name) loads, ``conditions`` (table, text) filters,
    ``columns`` (table, text) reads, ``sql`` (text) runs a query, and ``pure``
    reads nothing. ``outputs`` are the variables that leave the code.
    """

    functions: Mapping[str, str]
    schema: Schema
    dialect: str
    constants: frozenset[str]
    outputs: frozenset[str]


@dataclass(slots=True)
class Reads:
    """Everything that the code reads, with places in the text."""

    tools: TableTools
    columns: dict[str, set[tuple[int, int]]] = field(default_factory=dict[str, set[tuple[int, int]]])
    loaded: dict[str, set[tuple[int, int]]] = field(default_factory=dict[str, set[tuple[int, int]]])
    touched: set[str] = field(default_factory=set[str])

    def spelled(self, table: str) -> str:
        """The table's name in the schema's spelling."""
        for known_table, _ in self.tools.schema:
            if known_table.lower() == table.lower():
                return known_table
        return table

    def columns_of(self, table: str) -> tuple[str, ...] | None:
        """The known columns of a table; None for an unknown table."""
        return next((columns for known_table, columns in self.tools.schema if known_table == table), None)

    def load(self, table: str, place: tuple[int, int]) -> None:
        """Note that a table is loaded."""
        self.loaded.setdefault(table, set()).add(place)

    def read(self, tables: frozenset[str], column: str, place: tuple[int, int]) -> None:
        """Note that a column of one of these tables is read.

        If only some of the tables have the column, the others cannot be meant.
        """
        name = column.strip()
        if "." in name:
            prefix, _, rest = name.partition(".")
            named = self.spelled(prefix)
            # The function may use the prefix or strip it.
            tables, name = tables | {named}, rest
        having = {table: spelled for table in tables if (spelled := self._known(table, name)) is not None}
        for table in having or tables:
            self.columns.setdefault(f"{table}.{having.get(table, name)}", set()).add(place)
            self.touched.add(table)

    def _known(self, table: str, column: str) -> str | None:
        for known_column in self.columns_of(table) or ():
            if known_column.lower() == column.lower():
                return known_column
        return None

    def read_all(self, table: str, place: tuple[int, int]) -> None:
        """Note that the whole table leaves the code, so that every column of it counts as read."""
        for column in self.columns_of(table) or ("*",):
            self.columns.setdefault(f"{table}.{column}", set()).add(place)
        self.touched.add(table)

    def count_whole_tables(self) -> None:
        """Note that tables of which no column was read are read whole: their rows can be counted."""
        for table in self.loaded.keys() - self.touched:
            for place in self.loaded[table]:
                self.read_all(table, place)

    @property
    def tables(self) -> frozenset[str]:
        """The tables that the code loads or reads."""
        return frozenset(self.loaded) | self.touched

    # --- the grammars of the arguments --------------------------------------------

    def conditions(self, tables: frozenset[str], text: Text) -> None:
        """Read ``a=1||max(b)||c in [...]``; raises Missing if a column is not certain.

        A hole may be a value if it cannot contain another condition.
        """
        if text.origin is Origin.COMPUTED:
            raise Missing(
                "a part of a condition is computed, and what it says is only known when the code runs"
            )
        whole = text.filled()
        offset = 0
        for part in whole.split(_SEPARATOR):
            self._condition(tables, text, part, offset)
            offset += len(part) + len(_SEPARATOR)

    def _condition(self, tables: frozenset[str], text: Text, part: str, offset: int) -> None:
        if not part.strip():
            return
        match = _AGGREGATE.fullmatch(part)
        if match and match.group(1).lower() in _OPERATIONS:
            self._name(tables, text, match.group(2), offset + match.start(2))
            return
        match = _CONDITION.fullmatch(part)
        if match is None:
            raise Missing(f"the condition {_visible(part)} is not understood")
        self._name(tables, text, match["column"], offset + match.start("column"))
        # The text of the value may hide more conditions; their columns count if they are known.
        begin = match.start("value")
        for piece_start, piece in _pieces(match["value"]):
            inner = _CONDITION.fullmatch(piece)
            if inner and any(self._known(table, inner["column"].strip()) for table in tables):
                at = offset + begin + piece_start + inner.start("column")
                self._name(tables, text, inner["column"], at)

    def _name(self, tables: frozenset[str], text: Text, name: str, offset: int) -> None:
        stripped = name.strip().strip("`\"'")
        if HOLE in name:
            raise Missing("a column is only known when the code runs")
        if not _NAME.fullmatch(stripped):
            raise Missing(f"the column name {_visible(name)} is not understood")
        start = offset + name.index(stripped)
        self.read(tables, stripped, text.place(start, start + len(stripped)))

    def column_list(self, tables: frozenset[str], text: Text) -> None:
        """Read ``column`` or ``column, operation``; more columns may follow."""
        whole = text.filled()
        offset = 0
        for index, part in enumerate(whole.split(",")):
            name = part.strip()
            match = _AGGREGATE.fullmatch(part)
            if match and match.group(1).lower() in _OPERATIONS:
                self._name(tables, text, match.group(2), offset + match.start(2))
            elif name == "*":
                for table in tables:
                    self.read_all(table, text.place(offset, offset + len(part)))
            elif index == 0 or name.lower() not in _OPERATIONS:
                self._name(tables, text, part, offset)
            offset += len(part) + 1

    def sql(self, text: Text) -> None:
        """Read a query; a part of it that is only known at run time must be a number or a stored value."""
        if text.origin > Origin.STORED:
            raise Missing("a part of the SQL is computed, and what it says is only known when the code runs")
        marks = (SQL_HOLE, SQL_NUMBER)
        access = read_sql(text.filled(*marks), self.tools.schema, self.tools.dialect, self.tools.constants)
        for item, places in access.columns.items():
            for start, end in places:
                self.columns.setdefault(item, set()).add(text.place(start, end, *marks))
            self.touched.add(item.rpartition(".")[0])
        for table, places in access.tables.items():
            for start, end in places:
                self.load(table, text.place(start, end, *marks))


def _pieces(value: str) -> list[tuple[int, str]]:
    pieces: list[tuple[int, str]] = []
    start = 0
    for match in _SOFT.finditer(value):
        pieces.append((start, value[start : match.start()]))
        start = match.end()
    if start:
        pieces.append((start, value[start:]))
    return pieces


def _visible(text: str) -> str:
    visible_text = text.strip().replace(HOLE, "{}")
    return repr(visible_text if len(visible_text) <= 60 else visible_text[:57] + "...")

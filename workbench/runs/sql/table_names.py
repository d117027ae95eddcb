"""The table that a name of a query belongs to: the sources of each level are searched from the inside out.

If a database could choose between meanings, all of them count, or the name is not certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from workbench.runs.values.found_value import Missing

type Place = tuple[int, int]
type Outputs = frozenset[str] | None
type Schema = tuple[tuple[str, tuple[str, ...]], ...]

# Columns that databases add to every table; it is unknown which declared column such a name means.
ADDED_COLUMNS = frozenset({
    "rowid", "oid", "_rowid_", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "ora_rowscn",
    "_partitiontime", "_partitiondate", "_table_suffix", "_file_name", "$action", "identitycol", "rowguidcol",
})  # fmt: skip
# PostgreSQL and DuckDB read t.f as f(t), a function of the whole row, if t has no such column.
_ROW_FUNCTIONS = frozenset({"postgres", "duckdb"})
# Dialects in which names of tables differ by case, so that a name may mean a level further out.
CASE_OF_TABLES = frozenset({"mysql", "bigquery"})


@dataclass(frozen=True, slots=True)
class Name:
    """A name as a query writes it: ``key`` is the form that the database compares."""

    text: str
    quoted: bool
    key: str
    place: Place

    @property
    def low(self) -> str:
        """The name in small letters, for comparison with names of the schema."""
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class SqlSource:
    """A source in FROM: a table of the database, or a query with the output ``columns``.

    ``columns`` is None if they are not known.
    """

    key: str
    columns: Outputs
    table: str = ""
    place: Place = (0, 0)

    def has(self, name: Name) -> bool:
        """Whether the source certainly has the column."""
        return self.columns is not None and (name.low if self.table else name.key) in self.columns


@dataclass(slots=True)
class Level:
    """The sources of one SELECT, the aliases of its outputs, and the enclosing level."""

    around: Level | None
    sources: list[SqlSource] = field(default_factory=list[SqlSource])
    aliases: set[str] = field(default_factory=set[str])
    merged: set[str] = field(default_factory=set[str])  # columns of ``using``
    natural: bool = False
    closed: bool = False  # the enclosing levels may or may not be visible

    def outwards(self) -> Iterator[Level]:
        """The level itself, then the enclosing levels."""
        level: Level | None = self
        while level is not None:
            if level.closed:
                raise Missing("the SQL has a sub-query in FROM that may see the tables next to it")
            yield level
            level = level.around

    def named(self, key: str) -> list[SqlSource]:
        """The sources with this name."""
        return [source for source in self.sources if source.key == key]


@dataclass(slots=True)
class SqlAccess:
    """The reads of a query: ``table.column`` with places (start, end), and the tables it names."""

    columns: dict[str, list[Place]] = field(default_factory=dict[str, list[Place]])
    tables: dict[str, list[Place]] = field(default_factory=dict[str, list[Place]])

    def add(self, table: str, column: str, place: Place) -> None:
        """Note a column."""
        self.columns.setdefault(f"{table}.{column}", []).append(place)


class Tables:
    """The declared tables, and the reads of these and other tables."""

    def __init__(self, schema: Schema, dialect: str, constants: frozenset[str]) -> None:
        """Take the schema; its names are compared without regard to case."""
        self.access = SqlAccess()
        self.meant: dict[Place, list[SqlSource]] = {}  # by the place of a column's name
        self._dialect = dialect
        # Oracle numbers rows by a name that is no column.
        self._constants = constants.union(["rownum"] if dialect == "oracle" else [])
        self._spelled = {table.lower(): table for table, _ in schema}
        self._columns = {table: {name.lower(): name for name in columns} for table, columns in schema}
        self.names = frozenset(self._spelled) | frozenset(
            name for columns in self._columns.values() for name in columns
        )

    def spelled(self, table: str) -> str:
        """The name of a table as the schema spells it, else unchanged."""
        return self._spelled.get(table.lower(), table)

    def columns_of(self, table: str) -> Mapping[str, str]:
        """The columns of a declared table: their spelling by their name in small letters."""
        return self._columns.get(table, {})

    def source(self, key: str, table: str, place: Place) -> SqlSource:
        """A table of the database as a source."""
        table = self.spelled(table)
        self.access.tables.setdefault(table, []).append(place)
        columns = self._columns.get(table)
        return SqlSource(key, None if columns is None else frozenset(columns), table, place)

    def declares(self, table: str) -> bool:
        """Whether the schema has the table."""
        return table.lower() in self._spelled

    def read(self, sources: list[SqlSource], name: Name) -> None:
        """Note the column for each of these sources that is a table."""
        self.meant.setdefault(name.place, []).extend(sources)
        for source in sources:
            if source.table:
                spelled = self._columns.get(source.table, {}).get(name.low, name.text)
                self.access.add(source.table, spelled, name.place)

    def read_all(self, source: SqlSource, place: Place) -> None:
        """Note every column of the source."""
        if source.table:
            for column in self._columns.get(source.table, {"*": "*"}).values():
                self.access.add(source.table, column, place)

    # --- the meaning of a name ----------------------------------------------------

    def resolve(self, level: Level, name: Name) -> bool:
        """Note the column that an unqualified name reads; False if the name is a text and no column."""
        perhaps = False
        for around in level.outwards():
            known_sources = [source for source in around.sources if source.has(name)]
            if known_sources:
                self._check_one_table(around, known_sources, name)
                self.read(known_sources, name)
                return True
            perhaps = self._perhaps(around, name) or perhaps
        if any(around.named(name.key) for around in level.outwards()):
            raise Missing(f"the name {name.text!r} of the SQL may mean whole rows")
        if perhaps:
            return True
        if name.low in self._constants or self._is_text(level, name):
            return False
        self._undeclared(list(level.outwards()), name)
        return True

    def resolve_qualified(self, level: Level, qualifier: Name, name: Name) -> None:
        """Note the column that ``qualifier.name`` reads."""
        perhaps = is_known = False
        named: list[SqlSource] = []
        for around in level.outwards():
            level_sources = around.named(qualifier.key)
            known_sources = [source for source in level_sources if source.has(name)]
            self.read(known_sources, name)
            is_known = is_known or bool(known_sources)
            if known_sources and self._dialect not in CASE_OF_TABLES:
                return
            named += level_sources
            unknown = [source for source in level_sources if source.columns is None]
            self.read(unknown, name)
            perhaps = perhaps or bool(unknown)
        if is_known or perhaps:
            return
        if not named and self._dialect == "sqlite" and self.declares(qualifier.text):
            named = [
                SqlSource(qualifier.key, None, self._spelled[qualifier.low])
            ]  # such a query does not run
        if not named:
            raise Missing(f"the SQL names {qualifier.text!r}, which is no table of it")
        if self._dialect in _ROW_FUNCTIONS:
            raise Missing(
                f"{qualifier.text}.{name.text} of the SQL is no declared column and may be a function"
            )
        self._undeclared([Level(None, named)], name)

    def _check_one_table(self, level: Level, known_sources: list[SqlSource], name: Name) -> None:
        tables = {source.table or str(id(source)) for source in known_sources}
        if len(tables) > 1 and not level.natural and name.low not in level.merged:
            raise Missing(f"the column {name.text!r} of the SQL may belong to several tables")

    def _perhaps(self, level: Level, name: Name) -> bool:
        """Whether a source with unknown columns, or an alias, may be meant here."""
        unknown = [source for source in level.sources if source.columns is None]
        tables = [source for source in unknown if source.table]
        if len(tables) > 1:
            raise Missing(f"the column {name.text!r} of the SQL may belong to several tables")
        self._refuse_added(name)
        self.read(unknown, name)
        return bool(unknown) or name.key in level.aliases

    def _is_text(self, level: Level, name: Name) -> bool:
        """Whether ``"text"`` is a string: SQLite takes it as a string if no table has such a column."""
        return self._dialect == "sqlite" and name.quoted and all(
            source.columns is not None for around in level.outwards() for source in around.sources
        )  # fmt: skip

    def _undeclared(self, levels: list[Level], name: Name) -> None:
        """Note a column that the schema lacks, as it is written; raises Missing if its table is unclear."""
        sources = [source for level in levels for source in level.sources]
        if len(sources) != 1 or not sources[0].table:
            raise Missing(f"the column {name.text!r} of the SQL belongs to no known table")
        self._refuse_added(name)
        self.read(sources, name)

    def _refuse_added(self, name: Name) -> None:
        if name.low in ADDED_COLUMNS:
            raise Missing(f"the column {name.text!r} of the SQL may be any column of its table")

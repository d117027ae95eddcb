"""Which columns of which tables a SQL text reads, with the places of their names in it.

sqlglot parses; names are resolved here, scope by scope, because its own qualifier refuses
queries that a real database runs.
"""

# sqlglot is typed only in part: its expression arguments are untyped mappings.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from workbench.extract.found import Missing

SQL_HOLE = "workbench_hole_{}_"
_HOLE = re.compile(r"workbench_hole_\d+_")
_LIMIT = 200_000
_STATEMENT = re.compile(
    r"\s*(\(\s*)*(select|with|insert|update|delete|values|create|drop|alter|pragma)\b", re.IGNORECASE
)

type Schema = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(slots=True)
class Access:
    """What a query reads: ``table.column`` with places (start, end), and the tables it names."""

    columns: dict[str, list[tuple[int, int]]] = field(default_factory=dict[str, list[tuple[int, int]]])
    tables: dict[str, list[tuple[int, int]]] = field(default_factory=dict[str, list[tuple[int, int]]])

    def add(self, table: str, column: str, place: tuple[int, int]) -> None:
        """Note a column."""
        self.columns.setdefault(f"{table}.{column}", []).append(place)


def looks_like_sql(text: str) -> bool:
    """Whether the text begins as a SQL statement does."""
    return _STATEMENT.match(text) is not None


def freeze_schema(schema: Mapping[str, tuple[str, ...]]) -> Schema:
    """The schema as a key of caches."""
    return tuple((table, tuple(columns)) for table, columns in schema.items())


@lru_cache(maxsize=4096)
def read_sql(
    sql: str, schema: Schema, dialect: str = "sqlite", constants: frozenset[str] = frozenset()
) -> Access:
    """The columns and tables that the query reads; raises Missing where that is not certain.

    Names are spelled as in the schema, without regard to case. A table that the schema does not
    have is kept with its columns. ``*`` is every column of its tables. ``constants`` are names that
    the database fills in before it runs a query; an unqualified one that no table has is no column.
    """
    if len(sql) > _LIMIT:
        raise Missing(f"the SQL is longer than {_LIMIT} characters")
    try:
        statements = sqlglot.parse(sql, dialect=dialect)
    except SqlglotError as error:
        raise Missing(f"the SQL does not parse: {_first_line(str(error))}") from None
    except RecursionError:
        raise Missing("the SQL is nested too deeply") from None
    access = Access()
    found = False
    for statement in statements:
        if statement is None:
            continue
        if not isinstance(statement, exp.Query):
            raise Missing(f"the SQL holds a statement that is no query ({statement.key})")
        if statement.find(exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Command, exp.Into) is not None:
            raise Missing("the SQL writes as well as it reads")
        found = True
        _Reader(access, schema, dialect, constants).read(statement)
    if not found:
        raise Missing("the SQL is empty")
    return access


def _first_line(text: str) -> str:
    return text.splitlines()[0][:120] if text else "unknown reason"


class _Reader:
    def __init__(self, access: Access, schema: Schema, dialect: str, constants: frozenset[str]) -> None:
        self._access = access
        self._tables = {table.lower(): table for table, _ in schema}
        self._columns = {table: {name.lower(): name for name in columns} for table, columns in schema}
        self._dialect = dialect
        self._constants = constants

    def read(self, statement: exp.Query) -> None:
        _check_holes(statement)
        scopes = traverse_scope(statement)
        if not scopes:
            raise Missing("the SQL has a form that cannot be followed")
        for scope in scopes:
            self._note_tables(scope)
        covered: set[int] = set()
        for scope in scopes:
            for column in scope.columns:
                # Sub-queries come first; the query around them lists their columns again.
                if id(column) not in covered:
                    covered.add(id(column))
                    self._column(scope, column)
            self._stars(scope)
            self._joins(scope)
        for column in statement.find_all(exp.Column):
            if id(column) not in covered and not isinstance(column.this, exp.Star) and not _is_hole(column):
                self._uncovered(column, scopes)

    def _note_tables(self, scope: Scope) -> None:
        for source in scope.sources.values():
            if isinstance(source, exp.Table) and source.name:
                name = self._table(source)
                self._access.tables.setdefault(name, []).append(_place(source.this))

    def _table(self, table: exp.Table) -> str:
        if table.db and table.db.lower() != "main":
            return f"{table.db}.{table.name}"  # another database's table, whatever its name
        return self._tables.get(table.name.lower(), table.name)

    def _spelled(self, table: str, column: str) -> str:
        return self._columns.get(table, {}).get(column.lower(), column)

    def _knows(self, source: exp.Table | Scope, column: str) -> bool:
        if isinstance(source, exp.Table):
            return column.lower() in self._columns.get(self._table(source), {})
        return column.lower() in self._outputs(source)

    def _outputs(self, scope: Scope) -> set[str]:
        """The names of the columns that a sub-query yields, ``*`` written out."""
        query = scope.expression
        names: set[str] = set()
        for item in query.selects if isinstance(query, exp.Query) else ():
            if not item.is_star:
                names.add(item.alias_or_name.lower())
                continue
            wanted = item.table.lower() if isinstance(item, exp.Column) else ""
            for alias, (_, source) in scope.selected_sources.items():
                if wanted and alias.lower() != wanted:
                    continue
                if isinstance(source, exp.Table):
                    names |= self._columns.get(self._table(source), {}).keys()
                elif source is not scope:
                    names |= self._outputs(source)
        return names

    def _column(self, scope: Scope, column: exp.Column) -> None:
        name = column.name
        if isinstance(column.this, exp.Star) or _is_hole(column):
            return
        source = self._source_of(scope, column)
        if isinstance(source, exp.Table):
            table = self._table(source)
            self._access.add(table, self._spelled(table, name), _place(column.this))

    def _source_of(self, scope: Scope, column: exp.Column) -> exp.Table | Scope | None:
        """The source that the column belongs to; None for the alias of an expression."""
        qualifier = column.table
        for level in _outwards(scope):
            sources = {name.lower(): source for name, source in level.sources.items()}
            if qualifier:
                if qualifier.lower() in sources:
                    return sources[qualifier.lower()]
                continue
            visible = {
                name: source for name, source in level.selected_sources.items() for source in [source[1]]
            }
            known = [source for source in visible.values() if self._knows(source, column.name)]
            if known:
                return _only(known, column.name)
            if level is scope and _is_alias(level, column):
                return None
        if qualifier:
            return self._named_table(qualifier)
        if column.name.lower() in self._constants or self._is_string(scope, column):
            return None
        return self._unknown(scope, column)

    def _is_string(self, scope: Scope, column: exp.Column) -> bool:
        """Whether ``"text"`` is a string: SQLite takes it as one where no table has such a column."""
        if self._dialect != "sqlite" or not column.this.quoted:
            return False
        tables = [source for _, source in scope.selected_sources.values() if isinstance(source, exp.Table)]
        return all(self._table(table) in self._columns for table in tables)

    def _named_table(self, qualifier: str) -> exp.Table:
        return exp.to_table(self._tables.get(qualifier.lower(), qualifier))

    def _unknown(self, scope: Scope, column: exp.Column) -> exp.Table:
        """A column that no source is known to have: of the only source with unknown columns, if any."""
        tables = [source for _, source in scope.selected_sources.values() if isinstance(source, exp.Table)]
        open_tables = [table for table in tables if self._table(table) not in self._columns] or tables
        if len(open_tables) == 1:
            return open_tables[0]
        raise Missing(f"the column {column.name!r} of the SQL belongs to no known table")

    def _stars(self, scope: Scope) -> None:
        if not isinstance(scope.expression, exp.Select):
            return
        for item in scope.expression.expressions:
            if isinstance(item, exp.Star):
                for name in scope.selected_sources:
                    self._all_columns(scope, name)
            elif isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
                self._all_columns(scope, item.table)

    def _all_columns(self, scope: Scope, name: str) -> None:
        source = {alias.lower(): source for alias, source in scope.sources.items()}.get(name.lower())
        if isinstance(source, exp.Table):
            table = self._table(source)
            for column in self._columns.get(table, {"*": "*"}).values():
                self._access.add(table, column, _place(source.this))

    def _joins(self, scope: Scope) -> None:
        """The columns that ``using (...)`` and natural joins compare without naming a table."""
        if not isinstance(scope.expression, exp.Select):
            return
        tables = [source for _, source in scope.selected_sources.values() if isinstance(source, exp.Table)]
        for join in scope.expression.args.get("joins") or []:
            for identifier in join.args.get("using") or []:
                for source in tables:
                    if self._knows(source, identifier.name):
                        table = self._table(source)
                        self._access.add(table, self._spelled(table, identifier.name), _place(identifier))
            if join.method == "NATURAL":
                shared = [set(self._columns.get(self._table(source), {})) for source in tables]
                for source in tables:
                    table = self._table(source)
                    for name in set[str].intersection(*shared) if shared else set[str]():
                        self._access.add(table, self._spelled(table, name), _place(join))

    def _uncovered(self, column: exp.Column, scopes: list[Scope]) -> None:
        """A column that no scope lists (an ORDER BY of an alias, for example)."""
        select = column.find_ancestor(exp.Query)
        for scope in scopes:
            if scope.expression is select:
                if not column.table and _is_alias(scope, column):
                    return
                self._column(scope, column)
                return
        raise Missing(f"the column {column.sql()} of the SQL cannot be followed")


def _outwards(scope: Scope) -> Iterator[Scope]:
    level: Scope | None = scope
    while level is not None:
        yield level
        level = level.parent


def _is_alias(scope: Scope, column: exp.Column) -> bool:
    """Whether an unqualified name is the alias of one of the query's own expressions."""
    query = scope.expression
    if not isinstance(query, exp.Query):
        return False
    names = {item.alias.lower() for item in query.selects if isinstance(item, exp.Alias)}
    return column.name.lower() in names


def _only(known: list[exp.Table | Scope], name: str) -> exp.Table | Scope:
    tables = {source.name.lower() if isinstance(source, exp.Table) else str(id(source)) for source in known}
    if len(tables) > 1:
        raise Missing(f"the column {name!r} of the SQL may belong to several tables")
    return known[0]


def _is_hole(column: exp.Column) -> bool:
    return _HOLE.fullmatch(column.name) is not None and not column.table


def _check_holes(statement: exp.Query) -> None:
    """Allow a part that is only known at run time where it can be nothing but a value."""
    for identifier in statement.find_all(exp.Identifier):
        if _HOLE.search(identifier.name) is None:
            continue
        column = identifier.parent
        if not isinstance(column, exp.Column) or not _is_hole(column) or not _is_value(column):
            raise Missing("a table or column of the SQL is only known when the code runs")


def _is_value(column: exp.Column) -> bool:
    parent = column.parent
    while isinstance(parent, exp.Paren | exp.Tuple | exp.Neg):
        column, parent = parent, parent.parent  # pyright: ignore[reportAssignmentType]  a node in brackets
    if isinstance(parent, exp.Predicate) and isinstance(parent, exp.Binary):
        other = parent.expression if parent.this is column else parent.this
        return isinstance(other, exp.Column) and not _is_hole(other)
    if isinstance(parent, exp.In):
        return parent.this is not column
    if isinstance(parent, exp.Between):
        return parent.this is not column
    return isinstance(parent, exp.Limit | exp.Offset)


def _place(node: exp.Expr | None) -> tuple[int, int]:
    meta = node.meta if node is not None else {}
    if "start" in meta and "end" in meta:
        return int(meta["start"]), int(meta["end"]) + 1
    return 0, 0

"""Reads the tree of a query against the list of accepted forms; any other form is refused.

Every node is of a listed kind and every part of it is visited, so that nothing in a query is skipped.

The accepted forms of a query; any other kind of node, and any other part of a node, is refused.
"""

# sqlglot is typed only in part: its expression arguments are untyped mappings.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAny=false, reportExplicitAny=false
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sqlglot import exp

from workbench.runs.sql.table_names import CASE_OF_TABLES, Level, Name, Outputs, Place, SqlSource, Tables
from workbench.runs.sql.text import HOLE
from workbench.runs.values.found_value import Missing

_CLAUSES = ("distinct", "where", "group", "having", "qualify", "windows", "order", "limit", "offset")
_JOINS = frozenset({"", "INNER", "CROSS", "OUTER", "LEFT", "RIGHT", "FULL", "NATURAL"})
type _Known = Mapping[str, SqlSource | None]
"""The common table expressions by name; None for one that cannot be used at that place."""
_UNKNOWN_NAME = "a table or column of the SQL is only known when the code runs"
# The default schema, in which a name without a schema is looked up.
_DEFAULT_SCHEMA = {"sqlite": "main", "duckdb": "main", "postgres": "public", "tsql": "dbo"}
_TABLE_NAME = re.compile(r"[^\W\d][\w ]*")
# Tables of the database itself, which describe other tables.
_CATALOG = re.compile(
    r"sqlite_.*|pragma_.*|dbstat|bytecode|tables_used|json_each|json_tree|json_table|generate_series|fsdir|zipfile"
    r"|completion|csv|pg_.*|information_schema|sys|sysobjects|syscolumns|master|msdb|tempdb|mysql|performance_schema"
    r"|duckdb_.*|__tables__.*|(?:all|dba|user|cdb)_(?:tab|tables|views|source|objects|constraints|cons|triggers).*"
    r"|account_usage|snowflake"
)


class SqlReader:
    """Reads one statement, and notes in ``tables`` the columns and tables that it reads."""

    def __init__(self, sql: str, tables: Tables, dialect: str) -> None:
        """Take the text, its tables and its dialect."""
        self._sql = sql
        self._tables = tables
        self._dialect = dialect
        self.texts: set[int] = set()  # columns that turned out to be strings
        self.seen: set[int] = set()  # places of the names that were read as names
        self.lists: set[int] = set()  # places of names before a list of columns
        self.targets: set[int] = set()  # places of changed tables before a list of columns
        self.levels: dict[int, Level] = {}  # the sources of each SELECT

    def read(self, statement: exp.Expr) -> None:
        """Read a whole statement."""
        self._query(statement, None, {})

    def target(self, node: exp.Expr) -> str:
        """The name of a table that a statement makes, changes or drops."""
        if not isinstance(node, exp.Table) or node.args.get("alias") is not None:
            raise Missing("the SQL changes what is no table")
        _check_form(node)
        schema = node.args.get("db")
        return self._stored_name(self._table_name(node), None if schema is None else self.name(schema), None)

    # --- queries ------------------------------------------------------------------

    def _query(self, node: exp.Expr, around: Level | None, known_sources: _Known) -> Outputs:
        """Read a query and return the names of its outputs, as far as they are certain."""
        _check_form(node)
        if isinstance(node, exp.Select):
            return self._select(node, around, self._with(node, around, known_sources))
        if isinstance(node, exp.SetOperation):
            known_sources = self._with(node, around, known_sources)
            first = self._query(node.this, around, known_sources)
            second = self._query(node.expression, around, known_sources)
            if first is None or second is None:
                return self._tail(node, around, known_sources, frozenset(), first)
            return self._tail(node, around, known_sources, first | second, first)
        if isinstance(node, exp.Subquery):
            known_sources = self._with(node, around, known_sources)
            outputs = self._query(node.this, around, known_sources)
            return self._tail(node, around, known_sources, outputs or frozenset(), outputs)
        if isinstance(node, exp.Values):
            for row in node.expressions:
                self._visit(row, Level(around), known_sources)
            return frozenset()
        raise Missing(f"the SQL holds a statement that is no query ({node.key})")

    def _tail(
        self,
        node: exp.Expr,
        around: Level | None,
        known_sources: _Known,
        names: frozenset[str],
        outputs: Outputs,
    ) -> Outputs:
        """Read ORDER BY and LIMIT of a compound, which see its outputs."""
        level = Level(around, aliases=set(names))
        for part in (node.args.get("order"), node.args.get("limit"), node.args.get("offset")):
            if part is not None:
                self._clause(part, level, known_sources)
        return outputs

    def _with(self, node: exp.Expr, around: Level | None, known_sources: _Known) -> _Known:
        """Read the common table expressions; None marks a name that cannot be used at that place."""
        clause = node.args.get("with_")
        if clause is None:
            return known_sources
        _check_form(clause)
        names = [self.name(table.args["alias"].this) for table in clause.expressions]
        if len({name.key for name in names}) < len(names):
            raise Missing("the SQL has two common table expressions of one name")
        source_by_name = {**known_sources, **{name.key: None for name in names}}
        for table, name in zip(clause.expressions, names, strict=True):
            _check_form(table)
            inside = dict(source_by_name)
            if clause.args.get("recursive") and not self._tables.declares(name.text):
                inside[name.key] = SqlSource(name.text, None)
            outputs = self._query(table.this, around, inside)
            source_by_name[name.key] = SqlSource(name.text, self._renamed(table.args["alias"], outputs))
        return source_by_name

    def _renamed(self, alias: exp.Expr | None, outputs: Outputs) -> Outputs:
        """The outputs under the names of an alias's list of columns."""
        if alias is None:
            return outputs
        _check_form(alias)
        columns = alias.args.get("columns") or []
        if not columns:
            return outputs
        self.lists.add(place_of(alias.this)[0])
        names = [self.name(column) for column in columns]
        return frozenset(name.key for name in names)

    def _select(self, node: exp.Select, around: Level | None, known_sources: _Known) -> Outputs:
        level = self.levels[id(node)] = Level(around)
        if node.args.get("from_") is not None:
            self._source(node.args["from_"].this, level, known_sources)
        joins = node.args.get("joins") or []
        for join in joins:
            _check_form(join)
            self._source(join.this, level, known_sources)
        for join in joins:
            self._join(join, level)
        aliases = (item.args["alias"] for item in node.expressions if isinstance(item, exp.Alias))
        level.aliases.update(self.name(alias).key for alias in aliases)
        for child in [part for join in joins for part in listed(join.args.get("on"))]:
            self._visit(child, level, known_sources)
        for item in node.expressions:
            self._item(item, level, known_sources)
        for part in _CLAUSES:
            for child in listed(node.args.get(part)):
                self._clause(child, level, known_sources)
        return self._outputs(node, level)

    def _clause(self, node: exp.Expr, level: Level, known_sources: _Known) -> None:
        """Read a clause of a query; a whole term of its ORDER BY may be the alias of an output."""
        if not isinstance(node, exp.Order):
            self._visit(node, level, known_sources)
            return
        _check_form(node)
        for term in node.expressions:
            if isinstance(term, exp.Ordered) and self._is_alias(term.this, level):
                _check_form(term)
                self.name(term.this.this)
            else:
                self._visit(term, level, known_sources)

    def _item(self, item: exp.Expr, level: Level, known_sources: _Known) -> None:
        """Read an output: ``*``, ``table.*``, or an expression."""
        star = item.this if isinstance(item, exp.Column) else item
        if not isinstance(star, exp.Star):
            self._visit(item, level, known_sources)
            return
        _check_form(item)
        _check_form(star)
        if star is item:
            for source in level.sources:
                self._tables.read_all(source, source.place)
            return
        qualifier = self.name(item.args["table"])
        named = next(
            (sql_sources for around in level.outwards() if (sql_sources := around.named(qualifier.key))), None
        )
        if named is None:
            raise Missing(f"the SQL names {qualifier.text!r}, which is no table of it")
        for source in named:
            self._tables.read_all(source, qualifier.place)

    def _outputs(self, node: exp.Select, level: Level) -> Outputs:
        names: set[str] = set()
        for item in node.expressions:
            column = item
            while isinstance(column, exp.Paren | exp.Collate) and self._dialect == "sqlite":
                column = column.this
            if isinstance(item, exp.Alias):
                names.add(self.name(item.args["alias"]).key)
            elif item.is_star and isinstance(item, exp.Star | exp.Column):
                key = self.name(item.args["table"]).key if isinstance(item, exp.Column) else None
                for source in level.sources:
                    if key is not None and source.key != key:
                        continue
                    if source.columns is None:
                        return None
                    names |= {
                        folded(name, self._dialect) if source.table else name for name in source.columns
                    }
            elif isinstance(column, exp.Column) and id(column) not in self.texts:
                names.add(self.name(column.this).key)
        return frozenset(names)

    # --- FROM ---------------------------------------------------------------------

    def _source(self, node: exp.Expr, level: Level, known_sources: _Known) -> None:
        _check_form(node)
        alias = node.args.get("alias")
        if isinstance(node, exp.Table):
            source = self._table(node, level, known_sources)
        elif isinstance(node, exp.Values | exp.Subquery):
            # DuckDB lets a sub-query see the tables before it.
            around = Level(level.around, closed=True) if self._dialect == "duckdb" else level.around
            outputs = self._renamed(alias, self._query(node, around, known_sources))
            # sqlglot gives bare VALUES an alias that the text does not have.
            named = [item for item in listed(alias and alias.this) if place_of(item) != (0, 0)]
            source = SqlSource(self.name(named[0]).key if named else "", outputs)
        else:
            raise Missing(f"the SQL reads from a form that is not followed ({node.key})")
        level.sources.append(source)

    def _table(self, node: exp.Table, level: Level, known_sources: _Known) -> SqlSource:
        name = self._table_name(node)
        alias = node.args.get("alias")
        key = name.key
        if alias is not None:
            _check_form(alias)
            key = self.name(alias.this).key
            if alias.args.get("columns"):
                raise Missing("the SQL gives the columns of a table other names")
        schema = node.args.get("db")
        if schema is None and name.key in known_sources:
            inner = known_sources[name.key]
            if inner is None or (inner.key != name.text and self._dialect in CASE_OF_TABLES):
                raise Missing(f"the SQL uses the common table expression {name.text!r} before it is complete")
            return SqlSource(key, inner.columns)
        table = self._stored_name(name, None if schema is None else self.name(schema), level)
        return self._tables.source(key, table, name.place)

    def _table_name(self, node: exp.Table) -> Name:
        if not isinstance(node.this, exp.Identifier):
            raise Missing("the SQL reads from a function or a variable")
        name = self.name(node.this)
        catalog = _CATALOG.fullmatch(name.low) and not self._tables.declares(name.text)
        if not _TABLE_NAME.fullmatch(name.text) or catalog:
            raise Missing(f"the SQL reads from {name.text[:40]!r}, which is no table of data")
        return name

    def _stored_name(self, name: Name, schema: Name | None, level: Level | None) -> str:
        """The name of a table of the database, with its schema unless that is the default schema."""
        if schema is None or schema.low == _DEFAULT_SCHEMA.get(self._dialect):
            return name.text
        if _CATALOG.fullmatch(schema.low) or not _TABLE_NAME.fullmatch(schema.text):
            raise Missing(f"the SQL reads from {schema.text}.{name.text}, which is no table of data")
        around = () if level is None else level.outwards()
        if self._tables.declares(schema.text) or any(outer_level.named(schema.key) for outer_level in around):
            raise Missing(f"the SQL reads from {schema.text}.{name.text}, which may be a column")
        table = f"{schema.text}.{name.text}"  # a table of another database, even with a known name
        if (
            self._dialect != "sqlite"
            and not self._tables.declares(table)
            and self._tables.declares(name.text)
        ):
            raise Missing(f"the SQL reads from {table}, which may be the declared table {name.text}")
        return table

    def _join(self, join: exp.Expr, level: Level) -> None:
        """Read the columns that ``using (...)`` and natural joins compare without naming a table."""
        kinds = {str(join.args.get(part) or "") for part in ("side", "kind", "method")}
        if not kinds <= _JOINS:
            raise Missing("the SQL has a kind of join that is not followed")
        for identifier in join.args.get("using") or []:
            name = self.name(identifier)
            level.merged.add(name.low)
            having = [source for source in level.sources if source.has(name) or source.columns is None]
            self._tables.read(having, name)
        if "NATURAL" in kinds:
            level.natural = True
            if any(source.columns is None for source in level.sources):
                raise Missing("the SQL joins a table by columns that are not known")
            for source in level.sources:
                self._natural(
                    source, [other_source for other_source in level.sources if other_source is not source]
                )

    def _natural(self, source: SqlSource, other_sources: list[SqlSource]) -> None:
        for column in source.columns or ():
            name = Name(column, False, column, source.place)
            if any(
                column.lower() in {other_name.lower() for other_name in other_source.columns or ()}
                for other_source in other_sources
            ):
                self._tables.read([source], name)

    # --- expressions --------------------------------------------------------------

    def _visit(self, node: exp.Expr, level: Level, known_sources: _Known) -> None:
        if isinstance(node, exp.Column):
            self._column(node, level)
        elif isinstance(node, exp.Query | exp.Values):
            self._query(node, level, known_sources)
        else:
            _check_form(node)
            for child in self._children(node):
                self._visit(child, level, known_sources)

    def _children(self, node: exp.Expr) -> Iterator[exp.Expr]:
        for part, value in node.args.items():
            for child in listed(value):
                if isinstance(child, exp.Identifier):
                    if not (
                        isinstance(node, exp.Alias | exp.Window)
                        or (node.key == "anonymous" and part == "this")
                    ):
                        raise Missing(f"the SQL holds a form that is not followed ({node.key})")
                    self.name(child)
                elif isinstance(child, exp.Star):
                    if not isinstance(node, exp.Count):
                        raise Missing(f"the SQL holds * in a form that is not followed ({node.key})")
                    _check_form(child)
                elif isinstance(child, exp.DataType):
                    _check_type(child)
                else:
                    yield child

    def _is_alias(self, node: exp.Expr, level: Level) -> bool:
        """Whether a whole term of ORDER BY is the alias of an output."""
        return (
            isinstance(node, exp.Column)
            and isinstance(node.this, exp.Identifier)
            and node.args.get("table") is None
            and key_of(node.this, self._dialect) in level.aliases
        )

    def _column(self, node: exp.Column, level: Level) -> None:
        _check_form(node)
        if not isinstance(node.this, exp.Identifier):
            raise Missing(f"the SQL holds {node.sql()[:40]} where it is not followed")
        table = node.args.get("table")
        if table is None and HOLE.fullmatch(node.name) is not None:
            if "_hole_" in node.name and not _is_value(node):
                raise Missing(_UNKNOWN_NAME)
            return
        name = self.name(node.this)
        if table is not None:
            self._tables.resolve_qualified(level, self.name(table), name)
        elif not self._tables.resolve(level, name):
            self.texts.add(id(node))

    def name(self, identifier: exp.Expr | None) -> Name:
        """A name of the query; notes that it was read as a name."""
        if not isinstance(identifier, exp.Identifier):
            raise Missing("the SQL has a name that is not followed")
        place = place_of(identifier)
        if HOLE.search(identifier.name) is not None:
            raise Missing(_UNKNOWN_NAME)
        if place == (0, 0) or self._sql[place[0]] == "'":
            raise Missing(f"the SQL has a text in place of a name ({identifier.name[:40]!r})")
        self.seen.add(place[0])
        text = identifier.name
        return Name(text, bool(identifier.args.get("quoted")), key_of(identifier, self._dialect), place)


def key_of(identifier: exp.Expr, dialect: str) -> str:
    """The form of a name by which the database compares a query's own tables and columns."""
    if identifier.args.get("quoted") and dialect in ("postgres", "oracle", "snowflake"):
        return identifier.name
    return folded(identifier.name, dialect)


def folded(name: str, dialect: str) -> str:
    """A name without quotes, in the form that the database compares."""
    return name.upper() if dialect in ("oracle", "snowflake") else name.lower()


def listed(value: object) -> list[exp.Expr]:
    """The nodes in a part of a node, which may be one or several."""
    values = value if isinstance(value, list) else [value]
    return [item for item in values if isinstance(item, exp.Expr)]


def _is_value(column: exp.Expr) -> bool:
    """Whether the place can only hold a value: compared with a column, in a list, or in LIMIT."""
    parent = column.parent
    while isinstance(parent, exp.Paren | exp.Tuple | exp.Neg):
        column, parent = parent, parent.parent
    if isinstance(parent, exp.Predicate) and isinstance(parent, exp.Binary):
        other_side = parent.expression if parent.this is column else parent.this
        return isinstance(other_side, exp.Column) and HOLE.search(other_side.name) is None
    if isinstance(parent, exp.In | exp.Between):
        return parent.this is not column
    return isinstance(parent, exp.Limit | exp.Offset)


def place_of(node: exp.Expr) -> Place:
    """The place of a name in the text; (0, 0) if it has none."""
    meta = node.meta
    if "start" in meta and "end" in meta:
        return int(meta["start"]), int(meta["end"]) + 1
    return 0, 0


# Kinds without a meaning beyond their parts: operators, conditions, and containers.
_PLAIN = (
    exp.And, exp.Or, exp.Xor, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is,
    exp.NullSafeEQ, exp.NullSafeNEQ, exp.Like, exp.ILike, exp.Glob, exp.SimilarTo, exp.RegexpLike,
    exp.Escape, exp.Collate, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.DPipe,
    exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift, exp.Between,
    exp.Paren, exp.Tuple, exp.Any, exp.All, exp.JSONExtract, exp.JSONExtractScalar, exp.JSONPath,
    exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript, exp.Filter, exp.WithinGroup, exp.WindowSpec,
    exp.Interval, exp.IntervalSpan, exp.Where, exp.Having, exp.Qualify, exp.Limit, exp.Offset, exp.Fetch,
    exp.Literal, exp.Null, exp.Boolean, exp.HexString, exp.Placeholder, exp.Var, exp.DataTypeParam,
    exp.LimitOptions, exp.AtTimeZone, exp.Rollup, exp.Cube, exp.GroupingSets, exp.Order, exp.RespectNulls,
    exp.IgnoreNulls,
)  # fmt: skip
# Kinds that may have only these parts.
_PARTS: Mapping[type[exp.Expr], frozenset[str]] = {
    kind: frozenset(parts.split())
    for kind, parts in {
        exp.Select: "with_ expressions distinct from_ joins where group having qualify windows order limit"
        " offset",
        exp.SetOperation: "with_ this expression distinct order limit offset",
        exp.Subquery: "with_ this alias order limit offset",
        exp.Values: "expressions alias",
        exp.Table: "this alias db",
        exp.TableAlias: "this columns",
        exp.Join: "this on side kind using method",
        exp.With: "expressions recursive",
        exp.CTE: "this alias materialized",
        exp.Column: "this table",
        exp.Star: "",
        exp.Alias: "this alias",
        exp.In: "this expressions query",
        exp.Group: "expressions rollup cube grouping_sets",
        exp.Order: "this expressions",
        exp.Ordered: "this desc nulls_first",
        exp.Distinct: "expressions on",
        exp.Window: "this partition_by order spec alias over",
        exp.Count: "this expressions big_int",
        exp.DataType: "this expressions nested",
    }.items()
}
_TYPES = frozenset({
    "BIGDECIMAL", "BIGINT", "BINARY", "BIT", "BLOB", "BOOLEAN", "CHAR", "DATE", "DATETIME", "DATETIME2",
    "DECIMAL", "DOUBLE", "FLOAT", "INT", "INTERVAL", "LONGTEXT", "MEDIUMTEXT", "NCHAR", "NVARCHAR", "REAL",
    "SMALLDATETIME", "SMALLINT", "TEXT", "TIME", "TIMESTAMP", "TIMESTAMPLTZ", "TIMESTAMPNTZ", "TIMESTAMPTZ",
    "TIMETZ", "TINYINT", "UBIGINT", "UINT", "UUID", "VARBINARY", "VARCHAR",
})  # fmt: skip
# Functions that sqlglot reads from text without brackets, so that the list of functions does not cover them.
_REFUSED = (
    exp.UDTF, exp.NextValueFor, exp.ConnectByRoot, exp.CurrentUser, exp.CurrentRole, exp.CurrentSchema,
    exp.CurrentCatalog, exp.SessionUser,
)  # fmt: skip


def _check_form(node: exp.Expr) -> None:
    """Raise Missing for a kind of node, or a part of a node, that is not listed."""
    kind = next((kind for kind in _PARTS if isinstance(node, kind)), None)
    if kind is not None:
        check_parts(node, _PARTS[kind])
    elif isinstance(node, _REFUSED) or not isinstance(node, (*_PLAIN, exp.Func)):
        raise Missing(f"the SQL holds a form that is not followed ({node.key})")


def check_parts(node: exp.Expr, known: frozenset[str]) -> None:
    """Raise Missing for a part of a node that is not known."""
    parts = {part for part, value in node.args.items() if value not in (None, False, [], "")}
    if not parts <= known:
        extra = ", ".join(sorted(part.strip("_") for part in parts - known))
        raise Missing(f"the SQL holds a part that is not followed ({extra} of {node.key})")


def _check_type(node: exp.DataType) -> None:
    """Raise Missing for an unlisted type; a type that looks up a name, as regclass, is no plain DataType."""
    _check_form(node)
    if type(node) is not exp.DataType or node.this.name not in _TYPES:
        raise Missing(f"the SQL holds the type {node.sql()[:40]}, which is not followed")

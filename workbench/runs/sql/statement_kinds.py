"""The statements of a SQL text: their kinds, and the tables that they read, make, change or drop."""

# sqlglot is typed only in part: its expression arguments are untyped mappings.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from workbench.runs.sql.column_uses import ColumnFlow, SourceTable
from workbench.runs.sql.columns import check_words, parsed
from workbench.runs.sql.flows import FlowReader
from workbench.runs.sql.functions import DIALECTS, functions_of
from workbench.runs.sql.query_reader import SqlReader, check_parts, place_of
from workbench.runs.sql.source_limits import SourceLimits
from workbench.runs.sql.table_names import Schema, Tables
from workbench.runs.sql.text import tokens_of
from workbench.runs.values.found_value import Missing

_QUERIES = frozenset({"select", "with", "values"})
# sqlglot's lexer takes these as one text to the end. EXPLAIN is removed before; SHOW returns no table rows.
_EXPLAIN = re.compile(
    r"\s*(explain(?:\s+query\s+plan)?)\s+(?=select\b|with\b|insert\b|update\b|delete\b)", re.I
)
_SHOW = re.compile(r"\s*show(?:\s+[\w.]+)+(?:\s+like\s+'[\w%. ]*')?\s*;?\s*", re.I | re.ASCII)
# What looks after tables, and what begins or keeps a transaction, reads no row and changes none. ROLLBACK
# takes back what earlier calls did, such as an entry in a log, so it is not followed. Each with one name at
# most, so that nothing that is run stands behind it, as in MariaDB's ANALYZE DELETE.
_UPKEEP = re.compile(
    r"\s*(?:(vacuum)(?:\s+(?:full|freeze|verbose|analyze))*(?:\s+[\w.]+)?"
    r"|(analyze)(?:\s+(?:table|verbose))*(?:\s+[\w.]+)?"
    r"|(reindex)(?:\s+(?:table|index|schema))?(?:\s+[\w.]+)?"
    r"|(begin|commit)(?:\s+(?:transaction|work))?)\s*;?\s*",
    re.I | re.ASCII,
)
_NOT_FOLLOWED = "the SQL holds a statement that is not followed ({})"
_SETTING = ": it may change which tables or whose rights later SQL has; name tables with their schema"


@dataclass(slots=True)
class Statements:
    """The kinds, tables and columns of all statements of a text together.

    ``sources`` are the tables at each place where rows are read; ``limit`` is the most rows that a statement
    gives, None if a statement has no limit.
    """

    kinds: set[str] = field(default_factory=set[str])
    count: int = 0
    reads: set[str] = field(default_factory=set[str])
    columns: set[str] = field(default_factory=set[str])
    writes: set[str] = field(default_factory=set[str])
    sources: list[SourceTable] = field(default_factory=list[SourceTable])
    flows: set[ColumnFlow] = field(default_factory=set[ColumnFlow])
    functions: set[str] = field(default_factory=set[str])
    limits: list[int | None] = field(default_factory=list[int | None])

    @property
    def limit(self) -> int | None:
        """The most rows that one of the statements returns; None if one has no limit."""
        known_limits = [limit for limit in self.limits if limit is not None]
        return max(known_limits) if known_limits and len(known_limits) == len(self.limits) else None


@lru_cache(maxsize=1024)
def read_statements(
    sql: str, schema: Schema, dialect: str, constants: frozenset[str] = frozenset()
) -> Statements:
    """The statements of a text; raises Missing if they are not certain. Callers must not change them."""
    if dialect not in DIALECTS:
        raise Missing(f"the functions of the SQL dialect {dialect!r} are not known")
    if _SHOW.fullmatch(sql):
        return Statements({"show"}, 1)
    if (upkeep := _UPKEEP.fullmatch(sql)) is not None:
        return Statements({upkeep[upkeep.lastindex or 0].lower()}, 1)
    explained = _EXPLAIN.match(sql)
    if explained is not None:
        if ("plan" in explained[1].lower()) is not (dialect == "sqlite"):
            raise Missing("the SQL holds an EXPLAIN that is not followed")
        sql = " " * explained.end() + sql[explained.end() :]
    tokens = tokens_of(sql, dialect)
    reader = _StatementReader(sql, dialect, Tables(schema, dialect, constants))
    if explained is not None:
        reader.statements.kinds.add("explain")
    try:
        for part in _split(tokens):
            reader.statements.count += 1
            reader.read(part)
    except RecursionError:
        raise Missing("the SQL is nested too deeply") from None
    if not reader.statements.count:
        raise Missing("the SQL is empty")
    return reader.statements


def _split(tokens: list[Token]) -> Iterator[list[Token]]:
    """The tokens of each statement."""
    part: list[Token] = []
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            if part:
                yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


class _StatementReader:
    def __init__(self, sql: str, dialect: str, tables: Tables) -> None:
        self._sql = sql
        self._dialect = dialect
        self._tables = tables
        self._limits = SourceLimits(dialect, tables)
        self.statements = Statements()

    def read(self, tokens: list[Token]) -> None:
        """Read one statement."""
        words = [token.text.lower() for token in tokens if token.token_type != TokenType.L_PAREN]
        first = words[0] if words else ""
        if first in ("describe", "desc"):
            self._describe(tokens[1:])
        else:
            self._run(tokens, first)

    def _describe(self, tokens: list[Token]) -> None:
        name_tokens = tokens[1:] if tokens and tokens[0].token_type == TokenType.TABLE else tokens
        names = [token.token_type in (TokenType.VAR, TokenType.IDENTIFIER) for token in name_tokens[::2]]
        dots = [token.token_type == TokenType.DOT for token in name_tokens[1::2]]
        if not names or not all(names) or not all(dots) or len(names) != len(dots) + 1:
            raise Missing("the SQL holds a DESCRIBE that is not followed")
        self.statements.kinds.add("describe")

    def _run(self, tokens: list[Token], first: str) -> None:
        node = parsed(tokens, self._sql, self._dialect)
        reader = SqlReader(self._sql, self._tables, self._dialect)
        query = self._query(node, first, reader)
        if query is not None:
            reader.read(query)
            flows = FlowReader(self._sql, self._dialect, self._tables, reader)
            flows.read(query)
            self.statements.sources += flows.sources
            self.statements.flows |= flows.flows
        check_words(tokens, self._sql, self._tables.names, reader, self._dialect)
        self.statements.functions |= _functions(tokens, self._dialect)
        self.statements.reads |= {self._spelled(table) for table in self._tables.access.tables}
        for item in self._tables.access.columns:
            table, _, _column = item.rpartition(".")
            self.statements.columns.add(item if self._tables.declares(table) else item.lower())

    def _query(self, node: exp.Expr, first: str, reader: SqlReader) -> exp.Expr | None:
        """The query within a statement, or an equivalent one; notes the kind and the changed tables."""
        if first in _QUERIES and isinstance(node, exp.Query | exp.Values):
            self.statements.limits.append(_limit(node))
            self.statements.kinds.add("select")
            return node
        if first == "create" and isinstance(node, exp.Create):
            return self._create(node, reader)
        if first == "drop" and isinstance(node, exp.Drop):
            return self._drop(node, reader)
        if first == "truncate" and isinstance(node, exp.TruncateTable):
            _only(node, "expressions")
            return self._changed("truncate", node.expressions, reader)
        if first == "insert" and isinstance(node, exp.Insert):
            _only(node, "this", "expression")
            self._changed("insert", [_table_of(node.this, reader)], reader)
            if not isinstance(node.expression, exp.Query | exp.Values):
                raise Missing(_NOT_FOLLOWED.format("insert"))
            return node.expression
        if first == "update" and isinstance(node, exp.Update):
            return self._update(node, reader)
        if first == "delete" and isinstance(node, exp.Delete):
            _only(node, "this", "where")
            self._changed("delete", [node.this], reader)
            return _reading(node, [exp.Literal.number(1)])
        raise Missing(_NOT_FOLLOWED.format(first[:20]) + _SETTING * (first in ("set", "use")))

    def _create(self, node: exp.Create, reader: SqlReader) -> exp.Expr | None:
        _only(node, "this", "kind", "expression", "exists", "replace", "properties")
        properties = node.args.get("properties")
        if properties is not None and any(
            not isinstance(expression, exp.TemporaryProperty) for expression in properties.expressions
        ):
            raise Missing("the SQL creates something with properties that are not followed")
        kind = str(node.args.get("kind")).lower()
        if isinstance(node.expression, exp.Query) and kind in ("table", "view"):
            self._changed("create table as" if kind == "table" else "create view", [node.this], reader)
            return node.expression
        if kind != "table" or node.args.get("expression") is not None:
            raise Missing(_NOT_FOLLOWED.format(f"create {kind[:20]}"))
        _check_definitions(node.this)
        return self._changed("create table", [_table_of(node.this, reader)], reader)

    def _drop(self, node: exp.Drop, reader: SqlReader) -> None:
        _only(node, "tables", "kind", "exists")
        kind = str(node.args.get("kind")).lower()
        if kind not in ("table", "view"):
            raise Missing(_NOT_FOLLOWED.format(f"drop {kind[:20]}"))
        return self._changed(f"drop {kind}", node.args["tables"], reader)

    def _update(self, node: exp.Update, reader: SqlReader) -> exp.Expr:
        _only(node, "this", "expressions", "where")
        self._changed("update", [node.this], reader)
        values: list[exp.Expr] = []
        for expression in node.expressions:
            if not isinstance(expression, exp.EQ) or not isinstance(expression.this, exp.Column):
                raise Missing(_NOT_FOLLOWED.format("update"))
            reader.name(expression.this.this)
            values.append(expression.expression)
        return _reading(node, values)

    def _changed(self, kind: str, tables: list[exp.Expr], reader: SqlReader) -> None:
        self.statements.kinds.add(kind)
        for table in tables:
            self.statements.writes.add(self._spelled(reader.target(table)))
            for part in (table.this, table.args.get("db")):
                self._limits.check_case(part)

    def _spelled(self, table: str) -> str:
        return self._tables.spelled(table) if self._tables.declares(table) else table.lower()


def _limit(node: exp.Expr) -> int | None:
    limit = node.args.get("limit")
    count = limit.args.get("expression") if isinstance(limit, exp.Limit) else None
    if not isinstance(count, exp.Literal) or count.is_string or not str(count.this).isdigit():
        return None
    return int(count.this)


def _only(node: exp.Expr, *parts: str) -> None:
    """Raise Missing if a statement has parts that are not listed."""
    check_parts(node, frozenset(parts))


def _table_of(node: exp.Expr, reader: SqlReader) -> exp.Expr:
    """The table before a list of columns, or the node itself; notes the names in the list."""
    if not isinstance(node, exp.Schema):
        return node
    for column in node.expressions:
        reader.name(column if isinstance(column, exp.Identifier) else column.args.get("this"))
    table = node.this
    if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
        reader.targets.add(place_of(table.this)[0])
    return table


def _check_definitions(node: exp.Expr) -> None:
    """Raise Missing unless the columns of a new table have types only."""
    columns = node.expressions if isinstance(node, exp.Schema) else []
    if not columns or not all(_is_plain_definition(column) for column in columns):
        raise Missing(_NOT_FOLLOWED.format("create table"))


def _is_plain_definition(node: exp.Expr) -> bool:
    is_plain_column = isinstance(node, exp.ColumnDef) and not node.args.get("constraints")
    return is_plain_column and type(node.args.get("kind")) is exp.DataType


def _reading(node: exp.Expr, values: list[exp.Expr]) -> exp.Select:
    """A query that reads the same as an UPDATE or a DELETE."""
    query = exp.Select(expressions=values)
    query.set("from_", exp.From(this=node.this))
    if node.args.get("where") is not None:
        query.set("where", node.args["where"])
    return query


def _functions(tokens: list[Token], dialect: str) -> set[str]:
    """The called functions, as they are written, in small letters."""
    called = {
        token.text.lower() for token, after in pairwise(tokens) if after.token_type == TokenType.L_PAREN
    }
    bare_functions = {token.text.lower() for token in tokens if token.text.lower().startswith("current_")}
    return (called & functions_of(dialect)) | bare_functions

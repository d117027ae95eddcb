"""The conditions that limit every row of each source of a SELECT, including those of enclosing queries.

A condition counts if the result does not depend on the rows of the source that fail it. Only conditions
that are not true of NULL are considered, because a row that an outer join adds must fail them too.
"""

# sqlglot is typed only in part: its expression arguments are untyped mappings.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sqlglot import exp

from workbench.runs.sql.column_uses import Condition, QueryResult, SourceTable, is_by_row
from workbench.runs.sql.query_reader import folded, key_of, place_of
from workbench.runs.sql.table_names import Level, SqlSource, Tables
from workbench.runs.values.found_value import Missing

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
_TURNED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TIMES = frozenset({"DATE", "DATETIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ", "TIMESTAMPLTZ"})


class _ColumnLimit(NamedTuple):
    """A condition on a column that is still a node of the query."""

    column: exp.Column
    operator: str
    value: str

    def named(self, column: str) -> Condition:
        """The condition, on a column of this name."""
        return Condition(column, self.operator, self.value)


def _and_operands(node: exp.Expr | None) -> Iterator[exp.Expr]:
    """The conjuncts: the conditions that all have to be true."""
    if node is None:
        return
    if isinstance(node, exp.Where | exp.Having | exp.Paren):
        yield from _and_operands(node.this)
    elif isinstance(node, exp.And):
        yield from _and_operands(node.this)
        yield from _and_operands(node.expression)
    else:
        yield node


def _limits_of(node: exp.Expr | None) -> Iterator[_ColumnLimit]:
    """The limits on columns among the conjuncts."""
    for part in _and_operands(node):
        yield from _limits(part)


def _limits(part: exp.Expr) -> Iterator[_ColumnLimit]:
    if isinstance(part, exp.In):
        yield from _listed(part)
    elif isinstance(part, exp.Not):
        inner = part.this
        if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
            column = _column(inner.this)
            if column is not None:
                yield _ColumnLimit(column, "is not null", "")
    for left, operator, value in _compared(part):
        if (column := _column(left)) is not None:
            yield _ColumnLimit(column, operator, value)


def _compared(part: exp.Expr) -> Iterator[tuple[exp.Expr, str, str]]:
    """The comparisons of a condition with constants: what is compared, the operator, the constant."""
    sides: list[tuple[exp.Expr, str, exp.Expr]] = []
    if isinstance(part, exp.Between) and not part.args.get("symmetric"):
        sides = [(part.this, ">=", part.args["low"]), (part.this, "<=", part.args["high"])]
    elif (operator := _OPERATORS.get(type(part))) is not None:
        sides = [
            (part.this, operator, part.expression),
            (part.expression, _TURNED[operator], part.this),
        ]
    for left, operator, right in sides:
        if (value := _constant(right)) is not None:
            yield left, operator, value


def _listed(part: exp.In) -> Iterator[_ColumnLimit]:
    column = _column(part.this)
    values = [_constant(expression) for expression in part.expressions]
    known_values = sorted({value for value in values if value is not None})
    if column is None or part.args.get("query") is not None or None in values or not known_values:
        return
    is_single = len(known_values) == 1
    yield _ColumnLimit(
        column, "=" if is_single else "in", known_values[0] if is_single else f"({', '.join(known_values)})"
    )


def _column(node: exp.Expr) -> exp.Column | None:
    while isinstance(node, exp.Paren):
        node = node.this
    return node if isinstance(node, exp.Column) else None


def _constant(node: exp.Expr) -> str | None:
    """A constant in SQL: a number, a text in quotes, a date as the text that it is made from; else None."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Cast):
        inner = node.this
        text = isinstance(inner, exp.Literal) and inner.is_string
        return _constant(inner) if text and node.to.this.name in _TIMES else None
    if isinstance(node, exp.Neg):
        inner = node.this
        return f"-{inner.this}" if isinstance(inner, exp.Literal) and not inner.is_string else None
    if not isinstance(node, exp.Literal):
        return None
    return "'" + str(node.this).replace("'", "''") + "'" if node.is_string else str(node.this)


def _sides(select: exp.Select) -> Iterator[tuple[exp.Expr | None, int, int]]:
    """Each condition of a SELECT with the places in FROM (from, to) of the sources that it limits.

    The ON of an outer join does not limit its outer side.
    """
    joins: list[exp.Join] = select.args.get("joins") or []
    yield select.args.get("where"), 0, len(joins) + 1
    for place, join in enumerate(joins, 1):
        side, kind = str(join.args.get("side") or ""), str(join.args.get("kind") or "")
        if side == "LEFT":
            yield join.args.get("on"), place, place + 1
        elif side == "RIGHT":
            yield join.args.get("on"), 0, place
        elif not side and kind in ("", "INNER", "CROSS"):
            yield join.args.get("on"), 0, place + 1


def least_rows(having: exp.Expr | None, counts: Callable[[exp.Count], bool]) -> int:
    """The least number of rows of each group, by the counts in HAVING that ``counts`` accepts."""
    return max((number for part in _and_operands(having) for number in _bounds(part, counts)), default=0)


def _bounds(part: exp.Expr, counts: Callable[[exp.Count], bool]) -> Iterator[int]:
    for left, operator, value in _compared(part):
        if isinstance(left, exp.Count) and counts(left) and value.isdigit():
            if operator in (">=", "="):
                yield int(value)
            elif operator == ">":
                yield int(value) + 1


@dataclass(slots=True)
class SelectFrame:
    """The sources of one SELECT on one way to the result."""

    level: Level
    around: SelectFrame | None
    table_by_name: Mapping[str, TableExpression]
    source_by_id: dict[int, SourceTable | QueryResult] = field(
        default_factory=dict[int, SourceTable | QueryResult]
    )
    aliases: dict[str, exp.Expr] = field(default_factory=dict[str, exp.Expr])
    resolving: set[str] = field(default_factory=set[str])
    correlated: bool = False

    def outwards(self) -> Iterator[SelectFrame]:
        """The frame itself, then the enclosing frames."""
        frame: SelectFrame | None = self
        while frame is not None:
            yield frame
            frame = frame.around

    @property
    def tables(self) -> list[SourceTable]:
        """All tables that it reads in FROM, including through the queries there."""
        parts = (
            [source] if isinstance(source, SourceTable) else source.tables
            for source in self.source_by_id.values()
        )
        return [table for part in parts for table in part]


@dataclass(frozen=True, slots=True)
class QueryScope:
    """The names that a query sees: the enclosing SELECTs and the common table expressions."""

    around: SelectFrame | None = None
    table_by_name: Mapping[str, TableExpression] = field(default_factory=dict[str, "TableExpression"])


@dataclass(frozen=True, slots=True)
class TableExpression:
    """A common table expression and the names that it sees."""

    node: exp.CTE
    scope: QueryScope


class SourceLimits:
    """Finds the limits of sources, by the meaning of the names in a text."""

    def __init__(self, dialect: str, tables: Tables) -> None:
        """Take the dialect, and the meaning of the names."""
        self._dialect = dialect
        self._tables = tables

    def limited(
        self, node: exp.Select, frame: SelectFrame, pushed: frozenset[Condition]
    ) -> dict[int, set[Condition]]:
        """The conditions that limit every row of each source of the SELECT."""
        sources = frame.level.sources
        conditions_by_source: dict[int, set[Condition]] = {id(source): set() for source in sources}
        for condition, begin, end in _sides(node):
            for limit in _limits_of(condition):
                owner = self._owner(limit, frame)
                if owner is not None and any(owner is sql_source for sql_source in sources[begin:end]):
                    conditions_by_source[id(owner)].add(limit.named(self._column_key(limit.column, owner)))
        for condition in pushed:
            origin = self._origin(node, frame, condition.column)
            if origin is not None:
                conditions_by_source[id(origin[0])].add(replace(condition, column=origin[1]))
        return conditions_by_source

    def _owner(self, limit: _ColumnLimit, frame: SelectFrame) -> SqlSource | None:
        """The one source of this SELECT that certainly has the column; None if there is none."""
        column = limit.column
        if not isinstance(column.this, exp.Identifier):
            return None
        bound = self.bound(column)
        key = key_of(column.this, self._dialect)
        is_unqualified = column.args.get("table") is None
        merged = is_unqualified and (column.name.lower() in frame.level.merged or frame.level.natural)
        if (
            len(bound) != 1
            or merged
            or (is_unqualified and key in frame.aliases and frame.aliases[key] != column)
        ):
            return None
        return next((source for source in frame.level.sources if source is bound[0]), None)

    def _column_key(self, column: exp.Column, owner: SqlSource) -> str:
        if not owner.table:
            return key_of(column.this, self._dialect)
        declared = self._tables.columns_of(owner.table)
        if column.name.lower() not in declared:
            self.check_case(column.this)
        return declared.get(column.name.lower(), column.name.lower())

    def passes(self, node: exp.Select) -> bool:
        """Whether each row of the result comes from one row of each source, independent of the other rows."""
        distinct = node.args.get("distinct")
        return (
            is_by_row(node)
            and not any(column.name.lower() == "rownum" for column in node.find_all(exp.Column))
            and all(node.args.get(part) is None for part in ("group", "having", "qualify", "windows"))
            and (distinct is None or distinct.args.get("on") is None)
        )

    def _origin(self, node: exp.Select, frame: SelectFrame, name: str) -> tuple[SqlSource, str] | None:
        """The source and the column of an output with this name; None if they are not certain."""
        origins: list[tuple[SqlSource, str] | None] = []
        for item in node.expressions:
            if item.is_star and isinstance(item, exp.Star | exp.Column):
                if frame.level.natural or frame.level.merged:
                    return None
                key = key_of(item.args["table"], self._dialect) if isinstance(item, exp.Column) else None
                own_sources = [source for source in frame.level.sources if key is None or source.key == key]
                if key is not None and not own_sources:
                    return None
                origins += [
                    self._in_source(sql_source, name)
                    for sql_source in own_sources
                    if self._may_have(sql_source, name)
                ]
            elif self.output_name(item) == name:
                column = item.this if isinstance(item, exp.Alias) else item
                owner = (
                    self._owner(_ColumnLimit(column, "", ""), frame)
                    if isinstance(column, exp.Column)
                    else None
                )
                origins.append(owner and (owner, self._column_key(column, owner)))
        return origins[0] if len(origins) == 1 else None

    def _may_have(self, source: SqlSource, name: str) -> bool:
        return source.columns is None or (name.lower() if source.table else name) in source.columns

    def _in_source(self, source: SqlSource, name: str) -> tuple[SqlSource, str]:
        if not source.table:
            return source, name
        return source, self._tables.columns_of(source.table).get(name.lower(), name.lower())

    def moved(self, node: exp.SetOperation, pushed: frozenset[Condition]) -> frozenset[Condition]:
        """Conditions on the first query's outputs, moved by position to the second query's outputs."""
        first, second = (self.written(part) for part in (node.this, node.expression))
        if first is None or second is None or len(first) != len(second) or "" in second:
            return frozenset()
        if len(set(first)) < len(first) or len(set(second)) < len(second):
            return frozenset()
        places = dict(zip(first, second, strict=True))
        return frozenset(
            replace(condition, column=places[condition.column])
            for condition in pushed
            if condition.column in places
        )

    def written(self, node: exp.Expr) -> list[str] | None:
        """The names of a SELECT's outputs, empty for unnamed ones; None if the SELECT does not list them."""
        while isinstance(node, exp.Subquery):
            node = node.this
        if not isinstance(node, exp.Select) or any(item.is_star for item in node.expressions):
            return None
        return [self.output_name(item) for item in node.expressions]

    def output_name(self, item: exp.Expr) -> str:
        """The name of an output as the database compares it; empty if only the database knows it."""
        if isinstance(item, exp.Alias):
            return key_of(item.args["alias"], self._dialect)
        while isinstance(item, exp.Paren | exp.Collate):
            item = item.this
        if isinstance(item, exp.Column) and isinstance(item.this, exp.Identifier):
            return key_of(item.this, self._dialect)
        return ""

    def bound(self, column: exp.Column) -> list[SqlSource]:
        """The sources that the name of a column may belong to."""
        if not isinstance(column.this, exp.Identifier):
            return []
        sql_sources = self._tables.meant.get(place_of(column.this), [])
        return list({id(source): source for source in sql_sources}.values())

    def check_case(self, name: exp.Expr | None) -> None:
        """Raise Missing for a quoted name in unusual case, which may be another name than the plain one."""
        if isinstance(name, exp.Identifier) and name.args.get("quoted"):
            plain_name = folded(name.name, self._dialect)
            if name.name != plain_name and self._dialect != "sqlite":
                raise Missing(
                    f"the quoted name {name.name[:40]!r} of the SQL may be another than {plain_name!r}"
                )

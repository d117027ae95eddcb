"""The uses of a column on its way through a query, and the changes that functions make to its flow."""

# sqlglot is typed only in part: its expression arguments are untyped mappings.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from sqlglot import exp


class ColumnWay(StrEnum):
    """The way in which a value of a column leaves a query."""

    PLAIN = "plain"  # itself, or what a function makes of one value
    PICKED = "picked"  # by an aggregate that shows single values: the least, a list of all
    AGGREGATE = "aggregate"  # in a number made of many values: a sum, an average
    COUNTED = "counted"  # in a number of rows or of values
    TESTED = "tested"  # in the answer of a condition: yes or no
    KEY = "key"  # rows are grouped by it
    FILTER = "filter"  # it decides which rows count, or their order


@dataclass(frozen=True, slots=True)
class Condition:
    """``column operator value``; the value is written in SQL, so a text is in quotes."""

    column: str
    operator: str
    value: str

    def __str__(self) -> str:
        """The condition in SQL."""
        return f"{self.column} {self.operator} {self.value}".strip()


@dataclass(slots=True, eq=False)
class SourceTable:
    """A table at one place where it is read, on one way from there to the result."""

    table: str
    conditions: frozenset[Condition]
    by_group: bool = False
    group_rows: int = 0


@dataclass(frozen=True, slots=True)
class ColumnFlow:
    """A column of a source, with the operations on it so far."""

    source: SourceTable
    column: str
    way: ColumnWay = ColumnWay.PLAIN
    functions: frozenset[str] = frozenset()
    first: int | None = None
    bands: int | None = None
    grouped: bool = False


type Flows = frozenset[ColumnFlow]
NOTHING: Flows = frozenset()
ALL_COLUMNS = "*"
"""The column name of a flow of all columns of a table."""


@dataclass(slots=True)
class Output:
    """An output of a query; its name is None for all columns of an undeclared table."""

    name: str | None
    flows: Flows


@dataclass(slots=True)
class QueryResult:
    """The result of a query; ``in_order`` if the position of each output is certain.

    ``tables`` are all tables that it reads in FROM; ``single`` is the one table whose rows each give at most
    one row of the result.
    """

    outputs: list[Output]
    in_order: bool = True
    tables: list[SourceTable] = field(default_factory=list[SourceTable])
    single: SourceTable | None = None

    @property
    def flows(self) -> Flows:
        """The uses of the columns of all outputs."""
        return together(output.flows for output in self.outputs)


def together(parts: Iterable[Flows]) -> Flows:
    """The union of several sets of flows."""
    return NOTHING.union(*parts)


_COUNTS = (exp.Count, exp.CountIf, exp.ApproxDistinct)
_AGGREGATES = (
    exp.Sum, exp.Avg, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop, exp.Corr,
    exp.CovarPop, exp.CovarSamp,
)  # fmt: skip
_TOTALS = frozenset({"total"})  # aggregates that sqlglot does not know
_UNNAMED = (exp.Cast, exp.Case, exp.If, exp.And, exp.Or, exp.Xor, exp.Predicate)
# With these functions only, a SELECT gives one row for each row that it reads.
_BY_ROW = (
    exp.Cast, exp.Case, exp.If, exp.And, exp.Or, exp.Xor, exp.Lower, exp.Upper, exp.Coalesce, exp.Nullif,
    exp.Substring, exp.Left, exp.Right, exp.Trim, exp.Length, exp.Abs, exp.Round, exp.Extract,
    exp.TimestampTrunc, exp.DateTrunc, exp.Concat, exp.Replace, exp.Exists, exp.RegexpLike,
)  # fmt: skip


def is_by_row(node: exp.Expr) -> bool:
    """Whether no part of the query reads more than one row: no aggregate, no window, no unknown function."""
    return all(isinstance(part, _BY_ROW) for part in node.find_all(exp.Func, exp.Window)) and not (
        node.find(exp.Window)
    )


def name_of(node: exp.Expr, sql: str) -> str:
    """The name of a function as it is written, in small letters; empty for other nodes."""
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    if not isinstance(node, exp.Func) or isinstance(node, _UNNAMED):
        return ""
    if "start" in node.meta and "end" in node.meta:
        return sql[int(node.meta["start"]) : int(node.meta["end"]) + 1].lower()
    return node.sql_name().lower()


def is_aggregate(node: exp.Expr) -> bool:
    """Whether a node is a function of all rows of a group; SQLite's min(a, b) is a function of one row."""
    if isinstance(node, exp.Min | exp.Max) and node.args.get("expressions"):
        return False
    return isinstance(node, exp.AggFunc) or name_of(node, "") in _TOTALS


def aggregated(flows: Flows, node: exp.Expr) -> Flows:
    """The flows of an aggregate, from the flows of its arguments."""
    counted = isinstance(node, _COUNTS)
    summed = isinstance(node, _AGGREGATES) or name_of(node, "") in _TOTALS

    def way(flow: ColumnFlow) -> ColumnWay:
        if counted:
            return ColumnWay.COUNTED
        if summed:
            return ColumnWay.AGGREGATE if flow.way in (ColumnWay.PLAIN, ColumnWay.TESTED) else flow.way
        return ColumnWay.PICKED if flow.way is ColumnWay.PLAIN else flow.way

    return frozenset(replace(flow, way=way(flow)) for flow in flows)


def tested(flows: Flows) -> Flows:
    """The flows of a condition, from the flows of its parts."""
    return frozenset(
        replace(flow, way=ColumnWay.TESTED, first=None, bands=None, grouped=False)
        if flow.way in (ColumnWay.PLAIN, ColumnWay.PICKED)
        else flow
        for flow in flows
    )


def called(flows: Flows, function: str) -> Flows:
    """The flows, with a function that they went through."""
    if not function:
        return flows
    return frozenset(replace(flow, functions=flow.functions | {function}) for flow in flows)


def shortened(flows: Flows, node: exp.Expr) -> Flows:
    """The flows of the first argument of a function that returns its first characters, or a band of it."""
    first, bands = _first_characters(node), _bands(node)
    if first is not None and isinstance(_bare(node.this), exp.Column):
        return frozenset(
            replace(flow, first=first) if flow.first is None and _is_itself(flow) else flow for flow in flows
        )
    if bands is not None:
        return frozenset(
            replace(flow, bands=bands) if flow.way is ColumnWay.PLAIN else flow for flow in flows
        )
    return flows


def _is_itself(flow: ColumnFlow) -> bool:
    return flow.way is ColumnWay.PLAIN and not flow.functions and flow.bands is None


def _first_characters(node: exp.Expr) -> int | None:
    if isinstance(node, exp.Left):
        return _number(node.expression)
    if isinstance(node, exp.Substring) and _number(node.args.get("start")) == 1:
        return _number(node.args.get("length"))
    return None


def _bands(node: exp.Expr) -> int | None:
    if isinstance(node, exp.WidthBucket):
        return _number(node.args.get("num_buckets"))
    return None


def _number(node: object) -> int | None:
    if isinstance(node, exp.Literal) and not node.is_string and str(node.this).isdigit():
        return int(node.this)
    return None


_TEXTS = frozenset({"TEXT", "VARCHAR", "NVARCHAR"})


def _bare(node: exp.Expr) -> exp.Expr:
    """The expression without brackets and without casts to a text of any length."""
    while isinstance(node, exp.Paren) or (
        isinstance(node, exp.Cast) and node.to.this.name in _TEXTS and not node.to.expressions
    ):
        node = node.this
    return node


def one_of_all(flows: Flows, column: str) -> Flows:
    """The flow of one column, from the flow of all columns of a table; several flows stay as they are."""
    if len(flows) == 1:
        return frozenset(
            replace(flow, column=column) if flow.column == ALL_COLUMNS else flow for flow in flows
        )
    return flows


def renamed(result: QueryResult, names: list[str]) -> QueryResult:
    """The result under the names that a common table expression or an alias gives its columns."""
    if result.in_order and len(names) == len(result.outputs):
        outputs = [Output(name, output.flows) for name, output in zip(names, result.outputs, strict=True)]
        return QueryResult(outputs, True, result.tables, result.single)
    outputs = [Output(name, result.flows) for name in names]
    return QueryResult(outputs, True, result.tables, result.single)

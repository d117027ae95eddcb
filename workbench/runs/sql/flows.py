"""The flows of columns through a query: each column of each table, on each way to the result or to a clause.

``SqlReader`` has read the query, so every form in it is known and every name has its tables. A common
table expression is followed again at each place where it is read, with the limits on its rows there.
"""

# sqlglot is typed only in part: its expression arguments are untyped mappings.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from workbench.runs.sql.column_uses import (
    ALL_COLUMNS,
    NOTHING,
    ColumnFlow,
    ColumnWay,
    Condition,
    Flows,
    Output,
    QueryResult,
    SourceTable,
    aggregated,
    called,
    is_aggregate,
    name_of,
    one_of_all,
    renamed,
    shortened,
    tested,
    together,
)
from workbench.runs.sql.query_reader import SqlReader, folded, key_of, listed
from workbench.runs.sql.source_limits import (
    QueryScope,
    SelectFrame,
    SourceLimits,
    TableExpression,
    least_rows,
)
from workbench.runs.sql.table_names import Level, SqlSource, Tables
from workbench.runs.sql.text import HOLE
from workbench.runs.values.found_value import Missing

_MOST_QUERIES = 500


class FlowReader:
    """Follows the columns of statements that ``SqlReader`` has read."""

    def __init__(self, sql: str, dialect: str, tables: Tables, reader: SqlReader) -> None:
        """Take the text, and the meaning of its names."""
        self._sql = sql
        self._dialect = dialect
        self._tables = tables
        self._reader = reader
        self._limits = SourceLimits(dialect, tables)
        self._queries = 0
        self.sources: list[SourceTable] = []
        self.flows: set[ColumnFlow] = set()

    def read(self, node: exp.Expr) -> None:
        """Follow a whole query; adds the flows of its outputs."""
        self.flows |= self._query(node, QueryScope(), frozenset()).flows

    # --- queries ------------------------------------------------------------------

    def _query(self, node: exp.Expr, scope: QueryScope, pushed: frozenset[Condition]) -> QueryResult:
        """The outputs of a query, over the rows that meet the ``pushed`` conditions.

        These conditions are on the names of its outputs.
        """
        self._queries += 1
        if self._queries > _MOST_QUERIES:
            raise Missing("the SQL holds too many queries within queries")
        scope = self._with(node, scope)
        if any(node.args.get(part) is not None for part in ("limit", "offset")):
            pushed = frozenset()
        if isinstance(node, exp.Select):
            return self._select(node, scope, pushed)
        if isinstance(node, exp.SetOperation):
            result = self._compound(node, scope, pushed)
        elif isinstance(node, exp.Subquery):
            result = self._query(node.this, scope, pushed)
        elif isinstance(node, exp.Values):
            frame = SelectFrame(Level(None), scope.around, scope.table_by_name)
            row = together(self._value(row, frame) for row in node.expressions)
            return QueryResult([Output(None, row)], in_order=False)
        else:
            raise Missing(f"the SQL holds a form that is not followed ({node.key})")
        self._order(node, result)
        return result

    def _with(self, node: exp.Expr, scope: QueryScope) -> QueryScope:
        clause = node.args.get("with_")
        if clause is None:
            return scope
        table_by_name = dict(scope.table_by_name)
        for table in clause.expressions:
            # A table is not visible under its own name: a recursive table is refused where it reads itself.
            name = key_of(table.args["alias"].this, self._dialect)
            inside = QueryScope(
                scope.around, {key: definition for key, definition in table_by_name.items() if key != name}
            )
            table_by_name[name] = TableExpression(table, inside)
        return QueryScope(scope.around, table_by_name)

    def _compound(
        self, node: exp.SetOperation, scope: QueryScope, pushed: frozenset[Condition]
    ) -> QueryResult:
        is_union = isinstance(node, exp.Union)
        left = self._query(node.this, scope, pushed if is_union else frozenset())
        second = self._limits.moved(node, pushed) if is_union else frozenset[Condition]()
        right = self._query(node.expression, scope, second)
        tables = [*left.tables, *right.tables]
        if left.in_order and right.in_order and len(left.outputs) == len(right.outputs):
            pairs = zip(left.outputs, right.outputs, strict=True)
            return QueryResult(
                [Output(output.name, output.flows | other.flows) for output, other in pairs], True, tables
            )
        every = left.flows | right.flows
        return QueryResult([Output(None, every)], False, tables)

    def _order(self, node: exp.Expr, result: QueryResult) -> None:
        """Follow ORDER BY of a compound, which sees its outputs."""
        order = node.args.get("order")
        if order is None:
            return
        names = {output.name for output in result.outputs}
        for column in order.find_all(exp.Column):
            key = key_of(column.this, self._dialect) if isinstance(column.this, exp.Identifier) else ""
            if key in names:
                self._note(together(output.flows for output in result.outputs if output.name == key))
            else:
                self._note(result.flows)
        if order.find(exp.Query) is not None:
            raise Missing("the SQL orders a compound by a query")

    # --- SELECT -------------------------------------------------------------------

    def _select(self, node: exp.Select, scope: QueryScope, pushed: frozenset[Condition]) -> QueryResult:
        frame = SelectFrame(self._reader.levels[id(node)], scope.around, scope.table_by_name)
        for item in node.expressions:
            if isinstance(item, exp.Alias):
                frame.aliases[key_of(item.args["alias"], self._dialect)] = item.this
        limited = self._limits.limited(node, frame, pushed if self._limits.passes(node) else frozenset())
        joins: list[exp.Expr] = node.args.get("joins") or []
        begin = node.args.get("from_")
        places = [] if begin is None else [begin.this, *(join.this for join in joins)]
        for place, source in zip(places, frame.level.sources, strict=True):
            frame.source_by_id[id(source)] = self._from(place, source, scope, frozenset(limited[id(source)]))
        keys = self._keys(node, frame)
        outputs, in_order = self._outputs(node, frame, keys)
        self._clauses(node, frame)
        tables = frame.tables
        if keys is not None:
            _count_groups(node, frame, self._limits)
        if keys is not None or frame.correlated:
            for table in tables:
                table.by_group = True
        return QueryResult(outputs, in_order, tables, _single_source(node, frame, self._limits))

    def _from(
        self, node: exp.Expr, source: SqlSource, scope: QueryScope, limited: frozenset[Condition]
    ) -> SourceTable | QueryResult:
        alias = node.args.get("alias")
        if isinstance(node, exp.Table):
            if source.table:
                table = SourceTable(self._table_text(node, source.table), limited)
                self.sources.append(table)
                return table
            definition = scope.table_by_name.get(key_of(node.this, self._dialect))
            if definition is None:
                raise Missing("the SQL holds a common table expression that reads itself")
            alias, node, scope = definition.node.args["alias"], definition.node.this, definition.scope
        names = [key_of(column, self._dialect) for column in (alias and alias.args.get("columns")) or []]
        if not names:
            return self._query(node, scope, limited)
        written = self._limits.written(node) or []
        if len(written) == len(names) == len(set(written)) and len(set(names)) == len(names):
            places = dict(zip(names, written, strict=True))
            moved = (
                replace(condition, column=places[condition.column])
                for condition in limited
                if condition.column in places
            )
            limited = frozenset(condition for condition in moved if condition.column)
        else:
            limited = frozenset()
        return renamed(self._query(node, scope, limited), names)

    def _table_text(self, node: exp.Table, table: str) -> str:
        declared = self._tables.declares(table)
        if not declared:
            for part in (node.this, node.args.get("db")):
                self._limits.check_case(part)
        return table if declared else table.lower()

    def _outputs(
        self, node: exp.Select, frame: SelectFrame, keys: list[exp.Expr] | None
    ) -> tuple[list[Output], bool]:
        outputs: list[Output] = []
        in_order = True
        for item in node.expressions:
            if item.is_star and isinstance(item, exp.Star | exp.Column):
                outputs += self._star(item, frame)
                in_order = in_order and not (frame.level.natural or frame.level.merged)
                continue
            value = item.this if isinstance(item, exp.Alias) else item
            flows = self._value(value, frame)
            if keys is not None and any(value == key for key in keys):
                flows = frozenset(
                    replace(flow, grouped=True) if flow.way is ColumnWay.PLAIN else flow for flow in flows
                )
            outputs.append(Output(self._limits.output_name(item), flows))
        return outputs, in_order and all(output.name is not None for output in outputs)

    def _star(self, item: exp.Expr, frame: SelectFrame) -> Iterator[Output]:
        sources = frame.level.sources
        if isinstance(item, exp.Column):
            key = key_of(item.args["table"], self._dialect)
            sources = next(
                (named for outward in frame.outwards() if (named := outward.level.named(key))),
                list[SqlSource](),
            )
        for sql_source in sources:
            source = self._visible_source(sql_source, frame)
            if isinstance(source, QueryResult):
                yield from source.outputs
            elif sql_source.columns is None:
                yield Output(None, frozenset([ColumnFlow(source, ALL_COLUMNS)]))
            else:
                for key, column in self._tables.columns_of(sql_source.table).items():
                    yield Output(folded(key, self._dialect), frozenset([ColumnFlow(source, column)]))

    def _clauses(self, node: exp.Select, frame: SelectFrame) -> None:
        """Note the columns that decide which rows count, or their order."""
        for join in node.args.get("joins") or []:
            for part in listed(join.args.get("on")):
                self._note(self._value(part, frame))
            for name in join.args.get("using") or []:
                self._note(self._shared(key_of(name, self._dialect), name.name.lower(), frame))
        if frame.level.natural:
            self._note(self._natural(frame))
        for part in ("where", "having", "qualify", "windows", "order", "limit", "offset"):
            for clause in listed(node.args.get(part)):
                self._note(self._value(clause, frame))
        distinct = node.args.get("distinct")
        if distinct is not None and distinct.args.get("on") is not None:
            self._note(self._value(distinct, frame))

    def _shared(self, key: str, low: str, frame: SelectFrame) -> Flows:
        """The flows of the column of this name, in each source that has it or may have it."""
        return together(
            self._column_of(frame.source_by_id[id(source)], key, low)
            for source in frame.level.sources
            if source.columns is None or (low if source.table else key) in source.columns
        )

    def _natural(self, frame: SelectFrame) -> Flows:
        names = [name for source in frame.level.sources for name in source.columns or ()]
        return together(
            self._shared(folded(name, self._dialect), name.lower(), frame) for name in sorted(set(names))
        )

    def _keys(self, node: exp.Select, frame: SelectFrame) -> list[exp.Expr] | None:
        """The grouping expressions that can be compared with outputs; None without GROUP BY."""
        group = node.args.get("group")
        if group is None:
            return None
        keys: list[exp.Expr] = []
        for written in group.expressions:
            key = self._meant_key(written, node, frame)
            if key is None:
                outputs, _ = self._outputs(node, frame, None)
                self._note(together(output.flows for output in outputs), ColumnWay.KEY)
            else:
                keys.append(key)
                self._note(self._value(key, frame), ColumnWay.KEY)
        sets = [expr for part in ("rollup", "cube", "grouping_sets") for expr in listed(group.args.get(part))]
        for grouping_set in sets:
            self._note(self._value(grouping_set, frame), ColumnWay.KEY)
        return [] if sets else keys

    def _meant_key(self, key: exp.Expr, node: exp.Select, frame: SelectFrame) -> exp.Expr | None:
        """The expression that a position or a name in GROUP BY means; None if that is not certain."""
        if isinstance(key, exp.Literal) and not key.is_string:
            place = int(key.this) - 1 if str(key.this).isdigit() else -1
            items: list[exp.Expr] = node.expressions
            if not 0 <= place < len(items) or any(item.is_star for item in items[: place + 1]):
                return None
            item = items[place]
            return item.this if isinstance(item, exp.Alias) else item
        if isinstance(key, exp.Column) and key.args.get("table") is None and not self._limits.bound(key):
            return frame.aliases.get(key_of(key.this, self._dialect), key)
        return key

    # --- expressions --------------------------------------------------------------

    def _value(self, node: exp.Expr, frame: SelectFrame) -> Flows:
        """The flows of the columns in a value."""
        if isinstance(node, exp.Column):
            return self._column(node, frame)
        if isinstance(node, exp.Exists | exp.Query | exp.Values):
            exists = isinstance(node, exp.Exists)
            result = self._query(
                node.this if exists else node, QueryScope(frame, frame.table_by_name), frozenset()
            )
            return NOTHING if exists else result.flows
        return self._called(node, frame)

    def _called(self, node: exp.Expr, frame: SelectFrame) -> Flows:
        """The flows of the columns in the arguments of an operator or a function."""
        if isinstance(node, exp.Window):
            return self._window(node, frame)
        if isinstance(node, exp.Filter):
            self._note(self._value(node.expression, frame))
            return self._value(node.this, frame)
        if isinstance(node, exp.WithinGroup):
            ordered = self._children(node.expression, frame)
            return aggregated(called(ordered, name_of(node.this, self._sql)), node.this)
        if isinstance(node, exp.Case | exp.If):
            return self._choice(node, frame)
        if isinstance(node, exp.Predicate | exp.Connector | exp.Not):
            return tested(self._children(node, frame))
        if is_aggregate(node):
            return self._aggregate(node, frame)
        flows = self._children(node, frame)
        if isinstance(node, exp.Left | exp.Substring | exp.WidthBucket):
            own_flows = shortened(self._value(node.this, frame), node)
            other_children = [child for child in node.iter_expressions() if child is not node.this]
            flows = own_flows | together(self._value(child, frame) for child in other_children)
        return called(flows, name_of(node, self._sql))

    def _children(self, node: exp.Expr, frame: SelectFrame) -> Flows:
        return together(
            self._value(child, frame)
            for child in node.iter_expressions()
            if not isinstance(child, exp.Identifier | exp.DataType | exp.Var | exp.Star)
        )

    def _choice(self, node: exp.Expr, frame: SelectFrame) -> Flows:
        """The flows of CASE and IF: the conditions are tested, the values are outputs."""
        if isinstance(node, exp.If):
            values = [node.args.get("true"), node.args.get("false")]
            tests: list[exp.Expr | None] = [node.this]
        else:
            branches: list[exp.If] = node.args["ifs"]
            values = [*(branch.args.get("true") for branch in branches), node.args.get("default")]
            tests = [node.args.get("this"), *(branch.this for branch in branches)]
        judged = tested(together(self._value(test, frame) for test in tests if test is not None))
        return judged | together(self._value(value, frame) for value in values if value is not None)

    def _aggregate(self, node: exp.Expr, frame: SelectFrame) -> Flows:
        order = [
            order for order in node.find_all(exp.Order) if order.parent is node or order.parent is node.this
        ]
        for clause in order:
            self._note(self._children(clause, frame))
        flows = called(self._children(node, frame), name_of(node, self._sql))
        own_ids = {id(source) for source in frame.level.sources}
        foreign = any(
            id(source) not in own_ids
            for column in node.find_all(exp.Column)
            for source in self._limits.bound(column)
        )
        if foreign:
            return flows  # it may be an aggregate of an enclosing query, or of each of its rows
        # A condition within an aggregate decides which rows count.
        self._note(frozenset(flow for flow in flows if flow.way is ColumnWay.TESTED))
        return aggregated(flows, node)

    def _window(self, node: exp.Window, frame: SelectFrame) -> Flows:
        """The flows of a window function: each row gets a value, and an average may equal a row's value."""
        function = node.this
        while isinstance(function, exp.Filter | exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup):
            if isinstance(function, exp.Filter | exp.WithinGroup):
                self._note(self._value(function.expression, frame))
            function = function.this
        over = [child for child in node.iter_expressions() if child is not node.this]
        self._note(
            together(
                self._value(child, frame) for child in over if not isinstance(child, exp.Identifier | exp.Var)
            )
        )
        flows = called(self._children(function, frame), name_of(function, self._sql))
        return tested(flows) if isinstance(function, exp.Count) else flows

    # --- names --------------------------------------------------------------------

    def _column(self, node: exp.Column, frame: SelectFrame) -> Flows:
        name = node.this
        if not isinstance(name, exp.Identifier):
            raise Missing("the SQL holds a column that is not followed")
        key = key_of(name, self._dialect)
        bound = self._limits.bound(node)
        flows = together(
            self._column_of(self._visible_source(source, frame), key, name.name.lower(), name)
            for source in bound
        )
        if node.args.get("table") is not None:
            if not bound:
                raise Missing(f"the column {name.name[:40]!r} of the SQL belongs to no known table")
            return flows
        inner, meant = self._alias(key, frame)
        if bound or meant or id(node) in self._reader.texts or HOLE.fullmatch(node.name) is not None:
            return flows | inner
        raise Missing(f"the column {name.name[:40]!r} of the SQL belongs to no known table")

    def _alias(self, key: str, frame: SelectFrame) -> tuple[Flows, bool]:
        """The flows of the output with this name, and whether there is one, here or further out."""
        for outward in frame.outwards():
            if key in outward.aliases and key not in outward.resolving:
                outward.resolving.add(key)
                flows = self._value(outward.aliases[key], outward)
                outward.resolving.discard(key)
                return flows, True
        return NOTHING, False

    def _visible_source(self, source: SqlSource, frame: SelectFrame) -> SourceTable | QueryResult:
        """The source on this way; marks SELECTs that read a source of an enclosing SELECT as correlated."""
        passed: list[SelectFrame] = []
        for outward in frame.outwards():
            if id(source) in outward.source_by_id:
                for inner in passed:
                    inner.correlated = True
                return outward.source_by_id[id(source)]
            passed.append(outward)
        raise Missing("the SQL names a table where it cannot be seen")

    def _column_of(
        self, source: SourceTable | QueryResult, key: str, low: str, name: exp.Expr | None = None
    ) -> Flows:
        if isinstance(source, SourceTable):
            columns = self._tables.columns_of(source.table)
            if low not in columns:
                self._limits.check_case(name)
            return frozenset([ColumnFlow(source, columns.get(low, low))])
        named = [output for output in source.outputs if output.name == key]
        unnamed = [output for output in source.outputs if output.name is None]
        if not named and not unnamed:
            raise Missing(f"the column {low[:40]!r} of the SQL belongs to no known table")
        return together(
            [*(output.flows for output in named), *(one_of_all(output.flows, low) for output in unnamed)]
        )

    def _note(self, flows: Flows, way: ColumnWay = ColumnWay.FILTER) -> None:
        """Note columns that are used without being an output there."""
        self.flows |= {replace(flow, way=way, first=None, bands=None, grouped=False) for flow in flows}


# --- the least number of a table's rows in each group of a SELECT, and the one table whose rows it gives


def _count_groups(node: exp.Select, frame: SelectFrame, limits: SourceLimits) -> None:
    """Note in the sources the least number of rows of each group, from the counts in HAVING."""
    having = node.args.get("having")
    if having is None:
        return
    if len(frame.level.sources) == 1:
        source = frame.source_by_id[id(frame.level.sources[0])]
        single = source if isinstance(source, SourceTable) else source.single
        if single is not None:
            single.group_rows = max(single.group_rows, least_rows(having, lambda _count: True))
        return
    for sql_source in frame.level.sources:
        source = frame.source_by_id[id(sql_source)]
        if isinstance(source, SourceTable):
            rows = least_rows(
                having, lambda count, own_source=sql_source: _counts_values(count, own_source, limits)
            )
            source.group_rows = max(source.group_rows, rows)


def _single_source(node: exp.Select, frame: SelectFrame, limits: SourceLimits) -> SourceTable | None:
    """The one table whose rows the SELECT gives, each at most once; None if there is none."""
    if len(frame.level.sources) != 1 or not limits.passes(node) or node.args.get("distinct") is not None:
        return None
    source = frame.source_by_id[id(frame.level.sources[0])]
    return source if isinstance(source, SourceTable) else source.single


def _counts_values(count: exp.Count, source: SqlSource, limits: SourceLimits) -> bool:
    """Whether a count is of the different values of one column of the source."""
    distinct = count.this
    columns = distinct.expressions if isinstance(distinct, exp.Distinct) else []
    bound = limits.bound(columns[0]) if len(columns) == 1 and isinstance(columns[0], exp.Column) else []
    return len(bound) == 1 and bound[0] is source

"""The conditions that limit every row of each source of a SELECT, including those of enclosing queries."""

# sqlglot is typed only in part: its expression arguments are untyped mappings.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from workbench.runs.sql.column_uses import Condition, is_by_row
from workbench.runs.sql.enclosing_selects import SelectFrame
from workbench.runs.sql.limits import ColumnLimit, limits, sides
from workbench.runs.sql.query_reader import folded, key_of, place_of
from workbench.runs.sql.table_names import SqlSource, Tables
from workbench.runs.values.found_value import Missing


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
        for condition, begin, end in sides(node):
            for limit in limits(condition):
                owner = self._owner(limit, frame)
                if owner is not None and any(owner is sql_source for sql_source in sources[begin:end]):
                    conditions_by_source[id(owner)].add(limit.named(self._column_key(limit.column, owner)))
        for condition in pushed:
            origin = self._origin(node, frame, condition.column)
            if origin is not None:
                conditions_by_source[id(origin[0])].add(replace(condition, column=origin[1]))
        return conditions_by_source

    def _owner(self, limit: ColumnLimit, frame: SelectFrame) -> SqlSource | None:
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
                    self._owner(ColumnLimit(column, "", ""), frame)
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

"""The SELECTs that enclose a query, on one way through it to the result."""

# sqlglot is typed only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from workbench.runs.sql.column_uses import QueryResult, SourceTable
from workbench.runs.sql.table_names import Level


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

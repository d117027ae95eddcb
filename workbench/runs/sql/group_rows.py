"""The least number of a table's rows in each group of a SELECT, and the one table whose rows it gives."""

# sqlglot is typed only in part: its expression arguments are untyped mappings.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

from sqlglot import exp

from workbench.runs.sql.column_uses import SourceTable
from workbench.runs.sql.enclosing_selects import SelectFrame
from workbench.runs.sql.limits import least_rows
from workbench.runs.sql.source_limits import SourceLimits
from workbench.runs.sql.table_names import SqlSource


def count_groups(node: exp.Select, frame: SelectFrame, limits: SourceLimits) -> None:
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


def single_source(node: exp.Select, frame: SelectFrame, limits: SourceLimits) -> SourceTable | None:
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

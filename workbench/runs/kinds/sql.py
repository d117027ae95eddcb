"""The kind ``sql``: what the statements of a SQL text read, show, limit, and change."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.model import ArgumentType, Json, Kind, RecordType, RecordValue, Value
from workbench.runs.kinds.kinds_by_name import UNDECLARED_DIALECT
from workbench.runs.kinds.value_kind import (
    FLAG,
    TEXT,
    TEXTS,
    WHOLE_NUMBER,
    Parts,
    Read,
    ValueKind,
    list_of,
    text_option,
)
from workbench.runs.sql.functions import DIALECTS
from workbench.runs.values.described_option import BadOption, DescribedOption, OptionKind
from workbench.runs.values.found_value import Missing

if TYPE_CHECKING:
    from workbench.runs.sql.column_uses import ColumnFlow, Condition
    from workbench.runs.sql.statement_kinds import Statements
    from workbench.runs.sql.table_names import Schema

WAYS = ("plain", "picked", "aggregate", "counted", "tested", "key", "filter")
_NUMBER_IF_ANY = ArgumentType(Kind.INT, optional=True)
_TIME_IF_ANY = ArgumentType(Kind.DATETIME, optional=True)

USE = RecordType(
    "SqlUse",
    (
        ("table", TEXT),
        ("column", TEXT),
        ("way", ArgumentType(Kind.ENUM, WAYS)),
        ("functions", TEXTS),
        ("first", _NUMBER_IF_ANY),
        ("bands", _NUMBER_IF_ANY),
        ("grouped", FLAG),
        ("by_group", FLAG),
        ("group_rows", WHOLE_NUMBER),
        ("conditions", TEXTS),
    ),
)
CONDITION = RecordType(
    "SqlCondition", (("table", TEXT), ("column", TEXT), ("operator", TEXT), ("value", TEXT))
)
PERIOD = RecordType(
    "SqlPeriod", (("table", TEXT), ("column", TEXT), ("since", _TIME_IF_ANY), ("until", _TIME_IF_ANY))
)
_TIME = re.compile(r"'(\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?)?)'")
_ONE_SCHEMA = frozenset({"sqlite"})
"""The dialects in which a table without a schema is found without settings of the connection."""
_AS_WRITTEN = "as written"
_LOWER, _UPPER = frozenset({">", ">=", "="}), frozenset({"<", "<=", "="})


def _prepare(options: Mapping[str, Json]) -> Read:
    dialect = text_option(options, "dialect")
    schema = schema_option(options)
    option = options["constants"]
    constants = frozenset(str(name) for name in option) if isinstance(option, list) else frozenset[str]()
    declared = dict(schema)
    searched = dialect not in _ONE_SCHEMA and text_option(options, "unqualified") != _AS_WRITTEN

    def read(text: str) -> Parts:
        from workbench.runs.sql.statement_kinds import read_statements

        def read_as(dialect: str) -> Parts:
            statements = read_statements(text, schema, dialect, constants)
            if searched:
                _check_qualified(statements, declared)
            return _parts(statements, declared)

        return _read_alike(read_as) if dialect == UNDECLARED_DIALECT else read_as(dialect)

    return read


def _read_alike(read_as: Callable[[str], Parts]) -> Parts:
    """The parts of a text that every database reads alike. Raises Missing if one reads it otherwise."""
    first: Parts | None = None
    for dialect in DIALECTS:
        try:
            parts = read_as(dialect)
        except Missing as missing:
            raise Missing(f"{missing} ({dialect}); say which dialect the database has") from None
        if first is not None and parts != first:
            raise Missing(f"{DIALECTS[0]} and {dialect} read the SQL differently; say which dialect it is")
        first = parts
    return first or {}


def _check_qualified(statements: Statements, declared: Container[str]) -> None:
    """Raise Missing for a table that is named without its schema, and that the agent does not declare.

    The settings of the connection say which table it is. A rule about ``crm.customers`` would not see it.
    """
    for table in sorted(statements.reads | statements.writes):
        if "." not in table and table not in declared:
            raise Missing(
                f"the table {table!r} is named without its schema; name it with it, declare its columns, "
                f'or say unqualified = "{_AS_WRITTEN}" if the database has no schemas'
            )


def schema_option(options: Mapping[str, Json]) -> Schema:
    """The tables with their columns, from the option ``schema``. Raises BadOption."""
    option = options["schema"]
    tables: list[tuple[str, tuple[str, ...]]] = []
    for table, columns in option.items() if isinstance(option, dict) else ():
        if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
            raise BadOption("schema", f"schema has no list of columns for the table {table!r}")
        tables.append((table, tuple(str(column) for column in columns)))
    return tuple(tables)


def _parts(statements: Statements, schema: Mapping[str, tuple[str, ...]]) -> Parts:
    return {
        "kinds": frozenset(statements.kinds),
        "statements": statements.count,
        "reads": frozenset(statements.reads),
        "writes": frozenset(statements.writes),
        "columns": _columns(statements, schema),
        "functions": frozenset(statements.functions),
        "uses": _uses(statements),
        "conditions": _conditions(statements),
        "periods": _periods(statements),
        "limit": statements.limit,
        "shown": _shown(statements),
        "limited": _limited(statements),
    }


def _columns(statements: Statements, schema: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """The columns that are read; a table of which none is read counts whole, as its rows can be counted."""
    touched = {column.rpartition(".")[0] for column in statements.columns}
    return frozenset(statements.columns) | {
        f"{table}.{column}" for table in statements.reads - touched for column in schema.get(table) or ("*",)
    }


def _shown(statements: Statements) -> frozenset[str]:
    """The columns whose values are output, as texts; with the number of characters if only the first are."""
    return frozenset(
        f"{flow.source.table}.{flow.column}" + (f" first {flow.first}" if flow.first is not None else "")
        for flow in statements.flows
        if flow.way.value in ("plain", "picked") and flow.bands is None
    )


def _limited(statements: Statements) -> frozenset[str]:
    """The conditions on each row of a table in all reads of it, as text: ``sales.orders.region = north``."""
    return frozenset(
        f"{table}.{condition.column} {condition.operator} {_value(condition.value)}"
        for table, condition in _on_every_row(statements)
    )


def _uses(statements: Statements) -> tuple[RecordValue, ...]:
    """Each column of each table with its use; the column ``*`` means that the rows are counted."""
    from workbench.runs.sql.column_uses import ColumnFlow, ColumnWay

    counted = (ColumnFlow(source, "*", ColumnWay.COUNTED) for source in statements.sources)
    return tuple(sorted({_use(flow) for flow in (*statements.flows, *counted)}, key=_order))


def _use(flow: ColumnFlow) -> RecordValue:
    source = flow.source
    return _record(
        *(USE, source.table, flow.column, flow.way.value, flow.functions, flow.first, flow.bands),
        *(flow.grouped, source.by_group, source.group_rows, frozenset(map(str, source.conditions))),
    )


def _record(type_: RecordType, *values: Value) -> RecordValue:
    names = (name for name, _ in type_.fields)
    return RecordValue(type_.name, tuple(zip(names, values, strict=True)))


def _order(record: RecordValue) -> tuple[str, ...]:
    return tuple(
        ", ".join(sorted(str(member) for member in value)) if isinstance(value, frozenset) else str(value)
        for _, value in record.fields
    )


def _by_table(statements: Statements) -> Mapping[str, Sequence[frozenset[Condition]]]:
    sources: dict[str, list[frozenset[Condition]]] = defaultdict(list)
    for source in statements.sources:
        sources[source.table].append(source.conditions)
    return sources


def _on_every_row(statements: Statements) -> Iterator[tuple[str, Condition]]:
    """The conditions on each row of a table in all reads of it."""
    for table, sources in _by_table(statements).items():
        for condition in sources[0].intersection(*sources[1:]):
            yield table, condition


def _conditions(statements: Statements) -> tuple[RecordValue, ...]:
    """The conditions on every row of a table in all reads of it, as records."""
    conditions = {
        _record(CONDITION, table, condition.column, condition.operator, _value(condition.value))
        for table, condition in _on_every_row(statements)
    }
    return tuple(sorted(conditions, key=_order))


def _value(written: str) -> str:
    """The text of a literal without its quotes."""
    return written[1:-1].replace("''", "'") if written.startswith("'") else written


def _periods(statements: Statements) -> tuple[RecordValue, ...]:
    """The periods of the rows of a table, by each column that limits the rows in all reads of it."""
    periods: list[RecordValue] = []
    for table, sources in _by_table(statements).items():
        for column in sorted({condition.column for source in sources for condition in source}):
            since = [max(_times(source, column, _LOWER), default=None) for source in sources]
            until = [min(_times(source, column, _UPPER), default=None) for source in sources]
            first = None if None in since else min(start for start in since if start is not None)
            last = None if None in until else max(end for end in until if end is not None)
            if first is not None or last is not None:
                periods.append(_record(PERIOD, table, column, first, last))
    return tuple(sorted(periods, key=_order))


def _times(conditions: Iterable[Condition], column: str, operators: frozenset[str]) -> list[datetime]:
    """The times in the conditions; a time without a zone is in UTC."""
    times: list[datetime] = []
    for condition in conditions:
        written = _TIME.fullmatch(condition.value)
        if condition.column != column or condition.operator not in operators or written is None:
            continue
        try:
            time = datetime.fromisoformat(written[1])
        except ValueError:
            continue
        times.append(time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC))
    return times


SQL = ValueKind(
    name="sql",
    meaning="statements of SQL: what they read and show, what limits it, and what they change",
    parts=(
        ("kinds", TEXTS),
        ("statements", WHOLE_NUMBER),
        ("reads", TEXTS),
        ("writes", TEXTS),
        ("columns", TEXTS),
        ("functions", TEXTS),
        ("uses", list_of(USE)),
        ("conditions", list_of(CONDITION)),
        ("periods", list_of(PERIOD)),
        ("limit", _NUMBER_IF_ANY),
        ("shown", TEXTS),
        ("limited", TEXTS),
    ),
    prepare=_prepare,
    options=(
        DescribedOption(
            "dialect",
            OptionKind.TEXT,
            "the SQL dialect; undeclared: what all read alike is read, and nothing else",
            choices=(*DIALECTS, UNDECLARED_DIALECT),
            default="sqlite",
        ),
        DescribedOption(
            "schema", OptionKind.WORDS, "the tables with their columns; the agent's if not given"
        ),
        DescribedOption(
            "constants", OptionKind.TEXTS, "names that the database fills in before it runs a query"
        ),
        DescribedOption(
            "unqualified",
            OptionKind.TEXT,
            "what is read of a table that is named without its schema and not declared: nothing is "
            'determinable, but in sqlite; "as written" where the database has no schemas',
            choices=("", _AS_WRITTEN),
            default="",
        ),
    ),
    needs="sqlglot",
)

"""The destinations of the columns of SQL: random queries are run on small tables; the rest by hand."""

from __future__ import annotations

import os
import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runs.sql.flow_oracle import Tables, random_flow, random_tables, run, shown
from tests.runs.sql.sql_oracle import hospital
from workbench.runs.sql.column_uses import ColumnFlow, ColumnWay, Condition
from workbench.runs.sql.statement_kinds import Statements, read_statements
from workbench.runs.values.found_value import Missing

HOSPITAL = tuple(hospital().items())
SEEDS = st.integers(0, 2**48)
EXAMPLES = 5_000 if os.environ.get("WORKBENCH_EVERY_RUN") else 40
TRIES = 6


def judged(rng: random.Random, *, marked: bool) -> Iterator[tuple[str, Statements, Tables]]:
    """Queries that the reader follows and SQLite runs, with tables to run them on."""
    for _ in range(TRIES):
        query, tables = random_flow(rng), random_tables(rng, marked=marked)
        try:
            if "current_" in query.lower():
                continue  # it gives another result each second
            run(query, tables)
            yield query, read_statements(query, HOSPITAL, "sqlite"), tables
        except (Missing, sqlite3.Error, sqlite3.Warning):
            continue


def columns_of_flows(flows: set[ColumnFlow]) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """The columns with a value in the output, and the columns with more than two characters in it."""
    plain = [flow for flow in flows if flow.way in (ColumnWay.PLAIN, ColumnWay.PICKED)]
    names = {(flow.source.table, flow.column) for flow in plain}
    return names, {(flow.source.table, flow.column) for flow in plain if flow.first is None or flow.first > 2}


@settings(max_examples=EXAMPLES, deadline=None)
@given(SEEDS)
def test_a_column_that_does_not_come_out_is_in_no_cell(seed: int) -> None:
    for query, statements, tables in judged(random.Random(seed), marked=True):
        seen, long = shown(run(query, tables))
        values, longer = columns_of_flows(statements.flows)
        assert seen <= values, query
        assert long <= longer, query


def of_table(statements: Statements, table: str) -> frozenset[Condition]:
    """The conditions that limit every row of the table at each of its readings."""
    sources = [source.conditions for source in statements.sources if source.table == table]
    return frozenset[Condition].intersection(*sources) if sources else frozenset()


def without(tables: Tables, table: str, condition: Condition) -> Tables:
    """The tables without the rows of ``table`` that break the condition."""
    columns = hospital()[table]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"create table {table} ({', '.join(columns)})")
        connection.executemany(f"insert into {table} values ({', '.join('?' * len(columns))})", tables[table])
        return {**tables, table: connection.execute(f"select * from {table} where {condition}").fetchall()}


@settings(max_examples=EXAMPLES, deadline=None)
@given(SEEDS)
def test_rows_that_break_a_condition_which_limits_every_row_change_nothing(seed: int) -> None:
    for query, statements, tables in judged(random.Random(seed), marked=False):
        before = Counter(run(query, tables))
        for table in {source.table for source in statements.sources}:
            for condition in of_table(statements, table):
                assert Counter(run(query, without(tables, table, condition))) == before, (query, condition)


@settings(max_examples=EXAMPLES, deadline=None)
@given(SEEDS)
def test_a_group_has_as_many_rows_as_having_counts(seed: int) -> None:
    rng = random.Random(seed)
    for query, statements, tables in judged(rng, marked=True):
        plain = {flow for flow in statements.flows if flow.way in (ColumnWay.PLAIN, ColumnWay.PICKED)}
        for table in {source.table for source in statements.sources}:
            least = min((flow.source.group_rows for flow in plain if flow.source.table == table), default=0)
            if least < 2:
                continue
            few = {**tables, table: rng.sample(tables[table], min(least - 1, len(tables[table])))}
            seen, _ = shown(run(query, few))
            assert not any(name == table for name, _ in seen), (query, table, least)

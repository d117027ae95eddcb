"""Random queries with conditions and groups, and small tables that show the path of each value at run time.

Each column of each table has two letters of its own, which no function of the grammar makes. One is the first
letter of each value, the other the third. A cell with the first letter shows a value of the column; with the
other it shows more than two characters of one.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache

from tests.runs.sql.sql_oracle import STEPS, Source, Writer, commas, hospital

_FIRST_LETTER = 0x4E00
VALUES = ("a", "b", "c")

type Rows = Sequence[tuple[str | None, ...]]
type Tables = Mapping[str, Rows]


@cache
def letters() -> dict[tuple[str, str], tuple[str, str]]:
    """The two letters of each column."""
    columns = [(table, column) for table, names in hospital().items() for column in names]
    return {
        column: (chr(_FIRST_LETTER + 2 * place), chr(_FIRST_LETTER + 2 * place + 1))
        for place, column in enumerate(columns)
    }


def random_tables(rng: random.Random, *, marked: bool) -> Tables:
    """A few rows for each table: short texts, many of them equal, with the letters if ``marked``."""

    def value(table: str, column: str) -> str | None:
        if rng.random() < 0.15:
            return None
        first, last = letters()[table, column]
        text = rng.choice(VALUES)
        return f"{first}{text}{last}" if marked else text

    return {
        table: [tuple(value(table, column) for column in columns) for _ in range(rng.randint(1, 4))]
        for table, columns in hospital().items()
    }


def run(query: str, tables: Tables) -> list[tuple[object, ...]]:
    """The rows that SQLite returns for the query; raises sqlite3.Error if it fails or takes too long."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for table, columns in hospital().items():
            connection.execute(f"create table {table} ({', '.join(columns)})")
            connection.executemany(
                f"insert into {table} values ({', '.join('?' * len(columns))})", tables[table]
            )
        steps = iter(range(STEPS // 1000))
        connection.set_progress_handler(lambda: next(steps, None) is None, 1000)
        return connection.execute(query).fetchmany(200)


def shown(rows: Iterable[tuple[object, ...]]) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """The columns with a value in a cell, and the columns with more than two characters of one."""
    text = "".join(str(cell) for row in rows for cell in row)
    first = {column for column, (letter, _) in letters().items() if letter in text}
    return first, {column for column, (_, letter) in letters().items() if letter in text}


@dataclass(slots=True)
class FlowWriter(Writer):
    """Writes queries with conditions that limit a column, and with bounds on counts."""

    def _select(self, around: list[list[Source]], width: int) -> list[str]:
        if self.rng.random() > 0.3:
            return Writer._select(self, around, width)
        tokens, level = self._from(around)
        if not level:
            return Writer._select(self, around, width)
        levels = [level, *around]
        key = self._simple([level])
        items = [key, *(self._expression(levels) for _ in range(width - 1))]
        result = ["select", *commas(items), *tokens, *self._maybe(0.4, ["where", *self._condition(levels)])]
        result += ["group", "by", *self.rng.choice([key, key, ["1"]])]
        bound = [
            *self._counted([level]),
            *self.rng.choice([[">=", "2"], [">", "1"], [">=", "3"], ["=", "2"]]),
        ]
        return [*result, "having", *bound, *self._maybe(0.2, ["and", *self._condition(levels)])]

    def _condition(self, levels: list[list[Source]]) -> list[str]:
        roll = self.rng.random()
        if roll < 0.45:
            return self._limit(levels)
        if roll < 0.6:
            return [*self._limit(levels), "and", *self._condition(levels)]
        if roll < 0.65:
            return ["(", *self._limit(levels), "or", *self._limit(levels), ")"]
        if roll < 0.75:
            return [*self._counted(levels), *self.rng.choice([[">=", "2"], [">", "1"], [">=", "3"]])]
        return Writer._condition(self, levels)

    def _limit(self, levels: list[list[Source]]) -> list[str]:
        column, value = self._simple(levels), f"'{self.rng.choice(VALUES)}'"
        form = self.rng.random()
        if form < 0.2:
            return [value, self.rng.choice(["=", "<", ">="]), *column]
        if form < 0.3:
            return [*column, "in", "(", value, ",", "'b'", ")"]
        if form < 0.4:
            return [*column, "between", "'a'", "and", value]
        if form < 0.5:
            return [*column, "is", "not", "null"]
        if form < 0.55:
            return ["not", *column, "=", value]
        return [*column, self.rng.choice(["=", "=", "=", "<>", "<", "<=", ">", ">="]), value]

    def _counted(self, levels: list[list[Source]]) -> list[str]:
        form = self.rng.random()
        if form < 0.6:
            return ["count", "(", "*", ")"]
        return ["count", "(", *self._maybe(0.6, ["distinct"]), *self._simple(levels), ")"]


def random_flow(rng: random.Random) -> str:
    """A query of the grammar, which may not run."""
    return FlowWriter(rng).text()

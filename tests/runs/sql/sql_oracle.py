"""Random SQL queries, and what SQLite really reads when it runs them: the oracle of ``read_sql``.

The tables are those of the shipped hospital session. A query is built by a grammar that knows the names in
scope. It prefers names that mean different things at different levels: aliases and common table expressions
named like tables, output columns named like columns, sub-queries that see the query around them.
"""

from __future__ import annotations

import random
import sqlite3
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

SESSION = Path(__file__).resolve().parents[3] / "sessions" / "hospital-access" / "agent.toml"
TABLES = ("allergy", "cost", "diagnosis", "lab", "medication", "patient")
STEPS = 20_000
TRIES = 60
# Tables that SQLite itself offers; they contain the names of other tables.
OF_SQLITE = (
    (["sqlite_master"], ("name", "sql")),
    (["pragma_table_info", "(", "'cost'", ")"], ("name",)),
    (["json_each", "(", "'[1]'", ")"], ("value",)),
)

type Read = tuple[str, str]


@cache
def hospital() -> dict[str, tuple[str, ...]]:
    """The tables of the oracle and their columns, as the shipped session declares them."""
    schema = tomllib.loads(SESSION.read_text())["schema"]
    return {table: tuple(schema[table]) for table in TABLES}


@cache
def _database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    for table, columns in hospital().items():
        connection.execute(f"create table {table} ({', '.join(columns)})")
        for row in range(3):
            values = [f"{column[:3]}{row}" if place % 2 else row for place, column in enumerate(columns)]
            connection.execute(f"insert into {table} values ({', '.join('?' * len(columns))})", values)
    connection.commit()
    return connection


def really_read(query: str) -> set[Read]:
    """The (table, column) pairs that SQLite reads for this query; raises sqlite3.Error if it does not run.

    The column is empty if a table is read without any of its columns, as in ``count(*)``. Tables of SQLite
    itself are reported like others.
    """
    read: set[Read] = set()

    def authorize(action: int, first: str | None, second: str | None, *_where: object) -> int:
        if action == sqlite3.SQLITE_READ and first is not None:
            read.add((first.lower(), (second or "").lower()))
        return sqlite3.SQLITE_OK

    connection = _database()
    opened = _opened(connection, query)
    steps = iter(range(STEPS // 1000))
    connection.set_authorizer(authorize)
    connection.set_progress_handler(lambda: next(steps, None) is None, 1000)
    try:
        connection.execute(query).fetchmany(50)
    except sqlite3.OperationalError as error:
        # A query that was prepared and then stopped for its length counts as read.
        if "interrupted" not in str(error):
            raise
    finally:
        connection.set_authorizer(None)
        connection.set_progress_handler(None, 0)
        connection.rollback()
    # A common table expression without a used column is reported too, by its name alone.
    return {(table, column) for table, column in read if column or table in opened}


def _opened(connection: sqlite3.Connection, query: str) -> set[str]:
    """The tables that the compiled query opens."""
    pages = {page: table for table, page in connection.execute("select name, rootpage from sqlite_master")}
    program = connection.execute(f"explain {query}").fetchall()
    return {pages.get(row[3], "sqlite_master") for row in program if row[1] == "OpenRead"}


def random_query(rng: random.Random) -> str:
    """A query that SQLite runs; usually it reads several tables."""
    for _ in range(TRIES):
        query = Writer(rng).text()
        try:
            if really_read(query):
                return query
        except (sqlite3.Error, sqlite3.Warning):
            continue
    return "select cost from cost"


@dataclass(slots=True)
class Source:
    """An item in FROM: the name that refers to it, and its columns."""

    name: str
    columns: tuple[str, ...]


@dataclass(slots=True)
class Writer:
    """Writes one query as tokens, then spells them in the ways that SQL allows."""

    rng: random.Random
    budget: int = 9
    names: list[Source] = field(default_factory=list[Source])  # common table expressions in scope

    def text(self) -> str:
        """The whole query."""
        return self._spell(self.query([], top=True))

    # --- queries ------------------------------------------------------------------

    def query(self, around: list[list[Source]], *, top: bool = False, width: int = 0) -> list[str]:
        """A query expression; ``around`` are the levels of sources that it sees, the innermost first."""
        self.budget -= 1
        known = list(self.names)
        tokens = self._with(around) if self._chance(0.3 if top else 0.12) else []
        width = width or self.rng.randint(1, 3)
        tokens += self._select(around, width)
        compound = self._chance(0.15)
        if compound:
            tokens += [self.rng.choice(["union", "union all", "intersect", "except"])]
            tokens += self._select(around, width)
        if self._chance(0.2):
            tokens += ["order", "by", str(self.rng.randint(1, width))]
        if self._chance(0.2):
            tokens += ["limit", str(self.rng.randint(0, 9)), *(["offset", "1"] if self._chance(0.3) else [])]
        self.names = known
        return tokens

    def _with(self, around: list[list[Source]]) -> list[str]:
        tokens = ["with"]
        if self._chance(0.25):
            name, column = self._fresh(), self._column_name()
            tokens += ["recursive", name, "(", column, ")", "as", "("]
            tokens += ["select", *self._literal(), "union", "select", column, "+", "1"]
            tokens += ["from", name, "where", column, "<", "3", ")"]
            self.names.append(Source(name, (column,)))
            return tokens
        for place in range(self.rng.randint(1, 2)):
            name = self._fresh()
            width = self.rng.randint(1, 2)
            inner = self.query(around, width=width)
            columns = tuple(dict.fromkeys(self._column_name() for _ in range(width)))
            columns = columns if len(columns) == width else tuple(f"c{index}" for index in range(width))
            tokens += [",", name] if place else [name]
            tokens += ["(", *commas([[column] for column in columns]), ")", "as"]
            tokens += self.rng.choice([[], [], ["materialized"], ["not", "materialized"]])
            tokens += ["(", *inner, ")"]
            self.names.append(Source(name, columns))
        return tokens

    def _select(self, around: list[list[Source]], width: int) -> list[str]:
        if self._chance(0.05):
            return ["values", "(", *commas([self._expression(around) for _ in range(width)]), ")"]
        tokens, level = self._from(around)
        levels = [level, *around]
        items = [self._item(levels) for _ in range(width)]
        if self.budget > 0 and self._chance(0.1):
            items = [self._star(level)]
        windowed = self._chance(0.08)
        if windowed:
            items[0] = ["sum", "(", *self._simple(levels), ")", "over", "w"]
        result = ["select", *self._maybe(0.15, ["distinct"]), *commas(items), *tokens]
        result += self._maybe(0.6, ["where", *self._condition(levels)])
        if self._chance(0.2):
            result += [
                "group",
                "by",
                *commas([self._expression(levels) for _ in range(self.rng.randint(1, 2))]),
            ]
            result += self._maybe(0.5, ["having", *self._condition(levels)])
        if windowed:
            result += ["window", "w", "as", "(", *self._window(levels), ")"]
        if self._chance(0.2) and not around:
            result += ["order", "by", *self._expression(levels), *self._maybe(0.3, ["desc", "nulls", "last"])]
        return result

    def _item(self, levels: list[list[Source]]) -> list[str]:
        alias = self._column_name() if self._chance(0.5) else self._fresh()
        return [*self._expression(levels), *self._maybe(0.4, ["as", alias] if self._chance(0.7) else [alias])]

    def _star(self, level: list[Source]) -> list[str]:
        return ["*"] if self._chance(0.6) or not level else [self.rng.choice(level).name, ".", "*"]

    def _from(self, around: list[list[Source]]) -> tuple[list[str], list[Source]]:
        if self._chance(0.06):
            return [], []
        tokens, first = self._source()
        level = [first]
        for _ in range(self.rng.choice([0, 0, 0, 1, 1, 2])):
            inner, source = self._source()
            shared = [name for name in source.columns if all(name in other.columns for other in level)]
            form = self.rng.random()
            level.append(source)
            if shared and form < 0.2:
                tokens += ["join", *inner, "using", "(", self.rng.choice(shared), ")"]
            elif form < 0.3:
                tokens += ["natural", *self._maybe(0.3, ["left"]), "join", *inner]
            elif form < 0.6:
                tokens += [",", *inner]
            else:
                kinds = [[], ["left"], ["inner"], ["cross"], ["left", "outer"], ["right"], ["full"]]
                kind = self.rng.choice(kinds)
                tokens += [*kind, "join", *inner]
                tokens += self._maybe(0.8, ["on", *self._condition([level, *around])])
        return ["from", *tokens], level

    def _source(self) -> tuple[list[str], Source]:
        alias = self._fresh()
        roll = self.rng.random()
        if roll < 0.2 and self.budget > 0:
            width = self.rng.randint(1, 2)
            columns = tuple(f"k{place}" for place in range(width))
            inner, level = self._from([])
            items = [self._expression([level]) for _ in columns]
            columns = tuple(self._column_name() if self._chance(0.6) else name for name in columns)
            aliased = [[*item, "as", name] for item, name in zip(items, columns, strict=True)]
            if self._chance(0.2) and level:
                aliased, columns = [["*"]], tuple(name for source in level for name in source.columns)
            tokens = ["(", "select", *commas(aliased), *inner, ")", *self._maybe(0.6, ["as"]), alias]
            return tokens, Source(alias, columns)
        if roll < 0.22:
            function = self.rng.choice(OF_SQLITE)
            return [*function[0], alias], Source(alias, function[1])
        if roll < 0.4 and self.names:
            base = self.rng.choice(self.names)
            name = [base.name]
        else:
            table = self.rng.choice(TABLES)
            base = Source(table, hospital()[table])
            name = ["main", ".", table] if self._chance(0.1) else [table]
        if self._chance(0.5):
            return [*name, *self._maybe(0.6, ["as"]), alias], Source(alias, base.columns)
        return name, base

    # --- expressions --------------------------------------------------------------

    def _condition(self, levels: list[list[Source]]) -> list[str]:
        roll = self.rng.random()
        left = self._expression(levels)
        if roll < 0.1:
            return [*self._condition(levels), self.rng.choice(["and", "or"]), *self._condition(levels)]
        if roll < 0.18 and self.budget > 0:
            return [*self._maybe(0.3, ["not"]), "exists", "(", *self.query(levels), ")"]
        if roll < 0.3 and self.budget > 0:
            return [*left, *self._maybe(0.3, ["not"]), "in", "(", *self.query(levels, width=1), ")"]
        if roll < 0.38:
            return [*left, "in", "(", *commas([self._expression(levels) for _ in range(2)]), ")"]
        if roll < 0.41:
            names = [source.name for source in self.names] or list(TABLES)
            return [*left, "in", self.rng.choice(names)]
        if roll < 0.5:
            return [*left, "between", *self._simple(levels), "and", *self._simple(levels)]
        if roll < 0.56:
            return [*left, self.rng.choice(["like", "not like", "glob"]), "'%a%'"]
        if roll < 0.6:
            return [*left, "is", *self._maybe(0.5, ["not"]), self.rng.choice(["null", "'a'"])]
        if roll < 0.64:
            pair = ["(", *self._simple(levels), ",", *self._simple(levels), ")"]
            return [*pair, "=", "(", *self._simple(levels), ",", *self._simple(levels), ")"]
        return [
            *left,
            self.rng.choice(["=", "<", ">", "<=", ">=", "<>", "==", "is"]),
            *self._expression(levels),
        ]

    def _expression(self, levels: list[list[Source]]) -> list[str]:
        roll = self.rng.random()
        if roll < 0.45 or self.budget <= 0:
            return self._simple(levels)
        if roll < 0.55:
            return self._call(levels)
        if roll < 0.63 and self.budget > 0:
            return ["(", *self.query(levels, width=1), ")"]
        if roll < 0.7:
            whens = ["when", *self._condition(levels), "then", *self._simple(levels)]
            return ["case", *whens, *self._maybe(0.6, ["else", *self._simple(levels)]), "end"]
        if roll < 0.75:
            return [
                "cast",
                "(",
                *self._simple(levels),
                "as",
                self.rng.choice(["text", "integer", "real"]),
                ")",
            ]
        if roll < 0.82:
            operator = self.rng.choice(["+", "-", "*", "/", "||", "%", "&", "->>", "collate"])
            right = ["nocase"] if operator == "collate" else self._simple(levels)
            return [*self._simple(levels), operator, *right]
        if roll < 0.88:
            name = self.rng.choice(["row_number", "rank", "dense_rank"])
            return [name, "(", ")", "over", "(", *self._window(levels), ")"]
        if roll < 0.94:
            name = self.rng.choice(["count", "sum", "min", "max", "avg", "group_concat", "total"])
            inner = [*self._maybe(0.2, ["distinct"]), *self._simple(levels)]
            if name == "count" and self._chance(0.5):
                inner = ["*"]
            tail = self._maybe(0.2, ["filter", "(", "where", *self._condition(levels), ")"])
            return [name, "(", *inner, ")", *tail]
        return ["(", *self._expression(levels), ")"]

    def _window(self, levels: list[list[Source]]) -> list[str]:
        tokens = self._maybe(0.5, ["partition", "by", *self._simple(levels)])
        tokens += ["order", "by", *self._simple(levels)]
        return tokens + self._maybe(0.2, ["rows", "between", "1", "preceding", "and", "current", "row"])

    def _call(self, levels: list[list[Source]]) -> list[str]:
        first, second = self._simple(levels), self._simple(levels)
        return self.rng.choice([
            ["lower", "(", *first, ")"],
            ["length", "(", *first, ")"],
            ["coalesce", "(", *first, ",", *second, ")"],
            ["substr", "(", *first, ",", "1", ",", "2", ")"],
            ["strftime", "(", "'%Y'", ",", *first, ")"],
            ["datetime", "(", *first, ",", "'-1 year'", ")"],
            ["iif", "(", *first, ",", *second, ",", "1", ")"],
            ["min", "(", *first, ",", *second, ")"],
            ["json_extract", "(", "'{}'", ",", "'$.a'", ")"],
            ["replace", "(", *first, ",", "'a'", ",", *second, ")"],
            ["round", "(", *first, ")"],
            ["nullif", "(", *first, ",", *second, ")"],
        ])  # fmt: skip

    def _simple(self, levels: list[list[Source]]) -> list[str]:
        level = self._level(levels)
        if level is None or self._chance(0.12):
            return self._literal()
        source = self.rng.choice(level)
        column = self.rng.choice([*source.columns, "rowid"] if self._chance(0.03) else source.columns)
        # Names of columns that many tables have are the ones that readers resolve wrongly.
        if "cost" in source.columns and self._chance(0.5):
            column = "cost"
        return [column] if self._chance(0.45) else [source.name, ".", column]

    def _level(self, levels: list[list[Source]]) -> list[Source] | None:
        filled = [level for level in levels if level]
        if not filled:
            return None
        return filled[0] if self._chance(0.7) else self.rng.choice(filled)

    def _literal(self) -> list[str]:
        texts = [
            "1",
            "2.5",
            "'a'",
            "'it''s -- /* no comment'",
            "null",
            "x'41'",
            '"no column"',
            "current_time",
        ]
        return [self.rng.choice(texts)]

    # --- names and spelling -------------------------------------------------------

    def _fresh(self) -> str:
        return self.rng.choice([*TABLES, "t", "t1", "t2", "a", "b", "x"])

    def _column_name(self) -> str:
        return self.rng.choice(["cost", "uniquepid", "age", "patientunitstayid", "labname", "n", "m"])

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _maybe(self, share: float, tokens: list[str]) -> list[str]:
        return tokens if self._chance(share) else []

    def _spell(self, tokens: list[str]) -> str:
        return "".join(self._token(token) + self._gap() for token in tokens).strip() + self.rng.choice(
            ["", "", "", ";", " -- the end", " ;;"]
        )

    def _token(self, token: str) -> str:
        names = {name for columns in hospital().values() for name in columns} | set(TABLES)
        roll = self.rng.random()
        if token in names and roll < 0.15:
            return self.rng.choice(['"{}"', "[{}]", "`{}`"]).format(token)
        if token[:1].isalpha() and not token.startswith("x'") and roll > 0.85:
            return token.upper() if roll > 0.92 else token.title()
        return token

    def _gap(self) -> str:
        roll = self.rng.random()
        if roll < 0.95:
            return " "
        return self.rng.choice(
            ["\n", "\t", " /* from cost */ ", " -- ' \n", " /* '/* */ ", " /**/ ", "\n-- */ select\n"]
        )


def commas(items: list[list[str]]) -> list[str]:
    tokens: list[str] = []
    for item in items:
        tokens += [",", *item] if tokens else item
    return tokens

"""Runs Python and SQL against instrumented tools of a hospital agent, and returns what was really read.

``Runner`` starts one small process. It forks a child for every program, with limits on time, memory and
files, so that nothing of a program outlives it. Each reading is written to a pipe at once, so that the
readings of a killed program are known. An audit hook counts files of the data and refuses processes and
sockets.

The tools: ``LoadDB(name)``, ``FilterDB(table, "age>3||max(time)")``, ``GetValue(table, "cost, sum")``,
``SQLInterpreter(query)``, ``Calculate(text)``, ``Calendar(text)``.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
from abc import ABCMeta
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, cast

# Of computing, and of waiting.
_SECONDS = 0.15
_WAITING = 2.0
_MEMORY = 1 << 30
_FORBIDDEN_EVENTS = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.", "pty.", "socket.")

type Schema = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Reads:
    """The readings of one program: the tables that it loaded, and ``table.column`` of them.

    ``unknown_tables`` has the names of missing tables that it asked for.
    """

    loaded: frozenset[str]
    columns: frozenset[str]
    ended: str = ""
    unknown_tables: frozenset[str] = frozenset()


class Runner:
    """A process that runs programs; use it as a context manager."""

    def __init__(self, schema: Schema) -> None:
        """Take the tables and columns of the data; the rows are invented."""
        self._schema = {table: list(columns) for table, columns in schema.items()}
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        command = [sys.executable, "-S", str(Path(__file__).resolve())]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self._ask(self._schema)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, run: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.communicate()

    def python(self, program: str) -> Reads:
        """Run a Python program."""
        return self._run("python", program)

    def sql(self, query: str) -> Reads:
        """Run a SQL text, all the statements in it."""
        return self._run("sql", query)

    def _run(self, language: str, text: str) -> Reads:
        # The pipe also takes surrogates, which JSON texts may have.
        loaded: set[str] = set()
        columns: set[str] = set()
        asked_names: set[str] = set()
        ended = "killed"
        for kind, name in cast("list[list[str]]", self._ask([language, text])):
            if kind == "table":
                loaded.add(name)
            elif kind == "column":
                columns.add(name)
            elif kind == "asked":
                asked_names.add(name)
            else:
                ended = name
        return Reads(frozenset(loaded), frozenset(columns), ended, frozenset(asked_names))

    def _ask(self, request: object) -> object:
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())


# --- in the process that runs the programs ------------------------------------------


class Notes:
    """Writes each reading of a child at once."""

    def __init__(self, schema: dict[str, list[str]], out: int) -> None:
        """Take the data's tables and the pipe to write to."""
        self.schema = schema
        self._out = out

    def write(self, kind: str, name: str) -> None:
        """Note one fact."""
        os.write(self._out, json.dumps([kind, name]).encode() + b"\n")

    def loaded(self, table: str) -> None:
        """A table was loaded."""
        self.write("table", table)

    def column(self, table: str, column: str) -> None:
        """A column was read; a column that the table lacks is empty, so that the program continues."""
        if column in self.schema[table]:
            self.write("column", f"{table}.{column}")

    def whole(self, table: str) -> None:
        """All columns of a table were read."""
        self.loaded(table)
        for column in self.schema[table]:
            self.column(table, column)


class Row:
    """One row; each access to it is noted."""

    def __init__(self, notes: Notes, table: str) -> None:
        """Take the table of the row."""
        self._notes, self._table = notes, table

    def __getitem__(self, name: str) -> str:
        self._notes.column(self._table, name)
        return f"{name}-1"

    def __contains__(self, name: object) -> bool:
        self._notes.column(self._table, str(name))
        return name in self._notes.schema[self._table]

    def get(self, name: str, default: object = None) -> object:
        """The value of a column."""
        is_there = name in self
        return self[name] if is_there else default

    def _all(self) -> dict[str, str]:
        self._notes.whole(self._table)
        return {name: f"{name}-1" for name in self._notes.schema[self._table]}

    def keys(self) -> list[str]:
        """The names of the columns, which reveal no content."""
        return self._notes.schema[self._table]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self._notes.schema[self._table])

    def __repr__(self) -> str:
        return repr(self._all())

    def __getattr__(self, name: str) -> object:
        if name in self._notes.schema[self._table]:
            return self[name]
        return getattr(self._all(), name)


class Table:
    """A loaded table; each access to it is noted."""

    def __init__(self, notes: Notes, name: str) -> None:
        """Take the name of a known table."""
        self._notes, self._name = notes, name

    def _rows(self) -> list[Row]:
        return [Row(self._notes, self._name), Row(self._notes, self._name)]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows())

    def _itself(self, *_parts: object, **_named: object) -> Table:
        return self

    def _all_rows(self, *_parts: object, **_named: object) -> list[Row]:
        return self._rows()

    def __len__(self) -> int:
        return 2

    def __getitem__(self, key: object) -> object:
        if isinstance(key, str):
            self._notes.column(self._name, key)
            return [f"{key}-1", f"{key}-2"]
        if isinstance(key, list | tuple):
            return [self[part] for part in cast("list[object]", key)]
        if isinstance(key, int):
            return self._rows()[key]
        return self

    def __repr__(self) -> str:
        self._notes.whole(self._name)
        return f"{self._name} with 2 rows"

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._notes.schema[self._name]:
            return self[name]
        if name in ("iloc", "loc"):
            return self
        if name in ("shape", "size", "empty", "columns"):
            return {"shape": (2, 3), "size": 6, "empty": False}.get(name, self._notes.schema[self._name])
        if name in ("copy", "head", "tail", "reset_index", "drop_duplicates"):
            return self._itself
        if name == "iterrows":
            return lambda: enumerate(self._rows())
        self._notes.whole(self._name)
        return self._all_rows


# So that a pattern of a match statement accepts a row as a mapping.
ABCMeta.register(cast("ABCMeta", Mapping), Row)

_CONDITION = re.compile(r"\s*([\w ]+?)\s*(?:<=|>=|!=|==|=|<|>|\bnot in\b|\bin\b|\blike\b)", re.IGNORECASE)
_AGGREGATE = re.compile(r"\s*(?:min|max|sum|mean|avg|count|list|unique|median|first|last)\((.*)\)\s*")


class Tools:
    """The functions that the agent's code may call."""

    def __init__(self, notes: Notes, database: sqlite3.Connection) -> None:
        """Take the notes for the readings, and the database."""
        self._notes, self._database = notes, database
        # The tables that the present query opens; None if they are not known.
        self._opened: frozenset[str] | None = None

    def load(self, name: str) -> Table:
        """``LoadDB``; the case of the name does not matter."""
        known = str(name).strip().lower()
        if not self._notes.schema.get(known):
            # An empty table, so that the program continues.
            self._notes.write("asked", str(name))
            self._notes.schema[known] = []
        else:
            self._notes.loaded(known)
        return Table(self._notes, known)

    def filter(self, table: Table, conditions: str) -> Table:
        """``FilterDB``: every condition reads one column."""
        for condition in conditions.split("||"):
            match = _AGGREGATE.fullmatch(condition) or _CONDITION.match(condition)
            if match is None:
                raise ValueError(f"{condition} is no condition")
            _ = table[match.group(1).strip()]
        return table

    def value(self, table: Table, columns: str) -> str:
        """``GetValue``: a column, and the operation on it."""
        name, _, _ = columns.partition(",")
        match = _AGGREGATE.fullmatch(name)
        column = (match.group(1) if match else name).strip()
        _ = table[column]
        return f"{column}-1"

    def query(self, text: str) -> str:
        """``SQLInterpreter``: the database itself reports its readings."""
        connection = self._database
        connection.set_authorizer(None)
        self._opened = _opened(connection, text)
        connection.set_authorizer(self._authorize)
        with contextlib.suppress(sqlite3.Warning):
            try:
                return str(connection.execute(text).fetchmany(5))
            except sqlite3.ProgrammingError:
                # More than one statement: a tool that permits several runs each of them.
                for statement in text.split(";"):
                    connection.execute(statement)
        return ""

    def _authorize(
        self, action: int, first: str | None, second: str | None, _base: str | None, _by: str | None
    ) -> int:
        if action == sqlite3.SQLITE_READ and first is not None:
            # SQLite also reports common table expressions, which are no tables.
            table = first.lower()
            if table in self._notes.schema and (second or self._opened is None or table in self._opened):
                self._notes.loaded(table)
                self._notes.column(table, (second or "").lower())
            elif table.startswith("sqlite_"):
                self._notes.loaded(table)
        return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK


def _opened(connection: sqlite3.Connection, query: str) -> frozenset[str] | None:
    """The tables that a compiled query opens; None for more than one statement."""
    try:
        program = connection.execute(f"explain {query}").fetchall()
    except sqlite3.Error:
        return None
    pages = dict(connection.execute("select rootpage, name from sqlite_master").fetchall())
    return frozenset(str(pages.get(row[3])) for row in program if row[1] == "OpenRead")


def hospital(schema: Mapping[str, Sequence[str]]) -> sqlite3.Connection:
    """A database with one row in every table."""
    connection = sqlite3.connect(":memory:")
    for table, columns in schema.items():
        connection.execute(f"create table {table} ({', '.join(columns)})")
        marks = ", ".join("?" * len(columns))
        connection.execute(f"insert into {table} values ({marks})", [f"{name}-1" for name in columns])
    return connection


def _audit(notes: Notes) -> Callable[[str, tuple[object, ...]], None]:
    def hook(event: str, arguments: tuple[object, ...]) -> None:
        outside = event.startswith(_FORBIDDEN_EVENTS)
        if outside or event == "open":
            text = " ".join(map(str, arguments))
            for table in notes.schema:
                if f"{table}.csv" in text:
                    notes.whole(table)
        if outside:
            raise PermissionError(f"{event} is refused here")

    return hook


def _child(
    schema: dict[str, list[str]], database: sqlite3.Connection, language: str, text: str, out: int
) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
    signal.setitimer(signal.ITIMER_REAL, _WAITING)
    notes = Notes(schema, out)
    tools = Tools(notes, database)
    sys.addaudithook(_audit(notes))
    scope: dict[str, object] = {
        "__name__": "__main__",
        "LoadDB": tools.load,
        "FilterDB": tools.filter,
        "GetValue": tools.value,
        "SQLInterpreter": tools.query,
        "Calculate": _computed,
        "Calendar": _computed,
    }
    try:
        if language == "sql":
            tools.query(text)
        else:
            _execute(text, scope)
        notes.write("ended", "well")
    except BaseException as error:
        # The agent sees an uncaught exception, also SystemExit.
        notes.write("ended", f"{type(error).__name__}: {error}"[:200])


def _computed(*parts: object) -> object:
    """A pure function in the worst case: it computes any expression in its text, and reads nothing."""
    text = " ".join(map(str, parts))
    with contextlib.suppress(Exception):
        if "_" not in text:
            return eval(text, {"__builtins__": {"chr": chr, "str": str, "max": max}})  # noqa: S307  ours
    return text


def _execute(text: str, scope: dict[str, object]) -> None:
    """Run a program of ours; the agent sees its answer and the value of its last expression."""
    tree = ast.parse(text)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        name = ast.copy_location(ast.Name("shown_", ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([name], last.value), last)
    exec(compile(tree, "<program>", "exec", dont_inherit=True), scope)  # noqa: S102  ours, limited
    for shown in ("answer", "shown_"):
        str(scope.get(shown))


def _fork(
    schema: dict[str, list[str]], database: sqlite3.Connection, language: str, text: str, null: int
) -> list[object]:
    source, out = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        for number in (0, 1, 2):
            os.dup2(null, number)
        try:
            _child(schema, database, language, text, out)
        finally:
            os._exit(0)
    os.close(out)
    with os.fdopen(source, encoding="utf-8") as pipe:
        lines = pipe.read().splitlines()
    os.waitpid(child, 0)
    return [json.loads(line) for line in lines if line.endswith("]")]


def _serve() -> None:
    schema = cast("dict[str, list[str]]", json.loads(sys.stdin.readline()))
    with tempfile.TemporaryDirectory() as folder:
        for table in schema:
            Path(folder, f"{table}.csv").write_text(f"{table}\n")
        os.chdir(folder)
        database = hospital(schema)
        gc.freeze()
        null = os.open(os.devnull, os.O_RDWR)
        _say("ready")
        for line in sys.stdin:
            language, text = cast("list[str]", json.loads(line))
            _say(_fork(schema, database, language, text, null))


def _say(answer: object) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _serve()

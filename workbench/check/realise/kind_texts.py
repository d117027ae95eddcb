"""Texts of kinds of values that may have given parts: a URL with a host, a command with its programs.

The reader of the kind decides which parts a text has. Here are only texts that are worth trying.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from workbench.model import Json, RecordValue, Value
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.values.found_value import Missing
from workbench.runs.values.zones import zone_named

type Wanted = Mapping[str, Value]
"""The wanted parts of a text by name; a part that is not wanted may have any value."""

_DAYS = 7


def text_with(kind: str, wanted: Wanted, options: Mapping[str, Json], zone: str) -> str | None:
    """The text of a kind that has most of the wanted parts; None if no text that is tried has any."""
    of_kind = KINDS.get(kind)
    if of_kind is None or kind not in _TEXTS:
        return None
    reader = of_kind.reader(
        {one.name: options[one.name] for one in of_kind.options if one.name in options}, zone
    )
    best, most = None, 0
    for text in texts_with(kind, wanted, {**options, "zone": options.get("zone") or zone}):
        try:
            found = reader.parts_in_calls(text)
        except Missing:
            continue
        same = sum(name in found and found[name] == value for name, value in wanted.items())
        if same > most:
            best, most = text, same
    return best


def texts_with(kind: str, wanted: Wanted, options: Mapping[str, Json]) -> Iterable[str]:
    """The texts of a kind that are worth trying, each once."""
    return dict.fromkeys(_TEXTS[kind](_Parts(wanted, options))) if kind in _TEXTS else ()


@dataclass(frozen=True, slots=True)
class _Parts:
    """The wanted parts, by their types, and the options of the field."""

    wanted: Wanted
    options: Mapping[str, Json]

    def text(self, name: str, otherwise: str = "") -> str:
        value = self.wanted.get(name)
        return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else otherwise

    def texts(self, name: str) -> list[str]:
        value = self.wanted.get(name)
        return (
            sorted(map(str, value), key=lambda one: (-len(one), one)) if isinstance(value, frozenset) else []
        )

    def paths(self, name: str) -> list[str]:
        """Texts of paths, of which parts may be wanted."""
        return self.texts(name) + [_path_with(one) for one in self.records(name)]

    def flag(self, name: str) -> bool:
        return self.wanted.get(name) is True

    def records(self, name: str) -> list[Mapping[str, Value]]:
        value = self.wanted.get(name)
        return (
            [dict(one.fields) for one in value if isinstance(one, RecordValue)]
            if isinstance(value, tuple)
            else []
        )


# --- one function for each kind -------------------------------------------------------


def _amounts(parts: _Parts) -> Iterator[str]:
    value = parts.wanted.get("value")
    currency = parts.wanted.get("currency", "EUR")
    for sign in dict.fromkeys((currency, "", "EUR")):
        yield f"{1 if value is None else value} {sign or ''}".strip()


def _mail_addresses(parts: _Parts) -> Iterator[str]:
    yield parts.text("address")
    yield parts.text("text")
    for domain in (parts.text("domain"), *parts.texts("domains"), "example.org"):
        for ending in ("", ".org"):
            yield f"{parts.text('local', 'anna')}@{domain}{ending}"


def _moments(parts: _Parts) -> Iterator[str]:
    at = parts.wanted.get("at")
    if isinstance(at, datetime):
        yield at.isoformat()
    zone = zone_named(str(parts.options.get("zone") or "UTC"))
    day = parts.wanted.get("date")
    hour = parts.wanted.get("time")
    first = day if isinstance(day, date) else date(2026, 1, 5)
    clock = hour if isinstance(hour, time) else time(9)
    numbers = {name: value for name, value in parts.wanted.items() if isinstance(value, int)}

    def number(name: str, otherwise: int) -> int:
        return int(numbers.get(name, otherwise))

    for step in range(_DAYS):
        with suppress(ValueError, OverflowError):
            at = datetime.combine(first + timedelta(days=step), clock, zone)
            yield datetime(
                number("year", at.year),
                number("month", at.month),
                number("day", at.day),
                number("hour", at.hour),
                number("minute", at.minute),
                tzinfo=zone,
            ).isoformat()


def _paths(parts: _Parts) -> Iterator[str]:
    yield parts.text("absolute")
    yield parts.text("text")
    name = parts.text("name") or f"file{parts.text('suffix')}"
    folders = (parts.text("folder"), *parts.texts("inside"), "/".join(("", *parts.texts("names"))))
    for folder in (*filter(None, folders), ""):
        yield f"{folder.rstrip('/')}/{name}"
        yield folder


def _path_with(parts: Wanted) -> str:
    """The first text of a path that is worth trying."""
    return next(text for text in _paths(_Parts(parts, {})) if text)


def _urls(parts: _Parts) -> Iterator[str]:
    yield parts.text("text")
    user = "anna@" if parts.flag("has_userinfo") else ""
    scheme, port = parts.text("scheme", "https"), parts.text("port")
    hosts = ["127.0.0.1"] if parts.flag("is_address") else [*parts.texts("domains"), "example.org"]
    hosts += [f"www.{one}" for one in parts.texts("domains")]
    for host in (parts.text("host"), *hosts) if "host" in parts.wanted else hosts:
        for path in (parts.text("path"), *parts.texts("inside")):
            query = f"?{parts.text('query')}" if parts.text("query") else ""
            where = path if path.startswith("/") or not path else f"/{path}"
            yield f"{scheme}://{user}{host}{f':{port}' if port else ''}{where}{query}"


def _versions(parts: _Parts) -> Iterator[str]:
    yield parts.text("text")
    numbers = ".".join(parts.text(name, "0") for name in ("major", "minor", "patch"))
    tag = parts.text("tag")
    yield f"{numbers}-{tag}" if tag else numbers
    yield f">={numbers}"
    yield "latest"


def _commands(parts: _Parts) -> Iterator[str]:
    yield parts.text("text")
    yield from _commands_of(parts, [shlex.join(_words_of(one)) for one in parts.records("started")])
    # A program of which only the paths are wanted is one whose words are paths.
    listing = [["ls", *_Parts(one, {}).paths("paths")] for one in parts.records("started")]
    if any(len(words) > 1 for words in listing):
        yield from _commands_of(parts, [shlex.join(words) for words in listing])


def _commands_of(parts: _Parts, started: Sequence[str]) -> Iterator[str]:
    """Commands that start programs with these words, and do what else is wanted."""
    made = [*started]
    made += parts.texts("flags")
    made += [one for one in parts.texts("calls") if not _begins(made, one)]
    made += [f"true < {shlex.quote(one)}" for one in parts.paths("reads")]
    made += [f"true > {shlex.quote(one)}" for one in parts.paths("writes")]
    made += [
        f"ls {shlex.quote(one)}" for one in parts.paths("paths") if not any(one in each for each in made)
    ]
    made += [f"curl https://{one}/" for one in parts.texts("hosts")]
    made += ["printenv" if one == "*" else f'echo "${one}"' for one in parts.texts("environment")]
    made += [shlex.quote(one) for one in parts.texts("programs") if not _begins(made, one)]
    set_first = "".join(f"{one}=1 " for one in parts.texts("variables"))
    opaque = ['eval "$X"'] if parts.flag("opaque") else []
    for statements in ((*made, *opaque), made, made[:1]):
        yield set_first + "; ".join(statements or ["true"])


def _words_of(program: Mapping[str, Value]) -> list[str]:
    named = [program.get("program") or program.get("name"), program.get("first"), program.get("second")]
    own = [one for one in named if isinstance(one, str) and one] or ["true"]
    parts = _Parts(program, {})
    further = [*parts.texts("options"), *parts.texts("words"), *parts.paths("paths")]
    return [*own, *(one for one in dict.fromkeys(further) if one not in own)]


def _begins(made: Iterable[str], words: str) -> bool:
    return any(one == words or one.startswith(f"{words} ") for one in made)


def _statements(parts: _Parts) -> Iterator[str]:
    yield parts.text("text")
    columns = parts.texts("columns")
    tables = dict.fromkeys(table for one in columns if (table := one.rpartition(".")[0]))
    yield f"SELECT {', '.join(columns)} FROM {', '.join(tables)}" if tables else "SELECT 1"
    read, written = parts.texts("reads") or ["things"], parts.texts("writes")
    columns = ", ".join(one.rpartition(".")[2] for one in columns) or "*"
    limit = f" LIMIT {parts.text('limit')}" if parts.text("limit") else ""
    select = f"SELECT {columns} FROM {', '.join(read)}{limit}"
    change = {
        "insert": "INSERT INTO {} VALUES (1)",
        "update": "UPDATE {} SET a = 1",
        "delete": "DELETE FROM {}",
        "drop table": "DROP TABLE {}",
        "create table": "CREATE TABLE {} (a INT)",
    }
    kinds = parts.texts("kinds")
    forms = [change[one] for one in kinds if one in change] or list(change.values())
    changes = [form.format(table) for form in forms for table in written or ["things"]]
    yield select
    yield from changes
    yield "; ".join([*([select] if "select" in kinds else []), *changes[: max(1, len(written))]])


def _code(parts: _Parts) -> Iterator[str]:
    yield parts.text("text")
    lines = [f"import {one}" for one in parts.texts("imports")]
    lines += [f"{dict(one).get('name')}()" for one in parts.records("calls")]
    lines += [one for one in parts.texts("names") if one.isidentifier()]
    lines += [f"x.{one}" for one in parts.texts("attributes")]
    lines += _column_lines(parts)
    hidden = ["eval(x)"] if parts.flag("hidden") else []
    yield "\n".join([*lines, *hidden]) or "1"


def _column_lines(parts: _Parts) -> Iterator[str]:
    """Lines of code that read the wanted columns by the agent's own functions."""
    load, read, query = (
        next(iter(_texts_of(parts.options.get(role))), "") for role in ("table", "columns", "sql")
    )
    for one in parts.texts("columns"):
        table, _, column = one.rpartition(".")
        if load and read:
            yield f"answer = {read}({load}({table!r}), {column!r})"
        elif query:
            yield f"answer = {query}({f'SELECT {column} FROM {table}'!r})"


def _texts_of(option: Json) -> list[str]:
    return [one for one in option if isinstance(one, str)] if isinstance(option, list) else []


_TEXTS: Mapping[str, Callable[[_Parts], Iterator[str]]] = {
    "amount": _amounts,
    "code": _code,
    "command": _commands,
    "mail_address": _mail_addresses,
    "moment": _moments,
    "path": _paths,
    "sql": _statements,
    "url": _urls,
    "version": _versions,
}

"""Strict reading of TOML and JSON: every mistake becomes one sentence with its place.

An unknown key is answered with the nearest known one; a wrong type says what is expected.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import cast

from workbench.likeness import did_you_mean
from workbench.session.errors import SessionError, at

_HEADER = re.compile(r"^\s*\[\[?(?P<path>[^\[\]]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*(?P<path>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def parse_toml(text: str, path: str) -> dict[str, object]:
    """Parse TOML; numbers with a point become exact decimals.

    Raises SessionError with the line that TOML complains about.
    """
    try:
        return tomllib.loads(text, parse_float=_decimal)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r"\(at line (\d+), column \d+\)", message)
        what = re.sub(r"\s*\(at [^)]*\)", "", message)
        line = int(place[1]) if place else (text.count("\n") + 1 if "end of document" in message else 0)
        raise at(path, f"is not valid TOML: {what}.", line=line) from None
    except (RecursionError, ValueError) as error:
        raise at(path, f"is not valid TOML: {error}.") from None


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace("_", ""))


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(path))


def line_of(text: str, path: tuple[str | int, ...]) -> int:
    """The line of a key in a TOML text, or that of the nearest enclosing table; 0 if not found.

    A reading of the lines alone: exact for files as the workbench writes them, and at
    worst the line of the enclosing table for others.
    """
    best, best_length = 0, 0
    header: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        here: tuple[str | int, ...] | None = None
        if found := _HEADER.match(line):
            header = _numbered(_parts(found["path"]), counts)
            if line.lstrip().startswith("[["):
                index = counts.get(header, 0)
                counts[header] = index + 1
                header = (*header, index)
            here = header
        elif found := _KEY.match(line):
            here = (*header, *_parts(found["path"]))
        if here is not None and len(here) > best_length and here == path[: len(here)]:
            best, best_length = number, len(here)
    return best


def _numbered(parts: tuple[str, ...], counts: Mapping[tuple[str | int, ...], int]) -> tuple[str | int, ...]:
    """The path of a header below arrays of tables: the last element of each is meant."""
    path: tuple[str | int, ...] = ()
    for index, part in enumerate(parts):
        path = (*path, part)
        if index < len(parts) - 1 and path in counts:
            path = (*path, counts[path] - 1)
    return path


def nearest(word: str, known: tuple[str, ...]) -> str:
    """``Did you mean "x"?`` for a word with a near neighbour, else the list of what is known."""
    listed = f"Known here: {', '.join(known)}." if known else ""
    return did_you_mean(word, known, 'Did you mean "{}"?') or listed


@dataclass(frozen=True, slots=True)
class Fields:
    """A table of a file, read key by key.

    ``text`` is the whole file, to find lines in; ``where`` the path of this table in it.
    ``line`` is set where the place is known otherwise (a line of JSON).
    """

    data: Mapping[str, object]
    path: str
    text: str = ""
    where: tuple[str | int, ...] = ()
    line: int = 0

    def only(self, *known: str) -> Fields:
        """Refuse any key but the known ones, naming the nearest."""
        for key in self.data:
            if key not in known:
                raise self.error(key, f'unknown key "{key}"{self._inside()}.', nearest(key, known))
        return self

    def error(self, key: str | None, what: str, instead: str = "") -> SessionError:
        """An error at a key of this table."""
        where = self.where if key is None else (*self.where, key)
        line = self.line or (line_of(self.text, where) if self.text else 0)
        return at(self.path, what, instead, line)

    def _inside(self) -> str:
        names = ".".join(str(part) for part in self.where if isinstance(part, str))
        return f" in [{names}]" if names else ""

    def _get(self, key: str, kind: str, default: object) -> object:
        if key in self.data:
            return self.data[key]
        if default is None:
            raise self.error(None, f'the key "{key}"{self._inside()} is missing.', f"It is {kind}.")
        return default

    def wrong(self, key: str, kind: str) -> SessionError:
        """The error of a value of the wrong type."""
        return self.error(
            key, f'"{key}"{self._inside()} must be {kind}, not {type_name(self.data.get(key))}.'
        )

    def string(self, key: str, default: str | None = None) -> str:
        """A string; without a default it must be there."""
        value = self._get(key, "a string", default)
        if not isinstance(value, str):
            raise self.wrong(key, "a string")
        return value

    def boolean(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._get(key, "true or false", default)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def integer(self, key: str, default: int | None = None) -> int:
        """A whole number of at least 0."""
        value = self._get(key, "a whole number", default)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.wrong(key, "a whole number of at least 0")
        return value

    def strings(self, key: str, default: tuple[str, ...] | None = ()) -> tuple[str, ...]:
        """A list of strings."""
        value = self._get(key, "a list of strings", default)
        if not isinstance(value, list | tuple):
            raise self.wrong(key, "a list of strings")
        items = cast("list[object]", value)
        if not all(isinstance(item, str) for item in items):
            raise self.error(key, f'"{key}"{self._inside()} must be a list of strings.')
        return tuple(item for item in items if isinstance(item, str))

    def choice[E: StrEnum](self, key: str, kinds: type[E], default: E | None = None) -> E:
        """One of the words of an enumeration."""
        words = tuple(kind.value for kind in kinds)
        value = self.string(key, None if default is None else default.value)
        try:
            return kinds(value)
        except ValueError:
            raise self.error(key, f'"{key}" cannot be "{value}".', nearest(value, words)) from None

    def table(self, key: str) -> Fields:
        """A table below this one; empty if it is not there."""
        value = self.data.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, "a table")
        return Fields(cast("dict[str, object]", value), self.path, self.text, (*self.where, key), self.line)

    def tables(self, key: str) -> Iterator[tuple[str, Fields]]:
        """The named tables below a table, in the order of the file."""
        below = self.table(key)
        for name in below.data:
            yield name, below.table(name)

    def array(self, key: str) -> Iterator[Fields]:
        """The tables of an array of tables, in the order of the file."""
        value = self.data.get(key, [])
        if not isinstance(value, list):
            raise self.error(key, f'"{key}" must be written as [[{key}]] tables.')
        for index, item in enumerate(cast("list[object]", value)):
            if not isinstance(item, dict):
                raise self.error(key, f'"{key}" must be written as [[{key}]] tables.')
            where = (*self.where, key, index)
            yield Fields(cast("dict[str, object]", item), self.path, self.text, where, self.line)


def type_name(value: object) -> str:
    """The type of a TOML or JSON value in plain words."""
    names: dict[type[object], str] = {
        bool: "true or false",
        int: "a whole number",
        Decimal: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "a table",
        type(None): "nothing",
    }
    return names.get(type(value), f"a {type(value).__name__}")


def json_lines(text: str, path: str) -> Iterator[Fields]:
    """The objects of a JSON-lines text, each with its line. Raises SessionError for a bad line."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError):
            raise at(path, "is not one JSON object.", "Each line of the file must be one.", number) from None
        if not isinstance(value, dict):
            raise at(path, "is not one JSON object.", "Each line of the file must be one.", number)
        yield Fields(cast("dict[str, object]", value), path, line=number)

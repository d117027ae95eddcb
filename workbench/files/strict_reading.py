"""Strict reading of TOML and JSON: every mistake becomes one sentence with its place.

The message about an unknown key names the nearest known key; the message about a wrong type names the
expected type.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from decimal import Decimal
from enum import StrEnum
from types import UnionType
from typing import Annotated, Literal, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError

from workbench.files.bounded_text import OutOfBoundsError, json_objects, load_toml
from workbench.files.file_error import FileError, at
from workbench.likeness import did_you_mean

_HEADER = r"^\s*\[\[?(?P<path>[^\[\]]+)\]\]?\s*(?:#.*)?$"
_KEY = r"""^\s*(?P<path>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""
_PART = r"""[\w-]+|"[^"]*"|'[^']*'"""


def parse_toml(
    text: str, path: str, load: Callable[[str], dict[str, object]] = load_toml
) -> dict[str, object]:
    """Parse TOML by a function; numbers with a decimal point become exact decimals.

    Raises FileError with the line of the syntax error.
    """
    try:
        return load(text)
    except OutOfBoundsError as error:
        raise at(path, f"is not read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r"\(at line (\d+), column \d+\)", message)
        complaint = re.sub(r"\s*\(at [^)]*\)", "", message)
        line = int(place[1]) if place else (text.count("\n") + 1 if "end of document" in message else 0)
        raise at(path, f"is not valid TOML: {complaint}.", line=line) from None
    except ValueError:  # Python reads no whole number of more digits
        most = sys.get_int_max_str_digits()
        raise at(path, f"is not read: a number has more than {most:,} digits.") from None


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_PART, path))


def line_of(text: str, path: tuple[str | int, ...]) -> int:
    """The line of a key in a TOML text, or of the nearest enclosing table; 0 if not found.

    A table without a header of its own is where its first part is. Only the lines are read. That is exact for
    files in the layout of the workbench; for other files the line may be that of the enclosing table.
    """
    best, best_length = 0, 0
    header: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        line_path: tuple[str | int, ...] | None = None
        if match := re.match(_HEADER, line):
            header = _numbered(_parts(match["path"]), counts)
            if line.lstrip().startswith("[["):
                index = counts.get(header, 0)
                counts[header] = index + 1
                header = (*header, index)
            line_path = header
        elif match := re.match(_KEY, line):
            line_path = (*header, *_parts(match["path"]))
        length = 0 if line_path is None else min(len(line_path), len(path))
        if line_path is not None and length > best_length and line_path[:length] == path[:length]:
            best, best_length = number, length
    return best


def _numbered(parts: tuple[str, ...], counts: Mapping[tuple[str | int, ...], int]) -> tuple[str | int, ...]:
    """The path of a header with positions for arrays of tables: the last element of each is meant."""
    path: tuple[str | int, ...] = ()
    for index, part in enumerate(parts):
        path = (*path, part)
        if index < len(parts) - 1 and path in counts:
            path = (*path, counts[path] - 1)
    return path


def nearest(word: str, candidates: tuple[str, ...]) -> str:
    """``Did you mean "x"?`` for a word with a near neighbour, else the list of the known words."""
    listed = f"Known here: {', '.join(candidates)}." if candidates else ""
    return did_you_mean(word, candidates, 'Did you mean "{}"?') or listed


class FileForm(BaseModel):
    """The form of a table in a file: its keys, and the type of each.

    Most commands read few of the files, so a form is built when it is used first. A dataclass with these keys
    is a form, too.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class NounForm[T](FileForm):
    """The form of a table that is read as a dataclass: pydantic applies its settings within a form only."""

    table: T


type Flag = Annotated[bool, Strict()]
type Count = Annotated[int, Strict(), Field(ge=0)]


@dataclass(frozen=True, slots=True)
class TablePlace:
    """A table of a file, for messages.

    ``text`` is the whole file, to find lines in. ``where`` is the path of this table in it. ``line`` is set
    if the place is known otherwise (a line of JSON).
    """

    path: str
    text: str = ""
    where: tuple[str | int, ...] = ()
    line: int = 0

    def below(self, *keys: str | int) -> TablePlace:
        """A table under this one."""
        return replace(self, where=(*self.where, *keys))

    def error(self, key: str | None, message: str, instead: str = "") -> FileError:
        """An error at a key of this table."""
        where = self.where if key is None else (*self.where, key)
        line = self.line or (line_of(self.text, where) if self.text else 0)
        return at(self.path, message, instead, line)

    @property
    def inside(self) -> str:
        """The table's name as a part of a sentence; empty for the top of a file."""
        names = ".".join(str(part) for part in self.where if isinstance(part, str))
        return f" in [{names}]" if names else ""


_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")  # of a form, or of a dataclass within a form


def read_form[F](form: type[F], data: Mapping[str, object], place: TablePlace) -> F:
    """The value of a table, whose form is a pydantic model or a dataclass.

    Raises FileError for the first mistake: unknown keys come before any other.
    """
    is_model = issubclass(form, BaseModel)
    try:
        if is_model:
            return form.model_validate(data)
        return NounForm[form].model_validate({"table": data}).table
    except ValidationError as failed:
        mistakes = failed.errors(include_url=False, include_context=False)
        mistakes.sort(key=lambda mistake: mistake["type"] not in _UNKNOWN)
        first = mistakes[0]
        path = first["loc"] if is_model else first["loc"][1:]
        raise _error(form, first["type"], path, first["input"], place) from None


def _error(
    form: type[object], mistake: str, path: tuple[int | str, ...], value: object, place: TablePlace
) -> FileError:
    """A mistake that pydantic found, in the words of the workbench."""
    item = isinstance(path[-1], int)  # for an element of a list, the mistake is reported at the list
    *tables, key = path[:-1] if item else path
    table, name = place.below(*tables), str(key)
    if mistake in _UNKNOWN:
        known_keys = tuple(_fields(_declared(form, tables)))
        return table.error(name, f'unknown key "{name}"{table.inside}.', nearest(name, known_keys))
    declared = _declared(form, [*tables, key])
    kind = _kind(declared)
    if mistake == "missing" and not item:
        return table.error(None, f'the key "{name}"{table.inside} is missing.', f"It is {kind}.")
    if kind == _TABLES:
        return table.error(name, f'"{name}" must be written as [[{name}]] tables.')
    if item:
        return table.error(name, f'"{name}"{table.inside} must be {kind}.')
    words = _words(declared)
    if words and isinstance(value, str):
        return table.error(name, f'"{name}" cannot be "{value}".', nearest(value, words))
    return table.error(name, f'"{name}"{table.inside} must be {kind}, not {type_name(value)}.')


_TABLES = "a list of tables"


def _declared(form: object, path: Iterable[str | int]) -> object:
    """The declared type at a path of a form."""
    for key in path:
        if fields := _fields(form):
            form = fields[str(key)]
        else:
            form = get_args(form)[1 if get_origin(form) in (dict, Mapping) else 0]
        if get_origin(form) in (Union, UnionType):  # a form or None, for a table that may be left out
            form = get_args(form)[0]
    return form


def _fields(form: object) -> dict[str, object]:
    """The keys of a form or a dataclass as they are in a file, with their types; none for another type."""
    if not isinstance(form, type):
        return {}
    kind = cast("type[object]", form)
    if issubclass(kind, BaseModel):
        return {field.alias or name: field.annotation for name, field in kind.model_fields.items()}
    return get_type_hints(kind) if is_dataclass(kind) else {}


def _kind(declared: object) -> str:
    """A type in plain words."""
    if declared in (bool, Flag):
        return "true or false"
    if declared is Count:
        return "a whole number of at least 0"
    if get_origin(declared) is tuple:
        return "a list of strings" if get_args(declared)[0] is str else _TABLES
    if declared is str or _words(declared):
        return "a string"
    if declared is int:
        return "a whole number"
    if declared is float:
        return "a number"
    return "a table"


def _words(declared: object) -> tuple[str, ...]:
    """The words of an enumeration; none for another type."""
    if isinstance(declared, type):
        return tuple(word.value for word in declared) if issubclass(declared, StrEnum) else ()
    literal: object = getattr(declared, "__value__", declared)  # a Literal may have a name
    return get_args(literal) if get_origin(literal) is Literal else ()


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


def json_lines(text: str, path: str) -> Iterator[tuple[dict[str, object], TablePlace]]:
    """The objects of a JSON-lines text, each with its place. Raises FileError for a bad line."""

    def refuse(number: int, _line: bytes) -> None:
        raise at(path, "is not one JSON object.", "Each line of the file must be one.", number)

    for number, value in json_objects(text.encode("utf-8", "surrogatepass"), refuse):
        yield value, TablePlace(path, line=number)

"""The JSON object of a result: one table of its fields.

A field is a part of the result under a name: a path of attributes and of places in a tuple, such as
``0.span.line``, or a function of the result. The form of a class stands beside it. Its schema is written by
``scripts/file_schemas.py`` with the types that are annotated, so that no type is declared here again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import fields as fields_of
from functools import partial
from operator import attrgetter, itemgetter
from pathlib import Path
from types import NoneType
from typing import Any, cast

from workbench.model import Json, Value
from workbench.serialization.json_values import json_value

type Read = str | Callable[[Any], object] | Nested
type Field = str | tuple[str, Read] | Nested
type _Step = tuple[str, bool, Callable[[Any], Any], bool]

_PLAIN = frozenset({bool, int, float, str, NoneType})


@dataclass(frozen=True, slots=True)
class Nested:
    """An object, or (``many``) a list of them, in a form that is named here; None is that of its class.

    It is made of what ``of`` reads of the result, null where that is None; without it, of the result itself.
    Without a name for its field, the object's fields become fields of the object around it.
    """

    form: JsonForm[Any] | None
    of: str | Callable[[Any], object] = ""
    many: bool = False
    none: bool = False
    _read: Callable[[Any], Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Prepare the reading of what the object is made of."""
        object.__setattr__(self, "_read", _reader(self.of))

    def write(self, result: object) -> Json:
        """The JSON form of the object."""
        value = self._read(result)
        if value is None:
            return None
        return [self._object(item) for item in value] if self.many else self._object(value)

    def spread(self, result: object) -> dict[str, Json]:
        """The fields that are placed among the surrounding fields; none of what is None."""
        value = self._read(result)
        return {} if value is None else self._object(value)

    def _object(self, value: Any) -> dict[str, Json]:
        return (self.form or FORMS[type(value)]).write(value)


@dataclass(frozen=True)  # no slots: with them Python 3.12 refuses ``JsonForm[Report](...)``
class JsonForm[R]:
    """The JSON form of the results of a type; ``fields`` are in the order of the object.

    A field whose name ends with "?" is left out where it is null.
    """

    of: Any
    fields: tuple[tuple[str, Read], ...]
    _steps: tuple[_Step, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Prepare the reading of the fields: a log has many results of one class."""
        object.__setattr__(self, "_steps", tuple(_step(name, read) for name, read in self.fields))

    def write(self, result: R) -> dict[str, Json]:
        """The JSON object of a result."""
        json_object: dict[str, Json] = {}
        for name, optional, read, is_written in self._steps:
            value: Any = read(result)
            if not name:
                json_object.update(value)
                continue
            if not is_written and type(value) not in _PLAIN:
                value = written(value)
            if value is not None or not optional:
                json_object[name] = value
        return json_object


def _step(name: str, read: Read) -> _Step:
    """The name of a field, whether it may be left out, its reader, and whether the reader gives JSON."""
    if not isinstance(read, Nested):
        return name.removesuffix("?"), name.endswith("?"), _reader(read), False
    return name.removesuffix("?"), name.endswith("?"), read.write if name else read.spread, True


def _reader(read: str | Callable[[Any], object]) -> Callable[[Any], Any]:
    """The function that reads a path; an empty path is the result itself."""
    if not isinstance(read, str):
        return read
    names = read.split(".") if read else []
    if names and not any(map(str.isdigit, names)):
        return attrgetter(read)
    return partial(
        _read_along, [itemgetter(int(name)) if name.isdigit() else attrgetter(name) for name in names]
    )


def _read_along(steps: Sequence[Callable[[Any], Any]], value: Any) -> Any:
    for step in steps:
        value = step(value)
    return value


FORMS: dict[type, JsonForm[Any]] = {}
"""The forms by the class of the results."""


def fields(*declared: Field) -> tuple[tuple[str, Read], ...]:
    """Fields with their names: an attribute has its own name; fields without an own object have none."""
    return tuple(
        item if isinstance(item, tuple) else (item, item) if isinstance(item, str) else ("", item)
        for item in declared
    )


def json_form[R](of: type[R], *declared: Field) -> JsonForm[R]:
    """The JSON form of the results of a class, the same at every place; without fields all of a dataclass."""
    form = JsonForm[R](of, fields(*(declared or [one.name for one in fields_of(cast("Any", of))])))
    FORMS[of] = form
    return form


def written(value: object) -> Json:
    """The JSON form of the value of a field."""
    kind = type(value)
    if kind in _PLAIN:
        return cast("Json", value)
    form: JsonForm[object] | None = FORMS.get(kind)
    if form is not None:
        return form.write(value)
    if isinstance(value, list | tuple):
        several = cast("Sequence[object]", value)
        return [cast("Json", item) if type(item) in _PLAIN else written(item) for item in several]
    if isinstance(value, Mapping):
        return {name: written(held) for name, held in cast("Mapping[str, object]", value).items()}
    if isinstance(value, Path):
        return str(value)
    return json_value(cast("Value", value))

"""The JSON object of a result: one table of its fields, for both writing and the schema.

A field is a part of the result under a name: a path of attributes and of places in a tuple, such as
``0.span.line``, or a function of the result. The schema takes the types from their annotations, so that no
type is declared here again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from inspect import get_annotations, getattr_static
from operator import attrgetter, itemgetter
from types import NoneType, UnionType
from typing import Any, Literal, TypeAliasType, Union, cast, get_args, get_origin, get_type_hints

from workbench import model
from workbench.model import Arguments, Json, Value
from workbench.serialization.json_values import json_value

type Read = str | Callable[[Any], object] | Nested
type Field = str | tuple[str, Read] | Nested
type _Step = tuple[str, bool, Callable[[Any], Any], bool]

_PLAIN = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}


@dataclass(frozen=True, slots=True)
class Nested:
    """An object, or (``many``) a list of them, in a form that is named here.

    It is made of what ``of`` reads of the result, null where that is None; without it, of the result itself.
    Without a name for its field, the object's fields become fields of the object around it.
    """

    form: JsonForm[Any]
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
        return [self.form.write(item) for item in value] if self.many else self.form.write(value)

    def spread(self, result: object) -> dict[str, Json]:
        """The fields that are placed among the surrounding fields."""
        return self.form.write(self._read(result))

    def schema(self, definitions: dict[str, Json]) -> dict[str, Json]:
        """The schema of the object."""
        object_schema = self.form.object_schema(definitions)
        if self.none:
            return {"anyOf": [object_schema, {"type": "null"}]}
        return {"type": "array", "items": object_schema} if self.many else object_schema


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

    def object_schema(self, definitions: dict[str, Json]) -> dict[str, Json]:
        """The schema of the object, with those of other forms among ``definitions``."""
        properties = self._properties(definitions)
        about: dict[str, Json] = {}
        if _FORMS.get(self.of) is self:
            about = {"title": self.of.__name__, "description": (self.of.__doc__ or "").partition("\n")[0]}
        return {
            **about,
            "type": "object",
            "properties": {name.removesuffix("?"): kind for name, kind in properties.items()},
            "required": [name for name in properties if not name.endswith("?")],
            "additionalProperties": False,
        }

    def _properties(self, definitions: dict[str, Json]) -> dict[str, Json]:
        properties: dict[str, Json] = {}
        for name, read in self.fields:
            if not isinstance(read, Nested):
                properties[name] = _schema(_type_of(self.of, read), definitions)
            elif name:
                properties[name] = read.schema(definitions)
            else:
                properties |= read.form._properties(definitions)
        return properties


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


def _type_of(held_by: Any, read: str | Callable[[Any], object]) -> Any:
    """The annotated type of what a path leads to, or the result type of a function."""
    if not isinstance(read, str):
        return get_type_hints(read)["return"]
    for name in read.split("."):
        if name.isdigit():
            held_by = get_args(_named(held_by))[int(name)]
            continue
        held = getattr_static(held_by, name, None)
        getter = held.fget if isinstance(held, property) else None
        held_by = _returned(getter) if getter is not None else _annotated(held_by, name)
    return held_by


def _named(kind: Any) -> Any:
    """The type that a name stands for."""
    if isinstance(kind, TypeAliasType):
        return kind.__value__
    origin = get_origin(kind)
    return origin.__value__[get_args(kind)] if isinstance(origin, TypeAliasType) else kind


def _returned(getter: Callable[[Any], object]) -> Any:
    """The type of a property."""
    return get_type_hints(getter, _names(getter.__module__))["return"]


def _annotated(of: type, name: str) -> Any:
    """The type of one attribute; other annotations may have names that only a type checker knows."""
    declared_by = next(base for base in of.__mro__ if name in get_annotations(base))
    alone = {"__annotations__": {name: get_annotations(declared_by)[name]}}
    return get_type_hints(type(of.__name__, (), alone), _names(declared_by.__module__))[name]


def _names(module: str) -> dict[str, Any]:
    """The names of a module; those that only a type checker imports there are of nouns, or have a form."""
    return {**vars(model), **{kind.__name__: kind for kind in _FORMS}, **vars(sys.modules[module])}


def whole_schema(form: JsonForm[Any] | Nested) -> dict[str, Json]:
    """The JSON Schema of the output of a form, with the schemas of the forms in it."""
    definitions: dict[str, Json] = {}
    top = form.object_schema(definitions) if isinstance(form, JsonForm) else form.schema(definitions)
    return {**top, "$defs": dict(sorted(definitions.items()))} if definitions else top


_FORMS: dict[type, JsonForm[Any]] = {}


def fields(*declared: Field) -> tuple[tuple[str, Read], ...]:
    """Fields with their names: an attribute has its own name; fields without an own object have none."""
    return tuple(
        item if isinstance(item, tuple) else (item, item) if isinstance(item, str) else ("", item)
        for item in declared
    )


def json_form[R](of: type[R], *declared: Field) -> JsonForm[R]:
    """The JSON form of the results of a class, the same at every place."""
    form = JsonForm[R](of, fields(*declared))
    _FORMS[of] = form
    return form


def written(value: object) -> Json:
    """The JSON form of the value of a field."""
    kind = type(value)
    if kind in _PLAIN:
        return cast("Json", value)
    form: JsonForm[object] | None = _FORMS.get(kind)
    if form is not None:
        return form.write(value)
    if isinstance(value, list | tuple):
        several = cast("Sequence[object]", value)
        return [cast("Json", item) if type(item) in _PLAIN else written(item) for item in several]
    if isinstance(value, Mapping):
        return {name: written(held) for name, held in cast("Mapping[str, object]", value).items()}
    return json_value(cast("Value", value))


def _schema(kind: Any, definitions: dict[str, Json]) -> dict[str, Json]:
    """The schema of a type; the schema of a result with a form is among the definitions."""
    if kind is Arguments:
        return {"type": "object"}
    if kind in (Value, Json):
        return {}
    if isinstance(kind, TypeAliasType):
        return _schema(_named(kind), definitions)
    if get_args(kind):
        return _composed(get_origin(kind), get_args(kind), definitions)
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if kind.__name__ not in definitions:
        definitions[kind.__name__] = {}  # it may contain itself
        definitions[kind.__name__] = _FORMS[kind].object_schema(definitions)
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _composed(origin: Any, of: tuple[Any, ...], definitions: dict[str, Json]) -> dict[str, Json]:
    if origin is Literal:
        return {"enum": [*of]}
    if origin in (UnionType, Union):
        return {"anyOf": [_schema(type_, definitions) for type_ in of]}
    if origin is Mapping or origin is dict:
        return {"type": "object", "additionalProperties": _schema(of[1], definitions)}
    if origin is tuple and of[1:] != (...,):
        places: list[Json] = [_schema(type_, definitions) for type_ in of]
        return {"type": "array", "prefixItems": places, "minItems": len(of), "maxItems": len(of)}
    return {"type": "array", "items": _schema(of[0], definitions)}

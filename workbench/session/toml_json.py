"""TOML values as JSON, and nouns as the tables of files."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar, Protocol, cast

from workbench.files.strict_reading import TablePlace
from workbench.model import Json
from workbench.session.toml_text import Toml


class Noun(Protocol):
    """A value of a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


def to_json(value: object, place: TablePlace, key: str) -> Json:
    """A value of a TOML file as JSON. Raises FileError for a date or time, which JSON does not have."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [to_json(item, place, key) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        return {name: to_json(item, place, key) for name, item in table.items()}
    raise place.error(key, f'"{key}" holds a date or time; write it as a string.')


def table_of(noun: Noun, *, always: Container[str] = (), without: Container[str] = ()) -> dict[str, Toml]:
    """The table of a noun: its fields in their order, without fields that have their default.

    Fields in ``always`` are included in any case. Fields in ``without`` are left out, since the file has them
    in another form.
    """
    return {
        field.name: to_toml(value)
        for field in fields(noun)
        if field.name not in without
        and ((value := getattr(noun, field.name)) != _default(field) or field.name in always)
    }


def _default(field: Field[object]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


def to_toml(value: object) -> Toml:
    """A JSON value or a noun as TOML; null is an empty text."""
    match value:
        case None:
            return ""
        case float():
            return Decimal(repr(value))
        case StrEnum():
            return value.value
        case list() | tuple():
            return [to_toml(item) for item in cast("Sequence[object]", value)]
        case Mapping():
            return {key: to_toml(item) for key, item in cast("Mapping[str, object]", value).items()}
        case _ if is_dataclass(value) and not isinstance(value, type):
            return table_of(value)
        case _:
            return cast("Toml", value)

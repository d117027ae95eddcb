"""Values of TOML as JSON, and back."""

from __future__ import annotations

from decimal import Decimal
from typing import cast

from workbench.files.strict_reading import TablePlace
from workbench.model import Json
from workbench.session.toml_text import Toml


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


def from_json(value: Json) -> Toml:
    """A value of JSON as TOML has it; null is an empty text."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if isinstance(value, dict):
        return {key: from_json(item) for key, item in value.items()}
    return "" if value is None else value

"""Data as TOML: what a table of a file may hold, and its text, so that equal data gives equal text.

The layout of a text, for which tomlkit is loaded, is in ``toml_layout``: most commands write no file.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import cast

from workbench.files.bounded_text import toml_read_once
from workbench.files.strict_reading import parse_toml
from workbench.session.session_error import SessionError

type Toml = (
    bool | int | Decimal | str | date | time | datetime | list[Toml] | list[dict[str, Toml]] | dict[str, Toml]
)

WIDTH = 92


class Inline(dict[str, Toml]):
    """A table that is written in one line, as ``{ none = true }``."""


def render(data: Mapping[str, Toml], old: str = "", *, path: str, heading: str = "") -> str:
    """The TOML text of ``data``; ``old`` is the text that it replaces, whose comments are kept.

    ``heading`` is a comment for the top of a file that is written anew. Raises SessionError if a value cannot
    be written exactly.
    """
    from workbench.session.toml_layout import fresh, same_order, updated

    if old.strip():
        text = updated(data, old)
        if text is not None and same_order(toml_read_once(text), data):
            return text
    text = fresh(data, heading)
    if canonical(parse_toml(text, path)) != canonical(data):
        raise SessionError(f"{path} cannot hold one of the values exactly; nothing was written.")
    return text


def canonical(value: object) -> object:
    """A form of a TOML value in which equality also means equal types, at every depth."""
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        return {key: canonical(item) for key, item in table.items()}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in cast("list[object]", value)]
    if isinstance(value, datetime) and value.tzinfo is not None:
        return ("datetime", value.timestamp(), value.microsecond)
    return (type(value).__name__, value)


def compact(data: Mapping[str, Toml]) -> dict[str, Toml]:
    """The table as an inline table if that fits on one line, otherwise as it is."""
    if len(data) * len("k = 0, ") > WIDTH:  # what writes inline tables takes long on large ones
        return dict(data)
    inline = Inline(
        {key: compact(value) if isinstance(value, dict) else value for key, value in data.items()}
    )
    from workbench.session.toml_layout import inline_text

    return inline if len(inline_text(inline)) <= WIDTH else dict(data)


def alike(tables: Mapping[str, Toml]) -> dict[str, Toml]:
    """Tables whose order has a meaning: all inline if each is short, otherwise none.

    TOML puts inline tables before other tables, so one long table among them would change the order.
    """
    if all(isinstance(table, Inline) for table in tables.values()):
        return dict(tables)
    return {name: dict(table) if isinstance(table, Inline) else table for name, table in tables.items()}

"""The layout of TOML, so that a person's comments survive.

A file is updated in place: unchanged tables, keys and comments are not touched. The result is read back and
compared. If the update lost or changed anything, the file is written anew instead.
"""

# tomlkit's arrays are lists of unknown elements in its own annotations.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple, cast

import tomlkit
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, Float, InlineTable, Item, Table, Trivia, Whitespace

from workbench.files.bounded_text import toml_read_once
from workbench.session.session_error import SessionError
from workbench.session.toml_text import WIDTH, Inline, Toml, canonical


def updated(data: Mapping[str, Toml], old: str) -> str | None:
    """The old text with the changes made in place, or None if that failed.

    New tables are behind the old ones, so the order of tables may be another one than that of the data.
    """
    for way in (_by_tables, _merged):
        try:
            text = way(old, toml_read_once(old), data)
            if text is not None and canonical(toml_read_once(text)) == canonical(data):
                return text
        except (TOMLKitError, ValueError, TypeError, KeyError, IndexError):
            pass
    return None


def _merged(text: str, old: Mapping[str, object], new: Mapping[str, Toml]) -> str:
    """A text of tables with the changes made in place."""
    document = tomlkit.parse(text)
    _merge(document, old, new)
    return tomlkit.dumps(document)


class _TableText(NamedTuple):
    """A table of an array in a file: its content, its text, and the blank lines above it."""

    content: Mapping[str, object]
    text: str
    above: str


def _by_tables(text: str, old: Mapping[str, object], new: Mapping[str, Toml]) -> str | None:
    """The text of a file that is one array of tables; only those that differ are read for their layout.

    The blank lines above a table belong to it: they are added, moved and removed with it. Those above the
    first table end the text before the array, whichever table is first; those below the last stay at the end.
    None if the text cannot be divided in this way. The purpose is speed: tomlkit's reading of a text takes
    far longer than the rest.
    """
    if len(new) != 1 or old.keys() != new.keys():
        return None
    ((name, now),) = new.items()
    starts = [match.start() for match in re.finditer(rf"^\[\[{re.escape(name)}\]\]", text, re.MULTILINE)]
    if not _is_array(old[name]) or not _is_array(now) or len(starts) != len(cast("list[object]", old[name])):
        return None
    divided, end = _divided(text, starts, cast("list[dict[str, object]]", old[name]))
    by_id = {table.content.get("id"): table for table in divided}
    if len(by_id) != len(divided):
        return None
    parts = [text[: starts[0]]]
    for number, entry in enumerate(cast("list[dict[str, Toml]]", now)):
        table = by_id.pop(entry.get("id"), None)
        if table is None:
            table_text, above = fresh({name: [entry]}, "").strip("\n") + "\n", "\n"
        elif canonical(table.content) == canonical(entry):
            _, table_text, above = table
        else:
            table_text = _merged(table.text, {name: [table.content]}, {name: [entry]})
            above = table.above
        parts += [above if number else "", table_text]
    return "".join((*parts, end))


def _divided(
    text: str, starts: Sequence[int], contents: Sequence[Mapping[str, object]]
) -> tuple[Sequence[_TableText], str]:
    """The tables of a text from their starts on, and the blank lines below the last."""
    tables: list[_TableText] = []
    blank = "\n"
    for content, start, end in zip(contents, starts, (*starts[1:], len(text)), strict=True):
        lines, above, blank = text[start:end].removesuffix("\n").split("\n"), blank, ""
        while not lines[-1].strip(" \t"):
            blank = f"{lines.pop()}\n{blank}"
        tables.append(_TableText(content, "\n".join((*lines, "")), above))
    return tables, blank


def same_order(first: object, second: object) -> bool:
    """Whether all tables, at every depth, have their keys in the same order (arguments have an order)."""
    if isinstance(first, dict) and isinstance(second, Mapping):
        left, right = cast("dict[str, object]", first), cast("Mapping[str, object]", second)
        nested = [key for key in left if isinstance(left[key], dict)]
        right_nested = [key for key in right if isinstance(right[key], dict)]
        return nested == right_nested and all(same_order(left[key], right[key]) for key in nested)
    return True


def _merge(table: Container | Table, old: Mapping[str, object], new: Mapping[str, Toml]) -> None:
    for key in [key for key in old if key not in new]:
        table.remove(key)
    for key, value in new.items():
        if key in old and canonical(old[key]) == canonical(value):
            continue
        current = cast("object", table.get(key)) if key in old else None
        if isinstance(current, Table) and isinstance(value, dict) and isinstance(old[key], dict):
            _merge(current, cast("dict[str, object]", old[key]), value)
        elif isinstance(current, AoT) and _is_array(value):
            before = cast("list[dict[str, object]]", old[key])
            table[key] = _merged_array(current, before, cast("list[dict[str, Toml]]", value))
        elif isinstance(current, Array) and isinstance(value, list) and _only_adds(old[key], value):
            for entry in value[len(current) :]:
                current.append(_item(entry))
        elif key in old:
            table[key] = _beside_comment(current, _item(value))
        else:
            table.append(key, _item(value))


def _only_adds(old: object, new: list[Toml] | list[dict[str, Toml]]) -> bool:
    """Whether a list begins as it was, so that what is written in it can stay."""
    if not isinstance(old, list):
        return False
    before = cast("list[object]", old)
    return canonical(new[: len(before)]) == canonical(before)


def _beside_comment(current: object, new: Item) -> Item:
    """The new value with the comment beside the old one, also where it becomes a table of its own."""
    if isinstance(current, Item) and isinstance(new, Table):
        new.trivia.comment_ws, new.trivia.comment = current.trivia.comment_ws, current.trivia.comment
    return new


def _merged_array(current: AoT, old: list[dict[str, object]], new: list[dict[str, Toml]]) -> AoT:
    """An array of tables in the new order; tables of the same id keep their text and comments.

    The blank lines above a table belong to it: they are added, moved and removed with it. So adding a table
    and removing it again gives the same text. Those below the last table stay at the end.
    """
    above, below = ["\n"], ""
    for table in current.body:
        below = _without_blank_lines(table.value)
        above.append(below)
    table_by_id = {
        before.get("id"): (table, before, blank + table.trivia.indent)
        for table, before, blank in zip(current.body, old, above[:-1], strict=True)
    }
    merged, first = tomlkit.aot(), current.body[0].trivia.indent
    for entry in new:
        table, before, blank = table_by_id.pop(entry.get("id"), (_table(entry), None, "\n"))
        if before is not None:
            _merge(table, before, entry)
        merged.append(table)
        # The lines above the first table end the text before the array, whichever table is first.
        table.trivia.indent = first if len(merged) == 1 else blank
    if below:
        _last(merged.body[-1].value).append(None, Whitespace(below))
    return merged


def _last(container: Container) -> Container:
    """The container that holds the end of a table's text: the table itself, or a table below it."""
    item = container.body[-1][1] if container.body else None
    if isinstance(item, AoT) and item.body:
        return _last(item.body[-1].value)
    return _last(item.value) if isinstance(item, Table) else container


def _without_blank_lines(table: Container) -> str:
    """Remove the blank lines at the end of a container and return them."""
    container, blank_lines = _last(table), ""
    while container.body and isinstance(container.body[-1][1], Whitespace):
        blank_lines = container.body.pop()[1].as_string() + blank_lines
    return blank_lines


def _is_array(value: object) -> bool:
    if not isinstance(value, list) or not value:
        return False
    items = cast("list[object]", value)
    return all(isinstance(item, dict) and not isinstance(item, Inline) for item in items)


def fresh(data: Mapping[str, Toml], heading: str) -> str:
    """The text of a file that is written anew."""
    document = tomlkit.document()
    for line in heading.splitlines():
        document.add(tomlkit.comment(line))
    if heading:
        document.add(tomlkit.nl())
    for key, value in _scalars_first(data):
        document.append(key, _item(value))
    return tomlkit.dumps(document)


def _table(data: Mapping[str, Toml]) -> Table:
    table = tomlkit.table(is_super_table=_only_tables(data))
    for key, value in _scalars_first(data):
        table.append(key, _item(value))
    return table


def _only_tables(data: Mapping[str, Toml]) -> bool:
    return bool(data) and all(isinstance(v, dict) and not isinstance(v, Inline) and v for v in data.values())


def _scalars_first(data: Mapping[str, Toml]) -> list[tuple[str, Toml]]:
    """The keys with their values, first scalars, then tables, as TOML requires; otherwise in their order."""
    return sorted(
        data.items(),
        key=lambda pair: (
            _is_array(pair[1]) or (isinstance(pair[1], dict) and not isinstance(pair[1], Inline))
        ),
    )


def _item(value: Toml) -> Item:
    if isinstance(value, Decimal):
        return Float(float(value), Trivia(), decimal_text(value))
    if isinstance(value, str):
        if _fits_literally(value):
            return tomlkit.string(value, literal=True, multiline=True)
        return tomlkit.string(value, multiline=_fits_several_lines(value))
    if isinstance(value, Inline):
        return _inline(value)
    if isinstance(value, dict):
        return _table(value)
    if isinstance(value, list):
        if _is_array(value):
            tables = tomlkit.aot()
            for entry in cast("list[dict[str, Toml]]", value):
                tables.append(_table(entry))
            return tables
        return _array(cast("list[Toml]", value))
    return tomlkit.item(value)


def _array(values: list[Toml]) -> Item:
    items = [_element(value) for value in values]
    array = tomlkit.array()
    if sum(len(item.as_string()) + 2 for item in items) <= WIDTH:
        array.extend(items)
        return array
    line: list[Item] = []
    for item in items:
        if line and sum(len(kept_item.as_string()) + 2 for kept_item in [*line, item]) > WIDTH:
            array.add_line(*line)
            line = []
        line.append(item)
    array.add_line(*line)
    array.add_line(indent="")
    return array


def _element(value: Toml) -> Item:
    """A value inside an array, which cannot contain tables or arrays of tables in the long form."""
    if isinstance(value, dict):
        return _inline(value)
    return _array(cast("list[Toml]", value)) if isinstance(value, list) else _item(value)


def inline_text(data: Mapping[str, Toml]) -> str:
    """The text of a table in one line."""
    return _inline(data).as_string()


def _inline(data: Mapping[str, Toml]) -> InlineTable:
    table = tomlkit.inline_table()
    for key, value in data.items():
        table.append(key, _inline_item(value))
    return table


def _inline_item(value: Toml) -> Item:
    """A value inside an inline table, in which everything is on one line."""
    if isinstance(value, dict):
        return _inline(value)
    if isinstance(value, list):
        array = tomlkit.array()
        array.extend([_inline_item(item) for item in cast("list[Toml]", value)])
        return array
    return tomlkit.string(value) if isinstance(value, str) else _item(value)


def _fits_several_lines(text: str) -> bool:
    """Whether a text is easier to read, and keeps its exact content, between triple quotes."""
    return _many_lines(text) and '"' not in text and "\\" not in text


def _fits_literally(text: str) -> bool:
    """Whether a text with quotes or backslashes, such as a program, fits between three apostrophes."""
    return _many_lines(text) and not _fits_several_lines(text) and "'''" not in text and text[-1] != "'"


def _many_lines(text: str) -> bool:
    return (
        "\n" in text
        and not text.startswith("\n")
        and all(character.isprintable() or character == "\n" for character in text)
    )


def decimal_text(value: Decimal) -> str:
    """The text of a decimal as a TOML number, exactly: ``12.50``, ``5.0``, ``1e+3``."""
    if not value.is_finite():
        raise SessionError(f"The decimal {value} cannot be stored; only finite numbers can.")
    text = str(value).lower()
    return text if "." in text or "e" in text else f"{text}.0"

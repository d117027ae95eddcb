"""Joins of ``agent.toml``: the things that the elements of lists name, read strictly and written back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, cast

from pydantic import Field, WithJsonSchema

from workbench.files.strict_reading import FileForm, TablePlace
from workbench.likeness import did_you_mean
from workbench.model import ArgumentType, Join, Kind, Record
from workbench.session.toml_text import Toml, compact

_KEYS = (Kind.STR, Kind.INT, Kind.ENUM, Kind.DATE)
TEXT_OR_TABLE = WithJsonSchema({"type": ["string", "object"]})


class JoinForm(FileForm):
    """The thing that an element of a list names: a record, or a member of a list of a record argument."""

    key: Annotated[object, TEXT_OR_TABLE]
    record: str = ""
    list_: str = Field("", alias="list")


@dataclass(frozen=True, slots=True)
class JoinedThings:
    """The things that can be joined: the records of a file, and the record of each record argument."""

    records: Mapping[str, Record]
    record_arguments: Mapping[str, str]


def read_joins(
    element: Record, forms: Mapping[str, JoinForm], things: JoinedThings, place: TablePlace
) -> tuple[Join, ...]:
    """The joins of an element of lists. Raises FileError with the place of a mistake."""
    join_by_name: dict[str, Join] = {}
    taken_names = {field.name for field in element.fields}
    for name, form in forms.items():
        join = _join(name, form, element, join_by_name, things, place.below("join", name))
        for field, _ in join.added:
            if field in taken_names:
                raise place.below("join").error(name, f'"{element.name}" has the field "{field}" twice.')
            taken_names.add(field)
        join_by_name[name] = join
    return tuple(join_by_name.values())


def _join(
    name: str,
    form: JoinForm,
    element: Record,
    earlier: Mapping[str, Join],
    things: JoinedThings,
    place: TablePlace,
) -> Join:
    if not name.isidentifier() or not name.isascii():
        raise place.error(None, f'the join "{name}" needs a name of plain letters, digits and "_".')
    if bool(form.record) is bool(form.list_):
        raise place.error(
            None, f'the join "{name}" needs either a "record" or a "list" of a record argument.'
        )
    joined_record, parts = _record(form, things, place) if form.record else _member(form, things, place)
    key = _key(form.key, parts, place)
    for source in key.values():
        _check_source(source, element, earlier, place)
    fields = tuple(
        (field.name, field.type)
        for field in joined_record.fields
        if field.type.kind not in (Kind.LIST, Kind.SET)
    )
    return Join(name, key, form.record, form.list_, fields)


def _record(form: JoinForm, things: JoinedThings, place: TablePlace) -> tuple[Record, tuple[str, ...]]:
    """The record that elements name, with the parts of its key."""
    record = things.records.get(form.record)
    if record is None or not record.key:
        record_names = [name for name, known_record in things.records.items() if known_record.key]
        hint = did_you_mean(form.record, record_names, 'Did you mean "{}"?')
        raise place.error(
            "record",
            f'"{form.record}" is no record with a "key".',
            hint or f"Known here: {', '.join(record_names)}.",
        )
    return record, record.keys


def _member(form: JoinForm, things: JoinedThings, place: TablePlace) -> tuple[Record, tuple[str, ...]]:
    """The element of the list that elements name; any of its fields may be its key."""
    argument, _, name = form.list_.partition(".")
    record = things.records.get(things.record_arguments.get(argument, ""))
    field = (
        next((field for field in record.fields if field.name == name), None) if record is not None else None
    )
    member = things.records.get(field.of) if field is not None and field.type.kind is Kind.LIST else None
    if member is None:
        raise place.error("list", f'"{form.list_}" is no list of records of a record argument.')
    return member, ()


def _key(value: object, parts: tuple[str, ...], place: TablePlace) -> dict[str, str]:
    """The field of an element that names each part of the key, in the order of the parts."""
    if isinstance(value, str) and value and len(parts) <= 1:
        return {(parts[0] if parts else value.rpartition(".")[2]): value}
    table = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    key = {part: source for part, source in table.items() if isinstance(source, str) and source}
    if not key or len(key) < len(table) or (parts and set(key) != set(parts)):
        parts_hint = f" It has the parts {', '.join(parts)}." if len(parts) > 1 else ""
        raise place.error(
            "key", f'"key" must be a field of the element, or a table of one for each part.{parts_hint}'
        )
    return {part: key[part] for part in parts or key}


def _check_source(source: str, element: Record, earlier: Mapping[str, Join], place: TablePlace) -> None:
    """Check that an element, or a thing that an earlier join adds, has this field and it may be a key."""
    fields: dict[str, ArgumentType] = {field.name: field.type for field in element.fields}
    for name, join in earlier.items():
        fields |= {f"{name}.{field}": type_ for field, type_ in join.fields}
    if source not in fields or fields[source].kind not in _KEYS:
        hint = did_you_mean(source, fields, 'Did you mean "{}"?') if source not in fields else ""
        message = (
            f'"{source}" is no field of the element or of an earlier join that is a text, an int or a date.'
        )
        raise place.error("key", message, hint)


def join_table(join: Join) -> Toml:
    """The table of a join."""
    (part, source), *more_parts = join.key.items()
    is_plain = not more_parts and (bool(join.record) or part == source.rpartition(".")[2])
    key: Toml = source if is_plain else dict[str, Toml](join.key)
    named: dict[str, Toml] = {"record": join.record} if join.record else {"list": join.list_of}
    return compact({**named, "key": key})

"""``agent.toml``: what the agent is, and how the policy's arguments are obtained from its calls.

The file has forms of its own, next to the nouns: the key of a table is the noun's name, and a type may follow
from the extraction.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, cast

from pydantic import Field, WithJsonSchema

from workbench.files.bounded_text import load_json
from workbench.files.file_error import FileError
from workbench.files.strict_reading import Count, FileForm, Flag, TablePlace, nearest, parse_toml, read_form
from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind, Record, Tool
from workbench.policy.names import refused
from workbench.runs.kinds.command import SHELLS
from workbench.runs.kinds.kinds_by_name import KINDS, kind_of
from workbench.runs.kinds.surroundings import FILE_SYSTEMS
from workbench.runs.values.found_value import Missing
from workbench.runs.values.zones import BadZone, moment, zone_named
from workbench.runs.world.record_arguments import (
    DIFFERENCE,
    BadHop,
    derived_type,
    record_arguments,
    records_of,
)
from workbench.session.agent_fields import (
    ContextForm,
    FieldNoteForm,
    check_notes,
    check_surroundings,
    context_table,
    note_tables,
    read_context,
    read_notes,
)
from workbench.session.agent_readings import (
    ExtractForm,
    ReadingForm,
    extraction_of,
    read_readings,
    reading_table,
)
from workbench.session.agent_records import (
    PLACES,
    ArgumentTypeForm,
    RecordForm,
    checked_patterns,
    declared_type,
    read_records,
    record_table,
    type_table,
)
from workbench.session.toml_json import table_of, to_json, to_toml
from workbench.session.toml_text import Inline, Toml, compact, render, updated

NAME = "agent.toml"
TYPES = (*Kind, *KINDS)
"""The possible types of an argument: a type of the dialect, or a kind of value."""


class ToolForm(FileForm):
    """A tool of the agent with the JSON schema of its parameters, as a table or as JSON text."""

    description: str = ""
    parameters: Annotated[object, WithJsonSchema({"type": ["object", "string"]})] = {}
    reads_only: Flag | None = None
    class_name: str = ""
    fields: dict[str, FieldNoteForm] = Field({})
    cwd: str = ""
    cwd_parameter: str = ""
    shell: Annotated[str, WithJsonSchema({"type": "string", "enum": [*SHELLS]})] = ""
    file_system: Annotated[str, WithJsonSchema({"type": "string", "enum": [*FILE_SYSTEMS]})] = ""


class ArgumentForm(FileForm):
    """A typed input of the policy; the type of one that is read from the world need not be said."""

    type: Annotated[str, WithJsonSchema({"type": "string", "enum": [*TYPES]})] | None = None
    values: tuple[str, ...] = ()
    of: str = ""
    optional: Flag = False
    places: Count = PLACES
    description: str = ""
    extract: ExtractForm | None = None


class AgentFile(FileForm):
    """``agent.toml``: what the agent is, and how the policy's arguments are obtained from its calls."""

    name: str
    description: str = ""
    tools: dict[str, ToolForm] = Field({})
    arguments: dict[str, ArgumentForm] = Field({})
    vocabulary: dict[str, tuple[str, ...]] = Field({})
    schema_: dict[str, tuple[str, ...]] = Field({}, alias="schema")
    synonyms: dict[str, str] = Field({})
    records: dict[str, RecordForm] = Field({})
    zone: str = ""
    as_of: str = ""
    not_proposed: tuple[str, ...] = ()
    context: dict[str, ContextForm] = Field({})
    readings: dict[str, ReadingForm] = Field({})
    errors: tuple[str, ...] = ()


def read_agent(text: str, path: str = NAME) -> AgentSpec:
    """The agent spec of an ``agent.toml``. Raises FileError with the place of a mistake in ``path``."""
    top = TablePlace(path, text)
    read = read_form(AgentFile, parse_toml(text, path), top)
    if read.zone:
        _check_zone(read.zone, top)
    if read.as_of:
        _check_as_of(read, top)
    extractions = {
        name: extraction_of(argument.extract, top.below("arguments", name, "extract"))
        for name, argument in read.arguments.items()
        if argument.extract is not None
    }
    records = read_records(read.records, records_of(extractions), top)
    _check_hops(extractions, records, top)
    arguments = tuple(
        _argument(name, argument, records, extractions, top.below("arguments", name))
        for name, argument in read.arguments.items()
    )
    return AgentSpec(
        name=read.name,
        description=read.description,
        tools=tuple(_tool(name, tool, top.below("tools", name)) for name, tool in read.tools.items()),
        arguments=arguments,
        vocabulary=read.vocabulary,
        schema=read.schema_,
        synonyms=read.synonyms,
        records=records,
        zone=read.zone,
        as_of=read.as_of,
        not_proposed=read.not_proposed,
        context=read_context(read.context, top),
        readings=read_readings(read.readings, top),
        errors=checked_patterns(read.errors, "errors", top),
    )


def _tool(name: str, read: ToolForm, place: TablePlace) -> Tool:
    notes = read_notes(read.fields, place.below("fields"))
    parameters = _schema(read.parameters, place)
    tool = Tool(
        name,
        read.description,
        parameters,
        read.reads_only,
        read.class_name,
        notes,
        read.cwd,
        read.cwd_parameter,
        read.shell,
        read.file_system,
    )
    check_surroundings(tool, place)
    check_notes(tool, place)
    return tool


def _check_zone(zone: str, place: TablePlace) -> None:
    try:
        zone_named(zone)
    except BadZone as error:
        raise place.error("zone", f"{error}.") from None


def _check_as_of(read: AgentFile, place: TablePlace) -> None:
    try:
        moment(read.as_of, zone_named(read.zone) if read.zone else None)
    except Missing as missing:
        raise place.error("as_of", f"as_of, the time of every call: {missing}.") from None


def _check_hops(
    extractions: Mapping[str, Extraction], records: tuple[Record, ...], place: TablePlace
) -> None:
    """Check that every key of a record can be found. Raises FileError at the argument that is wrong."""
    try:
        record_arguments(extractions, records)
    except BadHop as error:
        raise place.below("arguments", error.argument).error("extract", str(error)) from None


def write_agent(spec: AgentSpec, old: str = "") -> str:
    """The text of ``agent.toml``; comments of the old text are kept if their place still exists."""
    names = {record.type.name: record.name for record in spec.records}
    parts: dict[str, Toml] = {
        "tools": {tool.name: _tool_table(tool) for tool in spec.tools},
        "records": {record.name: record_table(record) for record in spec.records},
        "arguments": {argument.name: _argument_table(argument, names) for argument in spec.arguments},
        "context": {name: context_table(one) for name, one in spec.context.items()},
        "readings": {reading.name: reading_table(reading) for reading in spec.readings},
    }
    data = {key: part for key, part in parts.items() if part} | table_of(spec, without=parts)
    for kept in (_with_old_tables(data, spec, old), data) if old.strip() else ():
        text = updated(kept, old)
        if text is not None and _read_if_right(text) == spec:
            return text
    return render(data, path=NAME)


def _with_old_tables(data: Mapping[str, Toml], spec: AgentSpec, old: str) -> dict[str, Toml]:
    """The data, with the old text's own tables of the tools, records and arguments that are as they were."""
    was = _read_if_right(old)
    if was is None:
        return dict(data)
    tables = cast("Mapping[str, dict[str, Toml]]", parse_toml(old, NAME))
    kept = dict(data)
    for part, now, before in (
        ("tools", spec.tools, was.tools),
        ("records", spec.records, was.records),
        ("arguments", spec.arguments, was.arguments),
        ("readings", spec.readings, was.readings),
    ):
        if part in data and part in tables:
            same = {item.name for item in now if item in before}
            kept[part] = cast("dict[str, Toml]", data[part]) | {
                name: table for name, table in tables[part].items() if name in same
            }
    return kept


def _read_if_right(text: str) -> AgentSpec | None:
    """The agent spec of a text; None if the text is none of an agent spec."""
    try:
        return read_agent(text)
    except FileError:
        return None


def _schema(value: object, place: TablePlace) -> Mapping[str, Json]:
    """A JSON schema, from a table or, because TOML has no null, from JSON text."""
    if isinstance(value, str):
        try:
            value = load_json(value)
        except ValueError:
            raise place.error("parameters", '"parameters" is not valid JSON.') from None
    if not isinstance(value, dict):
        raise place.error("parameters", '"parameters" must be a table or the JSON text of an object.')
    place = place.below("parameters")
    return {key: to_json(item, place, key) for key, item in cast("dict[str, object]", value).items()}


def _tool_table(tool: Tool) -> dict[str, Toml]:
    table = table_of(tool, without=("name", "fields"))
    if tool.parameters:
        parameters = dict(tool.parameters)
        table["parameters"] = (
            json.dumps(parameters, ensure_ascii=False) if _has_null(parameters) else _table(parameters)
        )
    if tool.fields:
        table["fields"] = note_tables(tool.fields)
    return table


def _argument(
    name: str,
    read: ArgumentForm,
    records: tuple[Record, ...],
    extractions: Mapping[str, Extraction],
    place: TablePlace,
) -> Argument:
    if why := refused(name):
        raise place.error(None, why)
    type_ = _type(name, read, records, extractions, place)
    return Argument(name, type_, read.description, extractions.get(name))


def _type(
    name: str,
    read: ArgumentForm,
    records: tuple[Record, ...],
    extractions: Mapping[str, Extraction],
    place: TablePlace,
) -> ArgumentType:
    """The type of an argument: the declared type, otherwise the type of the extracted value."""
    if read.type is not None and read.type not in TYPES:
        raise place.error("type", f'"type" cannot be "{read.type}".', nearest(read.type, TYPES))
    if (value_kind := KINDS.get(read.type or "")) is not None:
        return ArgumentType(Kind.RECORD, optional=read.optional, record=value_kind.type)
    declared = None if read.type is None else Kind(read.type)
    extraction = extractions.get(name)
    if extraction is not None and declared in (None, Kind.RECORD):
        derived = derived_type(extraction, extractions, records)
        if derived is not None and declared in (None, derived.kind):
            return derived
        if extraction.method == DIFFERENCE:
            raise place.error("extract", f'"of" of "{name}" is no list of a record argument.')
    if declared is None:
        raise place.error(None, f'the key "type"{place.inside} is missing.', "It is a string.")
    if declared is Kind.RECORD:
        raise place.error("type", f'the record "{name}" needs an "extract" by the method record.')
    form = ArgumentTypeForm(
        type=declared, values=read.values, of=read.of, optional=read.optional, places=read.places
    )
    return declared_type(name, form, {record.name: record for record in records if not record.key}, place)


def _argument_table(argument: Argument, records: Mapping[str, str]) -> dict[str, Toml]:
    table = type_table(argument.type, records)
    if argument.type.kind is Kind.RECORD:
        table.clear()
        kind = kind_of(argument.type.record)
        table["type"] = Kind.RECORD.value if kind is None else kind.name
        if kind is not None and argument.type.optional:
            table["optional"] = True
    if argument.description:
        table["description"] = argument.description
    if argument.extraction is not None:
        options = {key: to_toml(value) for key, value in argument.extraction.options.items()}
        table["extract"] = compact({"method": argument.extraction.method, **options})
    return table


def _table(value: Mapping[str, Json]) -> dict[str, Toml]:
    """A JSON object as a table, in one line if it is short; its parts likewise."""
    whole = {key: to_toml(item) for key, item in value.items()}
    short = compact(whole)
    if isinstance(short, Inline):
        return short
    return {key: _table(item) if isinstance(item, dict) else whole[key] for key, item in value.items()}


def _has_null(value: Json) -> bool:
    if isinstance(value, list):
        return any(_has_null(item) for item in value)
    if isinstance(value, dict):
        return any(_has_null(item) for item in value.values())
    return value is None

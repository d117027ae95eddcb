"""``agent.toml``: what the agent is, and how its calls and records are read.

The file has forms of its own, next to the nouns: the key of a table is the noun's name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, cast

from pydantic import ConfigDict, Field, WithJsonSchema

from workbench.dialect.class_names import OUTCOME, class_of_tool, is_class_name, is_field_name
from workbench.dialect.field_notes import NOTED_TYPES, BadNote
from workbench.dialect.text_readings import METHODS, name_refused
from workbench.files.bounded_text import DEEPEST_TOML, OutOfBoundsError, load_json
from workbench.files.file_error import FileError
from workbench.files.strict_reading import Count, FileForm, Flag, TablePlace, nearest, parse_toml, read_form
from workbench.model import (
    AgentSpec,
    ContextField,
    Extraction,
    FieldNote,
    Json,
    TextReading,
    Tool,
)
from workbench.runs.kinds.file_systems import FILE_SYSTEMS, folder_of
from workbench.runs.kinds.kinds_by_name import SHELLS
from workbench.runs.values.found_value import Missing
from workbench.runs.values.json_paths import BadPath, parse_parts
from workbench.runs.values.zones import BadZone, moment, zone_named
from workbench.session.agent_records import (
    ArgumentTypeForm,
    RecordForm,
    checked_patterns,
    declared_type,
    read_records,
    record_table,
    type_table,
)
from workbench.session.toml_json import table_of, to_json, to_toml
from workbench.session.toml_text import Inline, Toml, alike, compact, render

# --- notes of ``agent.toml`` on the parameters of tools, and its types of the application's context


class FieldNoteForm(FileForm):
    """What a tool's schema does not say about a parameter, whose path is the key of the table."""

    type: Annotated[str, WithJsonSchema({"type": "string", "enum": [*NOTED_TYPES]})] = ""
    values: tuple[str, ...] = ()
    places: Count | None = None
    optional: Flag | None = None
    name: str = ""
    key: str = ""
    zone: str = ""
    normal: str = ""
    options: dict[str, Annotated[object, WithJsonSchema({})]] = Field({})
    exact: Flag = False


def _read_notes(forms: Mapping[str, FieldNoteForm], place: TablePlace) -> dict[str, FieldNote]:
    """The notes of a tool by the paths of its parameters."""
    return {
        path: FieldNote(
            form.type,
            form.values,
            form.places,
            form.optional,
            form.name,
            form.key,
            form.zone,
            form.normal,
            {key: to_json(value, place.below(path, "options"), key) for key, value in form.options.items()},
            form.exact,
        )
        for path, form in forms.items()
    }


def _check_notes(tool: Tool, place: TablePlace) -> None:
    """Check that a tool's class and notes are possible. Raises FileError with the place of a mistake."""
    if tool.class_name and not is_class_name(tool.class_name):
        message = f'"{tool.class_name}" cannot be the class of the tool "{tool.name}".'
        raise place.error("class_name", message, 'Write a free name of plain letters, such as "PayInvoice".')
    name = tool.class_name or class_of_tool(tool.name)
    if not name:
        message = f'The name of the tool "{tool.name}" gives its calls no class in plain letters.'
        raise place.error(None, message, 'Give them one, such as class_name = "PayInvoice".')
    if not tool.fields:
        return
    from workbench.dialect.schema_fields import fields_of_tool

    try:
        fields_of_tool(tool, name, set())
    except BadNote as bad:
        inner = place.below("fields", bad.path) if bad.key else place.below("fields")
        hint = nearest(bad.word, bad.known) if bad.known else ""
        raise inner.error(bad.key or bad.path, str(bad), hint) from None


def _check_surroundings(tool: Tool, place: TablePlace) -> None:
    """Check what a tool says of its folder, shell and files. Raises FileError with the place of a mistake."""
    properties = tool.parameters.get("properties")
    known = tuple(properties) if isinstance(properties, dict) else ()
    if tool.cwd_parameter and tool.cwd_parameter not in known:
        message = f'The tool "{tool.name}" has no parameter "{tool.cwd_parameter}".'
        raise place.error("cwd_parameter", message, nearest(tool.cwd_parameter, known))
    for key, value, allowed in (
        ("shell", tool.shell, SHELLS),
        ("file_system", tool.file_system, FILE_SYSTEMS),
    ):
        if value and value not in allowed:
            raise place.error(key, f'"{key}" cannot be "{value}".', nearest(value, allowed))
    if tool.cwd and not folder_of("", tool.cwd, tool.file_system):
        raise place.error("cwd", '"cwd" must be an absolute folder without "." and "..", as "/repo".')
    if tool.remotes:
        _check_remotes(tool.remotes, place)


def _check_remotes(remotes: Mapping[str, Mapping[str, str]], place: TablePlace) -> None:
    """Check the remotes of git that a tool knows. Raises FileError with the place of a mistake."""
    from workbench.runs.kinds.shell.named_paths import host_of_remote  # few tools have any

    for folder, hosts in remotes.items():
        if folder_of("", folder, "") != folder or not hosts:
            example = 'as "/repo" = {origin = "github.com"}.'
            raise place.below("remotes").error(
                folder, f"Remotes are those of a repository in a folder, {example}"
            )
        for name, host in hosts.items():
            if host_of_remote(host) != host:
                raise place.below("remotes", folder).error(name, f'"{host}" is no host, such as github.com.')


def note_tables(fields: Mapping[str, FieldNote]) -> dict[str, Toml]:
    """The tables of a tool's notes."""
    return alike({path: compact(table_of(note)) for path, note in fields.items()})


class ContextForm(ArgumentTypeForm):
    """A value of the application's context: its type, and its path where that is not its name."""

    path: str = ""
    description: str = ""


def _read_context(forms: Mapping[str, ContextForm], place: TablePlace) -> dict[str, ContextField]:
    """The values of the application's context."""
    fields: dict[str, ContextField] = {}
    for name, form in forms.items():
        inner = place.below("context", name)
        if not is_field_name(name) and name not in OUTCOME:  # a context has no fields of earlier calls
            raise inner.error(
                None, f'"{name}" of the context needs a free name of plain letters, digits and "_".'
            )
        try:
            pattern = parse_parts(form.path) if form.path else ()
        except BadPath as error:
            raise inner.error("path", f"{error}.") from None
        if None in pattern:
            raise inner.error("path", f'"path" of "{name}" must lead to one value.')
        fields[name] = ContextField(declared_type(name, form, {}, inner), form.path, form.description)
    return fields


def context_table(field: ContextField) -> dict[str, Toml]:
    """The table of a value of the context."""
    table = type_table(field.type, {})
    said = {"path": field.path, "description": field.description}
    return table | {key: text for key, text in said.items() if text}


# --- readings of ``agent.toml``: what policies of calls read out of texts, read strictly and written back


class ExtractForm(FileForm):
    """The way to obtain a value from a call or a text: a method, and its options."""

    model_config = ConfigDict(extra="allow")

    method: str


class ReadingForm(ArgumentTypeForm):
    """What is read out of a text: its type, the method, and the only texts that have it."""

    description: str = ""
    texts: tuple[str, ...] = ()
    extract: ExtractForm


def _extraction_of(read: ExtractForm, place: TablePlace) -> Extraction:
    """The method and its options. Raises FileError for an option that JSON does not have."""
    options = {key: to_json(value, place, key) for key, value in (read.model_extra or {}).items()}
    return Extraction(read.method, options)


def _read_readings(forms: Mapping[str, ReadingForm], place: TablePlace) -> tuple[TextReading, ...]:
    """The readings of a file. Raises FileError with the place of a mistake."""
    return tuple(_reading(name, form, place.below("readings", name)) for name, form in forms.items())


def _reading(name: str, form: ReadingForm, place: TablePlace) -> TextReading:
    if why := name_refused(name):
        raise place.error(None, why)
    if form.optional:
        raise place.error(
            "optional",
            f'the reading "{name}" cannot be optional: what is not read is not determinable.',
            "A list or set is empty where nothing is found.",
        )
    if form.extract.method not in METHODS:
        message = f'the reading "{name}" has the unknown method "{form.extract.method}".'
        raise place.below("extract").error("method", message, nearest(form.extract.method, METHODS))
    type_ = declared_type(name, form, {}, place)
    extraction = _extraction_of(form.extract, place.below("extract"))
    return TextReading(name, type_, extraction, form.description, form.texts)


def reading_table(reading: TextReading) -> dict[str, Toml]:
    """The table of a reading."""
    table = type_table(replace(reading.type, optional=False), {})
    if reading.description:
        table["description"] = reading.description
    if reading.texts:
        table["texts"] = list(reading.texts)
    options = {key: to_toml(value) for key, value in reading.extraction.options.items()}
    table["extract"] = compact({"method": reading.extraction.method, **options})
    return table


NAME = "agent.toml"


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
    remotes: dict[str, dict[str, str]] = Field({})
    may_have_failed: tuple[str, ...] = ()


class AgentFile(FileForm):
    """``agent.toml``: what the agent is, and how its calls and records are read."""

    name: str
    description: str = ""
    tools: dict[str, ToolForm] = Field({})
    schema_: dict[str, tuple[str, ...]] = Field({}, alias="schema")
    synonyms: dict[str, str] = Field({})
    records: dict[str, RecordForm] = Field({})
    zone: str = ""
    as_of: str = ""
    not_proposed: tuple[str, ...] = ()
    context: dict[str, ContextForm] = Field({})
    readings: dict[str, ReadingForm] = Field({})
    errors: tuple[str, ...] = ()
    nouns: dict[str, str] = Field({})
    units: dict[str, str] = Field({})


def read_agent(text: str, path: str = NAME) -> AgentSpec:
    """The agent spec of an ``agent.toml``. Raises FileError with the place of a mistake in ``path``."""
    top = TablePlace(path, text)
    read = read_form(AgentFile, parse_toml(text, path), top)
    if read.zone:
        _check_zone(read.zone, top)
    if read.as_of:
        _check_as_of(read, top)
    return AgentSpec(
        name=read.name,
        description=read.description,
        tools=tuple(_tool(name, tool, top.below("tools", name)) for name, tool in read.tools.items()),
        schema=read.schema_,
        synonyms=read.synonyms,
        records=read_records(read.records, top),
        zone=read.zone,
        as_of=read.as_of,
        not_proposed=read.not_proposed,
        context=_read_context(read.context, top),
        readings=_read_readings(read.readings, top),
        errors=checked_patterns(read.errors, "errors", top),
        nouns=read.nouns,
        units=read.units,
    )


def _tool(name: str, read: ToolForm, place: TablePlace) -> Tool:
    notes = _read_notes(read.fields, place.below("fields"))
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
        read.remotes,
        checked_patterns(read.may_have_failed, "may_have_failed", place),
    )
    _check_surroundings(tool, place)
    _check_notes(tool, place)
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


def write_agent(spec: AgentSpec, old: str = "") -> str:
    """The text of ``agent.toml``; comments of the old text are kept if their place still exists.

    The arguments that a policy comes to are no part of it.
    """
    from workbench.session.toml_layout import updated

    spec = replace(spec, arguments=())
    parts: dict[str, Toml] = {
        "tools": {tool.name: _tool_table(tool) for tool in spec.tools},
        "records": {record.name: record_table(record) for record in spec.records},
        "context": {name: context_table(one) for name, one in spec.context.items()},
        "readings": {reading.name: reading_table(reading) for reading in spec.readings},
    }
    data = {key: part for key, part in parts.items() if part} | table_of(spec, without=("arguments", *parts))
    for kept in (_with_old_tables(data, spec, old), data) if old.strip() else ():
        text = updated(kept, old)
        if text is not None and _read_if_right(text) == spec:
            return text
    return render(data, path=NAME)


def joined_agent(spec: AgentSpec, parts: str) -> str:
    """The text of an agent spec with the further parts of another text.

    Raises FileError for a part that the spec has already.
    """
    whole = parse_toml(write_agent(spec), NAME)
    _join(whole, parse_toml(parts, NAME), TablePlace(NAME, parts))
    return render(cast("Mapping[str, Toml]", whole), path=NAME)


def _join(whole: dict[str, object], parts: Mapping[str, object], place: TablePlace) -> None:
    for key, part in parts.items():
        held = whole.setdefault(key, {} if isinstance(part, dict) else part)
        if isinstance(held, dict) and isinstance(part, dict):
            _join(cast("dict[str, object]", held), cast("Mapping[str, object]", part), place.below(key))
        elif held is not part:
            raise place.error(key, f'"{key}"{place.inside} is given already.', "Leave it out.")


def _with_old_tables(data: Mapping[str, Toml], spec: AgentSpec, old: str) -> dict[str, Toml]:
    """The data, with the old text's own tables of the tools, records and readings that are as they were."""
    was = _read_if_right(old)
    if was is None:
        return dict(data)
    tables = cast("Mapping[str, dict[str, Toml]]", parse_toml(old, NAME))
    kept = dict(data)
    for part, now, before in (
        ("tools", spec.tools, was.tools),
        ("records", spec.records, was.records),
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
        except OutOfBoundsError as error:
            raise place.error("parameters", f'"parameters" is not read: {error}.') from None
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
            json.dumps(parameters, ensure_ascii=False)
            if _has_null(parameters) or _is_deep(parameters, DEEPEST_TOML - _WITHIN)
            else _table(parameters)
        )
    if tool.fields:
        table["fields"] = note_tables(tool.fields)
    return table


def _table(value: Mapping[str, Json]) -> dict[str, Toml]:
    """A JSON object as a table, in one line if it is short; its parts likewise."""
    whole = {key: to_toml(item) for key, item in value.items()}
    short = compact(whole)
    if isinstance(short, Inline):
        return short
    return {key: _table(item) if isinstance(item, dict) else whole[key] for key, item in value.items()}


_WITHIN = 4
"""The most that a table of parameters is nested in a file itself."""


def _is_deep(value: Json, deepest: int) -> bool:
    """Whether a JSON value is nested more than ``deepest`` levels."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(item, dict | list) for item in inner) and (
        deepest <= 1 or any(_is_deep(item, deepest - 1) for item in inner)
    )


def _has_null(value: Json) -> bool:
    if isinstance(value, list):
        return any(_has_null(item) for item in value)
    if isinstance(value, dict):
        return any(_has_null(item) for item in value.values())
    return value is None

"""Notes of ``agent.toml`` on the parameters of tools, and its types of the application's context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, WithJsonSchema

from workbench.dialect.class_names import class_of_tool, is_class_name, is_field_name
from workbench.dialect.field_notes import NOTED_TYPES, BadNote
from workbench.files.strict_reading import Count, FileForm, Flag, TablePlace, nearest
from workbench.model import ContextField, FieldNote, Tool
from workbench.runs.kinds.command import SHELLS
from workbench.runs.kinds.surroundings import FILE_SYSTEMS, folder_of
from workbench.runs.values.json_paths import BadPath, parse_parts
from workbench.session.agent_records import ArgumentTypeForm, declared_type, type_table
from workbench.session.toml_json import table_of, to_json
from workbench.session.toml_text import Toml, alike, compact


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


def read_notes(forms: Mapping[str, FieldNoteForm], place: TablePlace) -> dict[str, FieldNote]:
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


def check_notes(tool: Tool, place: TablePlace) -> None:
    """Check that a tool's class and notes are possible. Raises FileError with the place of a mistake."""
    if tool.class_name and not is_class_name(tool.class_name):
        message = f'"{tool.class_name}" cannot be the class of the tool "{tool.name}".'
        raise place.error("class_name", message, 'Write a free name of plain letters, such as "PayInvoice".')
    if not tool.fields:
        return
    from workbench.dialect.schema_fields import fields_of_tool

    try:
        fields_of_tool(tool, tool.class_name or class_of_tool(tool.name) or "Call", set())
    except BadNote as bad:
        inner = place.below("fields", bad.path) if bad.key else place.below("fields")
        hint = nearest(bad.word, bad.known) if bad.known else ""
        raise inner.error(bad.key or bad.path, str(bad), hint) from None


def check_surroundings(tool: Tool, place: TablePlace) -> None:
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


def note_tables(fields: Mapping[str, FieldNote]) -> dict[str, Toml]:
    """The tables of a tool's notes."""
    return alike({path: compact(table_of(note)) for path, note in fields.items()})


class ContextForm(ArgumentTypeForm):
    """A value of the application's context: its type, and its path where that is not its name."""

    path: str = ""


def read_context(forms: Mapping[str, ContextForm], place: TablePlace) -> dict[str, ContextField]:
    """The values of the application's context."""
    fields: dict[str, ContextField] = {}
    for name, form in forms.items():
        inner = place.below("context", name)
        if not is_field_name(name):
            raise inner.error(
                None, f'"{name}" of the context needs a free name of plain letters, digits and "_".'
            )
        try:
            pattern = parse_parts(form.path) if form.path else ()
        except BadPath as error:
            raise inner.error("path", f"{error}.") from None
        if None in pattern:
            raise inner.error("path", f'"path" of "{name}" must lead to one value.')
        fields[name] = ContextField(declared_type(name, form, {}, inner), form.path)
    return fields


def context_table(field: ContextField) -> dict[str, Toml]:
    """The table of a value of the context."""
    table = type_table(field.type, {})
    return {**table, "path": field.path} if field.path else table

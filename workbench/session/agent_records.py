"""The records of ``agent.toml``: the things of the agent's world, read strictly and written back.

The file has forms of its own, next to the nouns: the key of a table is the noun's name, and a type names its
record. Options may be any TOML; they become JSON, with the place of a value that JSON does not have.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, cast

from pydantic import Field, WithJsonSchema

from workbench.dialect.call_fields import type_of_record
from workbench.files.strict_reading import Count, FileForm, Flag, TablePlace, nearest, read_form
from workbench.likeness import did_you_mean
from workbench.model import (
    ArgumentType,
    Json,
    Kind,
    LookUpTool,
    Record,
    RecordField,
    RecordResult,
)
from workbench.policy.names import RESERVED
from workbench.runs.kinds.kinds_by_name import CLASSES, KINDS, kind_of
from workbench.runs.values.described_option import BadOption
from workbench.runs.values.json_paths import BadPath, parse_parts
from workbench.runs.values.normal_texts import NORMALS
from workbench.runs.values.patterns import BadPattern, compiled
from workbench.runs.world.record_keys import key_words
from workbench.session.toml_json import table_of, to_json
from workbench.session.toml_text import Inline, Toml, alike, compact

PLACES = 2
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SCALARS = frozenset(Kind) - {Kind.RECORD, Kind.LIST, Kind.SET, Kind.DURATION}
_TEXT_OR_LIST = WithJsonSchema({"type": ["string", "array"]})
_TEXT_OR_TABLE = WithJsonSchema({"type": ["string", "object"]})
_LIST_OR_TABLE = WithJsonSchema({"type": ["array", "object"]})


class ArgumentTypeForm(FileForm):
    """The type of an argument or of a field, whose record or element is named."""

    type: Annotated[str, WithJsonSchema({"type": "string", "enum": [*Kind]})]
    values: tuple[str, ...] = ()
    of: str = ""
    optional: Flag = False
    places: Count = PLACES


class FieldForm(ArgumentTypeForm):
    """A field of a record: its type, or the kind of its text, and its place in a result."""

    type: Annotated[str, WithJsonSchema({"type": "string", "enum": [*Kind, *KINDS]})]
    path: str = ""
    where: dict[str, Annotated[object, WithJsonSchema({})]] = Field({})
    options: dict[str, Annotated[object, WithJsonSchema({})]] = Field({})
    normal: str = ""


class ResultForm(FileForm):
    """A result that says what records are."""

    path: str = "$"
    key: str = ""


class LookUpForm(FileForm):
    """The read-only tool that gives a record by its key."""

    tool: str
    arguments: dict[str, Annotated[object, WithJsonSchema({})]] = Field({})


class RecordForm(FileForm):
    """A thing of the agent's world, and how what is known of it follows from the calls of a run."""

    key: Annotated[object, _TEXT_OR_LIST] = ""
    fields: dict[str, FieldForm] = Field({})
    results: dict[str, Annotated[object, _TEXT_OR_TABLE]] = Field({})
    changed_by: Annotated[object, _LIST_OR_TABLE] = ()
    changed_to: dict[str, dict[str, str]] = Field({})
    look_up: LookUpForm | None = None
    errors: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    normal: str = ""


def read_records(forms: Mapping[str, RecordForm], place: TablePlace) -> tuple[Record, ...]:
    """The records of a file; records that are elements of lists only are built first.

    Raises FileError with the place of a mistake.
    """
    elements = {
        name: _record(name, form, {}, place.below("records", name))
        for name, form in forms.items()
        if not form.key and not form.results
    }
    return tuple(
        elements.get(name) or _record(name, form, elements, place.below("records", name))
        for name, form in forms.items()
    )


def _record(name: str, form: RecordForm, elements: Mapping[str, Record], place: TablePlace) -> Record:
    if not _NAME.fullmatch(name):
        raise place.error(None, f'the record "{name}" needs a name of small letters, digits and "_".')
    if name in KINDS or name in [kind.value for kind in Kind]:
        message = f'the record "{name}" has the name of a kind of value; call it "own_{name}", for example.'
        raise place.error(None, message)
    if not form.fields:
        raise place.error(None, f'the record "{name}" needs its "fields".')
    keys = _keys(name, form, place)
    _check_normal(form.normal, place, is_text=True)
    fields = tuple(
        _field(field_name, field, form, elements, place.below("fields", field_name))
        for field_name, field in form.fields.items()
    )
    look_up = None
    if form.look_up is not None:
        inner = place.below("look_up")
        arguments = {key: to_json(value, inner, key) for key, value in form.look_up.arguments.items()}
        _check_key_arguments(keys, arguments, inner)
        look_up = LookUpTool(form.look_up.tool, arguments)
    record = Record(
        name,
        fields,
        keys[0] if keys else "",
        tuple(_result(tool, value, place.below("results")) for tool, value in form.results.items()),
        _changed_by(form.changed_by, place),
        _changed_to(form, fields, place),
        look_up,
        checked_patterns(form.errors, "errors", place),
        checked_patterns(form.absent, "absent", place),
        keys[1:],
        normal=form.normal,
    )
    if record.class_name in RESERVED:
        message = f'the record "{name}" would be the class `{record.class_name}`, a word of the dialect'
        raise place.error(None, f'{message}; call it "own_{name}", for example.')
    return record


def _keys(name: str, form: RecordForm, place: TablePlace) -> tuple[str, ...]:
    """The paths of the parts of a key; none for a record that is an element of lists only."""
    paths = cast("list[object]", form.key) if isinstance(form.key, list) else [form.key] if form.key else []
    keys = tuple(key for key in paths if isinstance(key, str) and key)
    if len(keys) < len(paths) or len(set(keys)) < len(keys):
        raise place.error("key", f'"key" of "{name}" must be a path, or a list of different paths.')
    for key in keys:
        _check_path(key, "key", place)
    if keys:
        if form.absent and form.look_up is None:
            raise place.error("absent", f'"absent" of "{name}" is about a look-up; say which in "look_up".')
        if len(keys) > 1:
            _check_parts(name, form, place)
        return keys
    for key in ("results", "changed_by", "changed_to", "look_up", "errors", "absent", "normal"):
        if getattr(form, key):
            raise place.error(
                key,
                f'the record "{name}" has "{key}" and no "key" by which one of them is known.',
                "Without a key a record is an element of lists only.",
            )
    return ()


def _check_key_arguments(keys: Sequence[str], arguments: Mapping[str, Json], place: TablePlace) -> None:
    """Check that the arguments of a look-up name the key, with all its parts."""
    words = key_words(keys)
    if all(word in arguments.values() for word in words):
        return
    wanted = " and ".join(f'"{word}"' for word in words)
    if len(words) == 1:
        raise place.error("arguments", f'one of the "arguments" of a look-up must be {wanted}.')
    raise place.error("arguments", f'the "arguments" of a look-up must have {wanted}: one is for each part.')


def _check_parts(name: str, form: RecordForm, place: TablePlace) -> None:
    """Check that no single path is given for a key that has several parts."""
    named = isinstance(form.changed_by, dict) and bool(cast("dict[str, object]", form.changed_by))
    if named or any(isinstance(result, dict) and "key" in result for result in form.results.values()):
        why = f'the "key" of "{name}" has several parts, which no single path names.'
        raise place.error("changed_by" if named else "results", why)


def _field(
    name: str, form: FieldForm, record: RecordForm, elements: Mapping[str, Record], place: TablePlace
) -> RecordField:
    if not _FIELD.fullmatch(name) or keyword.iskeyword(name):
        raise place.error(None, f'the field "{name}" needs a name of plain letters, digits and "_".')
    _check_path(form.path or name, "path", place)
    is_text = form.type == Kind.STR or (form.type in (Kind.SET, Kind.LIST) and form.of in ("", Kind.STR))
    _check_normal(form.normal, place, is_text=is_text)
    if form.where and form.type not in (Kind.SET, Kind.LIST):
        raise place.error("where", f'"where" picks members of a list; the field "{name}" is none.')
    kind = form.type if form.type in KINDS else ""
    declared = form.model_copy(update={"type": Kind.STR.value}) if kind else form
    type_ = declared_type(name, declared, elements, place, in_element=not record.key, others=KINDS)
    where = {key: to_json(value, place, key) for key, value in form.where.items()}
    options = {key: to_json(value, place, key) for key, value in form.options.items()}
    _check_options(name, kind, options, type_, place)
    of = form.of if type_.element is not None and type_.element.record is not None else ""
    return RecordField(name, type_, form.path, where, kind, of, options, form.normal)


def _check_normal(normal: str, place: TablePlace, *, is_text: bool) -> None:
    if normal and (normal not in NORMALS or not is_text):
        normal_names = ", ".join(f'"{known}"' for known in NORMALS)
        raise place.error("normal", f'"normal" is the normal form of a text: {normal_names}.')


def _check_options(
    name: str, kind_name: str, options: Mapping[str, Json], type_: ArgumentType, place: TablePlace
) -> None:
    """Check that the options exist for the kind of a field, or of the elements of its list."""
    kind = KINDS.get(kind_name) or kind_of(type_.element.record if type_.element is not None else None)
    if kind is None:
        if options:
            message = f'"options" are those of a kind of value; the field "{name}" is of none.'
            raise place.error("options", message)
        return
    try:
        kind.reader(options)
    except BadOption as error:
        raise place.error("options", f"{error}.") from None


def declared_type(
    name: str,
    form: ArgumentTypeForm,
    elements: Mapping[str, Record],
    place: TablePlace,
    *,
    in_element: bool = False,
    others: Iterable[str] = (),
) -> ArgumentType:
    """The type that a field or an argument declares; ``elements`` are the records that a list may be of.

    ``others`` are further words for a type, which the caller knows.
    """
    if form.type not in [kind.value for kind in Kind]:
        raise place.error("type", f'"type" cannot be "{form.type}".', nearest(form.type, (*Kind, *others)))
    if form.type == Kind.ENUM and not form.values:
        raise place.error(None, f'the enum "{name}" needs its "values".')
    if form.type == Kind.SET and form.optional:
        raise place.error("optional", f'the set "{name}" cannot be optional.', "An empty set says the same.")
    if form.type == Kind.LIST and in_element:
        raise place.error("type", f'"{name}" cannot be a list: an element of a list has none.')
    if form.type in (Kind.RECORD, Kind.DURATION):
        raise place.error("type", f'the field "{name}" cannot be a {form.type}.')
    element = None
    if form.type == Kind.LIST:
        element = _element(name, form, elements, place)
    elif form.type == Kind.SET and form.of in ("", Kind.STR, Kind.INT):
        element = ArgumentType(Kind.INT) if form.of == Kind.INT else None
    elif form.of:
        raise place.error("of", f'"{name}" is of type "{form.type}", which is not "of" anything there.')
    places = PLACES if form.type == Kind.LIST else form.places
    return ArgumentType(Kind(form.type), form.values, form.optional, places, element=element)


def _element(
    name: str, form: ArgumentTypeForm, elements: Mapping[str, Record], place: TablePlace
) -> ArgumentType:
    """The type of a list's elements; the places of a list apply to its numbers."""
    of = form.of
    scalars = [kind.value for kind in Kind if kind in _SCALARS and kind is not Kind.ENUM]
    if of in scalars:
        return ArgumentType(Kind(of), places=form.places)
    if of in elements:
        return ArgumentType(Kind.RECORD, record=type_of_record(elements[of]))
    if of in KINDS:
        return ArgumentType(Kind.RECORD, record=KINDS[of].type_in_calls)
    known_types = (*elements, *KINDS, *scalars)
    hint = f"It can be {', '.join(known_types[:-1])} or {known_types[-1]}."
    if of and (near := did_you_mean(of, known_types, 'Did you mean "{}"?')):
        hint = f"{near} {hint}"
    if not elements:
        hint += " What results tell of things with fields is a record: [records.NAME]."
    message = f'"of" of the list "{name}" cannot be "{of}".' if of else f'the list "{name}" needs its "of".'
    raise place.error("of" if of else None, message, hint)


def _result(tool: str, value: object, place: TablePlace) -> RecordResult:
    if isinstance(value, str):
        read = ResultForm(path=value)
    elif isinstance(value, dict):
        read = read_form(ResultForm, cast("dict[str, object]", value), place.below(tool))
    else:
        raise place.error(tool, f'"{tool}" in [{_table(place)}] must be a path, or a table of path and key.')
    for key in (read.path, *((read.key,) if read.key else ())):
        _check_path(key, tool, place)
    return RecordResult(tool, read.path, read.key)


def _changed_by(value: object, place: TablePlace) -> dict[str, str]:
    """The tools with the path of the key in their call; empty if the argument has the key's name."""
    if isinstance(value, list | tuple):
        items = cast("list[object]", value)
        if all(isinstance(item, str) for item in items):
            return {str(item): "" for item in items}
    elif isinstance(value, dict):
        table = cast("dict[str, object]", value)
        if all(isinstance(path, str) for path in table.values()):
            for path in table.values():
                _check_path(str(path), "changed_by", place)
            return {tool: str(path) for tool, path in table.items()}
    raise place.error("changed_by", '"changed_by" must be a list of tools, or a table of their paths.')


def _changed_to(
    form: RecordForm, fields: Sequence[RecordField], place: TablePlace
) -> dict[str, dict[str, str]]:
    """The fields that calls change, with the path of each in the call."""
    single = {field.name for field in fields if field.type.kind not in (Kind.LIST, Kind.SET)}
    asks = form.look_up.tool if form.look_up is not None else None
    for tool, paths in form.changed_to.items():
        inner = place.below("changed_to")
        if tool in form.results or tool == asks:
            message = f'the result of "{tool}" says what the record is, so that "changed_to" is not needed.'
            raise inner.error(tool, message)
        for name, path in paths.items():
            if name not in single:
                hint = did_you_mean(name, single) or f"Known here: {', '.join(sorted(single))}."
                raise inner.error(tool, f'"{name}" is no field of one value that a call could change.', hint)
            _check_path(path, tool, inner)
            if parse_parts(path)[:1] != ("arguments",) or None in parse_parts(path):
                raise inner.error(
                    tool, f'"{path}" is no path of one value of a call, such as $.arguments.{name}.'
                )
    return {tool: dict(paths) for tool, paths in form.changed_to.items()}


def _check_path(path: str, key: str, place: TablePlace) -> None:
    try:
        parse_parts(path)
    except BadPath as error:
        raise place.error(key, f"{error}.") from None


def checked_patterns(patterns: tuple[str, ...], key: str, place: TablePlace) -> tuple[str, ...]:
    """The patterns of a key; raises FileError for one that does not compile."""
    for pattern in patterns:
        try:
            compiled(pattern)
        except BadPattern as error:
            raise place.error(key, f'the pattern "{pattern[:60]}" does not compile: {error}.') from None
    return patterns


def _table(place: TablePlace) -> str:
    return ".".join(str(part) for part in place.where)


def _key_table(record: Record) -> dict[str, Toml]:
    """The key of a record, and the form in which it is compared."""
    table: dict[str, Toml] = {}
    if record.key:
        table["key"] = cast("list[Toml]", list(record.keys)) if record.key_parts else record.key
    if record.normal:
        table["normal"] = record.normal
    return table


def record_table(record: Record) -> dict[str, Toml]:
    """The table of a record."""
    table = _key_table(record)
    table["fields"] = alike({field.name: compact(_field_table(field)) for field in record.fields})
    if record.results:
        table["results"] = {result.tool: _result_value(result) for result in record.results}
    if any(record.changed_by.values()):
        table["changed_by"] = dict(record.changed_by)
    elif record.changed_by:
        table["changed_by"] = cast("list[Toml]", list(record.changed_by))
    if record.changed_to:
        table["changed_to"] = alike({tool: compact(dict(paths)) for tool, paths in record.changed_to.items()})
    if record.look_up is not None:
        table["look_up"] = compact(table_of(record.look_up))
    for key, patterns in (("errors", record.errors), ("absent", record.absent)):
        if patterns:
            table[key] = cast("list[Toml]", list(patterns))
    return table


def _result_value(result: RecordResult) -> Toml:
    return Inline(path=result.path, key=result.key) if result.key else result.path


def _field_table(field: RecordField) -> dict[str, Toml]:
    element = field.type.element
    record = element.record if element is not None else None
    table = type_table(field.type, {record.name: field.of} if record is not None and field.of else {})
    if field.kind:
        table["type"] = field.kind
    return table | table_of(field, without=("name", "type", "kind", "of"))


def type_table(type_: ArgumentType, records: Mapping[str, str]) -> dict[str, Toml]:
    """The table of a type; ``records`` maps the name of a record's type to the name of the record."""
    records = {**{classes[0]: name for name, classes in CLASSES.items()}, **records}
    table: dict[str, Toml] = {"type": type_.kind.value}
    if type_.values:
        table["values"] = cast("list[Toml]", list(type_.values))
    if type_.record is not None:
        table["of"] = records[type_.record.name]
    elif type_.element is not None:
        element = type_.element
        table["of"] = records[element.record.name] if element.record is not None else element.kind.value
    if type_.optional:
        table["optional"] = True
    if (numbers := type_.element or type_).places != PLACES:
        table["places"] = numbers.places
    return table

"""The fields of a tool's parameters, from the JSON schema as handed to the model and the notes on it.

What a schema cannot say is left out with the reason, so that it concerns only the policies that use it.

What surrounds the values of a tool: the folder, the shell and the file system by which they are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import cast

from workbench.dialect.call_fields import CallField, ObjectKeys, fields_as_read, read_without_remotes
from workbench.dialect.class_names import field_name, words_in_capitals
from workbench.dialect.field_notes import NO_NOTE, BadNote, check_note, noted, stated_scalar
from workbench.dialect.json_schemas import Plain, Schemas, Untyped
from workbench.model import ArgumentType, FieldNote, Json, Kind, RecordType, Tool
from workbench.runs.kinds.file_systems import OF_FILES
from workbench.runs.kinds.kinds_by_name import FOLDER_OPTIONS, KINDS, UNDECLARED_SHELL
from workbench.runs.values.schema_fit import demands
from workbench.runs.values.schema_kinds import FORMATS, SCALARS, TEXT_FORMATS

MOST_DEPTH = 12
"""The most objects within one another whose fields are read."""
KEY = "key"
VALUE = "value"
"""The fields of an element for the key and the value of an object that is read as a list."""


@dataclass(frozen=True, slots=True)
class FieldsOfTool:
    """The fields of a tool, the reason for each that has none, and the paths that notes may have.

    ``keys`` are those of the arguments.
    """

    fields: tuple[CallField, ...]
    keys: ObjectKeys
    unreadable: Mapping[str, str]
    paths: tuple[str, ...]


def fields_of_tool(tool: Tool, class_name: str, taken: set[str]) -> FieldsOfTool:
    """The fields of a tool's parameters; the classes of its objects are added to those that are ``taken``.

    Raises BadNote for a note that fits no parameter.
    """
    reading = _Reading(tool, taken)
    fields: tuple[CallField, ...] = ()
    keys = ObjectKeys()
    try:
        plain = reading.schemas.plain(dict(tool.parameters))
        fields, keys = reading.fields(_Place("", class_name, 0), plain), object_keys(plain)
    except Untyped as untyped:
        reading.unreadable[class_name] = f'The schema of the tool "{tool.name}" {untyped}.'
    for path in tool.fields:
        if path not in reading.seen:
            raise BadNote(path, f'the tool "{tool.name}" has no parameter "{path}"', tuple(reading.seen))
    return FieldsOfTool(fields, keys, reading.unreadable, tuple(reading.seen))


def object_keys(plain: Plain) -> ObjectKeys:
    """The keys that a schema of an object has and permits.

    A schema that says nothing of other keys permits none: nobody has said what they would mean.
    """
    properties, patterns = plain.keys.get("properties"), plain.keys.get("patternProperties")
    others = (plain.keys.get("additionalProperties"), plain.keys.get("unevaluatedProperties"))
    return ObjectKeys(
        tuple(key for key, schema in _object(properties).items() if schema is not False),
        tuple(pattern for pattern, schema in _object(patterns).items() if schema is not False),
        any(other is True or (isinstance(other, dict) and "not" not in other) for other in others),
    )


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where fields are: the path of their object, the class that has them, and how deep it is."""

    path: str
    owner: str
    depth: int
    in_element: bool = False

    def below(self, path: str, name: str) -> _Place:
        return replace(self, path=path, owner=self.owner + words_in_capitals(name), depth=self.depth + 1)

    def element(self, path: str, name: str) -> _Place:
        return replace(self.below(f"{path}[]", f"{name}_item"), in_element=True)

    def inner(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


@dataclass(slots=True)
class _Reading:
    tool: Tool
    taken: set[str]
    unreadable: dict[str, str] = field(default_factory=dict[str, str])
    seen: dict[str, None] = field(default_factory=dict[str, None])
    schemas: Schemas = field(init=False)

    def __post_init__(self) -> None:
        self.schemas = Schemas(self.tool.parameters)

    def note(self, path: str, *, is_first: bool = False) -> FieldNote:
        """The note on a path, which is one of the tool's. Raises BadNote if it is that of two parameters."""
        note = self.tool.fields.get(path, NO_NOTE)
        if is_first and path in self.seen and note is not NO_NOTE:
            raise BadNote(path, f'the tool "{self.tool.name}" has two parameters with the path "{path}"')
        self.seen[path] = None
        return note

    def fields(self, place: _Place, plain: Plain) -> tuple[CallField, ...]:
        """The fields of an object's properties."""
        if plain.type not in ("object", ""):
            raise Untyped("is no object with named parameters")
        if place.depth > MOST_DEPTH:
            raise Untyped(f"has more than {MOST_DEPTH} objects within one another")
        properties = plain.keys.get("properties")
        required = plain.keys.get("required")
        named: dict[str, list[CallField]] = {}
        for key, schema in (properties if isinstance(properties, dict) else {}).items():
            note = self.note(place.inner(key), is_first=True)
            name = note.name or field_name(key) or key
            try:
                is_required = isinstance(required, list) and key in required
                named.setdefault(name, []).append(
                    self.field(place, key, schema, plain.references, is_required=is_required)
                )
            except Untyped as untyped:
                self.leave_out(place, key, name, untyped)
        for name, fields in named.items():
            for one in fields if len(fields) > 1 or f"{place.owner}.{name}" in self.unreadable else ():
                another = Untyped(f'has the name "{name}" of another', "Give one a `name`")
                self.leave_out(place, one.key, name, another)
        return tuple(
            fields[0] for name, fields in named.items() if f"{place.owner}.{name}" not in self.unreadable
        )

    def leave_out(self, place: _Place, key: str, name: str, why: Untyped) -> None:
        """Keep the reason why a field is none."""
        path = place.inner(key)
        where = f'[tools.{self.tool.name}.fields."{path}{why.below}"] of agent.toml'
        if why.in_schema:
            where = f"the parameters of the tool, [tools.{self.tool.name}] of agent.toml"
        remedy = f"{why.remedy} in {where}" if why.remedy else "No policy can read it"
        self.unreadable[f"{place.owner}.{name}"] = (
            f'The parameter "{path}" of the tool "{self.tool.name}" {why}. {remedy}.'
        )

    def field(
        self, place: _Place, key: str, schema: Json, references: frozenset[str], *, is_required: bool
    ) -> CallField:
        """The field of one property. Raises Untyped, and BadNote."""
        path = place.inner(key)
        note = self.note(path)
        check_note(path, note)
        name = note.name or field_name(key)
        if not key:
            raise Untyped("has an empty name", remedy="")
        if not name:
            raise Untyped("has no name of plain letters", "Give it a `name`")
        plain = self.plain(schema, references, note)
        one = self.typed(place, path, name, plain, note)
        is_optional = not is_required or plain.nullable
        if one.type.kind in (Kind.LIST, Kind.SET):
            is_optional = False  # what a call lacks is None, which no list is: it is not determinable
        optional = is_optional if note.optional is None else note.optional
        description = plain.keys.get("description")
        return replace(
            one,
            name=name,
            key=key,
            type=replace(one.type, optional=True) if optional else one.type,
            description=description if isinstance(description, str) else "",
            schema=self.demanded(plain, one),
        )

    def demanded(self, plain: Plain, one: CallField) -> dict[str, Json]:
        """What the schema of a field demands of its value, and of the elements or the keys in it.

        The values of an object keyed by ids and the elements' own fields have their demands themselves.
        """
        found = demands(
            {key: held for key, held in plain.keys.items() if key not in ("items", "propertyNames")}
        )
        inner = ("propertyNames", *(("items",) if plain.type == "array" else ()))
        for key in inner:
            if key in plain.keys:
                with suppress(Untyped):
                    found[key] = demands(_with_type(self.schemas.plain(plain.keys[key], plain.references)))
        patterns = plain.keys.get("patternProperties")
        if (
            one.keyed_by
            and isinstance(patterns, dict)
            and not isinstance(plain.keys.get("additionalProperties"), dict)
        ):
            names: list[Json] = [{"pattern": pattern} for pattern in patterns]
            found["propertyNames"] = {"allOf": [found.get("propertyNames", {}), {"anyOf": names}]}
        return found

    def typed(self, place: _Place, path: str, name: str, plain: Plain, note: FieldNote) -> CallField:
        """The field with its type, which the note states or the schema."""
        one = stated_scalar(path, note, plain)
        if one is None and (note.type in (Kind.LIST, Kind.SET) or plain.type == "array"):
            if place.in_element:
                raise Untyped("is a list within the elements of a list")
            one = self.list_of(path, plain, Kind(note.type or Kind.LIST), place.element(path, name))
        elif one is None and (note.key or (plain.type == "object" and not plain.keys.get("properties"))):
            if place.in_element:
                raise Untyped("is a list within the elements of a list")
            one = self.keyed(path, plain, note, place.element(path, name))
        elif one is None and plain.type == "object":
            one = self.record(plain, place.below(path, name))
        read = self.surrounded(noted(path, note, _of_format(plain) if one is None else one))
        # What earlier calls did to the remotes is asked of a command that is a parameter itself.
        return read if read.type.kind is Kind.STR and not place.path else read_without_remotes(read)

    def surrounded(self, one: CallField) -> CallField:
        """A field with what its tool says of folder, shell and files; its own note says more."""
        if one.kind not in KINDS:
            return one
        options = {**_options_of_tool(self.tool, one.kind), **one.options}
        follows = FOLDER_OPTIONS.get(one.kind, "") not in ("", *one.options)
        return replace(one, options=options, in_folder=follows)

    def record(self, plain: Plain, inner: _Place) -> CallField:
        """A nested object."""
        self.claim(inner.owner)
        fields = self.fields(inner, plain)
        if not fields:
            raise Untyped("is an object without a field that has a type")
        return CallField("", "", _record_type(inner.owner, fields), fields, object_keys=object_keys(plain))

    def claim(self, name: str) -> None:
        """Take the name of a class. Raises Untyped if it is another's."""
        if name in self.taken:
            raise Untyped(f"would have the class `{name}`, which is another's", "Give it another `name`")
        self.taken.add(name)

    def list_of(self, path: str, plain: Plain, kind: Kind, inner: _Place) -> CallField:
        """A list or set, whose elements have a schema or a note."""
        note = self.note(inner.path, is_first=True)
        check_note(inner.path, note, is_element=True)
        if "prefixItems" in plain.keys:
            raise Untyped('is a list whose elements have a type each ("prefixItems")')
        try:
            element = self.plain(plain.keys.get("items"), plain.references, note)
        except Untyped as untyped:
            reason = f"is a list whose element {untyped}"
            raise Untyped(reason, untyped.remedy, "[]", in_schema=untyped.in_schema) from None
        if element.nullable:
            raise Untyped("is a list whose elements may be null")
        one = stated_scalar(inner.path, note, element)
        if one is None and element.type == "object" and element.keys.get("properties"):
            if kind is Kind.SET:
                raise BadNote(path, f'"{path}" has objects, and a set has texts or whole numbers', key="type")
            one = noted(inner.path, note, self.record(element, inner))
            return replace(one, type=ArgumentType(Kind.LIST, element=one.type))
        if one is None and element.type in ("object", "array"):
            raise Untyped("is a list of lists, or of objects whose schema names no fields")
        one = self.surrounded(noted(inner.path, note, scalar(element) if one is None else one))
        if kind is Kind.SET and (one.kind or one.type.kind not in (Kind.STR, Kind.ENUM, Kind.INT)):
            raise BadNote(path, f'"{path}" has neither texts nor whole numbers, as a set must', key="type")
        if kind is Kind.SET and one.options:
            raise BadNote(inner.path, f'"{inner.path}" are members of a set, which are read as they are')
        return replace(one, type=_many(one, kind))

    def keyed(self, path: str, plain: Plain, note: FieldNote, inner: _Place) -> CallField:
        """An object keyed by ids, as the list of its values with their keys."""
        schema = plain.keys.get("additionalProperties")
        patterns = plain.keys.get("patternProperties")
        if not isinstance(schema, dict) and isinstance(patterns, dict) and len(patterns) == 1:
            (schema,) = patterns.values()
        if not isinstance(schema, dict):
            if note.key:
                raise BadNote(path, f'"{path}" is no object keyed by ids', key="key")
            raise Untyped("is an object whose schema names no fields")
        self.claim(inner.owner)
        value = self.plain(schema, plain.references, self.tool.fields.get(inner.inner(VALUE), NO_NOTE))
        keys: ObjectKeys | None = None
        if value.type == "object" and value.keys.get("properties"):
            if value.nullable:
                raise Untyped("is an object keyed by ids whose values may be null")
            fields, keys = self.fields(inner, value), object_keys(value)
        else:
            one = self.field(inner, VALUE, schema, plain.references, is_required=True)
            fields = (replace(one, key=""),)
        key = note.key or KEY
        if any(one.name == key for one in fields):
            raise Untyped(f'is an object keyed by ids whose values have a "{key}" too', "Give it a `key`")
        fields = (CallField(key, "", ArgumentType(Kind.STR)), *fields)
        type_ = ArgumentType(Kind.LIST, element=_record_type(inner.owner, fields))
        return CallField("", "", type_, fields, keyed_by=key, object_keys=keys)

    def plain(self, schema: Json, references: frozenset[str], note: FieldNote) -> Plain:
        """The plain form of a schema; what it demands of any type if a note says its type in its place."""
        try:
            return self.schemas.plain(schema, references)
        except Untyped:
            if not note.type:
                raise
            keys = demands(schema) if isinstance(schema, dict) else {}
            return Plain(keys, nullable=False, references=references)


def _with_type(plain: Plain) -> Mapping[str, Json]:
    return {**plain.keys, "type": plain.type} if plain.type else plain.keys


def _record_type(name: str, fields: tuple[CallField, ...]) -> ArgumentType:
    return ArgumentType(Kind.RECORD, record=RecordType(name, fields_as_read(fields)))


def _many(one: CallField, kind: Kind) -> ArgumentType:
    """The type of a list or set of such scalars; known texts do not restrict its members."""
    element = replace(one.type, kind=Kind.STR) if one.type.kind is Kind.ENUM else one.type
    if one.kind:
        element = ArgumentType(Kind.RECORD, record=KINDS[one.kind].type_in_calls)
    if kind is Kind.SET:
        return ArgumentType(kind, element.values, element=None if element.kind is Kind.STR else element)
    return ArgumentType(kind, element=element)


def scalar(plain: Plain) -> CallField:
    """A value that is no object and no list. Raises Untyped."""
    values = plain.keys.get("enum")
    if isinstance(values, list):
        return CallField("", "", _of_constants(values))
    if plain.type == "null":
        raise Untyped("has no value but null")
    kind = SCALARS.get(plain.type)
    if kind is None:
        raise Untyped(
            "has no type in its schema" if not plain.type else f'is of the unknown type "{plain.type}"'
        )
    if kind is Kind.STR:
        kind = FORMATS.get(str(plain.keys.get("format")), kind)
    return CallField("", "", ArgumentType(kind))


def _of_format(plain: Plain) -> CallField:
    """A scalar; a text with a format such as ``uri`` is of its kind. Raises Untyped."""
    one = scalar(plain)
    kind = TEXT_FORMATS.get(str(plain.keys.get("format")), "")
    return replace(one, kind=kind) if kind and one.type.kind is Kind.STR else one


def _of_constants(values: list[Json]) -> ArgumentType:
    if not values:
        raise Untyped("has no value that its schema allows")
    kinds = {type(value) for value in values}
    if kinds == {str}:
        return ArgumentType(Kind.ENUM, tuple(dict.fromkeys(cast("list[str]", values))))
    for allowed, kind in (({bool}, Kind.BOOL), ({int}, Kind.INT), ({int, float}, Kind.DECIMAL)):
        if kinds <= allowed:
            return ArgumentType(kind)
    raise Untyped("may have values of several types")


def _options_of_tool(tool: Tool, kind: str) -> dict[str, Json]:
    """The options of a kind that follow from what a tool says of itself."""
    options: dict[str, Json] = {}
    if kind in ("path", "command"):
        options |= OF_FILES.get(tool.file_system, {})
    if kind == "command":
        options["shell"] = tool.shell or UNDECLARED_SHELL
        if tool.remotes:
            options["remotes"] = {folder: dict(hosts) for folder, hosts in tool.remotes.items()}
    if kind in FOLDER_OPTIONS and tool.cwd:
        options[FOLDER_OPTIONS[kind]] = tool.cwd
    return options

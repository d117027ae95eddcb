"""The classes of calls and their fields: parameters, nested objects, and the elements of lists.

An exported file carries these nouns, and nothing of what makes them of schemas.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from workbench.model import ArgumentType, Json, Kind, Record, RecordField, RecordType
from workbench.runs.kinds.kinds_by_name import FOLDER_OPTIONS, KINDS
from workbench.runs.values.zones import PARTS, type_of_part

_TIME = ArgumentType(Kind.DATETIME)
_REMOTES = "remotes"
_OUTCOME = (
    ("succeeded", ArgumentType(Kind.BOOL)),
    ("failed", ArgumentType(Kind.BOOL)),
    ("approved", ArgumentType(Kind.BOOL)),
    ("result", ArgumentType(Kind.STR)),
)


@dataclass(frozen=True, slots=True)
class ObjectKeys:
    """The keys that the schema of an object has, and which ones it permits besides: by patterns, or any."""

    known: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    any_other: bool = False


@dataclass(frozen=True, slots=True)
class CallField:
    """A field of a call, of a nested object or of an element of a list.

    ``key`` is its key in the JSON object; ``name`` is its name in a policy. ``fields`` are those of a nested
    object (type RECORD), or of the elements of a list of objects. ``keyed_by`` is the field of an element
    that has the key of an object keyed by ids, which is read as a list; of the other fields of such an
    element, one with an empty ``key`` is the value itself. ``kind`` is the kind of value by which a text, or
    each text of a list, is read. ``options`` are those of the kind, and the ``zone`` of a time or the
    ``normal`` form of a text. ``in_folder`` is whether its relative paths begin in the folder of the call.
    ``object_keys`` are those of a nested object, or of each object in a list. ``schema`` is what its schema
    demands of its JSON besides; a value that does not fit is not determinable.

    An optional list or set is empty where a call lacks it. One that is not optional has no value then, since
    what is missing is no empty list; and no list is None.
    """

    name: str
    key: str
    type: ArgumentType
    fields: tuple[CallField, ...] = ()
    keyed_by: str = ""
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    kind: str = ""
    description: str = ""
    in_folder: bool = False
    object_keys: ObjectKeys | None = None
    schema: Mapping[str, Json] = field(default_factory=dict[str, Json])


def read_in_folder(one: CallField, folder: str) -> CallField:
    """The field for calls that are made in a folder; empty if the folder is not known."""
    inner = tuple(read_in_folder(each, folder) for each in one.fields)
    if not one.in_folder:
        return replace(one, fields=inner) if inner else one
    key = FOLDER_OPTIONS[one.kind]
    options = {name: value for name, value in one.options.items() if name != key}
    return replace(one, options={**options, **({key: folder} if folder else {})})


def read_without_remotes(one: CallField) -> CallField:
    """The field for calls of which it is not known whether the remotes of git were the declared ones."""
    inner = tuple(map(read_without_remotes, one.fields))
    if _REMOTES not in one.options:
        return replace(one, fields=inner) if inner != one.fields else one
    return replace(
        one, fields=inner, options={key: value for key, value in one.options.items() if key != _REMOTES}
    )


def as_read(one: CallField | RecordField) -> ArgumentType:
    """The type of the values of a field, as a policy reads them: a list or a set is never None."""
    is_list = one.type.kind in (Kind.LIST, Kind.SET)
    return replace(one.type, optional=False) if is_list and one.type.optional else one.type


def fields_as_read(fields: Iterable[CallField | RecordField]) -> tuple[tuple[str, ArgumentType], ...]:
    """The fields as a policy reads them, each followed by its typed parts."""
    return tuple(
        (name, type_)
        for one in fields
        for name, type_ in ((one.name, as_read(one)), *parts_of(one.name, one.type, one.kind))
    )


def type_of_record(record: Record) -> RecordType:
    """The class of a record."""
    return RecordType(record.class_name, fields_as_read(record.fields))


def parts_of(name: str, type_: ArgumentType, kind: str = "") -> Iterator[tuple[str, ArgumentType]]:
    """The typed parts of a field, as ``command.programs``: of a text of a kind, and of a point in time."""
    if type_.kind is Kind.DATETIME:
        yield from ((part_name(name, part), ArgumentType(type_of_part(part))) for part in PARTS)
    if kind in KINDS and type_.kind is not Kind.LIST:
        parts = KINDS[kind].type_in_calls.fields
        yield from ((part_name(name, part), part_type) for part, part_type in parts)


def kind_of_field(holder: RecordType, name: str) -> str:
    """The kind of a text that a class or element holds, by the parts beside it; empty if it has none."""
    parts = {
        part
        for field_name, part in (field_and_part(other) for other, _ in holder.fields)
        if field_name == name
    }
    kinds = (
        kind for kind in KINDS.values() if parts - {""} == {part for part, _ in kind.type_in_calls.fields}
    )
    return next((kind.name for kind in kinds), "")


def part_name(field_name: str, part: str) -> str:
    """The name of the typed part of a field; no field has a point in its own name."""
    return f"{field_name}.{part}"


def name_in_record(path: Iterable[str], own: Container[str]) -> str:
    """The plain name of what a path leads to in a record; it ends with ``_`` where a field has that name."""
    name = "_".join(path).replace(".", "_")
    while name in own:
        name += "_"
    return name


def field_and_part(name: str) -> tuple[str, str]:
    """The name of a field and that of its part, which is empty for the field itself."""
    field_name, _, part = name.partition(".")
    return field_name, part


CALL_TIME = (("time", _TIME), *parts_of("time", _TIME))
"""The time of a call, with its parts in the agent's zone."""


@dataclass(frozen=True, slots=True)
class CallType:
    """The class of the calls of one tool, with the folder in which they are made (see ``Tool``).

    ``object_keys`` are those of the arguments.
    """

    name: str
    tool: str
    fields: tuple[CallField, ...]
    description: str = ""
    cwd: str = ""
    cwd_parameter: str = ""
    file_system: str = ""
    object_keys: ObjectKeys = ObjectKeys()

    @property
    def decided(self) -> RecordType:
        """The type of the call that is decided: its outcome is not known."""
        return RecordType(self.name, (*fields_as_read(self.fields), *CALL_TIME))

    @property
    def earlier(self) -> RecordType:
        """The type of an earlier call of the run, with its outcome."""
        return RecordType(self.name, (*self.decided.fields, *_OUTCOME))

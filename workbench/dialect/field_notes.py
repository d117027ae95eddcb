"""Notes of ``agent.toml`` on the parameters of tools, and what they make of a field."""

from __future__ import annotations

from dataclasses import replace

from workbench.dialect.call_fields import CallField
from workbench.dialect.class_names import is_field_name
from workbench.dialect.json_schemas import Plain
from workbench.model import ArgumentType, FieldNote, Json, Kind
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.values.described_option import BadOption
from workbench.runs.values.normal_texts import NORMALS
from workbench.runs.values.zones import BadZone, zone_named

NO_NOTE = FieldNote()
SCALAR_TYPES = (Kind.BOOL, Kind.INT, Kind.DECIMAL, Kind.STR, Kind.ENUM, Kind.DATE, Kind.TIME, Kind.DATETIME)
NOTED_TYPES = (*SCALAR_TYPES, Kind.SET, Kind.LIST, *KINDS)
"""The types that a note may state."""
_MANY = (Kind.SET, Kind.LIST)


class BadNote(ValueError):
    """A note that fits no parameter: its path, its key that is wrong, and the known words for ``word``.

    The text is one sentence. Without a key, the path is wrong.
    """

    def __init__(
        self, path: str, message: str, known: tuple[str, ...] = (), key: str = "", word: str = ""
    ) -> None:
        """Keep what is wrong, and what it could be; end the sentence."""
        super().__init__(message if message.endswith("?") else f"{message}.")
        self.path = path
        self.known = known
        self.key = key
        self.word = word or path


def check_note(path: str, note: FieldNote, *, is_element: bool = False) -> None:
    """Check what a note says by itself. Raises BadNote."""
    for key, name in (("name", note.name), ("key", note.key)):
        if name and not is_field_name(name):
            raise BadNote(path, f'the {key} "{name}" of "{path}" is no free name of plain letters', key=key)
    if note.type and note.type not in NOTED_TYPES:
        raise BadNote(path, f'"type" of "{path}" cannot be "{note.type}"', NOTED_TYPES, "type", note.type)
    if is_element and (note.name or note.key or note.optional is not None or note.type in _MANY):
        wrong = (
            "name" if note.name else "key" if note.key else "optional" if note.type not in _MANY else "type"
        )
        raise BadNote(path, f'"{wrong}" cannot be said of the elements of a list, as "{path}"', key=wrong)
    if note.normal and note.normal not in NORMALS:
        raise BadNote(
            path, f'"normal" of "{path}" is no normal form of a text', NORMALS, "normal", note.normal
        )
    if note.zone:
        try:
            zone_named(note.zone)
        except BadZone as error:
            raise BadNote(path, str(error), key="zone") from None


def stated_scalar(path: str, note: FieldNote, plain: Plain) -> CallField | None:
    """The field of the scalar or the kind that a note states; None if it states none."""
    if note.type in KINDS:
        if plain.type in ("integer", "number") and not KINDS[note.type].numbers:
            raise BadNote(path, f'the number "{path}" is no {note.type}, which is a text', key="type")
        return CallField("", "", ArgumentType(Kind.STR), kind=note.type)
    if note.type not in SCALAR_TYPES:
        return None
    values = note.values or _texts(plain.keys.get("enum"))
    if note.type == Kind.ENUM:
        if not values:
            raise BadNote(path, f'the enum "{path}" needs its "values"', key="type")
        return CallField("", "", ArgumentType(Kind.ENUM, values))
    return CallField("", "", ArgumentType(Kind(note.type)))


def noted(path: str, note: FieldNote, one: CallField) -> CallField:
    """A field with what a note says besides its type. Raises BadNote if it does not fit the type."""
    if note is NO_NOTE:
        return one
    type_ = one.type
    said_of_elements = note.values or note.places is not None or note.normal or note.zone or note.options
    said_of_elements = said_of_elements or note.exact
    if type_.kind in _MANY and said_of_elements:
        raise BadNote(path, f'"{path}" is a list; say of "{path}[]" what holds for its elements')
    if note.places is not None:
        _check(path, "places", type_.kind is Kind.DECIMAL, "is no decimal")
        type_ = replace(type_, places=note.places)
    if note.values:
        _check(path, "values", type_.kind in (Kind.STR, Kind.ENUM), "is no text")
        type_ = replace(type_, values=note.values)
    if note.key:
        _check(path, "key", bool(one.keyed_by), "is no object keyed by ids")
    return replace(one, type=type_, options={**one.options, **_options(path, note, one)})


def _options(path: str, note: FieldNote, one: CallField) -> dict[str, Json]:
    """How the value is read: the options of its kind, the zone of a time, the normal form of a text."""
    kind = KINDS.get(one.kind)
    options: dict[str, Json] = {}
    if note.options:
        _check(path, "options", kind is not None, "is of no kind of value")
        options |= note.options
    if note.zone:
        takes_zone = (
            any(item.name == "zone" for item in kind.options) if kind else one.type.kind is Kind.DATETIME
        )
        _check(path, "zone", takes_zone, "is no point in time")
        options["zone"] = note.zone
    if kind is not None:
        try:
            kind.reader(options)
        except BadOption as error:
            raise BadNote(path, str(error), key="options") from None
    if note.exact:
        _check(path, "exact", one.type.kind is Kind.STR and kind is None, "is no plain text")
        options["exact"] = True
    if note.normal:
        _check(path, "normal", one.type.kind is Kind.STR and kind is None, "is no plain text")
        options["normal"] = note.normal
    return options


def _check(path: str, key: str, fits: bool, otherwise: str) -> None:
    if not fits:
        raise BadNote(path, f'"{key}" cannot be said of "{path}", which {otherwise}', key=key)


def _texts(values: Json) -> tuple[str, ...]:
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()

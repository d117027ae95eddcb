"""Values of a policy as the JSON of calls and results that they are read from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import cast

from workbench.check.realise.fitting_texts import candidates, fitting_text
from workbench.dialect.call_fields import CallField
from workbench.model import ArgumentType, Json, Kind, Record, RecordValue, Value
from workbench.runs.values.found_value import Missing
from workbench.runs.values.json_paths import parse_parts
from workbench.runs.values.normal_texts import normal_text
from workbench.runs.values.patterns import any_in, compiled
from workbench.runs.values.schema_fit import misfit
from workbench.serialization.durations import duration_text

type Path = tuple[str, ...]
type KeyPart = str | int | date
"""A part of the key of a record."""
"""Values of fields by the names that lead to them."""

_START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_EXACT_INTEGERS = 2**53
_BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf")
_PLAIN: Mapping[Kind, Value] = {
    Kind.BOOL: False,
    Kind.INT: 1,
    Kind.DECIMAL: Decimal(1),
    Kind.DATE: _START.date(),
    Kind.TIME: _START.time(),
    Kind.DATETIME: _START,
    Kind.DURATION: timedelta(hours=1),
    Kind.SET: frozenset[str](),
    Kind.LIST: (),
}


def json_of(value: Value) -> Json:
    """The JSON from which a value is read."""
    match value:
        case bool() | int() | str() | None:
            return value
        case Decimal():
            whole = value == value.to_integral_value() and abs(value) < _EXACT_INTEGERS
            number = int(value) if whole else float(value)
            return number if Decimal(repr(number)) == value else str(value)
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return duration_text(value)
        case frozenset():
            return cast("list[Json]", sorted(value, key=str))
        case tuple():
            return [json_of(element) for element in value]
        case RecordValue():
            own = dict(value.fields)
            return (
                json_of(own["text"]) if "text" in own else {name: json_of(held) for name, held in own.items()}
            )


@dataclass(slots=True)
class PlainValues:
    """Values for what an input leaves open; texts are all different, so that none is another's key."""

    number: int = 0

    def of_type(self, type_: ArgumentType, name: str) -> Value:
        """A value of a type; ``name`` is what a text is about."""
        if type_.kind is Kind.ENUM and type_.values:
            return type_.values[0]
        if type_.kind in _PLAIN:
            return _PLAIN[type_.kind]
        return self.text(name)

    def text(self, name: str) -> str:
        """A text of its own, also in every normal form.

        Any text may become the key of a record, whose normal form may ask more than that of its field.
        """
        self.number += 1
        word = plain_word(name)
        return f"{word}{'No' if word[-1].isdigit() else ''}{self.number}"


def plain_word(name: str) -> str:
    """A word of letters and digits for what a name says: it has every normal form, as ``bookingId``."""
    signs = "".join(sign for sign in name.title() if sign.isascii() and sign.isalnum())
    return f"{signs[:1].lower()}{signs[1:]}" or "text"


@dataclass(slots=True)
class JsonObjects:
    """Makes the arguments of calls and the objects of records; what is not known gets a plain value.

    ``records`` are those of the agent, by their names: the elements of a record's list are objects of one.
    """

    records: Mapping[str, Record]
    plain: PlainValues = field(default_factory=PlainValues)
    texts: set[str] = field(default_factory=set[str])

    def arguments(self, fields: Sequence[CallField], known: dict[Path, Value]) -> dict[str, Json]:
        """The arguments of a call whose fields have these values; the plain values are added to them."""
        return self._object(fields, known, ())

    def _object(self, fields: Sequence[CallField], known: dict[Path, Value], at: Path) -> dict[str, Json]:
        made: dict[str, Json] = {}
        for one in fields:
            path = (*at, one.name)
            if path in known:
                value = known[path] = _in_normal_form(one, known[path])
                if value is not None:
                    made[one.key] = (
                        self._elements(one, value) if isinstance(value, tuple) else _written(one, value)
                    )
            elif one.type.kind is Kind.RECORD and one.fields:
                if not one.type.optional or any(other[: len(path)] == path for other in known):
                    made[one.key] = self._object(one.fields, known, path)
            elif not one.type.optional:
                value = known[path] = _in_normal_form(one, self._fitting(one))
                made[one.key] = {} if one.keyed_by else _written(one, value)
        return made

    def _fitting(self, one: CallField) -> Value:
        """A plain value that the schema of a field permits, if one is found."""
        plain = self.plain.of_type(one.type, one.name)
        if not misfit(_written(one, plain), one.schema):
            return plain
        if isinstance(plain, str):
            found = fitting_text(one.schema, plain, self.texts) or plain
            self.texts.add(found)
            return found
        bounds = [Decimal(str(held)) for held in map(one.schema.get, _BOUNDS) if type(held) in (int, float)]
        others: list[Value] = [bound + step for bound in bounds for step in (0, 1, -1)]
        if one.type.kind is Kind.INT:
            others = [int(cast("Decimal", other)) for other in others]
        return next((other for other in others if not misfit(_written(one, other), one.schema)), plain)

    def _elements(self, one: CallField, elements: Sequence[Value]) -> Json:
        objects = [
            self._object(one.fields, fields_of(one.fields, element), ())
            if isinstance(element, RecordValue) and one.fields
            else json_of(element)
            for element in elements
        ]
        if not one.keyed_by:
            return cast("Json", objects)
        keyed: dict[str, Json] = {}
        for element, made in zip(elements, objects, strict=True):
            key = dict(element.fields).get(one.keyed_by) if isinstance(element, RecordValue) else None
            held = made if isinstance(made, dict) else {}
            inner = {name: value for name, value in held.items() if name}
            text = str(self.plain.of_type(ArgumentType(Kind.STR), one.keyed_by) if key is None else key)
            keyed[text] = (
                held[""] if "" in held and len(one.fields) == len((one.keyed_by, "value")) else inner
            )
        return keyed

    def record(self, record: Record, keys: Sequence[KeyPart], known: Mapping[str, Value]) -> dict[str, Json]:
        """The object of a record in a result."""
        made = self.fields(record, known)
        for path, part in zip(record.keys, keys, strict=True):
            put(made, parse_parts(path), json_of(part), {})
        return made

    def fields(self, record: Record, known: Mapping[str, Value]) -> dict[str, Json]:
        """The object of a record without its key."""
        made: dict[str, Json] = {}
        for one in record.fields:
            value = known[one.name] if one.name in known else self.plain.of_type(one.type, one.name)
            if value is None:
                continue
            where = {name: wanted for name, wanted in one.where.items() if not isinstance(wanted, list)}
            element = self.records.get(one.of)
            written: Json = json_of(value)
            if element is not None and isinstance(value, tuple):
                records = (each for each in value if isinstance(each, RecordValue))
                written = [
                    cast("Json", {**where, **self.fields(element, dict(each.fields))}) for each in records
                ]
            put(made, parse_parts(one.path or one.name), written, where)
        return made


def _written(one: CallField, value: Value) -> Json:
    """The JSON of a value in a form that the schema of its field permits, if it has one."""
    written = json_of(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not misfit(written, one.schema):
        return written
    forms: list[Json] = [str(value), f"{value:f}", f"{value:.1f}", f"{value:.2f}"]
    same = (form for form in forms if Decimal(str(form)) == value)
    return next((form for form in same if not misfit(form, one.schema)), written)


def field_at(fields: Sequence[CallField], path: Path) -> CallField | None:
    """The field at a path of names; None if there is none."""
    found = next((one for one in fields if one.name == path[0]), None)
    return found if found is None or len(path) == 1 else field_at(found.fields, path[1:])


def _in_normal_form(one: CallField, value: Value) -> Value:
    """The value as it is read: a text in the normal form of its field, if it has one."""
    normal = one.options.get("normal")
    try:
        return normal_text(value, normal) if isinstance(normal, str) else value
    except Missing:
        return value


def fields_of(fields: Sequence[CallField], element: RecordValue) -> dict[Path, Value]:
    """The values of an element's fields by their paths; ``payment_amount`` is ``amount`` of ``payment``."""
    held = dict(element.fields)
    return {path: held["_".join(path)] for path in _paths(fields, ()) if "_".join(path) in held}


def _paths(fields: Sequence[CallField], at: Path) -> Iterator[Path]:
    for one in fields:
        yield (*at, one.name)
        if one.type.kind is Kind.RECORD:
            yield from _paths(one.fields, (*at, one.name))


def put(
    holder: dict[str, Json], path: Sequence[str | int | None], value: Json, where: Mapping[str, Json]
) -> None:
    """Put a value at a path of an object; a value at ``[*]`` is a list of one object for each member."""
    first, rest = path[0], path[1:]
    if not isinstance(first, str):
        return
    if not rest:
        held = holder.get(first)
        holder[first] = value if not (isinstance(held, dict) and value == {}) else held
        return
    if rest[0] is None:
        members = value if isinstance(value, list) else [value]
        present = holder.get(first)
        listed: list[Json] = present if isinstance(present, list) else []
        if len(rest) == 1:
            listed.extend(members)
        for number, member in enumerate(members if len(rest) > 1 else ()):
            if number >= len(listed):
                listed.append(dict(where))
            inner = listed[number]
            if isinstance(inner, dict):
                put(inner, rest[1:], member, {})
        holder[first] = listed
        return
    inner = holder.setdefault(first, {})
    if isinstance(inner, dict):
        put(inner, rest, value, where)


def matching_text(patterns: Sequence[str]) -> str | None:
    """A short text that one of these patterns matches, or None if none is found."""
    for pattern in patterns:
        for candidate in candidates(pattern):
            try:
                if any_in([compiled(pattern)], candidate):
                    return candidate
            except TimeoutError:
                continue
    return None

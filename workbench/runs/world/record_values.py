"""Records, lists and values of kinds as a policy sees them, built from the JSON of a call or a result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from workbench.dialect.call_fields import CallField, part_name
from workbench.model import (
    MOST_ELEMENTS,
    ArgumentType,
    Element,
    Json,
    Kind,
    Record,
    RecordField,
    RecordValue,
    Value,
)
from workbench.policy.operations import Known
from workbench.policy.undetermined import Undetermined, record_of, unknown
from workbench.runs.kinds.kinds_by_name import KINDS, kind_of, part_named
from workbench.runs.values.coerce import coerce, shown
from workbench.runs.values.float_noise import as_computed
from workbench.runs.values.found_value import Incomplete, Missing, needs_package
from workbench.runs.values.json_paths import Pattern, only, parse_parts, walked
from workbench.runs.values.normal_texts import normal_text
from workbench.runs.values.zones import PARTS, moment, part_of, zone_named

if TYPE_CHECKING:
    from workbench.runs.kinds.value_kind import KindReader, ValueKind

type Given = Mapping[str, Json]
"""The options of a kind, as they are declared."""
NOT_GIVEN: Given = MappingProxyType({})
type Schema = Mapping[str, Sequence[str]]
"""The tables of an agent with their columns."""
NO_TABLES: Schema = MappingProxyType({})


class RecordValues:
    """Makes the values of records, lists and kinds.

    ``zone`` is the zone of times without one, ``schema`` the tables of kinds that are given none.
    """

    def __init__(self, records: Sequence[Record], zone: str, schema: Schema = NO_TABLES) -> None:
        """Take the records that lists may be of. Raises BadZone."""
        self._schema: Json = {table: list(columns) for table, columns in schema.items()}
        self._by_type = {record.class_name: record for record in records}
        self._zone_name = zone
        self._zone = zone_named(zone) if zone else None
        self._readers: dict[tuple[str, str], KindReader] = {}

    def record(self, record: Record, item: Json) -> RecordValue:
        """The record of an object; raises Missing with the name of a field that the object does not have.

        A typed part of a field may be undetermined.
        """
        if not isinstance(item, dict):
            raise Missing(f"{shown(item)} is no object with the fields of a {record.name}")
        fields: dict[str, Known] = {}
        for field in record.fields:
            where = f"{record.name}.{field.name}"
            try:
                value, written = self._field(field, item)
            except Missing as missing:
                raise Missing(f"{where}: {missing}") from None
            fields |= self.with_parts(field, value, written, where)
        return record_of(record.class_name, fields)

    def with_parts(
        self, field: CallField | RecordField, value: Known, written: Json, where: str
    ) -> dict[str, Known]:
        """A field and its typed parts, by their names; ``written`` is what its value was read from."""
        if field.type.kind is Kind.DATETIME:
            return {field.name: value, **parts_of_time(field.name, value, self._zone_of(field.options))}
        kind = KINDS.get(field.kind)
        if kind is None or field.type.kind is Kind.LIST:
            return {field.name: value}
        parts: Mapping[str, Known]
        if isinstance(value, Undetermined) or value is None:
            why = value if isinstance(value, Undetermined) else unknown(f"{where} is not given")
            parts = {name: why for name, _ in kind.type_in_calls.fields}
        else:
            parts = self.parts_of_kind(written, kind, field.options, where)
        return {field.name: value, **{part_name(field.name, name): part for name, part in parts.items()}}

    def parts_of_kind(self, value: Json, kind: ValueKind, options: Given, where: str) -> Mapping[str, Known]:
        """The parts of a value of a kind: each is known, or undetermined with the reason."""
        given = {option.name: options[option.name] for option in kind.options if option.name in options}
        try:
            parts = self.reader(kind, given).parts_in_calls(value)
        except Missing as missing:
            why = unknown(f"{where}: {missing}")
        except ModuleNotFoundError as error:
            why = unknown(f"{where}: {needs_package(error.name or '')}")
        else:
            return {
                name: _undetermined(part, f"{name} of {where}") if isinstance(part, Missing) else part
                for name, part in parts.items()
            }
        return {name: why for name, _ in kind.type_in_calls.fields}

    def _zone_of(self, options: Given) -> tzinfo | None:
        zone = options.get("zone")
        return zone_named(zone) if isinstance(zone, str) and zone else self._zone

    def elements(
        self, items: Sequence[Json], element: ArgumentType, part: str = "", options: Given = NOT_GIVEN
    ) -> tuple[Element, ...]:
        """The elements of a list in order; raises Missing for one that does not fit, and for too many."""
        if len(items) > MOST_ELEMENTS:
            raise Missing(
                f"the list has {len(items)} elements, more than the {MOST_ELEMENTS} that are looked at"
            )
        elements: list[Element] = []
        for number, item in enumerate(items, 1):
            try:
                elements.append(cast("Element", self.value(item, element, part, options)))
            except Missing as missing:
                raise Missing(f"element {number}: {missing}") from None
        return tuple(elements)

    def value(self, value: Json, type_: ArgumentType, part: str = "", options: Given = NOT_GIVEN) -> Value:
        """A value in its type, or a part of it; ``options`` are the options of its kind.

        A time without a zone is in the agent's zone. Raises Missing if the value does not fit.
        """
        if value is None and type_.kind is not Kind.LIST:
            return coerce(value, type_)
        if type_.kind is Kind.LIST and type_.element is not None:
            if not isinstance(value, list):
                raise Missing(f"{shown(value)} is no list")
            return self.elements(value, type_.element, part, options)
        if part:
            return self._part(value, type_, part, options)
        if type_.record is not None:
            kind = kind_of(type_.record)
            if kind is not None:
                return record_of(type_.record.name, self.parts_of_kind(value, kind, options, shown(value)))
            return self.record(self._by_type[type_.record.name], value)
        if type_.kind is Kind.DATETIME:
            return moment(value, self._zone)
        if type_.kind is Kind.SET:
            return _set(value if isinstance(value, list) else [value], type_.element)
        return coerce(value, type_)

    def reader(self, kind: ValueKind, options: Given) -> KindReader:
        """The reader of values of a kind. Raises BadOption."""
        key = kind.name, json.dumps(dict(options), sort_keys=True)
        if key not in self._readers:
            if "schema" not in options and any(option.name == "schema" for option in kind.options):
                options = {**options, "schema": self._schema}
            self._readers[key] = kind.reader(options, self._zone_name)
        return self._readers[key]

    def _part(self, value: Json, type_: ArgumentType, part: str, options: Given) -> Value:
        kind, name = part_named(part)
        reader = self.reader(kind, options)
        if type_.kind is not Kind.SET:
            part_value = reader.part(value, name)
            return (
                coerce(part_value, type_)
                if type_.kind is Kind.ENUM and isinstance(part_value, str)
                else part_value
            )
        parts = [reader.part(item, name) for item in (value if isinstance(value, list) else [value])]
        members = [
            member
            for path_part in parts
            for member in (path_part if isinstance(path_part, frozenset) else (path_part,))
        ]
        return frozenset(cast("list[str]", members))

    def _field(self, field: RecordField, item: Mapping[str, Json]) -> tuple[Value, Json]:
        """The value of a field, and what it was read from."""
        pattern = parse_parts(field.path or field.name)
        if field.type.kind in (Kind.LIST, Kind.SET):
            members = [_in_form(member, field.normal) for member in _members(item, pattern, field)]
            return self.value(members, field.type, options=field.options), members
        placed_values = walked(cast("Json", item), pattern)
        if not placed_values and field.type.optional:
            return None, None
        if len(placed_values) != 1:
            raise Missing(
                f"the result has {len(placed_values) or 'no'} value{'s' if placed_values else ''} there"
            )
        written = placed_values[0][0]
        return self.field_value(field, written), written

    def field_value(self, field: RecordField, value: Json) -> Value:
        """The value of a field; raises Missing if it does not fit.

        A decimal that a tool computed as a float has no more places than it means.
        """
        if field.type.kind is Kind.DECIMAL:
            value = as_computed(value)
        return normal_text(self.value(value, field.type), field.normal)


def parts_of_time(name: str, time: Known, zone: tzinfo | None) -> dict[str, Known]:
    """The parts of a point in time in a zone, or else in its own, by their names behind its name."""
    if not isinstance(time, datetime):
        why = time if isinstance(time, Undetermined) else unknown(f"there is no {name}")
        return {part_name(name, part): why for part in PARTS}
    return {part_name(name, part): part_of(time, part, zone) for part in PARTS}


def _undetermined(part: Missing, where: str) -> Undetermined:
    """A part that is not known, or not as a whole: a set or list with the members that it has."""
    known = frozenset(part.known) if isinstance(part, Incomplete) else None
    return Undetermined(frozenset({f"{where}: {part}"}), known)


def _in_form(member: Json, normal: str) -> Json:
    """A member of a list in the normal form of its field; raises Missing for a text without one."""
    return cast("Json", normal_text(member, normal)) if isinstance(member, str) else member


def _set(members: Sequence[Json], element: ArgumentType | None) -> frozenset[str] | frozenset[int]:
    if len(members) > MOST_ELEMENTS:
        raise Missing(
            f"the set has {len(members)} elements, more than the {MOST_ELEMENTS} that are looked at"
        )
    if element is not None and element.kind is Kind.INT:
        return frozenset(cast("int", coerce(member, element)) for member in members)
    text = ArgumentType(Kind.STR)
    return frozenset(cast("str", coerce(member, text)) for member in members)


def _members(item: Mapping[str, Json], pattern: Pattern, field: RecordField) -> list[Json]:
    """The members of a list that ``where`` keeps, each reduced by the rest of the path."""
    whole = cast("Json", item)
    if None not in pattern:
        placed_values = only(whole, pattern)
        if field.type.optional and (not placed_values or placed_values[0][0] is None):
            return []
        if not placed_values or not isinstance(placed_values[0][0], list):
            raise Missing("the result has no list there")
        return [member for member in placed_values[0][0] if _is_kept(member, field.where)]
    last = len(pattern) - pattern[::-1].index(None)
    if not only(whole, pattern[: pattern.index(None)]):
        raise Missing("the result has no list there")
    members = [member for member, _ in walked(whole, pattern[:last], every=True)]
    found_values: list[Json] = []
    for member in members:
        if not _is_kept(member, field.where):
            continue
        inner = only(member, pattern[last:])
        if not inner:
            raise Missing("a member of the list lacks it")
        found_values.append(inner[0][0])
    return found_values


def _is_kept(member: Json, where: Mapping[str, Json]) -> bool:
    """Whether a member has the values that ``where`` names; raises Missing if it lacks one."""
    for key, wanted_value in where.items():
        placed_values = only(member, parse_parts(key))
        if not placed_values:
            raise Missing(f"a member of the list does not say its {key}")
        allowed = wanted_value if isinstance(wanted_value, list) else [wanted_value]
        if not any(_is_wanted(placed_values[0][0], choice, key) for choice in allowed):
            return False
    return True


def _is_wanted(value: Json, choice: Json, key: str) -> bool:
    """Whether a value is the wanted one; raises Missing if it only differs in spelling or type."""
    if type(value) is type(choice) and value == choice:
        return True
    if value == choice or (value is not None and _spelled(value) == _spelled(choice)):
        raise Missing(f"{key} is {shown(value)}, which is {shown(choice)} written otherwise")
    return False


def _spelled(value: Json) -> str:
    return " ".join(str(value).casefold().split())

"""Joins: the elements of a list with the fields of the records that they name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from workbench.model import (
    Element,
    Join,
    LookedUp,
    Provenance,
    Record,
    RecordField,
    RecordValue,
    Value,
    field_of,
)
from workbench.runs.values.found_value import Absent, Missing
from workbench.runs.values.json_paths import parse_parts
from workbench.runs.world.facts import CallPlace, Fact, FoundRecord, RecordState
from workbench.runs.world.reports import key_of_parts

_NOT_NAMED = "not_named"


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """The record that an element names: its state, its places, and the look-up that would give it."""

    state: str
    value: RecordValue | None = None
    places: tuple[Provenance, ...] = ()
    remedy: LookedUp | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """A list whose elements have the fields of the records that they name.

    ``places`` has the places of each named record by ``[0].flight``; ``remedies`` are the look-ups of the
    unknown records.
    """

    elements: tuple[Element, ...]
    places: Mapping[str, tuple[Provenance, ...]] = field(default_factory=dict[str, tuple[Provenance, ...]])
    remedies: tuple[LookedUp, ...] = ()


class KnownRecords(Protocol):
    """The knowledge at a call about the records that its lists name.

    It is a protocol because the finder of records joins their lists, and so imports this module.
    """

    def of_key(self, record: str, key: str) -> FoundRecord:
        """The fact about the record of that kind with this key."""
        ...

    def of_argument(self, name: str) -> FoundRecord:
        """The fact about a record argument; raises Absent if the call names none."""
        ...

    def declared(self, argument: str, field: str) -> RecordField:
        """The declaration of a field of a record argument."""
        ...


class ListJoiner:
    """Joins a list's elements with the records that they name, in the world of a call."""

    def __init__(self, record: Record, world: KnownRecords) -> None:
        """Take the joins of ``record``."""
        self._record = record
        self._world = world

    def joined(self, elements: Sequence[Element]) -> Joined:
        """The elements with the records that they name; raises Missing if these cannot be determined."""
        lines = [element for element in elements if isinstance(element, RecordValue)]
        named: list[dict[str, NamedRecord]] = [{} for _ in lines]
        added: list[list[tuple[str, Value]]] = [[] for _ in lines]
        for join in self._record.joins:
            keys = [_key(join, line, before) for line, before in zip(lines, named, strict=True)]
            times = Counter(key for key in keys if isinstance(key, str))
            find = self._finder(join)
            for number, key in enumerate(keys):
                named_record = _record_of(find, key, f"element {number + 1}, {join.name}")
                named[number][join.name] = named_record
                added[number] += _fields(join, named_record, times[key] if isinstance(key, str) else 0)
        return Joined(
            tuple(
                RecordValue(line.type, (*line.fields, *added_fields))
                for line, added_fields in zip(lines, added, strict=True)
            ),
            {
                f"[{number}].{name}": named_record.places
                for number, named_records in enumerate(named)
                for name, named_record in named_records.items()
                if named_record.places
            },
            _unique(
                [found_record.remedy for named_records in named for found_record in named_records.values()]
            ),
        )

    def _finder(self, join: Join) -> Callable[[str], NamedRecord]:
        """A function that finds the records of a join by key, each once."""
        if join.list_of:
            return self._of_list(join)
        record_by_key: dict[str, NamedRecord] = {}

        def find(key: str) -> NamedRecord:
            if key not in record_by_key:
                record_by_key[key] = _named(self._world.of_key(join.record, key))
            return record_by_key[key]

        return find

    def _of_list(self, join: Join) -> Callable[[str], NamedRecord]:
        """A function that finds a member of the list of a record argument by key."""
        argument, _, name = join.list_of.partition(".")
        try:
            found_record = self._world.of_argument(argument)
        except Absent:
            return lambda _key: NamedRecord(_NOT_NAMED)
        whole = _named(found_record)
        if whole.value is None:
            return lambda _key: whole
        rows: dict[str, list[tuple[int, RecordValue]]] = {}
        members = field_of(whole.value, name)
        for number, row in enumerate(members if isinstance(members, tuple) else ()):
            if isinstance(row, RecordValue):
                key = _text_of([field_of(row, part) for part in join.key])
                if key is not None:
                    rows.setdefault(key, []).append((number, row))

        def find(key: str) -> NamedRecord:
            alike = rows.get(key, [])
            if len(alike) > 1:
                raise Missing(f"{join.list_of} has {len(alike)} elements of this key")
            if not alike:
                return NamedRecord(RecordState.ABSENT.value, None, whole.places)
            number, row = alike[0]
            place = _place_of_row(self._world.declared(argument, name), found_record.fact, number)
            return NamedRecord(RecordState.KNOWN.value, row, whole.places if place is None else (place,))

        return find


def _place_of_row(declared: RecordField, fact: Fact, number: int) -> Provenance | None:
    """The place of a member of a list; None if the list is only a part of the result's list."""
    path = parse_parts(declared.path or declared.name)
    if not isinstance(fact.place, CallPlace) or declared.where or None in path:
        return None
    inside = tuple(part for part in path if part is not None)
    return CallPlace(fact.place.call, (*fact.place.path, *inside, number)).provenance()


def _named(found_record: FoundRecord) -> NamedRecord:
    fact = found_record.fact
    if fact.state is RecordState.NOT_DETERMINABLE:
        raise Missing(fact.why)
    return NamedRecord(fact.state.value, fact.value, fact.provenance, found_record.remedy)


def _key(join: Join, line: RecordValue, before: Mapping[str, NamedRecord]) -> str | NamedRecord:
    """The key that a line names, or the state that replaces it if the line names none."""
    values: list[Value] = []
    for source in join.key.values():
        earlier, _, name = source.rpartition(".")
        if not earlier:
            values.append(field_of(line, name))
            continue
        named_record = before[earlier]
        if named_record.value is None:
            return NamedRecord(named_record.state, None, named_record.places, named_record.remedy)
        values.append(field_of(named_record.value, name))
    if None in values:
        return NamedRecord(_NOT_NAMED)
    key = _text_of(values)
    if key is None:
        raise Missing(f"the key of {join.name} is empty")
    return key


def _text_of(values: Sequence[Value]) -> str | None:
    """The key of these values as it is compared; None if a value cannot be part of a key."""
    parts = [_part(value) for value in values]
    whole = [part for part in parts if part]
    return key_of_parts(whole) if len(whole) == len(parts) else None


def _part(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.isoformat() if isinstance(value, date) and not isinstance(value, datetime) else ""


def _record_of(find: Callable[[str], NamedRecord], key: str | NamedRecord, where: str) -> NamedRecord:
    if isinstance(key, NamedRecord):
        return key
    try:
        return find(key)
    except Missing as missing:
        raise Missing(f"{where}: {missing}") from None


def _fields(join: Join, named_record: NamedRecord, times: int) -> list[tuple[str, Value]]:
    """The fields that an element gets from a record: its fields, its state, and how many elements name it."""
    fields: list[tuple[str, Value]] = []
    for name, _ in join.fields:
        value = None if named_record.value is None else field_of(named_record.value, name)
        fields.append((f"{join.name}_{name}", value))
    return [*fields, (f"{join.name}_state", named_record.state), (f"{join.name}_times", times)]


def _unique(remedies: Sequence[LookedUp | None]) -> tuple[LookedUp, ...]:
    return tuple({str(remedy): remedy for remedy in remedies if remedy is not None}.values())

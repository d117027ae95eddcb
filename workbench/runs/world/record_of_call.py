"""Finding the record that a call is about, and the look-up that would give it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

from workbench.model import (
    Argument,
    ArgumentType,
    Element,
    Json,
    LookedUp,
    Provenance,
    Record,
    RecordedCall,
    RecordField,
    RecordValue,
    Value,
    field_of,
)
from workbench.runs.values.call_paths import matches
from workbench.runs.values.found_value import Absent, Missing
from workbench.runs.values.json_paths import Pattern
from workbench.runs.world.database import FolderDatabase
from workbench.runs.world.declared_failures import DeclaredFailures
from workbench.runs.world.facts import CallPlace, Fact, FoundRecord, RecordState
from workbench.runs.world.joins import Joined, ListJoiner
from workbench.runs.world.record_arguments import Hop, RecordArgument, record_arguments
from workbench.runs.world.record_values import NO_TABLES, RecordValues, Schema
from workbench.runs.world.reports import (
    NotUnderstood,
    asked_as,
    in_normal_form,
    key_text,
    look_up_arguments,
    parts_of_key,
    whole_call,
)
from workbench.runs.world.world import KnownWorld, KnownWorlds


class RecordFinder:
    """Finds the records of a session's arguments in the world of a call."""

    def __init__(
        self,
        arguments: Sequence[Argument],
        records: Sequence[Record],
        zone: str,
        database: FolderDatabase | None = None,
        schema: Schema = NO_TABLES,
        errors: Sequence[str] = (),
        not_understood: NotUnderstood = whole_call,
    ) -> None:
        """Prepare the record arguments. Raises BadHop if one cannot be found, and BadZone.

        ``not_understood`` is the reason why a call may do more than what is declared of its tool.
        """
        self.arguments: Mapping[str, RecordArgument] = record_arguments(
            {argument.name: argument.extraction for argument in arguments if argument.extraction is not None},
            records,
        )
        self._worlds = KnownWorlds(records, zone, schema, errors, not_understood)
        self._zone, self._schema, self._errors = zone, schema, errors
        self._not_understood = not_understood
        self._records = {record.name: record for record in records}
        self._elements = {record.type.name: record for record in records if not record.key}
        self._database = database
        self.failures = DeclaredFailures(records, errors)

    @property
    def values(self) -> RecordValues:
        """The maker of values of records."""
        return self._worlds.values

    def again(self) -> RecordFinder:
        """A copy for another walk over a run; finding is fastest if each walk only goes forward."""
        finder = copy(self)
        finder._worlds = KnownWorlds(
            tuple(self._records.values()), self._zone, self._schema, self._errors, self._not_understood
        )
        return finder

    def find(self, name: str, call: RecordedCall, history: Sequence[RecordedCall]) -> FoundRecord:
        """The record of an argument; raises Absent if the call names none, Missing if that is unclear.

        A record that cannot be determined is returned with that state.
        """
        return self._find(self.arguments[name], call, self._worlds.at(call, history))

    def joins(self, type_: ArgumentType) -> bool:
        """Whether a list of this type, or in a record of this type, is joined with records that it names."""
        within = [field for _, field in type_.record.fields] if type_.record is not None else [type_]
        names = [
            argument_type.element.record.name
            for argument_type in within
            if argument_type.element and argument_type.element.record
        ]
        known_records = [self._elements[name] for name in names if name in self._elements]
        return any(record.joins for record in known_records)

    def joined(
        self,
        elements: Sequence[Element],
        element: ArgumentType,
        call: RecordedCall,
        history: Sequence[RecordedCall],
    ) -> Joined:
        """A list's elements with the records that they name; raises Missing if these are not determined."""
        record = self._elements.get(element.record.name) if element.record is not None else None
        if record is None or not record.joins:
            return Joined(tuple(elements))
        return ListJoiner(record, _Known(self, call, self._worlds.at(call, history))).joined(elements)

    def whole(
        self, name: str, value: RecordValue, call: RecordedCall, history: Sequence[RecordedCall]
    ) -> Whole:
        """The record of an argument, its lists joined with the records that their elements name."""
        fields: list[tuple[str, Value]] = []
        places: dict[str, tuple[Provenance, ...]] = {}
        remedies: tuple[LookedUp, ...] = ()
        for field, (_, held) in zip(self.arguments[name].record.fields, value.fields, strict=True):
            element = field.type.element
            if isinstance(held, tuple) and element is not None:
                try:
                    joined = self.joined(held, element, call, history)
                except Missing as missing:
                    raise Missing(f"{name}.{field.name}: {missing}") from None
                held = joined.elements
                places |= {
                    f"{name}.{field.name}{place}": provenances for place, provenances in joined.places.items()
                }
                remedies += joined.remedies
            fields.append((field.name, held))
        return Whole(RecordValue(value.type, tuple(fields)), places, remedies)

    def wanted(self, call: RecordedCall, history: Sequence[RecordedCall]) -> tuple[LookedUp, ...]:
        """The look-ups of records that are not known, each once."""
        if not self.arguments:
            return ()
        world = self._worlds.at(call, history)
        look_up_by_text: dict[str, LookedUp] = {}
        for argument in self.arguments.values():
            try:
                remedy = self._find(argument, call, world).remedy
            except Missing:
                continue
            if remedy is not None:
                look_up_by_text.setdefault(str(remedy), replace(remedy, again=False))
        return tuple(look_up_by_text.values())

    def keyed(self, record: str) -> Record:
        """The declared record of this name with a key of one part. Raises KeyError if there is none."""
        declared_record = self._records[record]
        if not declared_record.key or declared_record.key_parts:
            raise KeyError(record)
        return declared_record

    def keys(self, record: str, call: RecordedCall, history: Sequence[RecordedCall]) -> list[str]:
        """The keys of all records of that kind that the run reported, sorted.

        Raises Missing if it may have reported others.
        """
        return self._worlds.at(call, history).keys(record)

    def world(self, call: RecordedCall, history: Sequence[RecordedCall]) -> KnownWorld:
        """The world of a call; it moves on when the world of a later call is asked for."""
        return self._worlds.at(call, history)

    def compares_forms(self, record: str) -> bool:
        """Whether the keys of records of that kind are compared in a normal form."""
        return bool(self._records[record].normal)

    def look(self, record: str, key: str, world: KnownWorld) -> FoundRecord:
        """The fact about the record of that kind with this key."""
        return self._looked(self._records[record], key, (), world)

    def find_in(self, name: str, call: RecordedCall, world: KnownWorld) -> FoundRecord:
        """The record of an argument in this world; raises as ``find`` does."""
        return self._find(self.arguments[name], call, world)

    def _find(self, argument: RecordArgument, call: RecordedCall, world: KnownWorld) -> FoundRecord:
        blocked: FoundRecord | None = None
        for source in argument.keys:
            if isinstance(source, Hop):
                try:
                    before = self._find(self.arguments[source.argument], call, world)
                except Absent:
                    continue
                if before.value is None:
                    blocked = blocked or before
                    continue
                key, places = key_text(_key_in(before.value, source.field)), before.fact.provenance
            else:
                key, places = _key_at(call, source)
            if key is not None:
                return self._looked(argument.record, key, places, world)
        if blocked is not None:
            return blocked
        raise Absent(f"the call names no {argument.record.name}")

    def _looked(
        self, record: Record, key: str, places: tuple[Provenance, ...], world: KnownWorld
    ) -> FoundRecord:
        form = in_normal_form(record, key)
        if form is None:
            why = f"the key {key[:60]} has no normal form {record.normal}"
            return FoundRecord(Fact(RecordState.NOT_DETERMINABLE, why=why), None, places)
        fact = _as_asked(record, key, world.fact(record.name, form))
        if (
            fact.state is RecordState.NOT_LOOKED_UP
            and self._database is not None
            and world.untouched(record.name, form)
        ):
            fact = self._database.fact(record, key, self.values) or fact
        if fact.state is not RecordState.NOT_LOOKED_UP:
            return FoundRecord(fact, None, places)
        return FoundRecord(fact, _remedy(record, key, again=fact.changed), places)


@dataclass(frozen=True, slots=True)
class Whole:
    """A record with its lists joined, the places of the joined records, and the look-ups of unknown ones."""

    value: RecordValue
    places: Mapping[str, tuple[Provenance, ...]]
    remedies: tuple[LookedUp, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """The world of a call, for joins (see ``KnownRecords``)."""

    finder: RecordFinder
    call: RecordedCall
    world: KnownWorld

    def of_key(self, record: str, key: str) -> FoundRecord:
        return self.finder.look(record, key, self.world)

    def of_argument(self, name: str) -> FoundRecord:
        return self.finder.find_in(name, self.call, self.world)

    def declared(self, argument: str, field: str) -> RecordField:
        fields = self.finder.arguments[argument].record.fields
        return next(record_field for record_field in fields if record_field.name == field)


def _as_asked(record: Record, key: str, fact: Fact) -> Fact:
    """The fact about a record with a normal form of its key, as far as it is about this spelling of the key.

    That there is none is known of the spelling that was asked for: the tool may know another one.
    """
    if not record.normal or fact.state is not RecordState.ABSENT:
        return fact
    call = fact.place.call if isinstance(fact.place, CallPlace) else None
    if call is not None and asked_as(record, call.arguments) == key:
        return fact
    return Fact(RecordState.NOT_DETERMINABLE, why="it was asked for in another spelling of its key")


def _remedy(record: Record, key: str, *, again: bool) -> LookedUp | None:
    if record.look_up is None:
        return None
    arguments = look_up_arguments(record, list(parts_of_key(record, key)))
    return LookedUp(record.look_up.tool, arguments, again=again)


def _key_in(record: RecordValue, field: str) -> Json:
    value = field_of(record, field)
    return value if isinstance(value, str | int) else None


def _key_at(call: RecordedCall, pattern: Pattern) -> tuple[str | None, tuple[Provenance, ...]]:
    """The key at a path of the call, None if the call has none; raises Missing for a value that is no key."""
    try:
        placed_values = matches(call, pattern)
    except Absent:
        return None, ()
    if len(placed_values) != 1:
        raise Missing(f"the path of the key matches {len(placed_values)} values, where one is needed")
    value, place = placed_values[0]
    if value is None:
        return None, ()
    key = key_text(value)
    if key is None:
        raise Missing("the key is neither a text nor a whole number")
    return key, (place,)


def differing(
    left: Sequence[RecordValue], right: Sequence[RecordValue], by: Sequence[str], take: str
) -> Iterator[RecordValue]:
    """The elements of ``left`` that are not in ``right`` (``added``), or are (``kept``), by these fields."""
    right_keys = {tuple(field_of(record_value, name) for name in by) for record_value in right}
    for record_value in left:
        if (tuple(field_of(record_value, name) for name in by) in right_keys) == (take == "kept"):
            yield record_value

"""Methods ``record``, ``records``, ``difference`` and ``now``: the world at a call."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import cast

from workbench.model import (
    MOST_ELEMENTS,
    AgentSpec,
    Argument,
    ArgumentType,
    Element,
    Kind,
    Provenance,
    RecordedCall,
    RecordType,
    RecordValue,
)
from workbench.runs.extract.jsonpath import parse_path
from workbench.runs.extract.options import Options
from workbench.runs.kinds.kinds_by_name import kind_of
from workbench.runs.values.call_paths import matches
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing
from workbench.runs.values.zones import BadZone, moment, zone_named
from workbench.runs.world.earlier_calls import Earlier
from workbench.runs.world.facts import FoundRecord, RecordState
from workbench.runs.world.record_arguments import NOT_NAMED
from workbench.runs.world.record_of_call import RecordFinder, differing


def record(argument: Argument, _spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    """The record that the call is about, by its key; None if it was not looked up or does not exist.

    ``key`` is a path of the call, or a field of another record argument (``order.user_id``). Of several keys
    the first that exists counts.
    """
    options.text("record")
    options.texts("key")
    type_ = argument.type
    if type_.kind is not Kind.RECORD or not type_.optional or kind_of(type_.record) is not None:
        raise options.error("a record is an optional argument of the type record")

    def extract(call: RecordedCall, history: Sequence[RecordedCall]) -> FoundValue:
        try:
            found_record = finder.find(argument.name, call, history)
        except Absent:
            return FoundValue(None, (Provenance("record"),), state=NOT_NAMED)
        fact = found_record.fact
        if fact.state is RecordState.NOT_DETERMINABLE:
            raise Missing(fact.why)
        places = fact.provenance or (Provenance(f"record ({fact.why})"), *found_record.key_places)
        fields = fact.fields(argument.name)
        if found_record.value is None:
            return FoundValue(None, places, fields, None, found_record.remedy, fact.state_word)
        whole = finder.whole(argument.name, found_record.value, call, history)
        items = {**fields, **whole.places} if whole.places else fields
        look_up = whole.remedies[0] if whole.remedies else None
        return FoundValue(None, places, items, whole.value, look_up, fact.state_word, whole.remedies[1:])

    return extract


def records(argument: Argument, _spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    """All records of a kind that appear in the run: a list of their keys, joined with the records.

    ``record`` is the kind. The elements have one field of their own, a text, which is the key.
    """
    name = options.text("record")
    try:
        finder.keyed(name)
    except KeyError:
        raise options.error(f"{name!r} is no declared record with a key of one part") from None
    element = argument.type.element
    type_ = element.record if element is not None and argument.type.kind is Kind.LIST else None
    if element is None or type_ is None or kind_of(type_) is not None:
        raise options.error("the argument is a list of a record without a key")
    own_fields = finder.values.own_fields(type_)
    if len(own_fields) != 1 or type_.field(own_fields[0]) != ArgumentType(Kind.STR):
        raise options.error(f"an element of the list has one field of its own, a text: the key of the {name}")

    def extract(call: RecordedCall, history: Sequence[RecordedCall]) -> FoundValue:
        keys = finder.keys(name, call, history)
        if len(keys) > MOST_ELEMENTS:
            raise Missing(
                f"the run has {len(keys)} of them, more than the {MOST_ELEMENTS} that are looked at"
            )
        elements = [RecordValue(type_.name, ((own_fields[0], key),)) for key in keys]
        joined = finder.joined(elements, element, call, history)
        places = {f"{argument.name}{inner}": provenances for inner, provenances in joined.places.items()}
        provenances = tuple(place for element_places in places.values() for place in element_places)
        nothing = (Provenance(f"records (nothing was said of a {name})" if not keys else "records"),)
        look_up = joined.remedies[0] if joined.remedies else None
        return FoundValue(
            None,
            provenances or nothing,
            places,
            fitted=joined.elements,
            look_up=look_up,
            more=joined.remedies[1:],
        )

    return extract


def difference(argument: Argument, _spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    """The elements of the list at ``path`` that the list ``of`` a record argument lacks, or has.

    ``of`` is the record argument and its field (``order.items``). Two elements are the same if their fields
    ``by`` are equal. ``take`` is ``added``, ``kept`` or ``removed``. ``removed`` gives the elements of the
    record that the call lacks; then only the fields ``by`` of the call's elements are read.
    """
    name, _, field = options.text("of").partition(".")
    of = _record_argument(name, options, finder)
    kind = finder.arguments[of].record.type.field(field)
    element, listed = _listed_records(argument, f"{name}.{field}", kind, options)
    names = finder.values.own_fields(listed)
    by = options.texts("by") or names
    if unknown := sorted(set(by) - set(names)):
        raise options.error(f"by names no field of the elements: {', '.join(unknown)}")
    take = options.choice("take")
    path = parse_path(options.text("path"), options)

    def extract(call: RecordedCall, history: Sequence[RecordedCall]) -> FoundValue:
        call_list, place = matches(call, path)[0]
        found_record = finder.find(of, call, history)
        if found_record.value is None:
            raise Missing(_with_remedy(found_record))
        record_elements = cast("tuple[RecordValue, ...]", dict(found_record.value.fields)[field])
        if not isinstance(call_list, list):
            raise Missing("the call has no list there")
        if take == "removed":  # the elements are the record's; the call's need only the fields by
            left, right = record_elements, finder.values.elements_of_fields(call_list, listed, by)
        else:
            left, right = (
                cast("tuple[RecordValue, ...]", finder.values.elements(call_list, element)),
                record_elements,
            )
        elements: tuple[Element, ...] = tuple(differing(left, right, by, take))
        joined = finder.joined(elements, element, call, history)
        places = (place, *found_record.fact.provenance)
        named = {f"{argument.name}{inner}": provenances for inner, provenances in joined.places.items()}
        look_up = joined.remedies[0] if joined.remedies else None
        return FoundValue(
            None, places, named, fitted=joined.elements, look_up=look_up, more=joined.remedies[1:]
        )

    def of_list(call: RecordedCall, history: Sequence[RecordedCall]) -> FoundValue:
        try:
            return extract(call, history)
        except Absent:
            return FoundValue(None, (Provenance("difference"),), fitted=())

    return of_list


def _record_argument(name: str, options: Options, finder: RecordFinder) -> str:
    if name not in finder.arguments:
        known_names = ", ".join(finder.arguments) or "none"
        raise options.error(f"{name!r} is no record argument; known are {known_names}")
    return name


def _listed_records(
    argument: Argument, field: str, kind: ArgumentType | None, options: Options
) -> tuple[ArgumentType, RecordType]:
    """The type of a field's elements, and their record; raises WorkbenchError if the argument's differs."""
    element = kind.element if kind is not None and kind.kind is Kind.LIST else None
    if element is None or element.record is None:
        raise options.error(f"{field} is no list of records")
    if argument.type.element != element:
        held = element.record.name
        raise options.error(
            f"{field} is a list of the record {held}, so the argument has to be a list of it too"
        )
    return element, element.record


def _with_remedy(found_record: FoundRecord) -> str:
    if found_record.remedy is None:
        return found_record.fact.why
    when = "again" if found_record.remedy.again else "first"
    return f"{found_record.fact.why}; look it up {when}: {found_record.remedy}"


def now(_argument: Argument, spec: AgentSpec, options: Options) -> Method:
    """The time of the call: the time in the log, or the constant ``value``.

    A time without a zone is in ``zone``, else in the agent's zone. If the clock goes back within a run, the
    value is missing.
    """
    zone = _zone(options.text("zone") or spec.zone, options)
    option = options.value("value")
    constant = None
    if option is not None:
        try:
            constant = moment(option, zone)
        except Missing as missing:
            raise options.error(str(missing)) from None

    clock = _Clock(zone)

    def extract(call: RecordedCall, history: Sequence[RecordedCall]) -> FoundValue:
        time = constant or clock.time_of(call, history)
        where = Provenance("now") if constant is None else Provenance("constant")
        return FoundValue(time.isoformat(), (where,))

    return extract


class _Clock:
    """The latest time of the earlier calls of a run; in a growing run only new calls are read."""

    def __init__(self, zone: tzinfo | None) -> None:
        self._zone = zone
        self._last = _Read()  # each thread has its own

    def time_of(self, call: RecordedCall, history: Sequence[RecordedCall]) -> datetime:
        """The time of a call. Raises Missing if the log lacks it, or if the clock went back."""
        if call.time is None:
            raise Missing("the log does not say when the call was; give the constant value of now")
        time = moment(call.time, self._zone)
        latest, before = self._latest(history) or (time, call)
        if latest > time:
            raise Missing(
                f"the clock went back: call {before.index} was at {before.time}, this one at {call.time}"
            )
        return time

    def _latest(self, history: Sequence[RecordedCall]) -> tuple[datetime, RecordedCall] | None:
        last = self._last
        calls = history.calls if isinstance(history, Earlier) else history
        if not isinstance(history, Earlier) or calls is not last.calls or len(history) < last.count:
            last.calls, last.count, last.latest = calls, 0, None
        for number in range(last.count, len(history)):
            call = calls[number]
            try:
                time = moment(call.time, self._zone)
            except Missing:
                continue
            if last.latest is None or time >= last.latest[0]:
                last.latest = time, call
        last.count = len(history)
        return last.latest


class _Read(threading.local):
    """The run whose times were read last, the number of calls read, and the latest time with its call."""

    calls: Sequence[RecordedCall] = ()
    count: int = 0
    latest: tuple[datetime, RecordedCall] | None = None


def _zone(name: str, options: Options) -> tzinfo | None:
    try:
        return zone_named(name) if name else None
    except BadZone as error:
        raise options.error(str(error)) from None

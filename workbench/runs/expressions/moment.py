"""The moment of a decision: the decided call, the earlier calls of its run, and what they show.

The sentences of a text, and those in which a value stands, so that they are about this value.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.dialect.call_fields import CallField, CallType, field_and_part
from workbench.dialect.run_values import FIRST_SAID, LAST_SAID, PLACE, SAID, ReadingOf, SourceOf
from workbench.model import AgentSpec, Json, LookedUp, Provenance, RecordedCall, RecordValue
from workbench.policy.operations import Known
from workbench.policy.undetermined import Undetermined, fields_in, record_of, unknown
from workbench.runs.expressions.call_values import (
    CallValues,
    strange_key,
    strange_keys_within,
)
from workbench.runs.expressions.texts import ReadsText, ReadText
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Missing
from workbench.runs.values.normal_texts import normal_text
from workbench.runs.values.schema_fit import misfit
from workbench.runs.world.earlier_calls import Earlier, tool_not_known
from workbench.runs.world.facts import FoundRecord, RecordState
from workbench.runs.world.record_finder import RecordFinder
from workbench.runs.world.record_keys import key_of_parts, key_text
from workbench.runs.world.world import KnownWorld

if TYPE_CHECKING:
    from workbench.runs.expressions.earlier_findings import ChangedRemotes, MadeLinks

USER_TEXTS = {SAID: "all_user", LAST_SAID: "user", FIRST_SAID: "first_user"}
"""The texts of a call that are the attributes of a run about what the user said."""
_OF_ONE_ACTION = "agent_input"
"""The text of a log of single actions that is all that the user said."""
_WORDS = {
    SAID: "all that the user said",
    LAST_SAID: "what the user said last",
    FIRST_SAID: "what the user said first",
}
_TIME = "time"
_COMMAND = "command"


def text_with(texts: Mapping[str, str], attribute: str) -> str | None:
    """The name of the text of a call that is an attribute of the run; None if the call has none."""
    return next((name for name in (USER_TEXTS[attribute], _OF_ONE_ACTION) if name in texts), None)


@dataclass(slots=True)
class Trace:
    """What the evaluation of one expression read.

    ``records`` are by kind and key, ``remedies`` are look-ups by the reason that they would remove, and
    ``counted`` are how many earlier calls counted for each aggregate, with the numbers of the first ones.
    ``readings`` are what texts gave, by the text of the reading; ``sentences`` are the places of sentences
    in the text that has them, and ``sources`` the places where values appeared before the call.
    """

    records: dict[tuple[str, str], FoundRecord] = field(default_factory=dict[tuple[str, str], FoundRecord])
    remedies: dict[str, LookedUp] = field(default_factory=dict[str, LookedUp])
    counted: dict[tuple[int, tuple[int, ...]], None] = field(
        default_factory=dict[tuple[int, tuple[int, ...]], None]
    )
    readings: dict[str, tuple[ReadingOf, ReadText]] = field(
        default_factory=dict[str, tuple[ReadingOf, ReadText]]
    )
    sentences: dict[str, tuple[tuple[int, int], ...]] = field(
        default_factory=dict[str, tuple[tuple[int, int], ...]]
    )
    sources: dict[Provenance, None] = field(default_factory=dict[Provenance, None])


class AgentReader:
    """Reads the calls, records and context of an agent's runs."""

    def __init__(
        self,
        spec: AgentSpec,
        calls: Iterable[CallType],
        finder: RecordFinder,
        readings: Mapping[str, ReadsText] | None = None,
    ) -> None:
        """Take the agent with the classes of its calls, the finder of its records, and its readings."""
        self.context = spec.context
        self.readings = readings or {}
        self.finder = finder
        self.calls = CallValues(spec, finder.values, finder.failures)
        self.classes: Mapping[str, CallType] = {one.tool: one for one in calls}
        self._links: MadeLinks | None = None
        self._remotes: ChangedRemotes | None = None
        if any(field.kind == _COMMAND for of in self.classes.values() for field in of.fields):
            from workbench.runs.expressions.earlier_findings import ChangedRemotes, MadeLinks

            self._links = MadeLinks(self.calls, self.classes)
            self._remotes = ChangedRemotes(self.calls, self.classes)

    def not_understood(self, tool: str, arguments: Mapping[str, Json]) -> str:
        """The reason why a call may do what its schema does not say; empty if every key is the schema's."""
        of = self.classes.get(tool)
        return "" if of is None else strange_keys_within(arguments, of, "the call")

    def earlier(self, call: RecordedCall, names: Collection[str], history: Earlier) -> RecordValue:
        """The fields of these names of an earlier call of a tool that the agent has, after this history."""
        of = self.classes[call.tool or ""]
        record = self.calls.earlier(call, of, names)
        if self._links is None:
            return record
        fields = fields_in(record)
        seen = self._links.seen(fields, call, of, history)
        return record if seen is fields else record_of(record.type, seen)

    def decided(
        self, call: RecordedCall, of: CallType, names: Collection[str], why: str, history: Earlier
    ) -> Mapping[str, Known]:
        """The fields of these names of the decided call; ``why`` is the reason if none can be read."""
        read = self.calls.arguments(call, of, "the call", names, why)
        for changes in (self._links, self._remotes):
            read = read if changes is None else changes.seen(read, call, of, history)
        return read


class Moment:
    """One decided call and the calls before it; everything is read when it is asked for, and only once."""

    def __init__(self, reader: AgentReader, call: RecordedCall, history: Earlier) -> None:
        """Take the reader, the call, and the earlier calls as they were known to it."""
        self.reader = reader
        self.call = call
        self.history = history
        self._own: dict[str, Known] = {}
        self._looked_up: KnownWorld | None = None
        self._pasts: dict[int, Moment] = {}

    # --- the decided call ---------------------------------------------------------

    def decided(self, names: Collection[str]) -> RecordValue:
        """The decided call with the fields of these names."""
        own = self._own
        missing = [name for name in names if name not in own]
        if missing:
            if self.of is not None:
                own |= self.reader.decided(self.call, self.of, missing, self._why, self.history)
            if any(field_and_part(name)[0] == _TIME for name in missing):
                own |= self.reader.calls.parts_of_time(self._time())
        name = "Call" if self.of is None else self.of.name
        return record_of(name, {name: own[name] for name in names if name in own})

    @cached_property
    def _why(self) -> str:
        """The reason why nothing is known about the arguments; empty if they can be read."""
        return self.reader.calls.unreadable(self.call, self.of, "the call")

    @property
    def of(self) -> CallType | None:
        """The class of the decided call; None for a tool that the agent does not have."""
        return self.reader.classes.get(self.call.tool or "")

    @property
    def tool(self) -> Known:
        """The tool of the decided call."""
        return self.call.tool or unknown("the log does not say which tool the call is of")

    def _time(self) -> Known:
        """The time of the decided call; undetermined if the clock went back within the run."""
        time = self.reader.calls.time(self.call, "the call")
        latest = self.latest_time()
        if isinstance(time, Undetermined) or latest is None or latest[0] <= time:  # type: ignore[operator] # both are times
            return time
        before = latest[1]
        return unknown(
            f"the clock went back: call {before.index} was at {before.time}, this one at {self.call.time}"
        )

    def latest_time(self) -> tuple[Known, RecordedCall] | None:
        """The latest time of an earlier call, with the call; None if none has a time."""
        latest: tuple[Known, RecordedCall] | None = None
        for call in self.history:
            time = self.reader.calls.time(call, "")
            if not isinstance(time, Undetermined) and (latest is None or time >= latest[0]):  # type: ignore[operator] # both are times
                latest = time, call
        return latest

    # --- values over the run ------------------------------------------------------

    def earlier(self, tools: Collection[str], names: Collection[str] | None = None) -> Known:
        """The earlier calls of these tools that a guard did not refuse, with the fields of these names."""
        calls: list[RecordValue] = []
        for one in self.in_turn(tools, names):
            if isinstance(one, Undetermined):
                return one
            calls.append(one)
        return tuple(calls)

    def in_turn(
        self, tools: Collection[str], names: Collection[str] | None = None, *, latest_first: bool = False
    ) -> Iterator[RecordValue | Undetermined]:
        """Yield the earlier calls of these tools that a guard did not refuse, in one of the two orders."""
        places = range(len(self.history))
        for place in reversed(places) if latest_first else places:
            call = self.history[place]
            if not call.ran:
                continue
            if call.tool is None:
                yield unknown(tool_not_known(call))
            elif call.tool in tools:
                wanted = names if names is not None else self.names_of(call.tool)
                yield self.reader.earlier(call, wanted, Earlier(self.history.calls, place))

    def names_of(self, tool: str) -> Collection[str]:
        """The names of all fields of an earlier call of a tool."""
        return [PLACE, *(name for name, _ in self.reader.classes[tool].earlier.fields)]

    def found(
        self, record: str, keys: Sequence[Known], trace: Trace, place: int | None = None
    ) -> tuple[FoundRecord, str] | Undetermined:
        """What is known about a record, with its text; undetermined if a part of its key is.

        With a ``place`` it is what was known when the earlier call there was decided: no look-up tells more.
        """
        if open_parts := [key for key in keys if isinstance(key, Undetermined)]:
            return Undetermined(frozenset[str]().union(*(key.names for key in open_parts)))
        if None in keys:
            raise TypeError(f"None is no key of a {record}.")
        of_forms = self.reader.finder.compares_forms(record)
        parts = [
            self._as_written(part, place) if of_forms else part
            for key in keys
            if (part := _part_of_key(key)) is not None
        ]
        if len(parts) < len(keys):
            return unknown(f"the key of the {record} is empty")
        text = key_of_parts(parts)
        as_of = "" if place is None else f" as of call {place}"
        found = trace.records.get((record, text + as_of))
        if found is None:
            found = self._looked(record, text, place)
            trace.records[record, text + as_of] = found
        return found, f"{record} {', '.join(f'"{part}"' for part in parts)}{as_of}"

    def _looked(self, record: str, key: str, place: int | None) -> FoundRecord:
        finder = self.reader.finder
        if place is None:
            return finder.look(record, key, self._world())
        past = self._past(place)
        return FoundRecord(finder.look(record, key, finder.past_world(past.call, past.history)).fact)

    def _past(self, place: int) -> Moment:
        """The moment at which an earlier call was decided."""
        if place not in self._pasts:
            calls = self.history.calls
            number = bisect_left(range(len(self.history)), place, key=lambda one: calls[one].index)
            self._pasts[place] = Moment(self.reader, self.history[number], Earlier(calls, number))
        return self._pasts[place]

    def _world(self) -> KnownWorld:
        """The world of the call. With look-ups of its own it is a copy, which is made once."""
        if not self.call.look_ups:
            return self.reader.finder.world(self.call, self.history)
        if self._looked_up is None:
            self._looked_up = self.reader.finder.world(self.call, self.history)
        return self._looked_up

    def record(self, record: str, keys: Sequence[Known], trace: Trace, place: int | None = None) -> Known:
        """The record with this key, as of the call at a place if there is one; None if there is none."""
        found = self.found(record, keys, trace, place)
        if isinstance(found, Undetermined):
            return found
        known, text = found
        if known.fact.state is RecordState.KNOWN:
            return known.value
        if self._are_in_another_form(record, keys, place):
            return unknown(f"{text}: the call writes its key otherwise")
        if known.fact.state is RecordState.ABSENT:
            return known.value
        reason = f"{text}: {known.fact.why}"
        if known.remedy is not None:
            trace.remedies[reason] = known.remedy
        return unknown(reason)

    def is_looked_up(
        self, record: str, keys: Sequence[Known], trace: Trace, place: int | None = None
    ) -> Known:
        """Whether it is known what the record with this key is, or that there is none; as of a call too."""
        found = self.found(record, keys, trace, place)
        if isinstance(found, Undetermined):
            return found
        known, text = found
        if known.fact.state is RecordState.NOT_DETERMINABLE:
            return unknown(f"{text}: {known.fact.why}")
        if known.fact.state is RecordState.ABSENT and self._are_in_another_form(record, keys, place):
            return unknown(f"{text}: the call writes its key otherwise")
        return known.fact.state is not RecordState.NOT_LOOKED_UP

    def _are_in_another_form(self, record: str, keys: Sequence[Known], place: int | None) -> bool:
        """Whether a part of a key is the normal form of a text that the call writes otherwise.

        The tools know the record by the text as it is written: a look-up of the normal form may find none.
        A record whose key has a normal form is asked for as the call writes it.
        """
        return not self.reader.finder.compares_forms(record) and any(
            isinstance(key, str) and self._writings(key, place) for key in keys
        )

    def _writings(self, form: str, place: int | None) -> frozenset[str]:
        """The texts of the decided call, and of the earlier call at a place, that have this normal form."""
        own = self._written.get(form, frozenset())
        return own if place is None else own | self._past(place)._written.get(form, frozenset())

    def _as_written(self, part: str, place: int | None) -> str:
        """A part of a key as the call writes it; as it is if the call does not write it, or in two ways."""
        written = self._writings(part, place)
        return next(iter(written)) if len(written) == 1 else part

    @cached_property
    def _written(self) -> Mapping[str, frozenset[str]]:
        """The texts of the decided call that are not in their normal form, by this form."""
        if self.of is None or self._why:
            return {}
        written: dict[str, frozenset[str]] = {}
        for form, text in _normal_forms(dict(self.call.arguments or {}), self.of.fields):
            written[form] = written.get(form, frozenset()) | {text}
        return written

    def context(self, name: str) -> Known:
        """A value of the context of the call."""
        return self.reader.calls.context(self.call, name, self.reader.context[name])

    def source(self, of: SourceOf, trace: Trace, place: int | None = None) -> Known:
        """The places where a value of the call appeared before it, or before the earlier call at a place."""
        declared = None if self.of is None else _declared(self.of.fields, of.path)
        exact = declared is not None and declared.options.get("exact") is True
        return self.source_of(self._raw(of.path), ".".join(of.path), trace, place, exact=exact)

    def source_of(
        self, value: Json | Known, name: str, trace: Trace, place: int | None = None, *, exact: bool = False
    ) -> Known:
        """The places where a value, which the sentence calls by the name, appeared before a call.

        It is the decided call, or the earlier call at a place: nothing tells later what was not known then.
        """
        from workbench.runs.values.value_spellings import is_value, spellings  # few policies ask for places
        from workbench.runs.world.earlier_places import Searched

        if isinstance(value, Undetermined):
            return value
        if value is None:
            return frozenset[str]()
        if not isinstance(value, str | int | float) or not is_value(value) or not spellings(value):
            return unknown(f"{name} is no text or number that could have a source")
        at = self if place is None else self._past(place)
        try:
            searched = Searched(value, at.call, self.reader.finder.failures, exact)
            places = list(searched.places(at.history, (USER_TEXTS[SAID],)))
        except Missing as missing:
            return unknown(f"the source of {name}: {missing}")
        trace.sources |= dict.fromkeys(where for _, where in places)
        return frozenset(place for place, _ in places)

    # --- texts --------------------------------------------------------------------

    def said(self, attribute: str, begin: int | None = None, end: int | None = None) -> Known:
        """What the user has said in the run, by the attribute of the run that it is.

        It is what was said before the earlier call at the place ``end``. With ``begin`` it is without all
        that was said before the call at this place.
        """
        texts = self.call.texts if end is None else self._past(end).call.texts
        name = text_with(texts, attribute)
        # all that was said is empty where it is too long to be kept
        if name is None or (attribute == SAID and not texts[name] and texts.get(USER_TEXTS[LAST_SAID])):
            return unknown(f"the log does not have {_WORDS[attribute]}")
        if begin is None:
            return texts[name]
        if end is not None and end <= begin:
            return ""
        before = self._past(begin).call.texts.get(name)
        whole = texts[name]
        if before is None or not f"{whole}\n\n".startswith(f"{before}\n\n"):
            return unknown(f"the log does not have {_WORDS[attribute]} since call {begin}")
        return whole[len(before) :].removeprefix("\n\n")

    def sentences_with(self, name: str, text: Known, value: Known, trace: Trace) -> Known:
        """The sentences of a text in which a value stands, a line for each."""
        if isinstance(text, Undetermined) or isinstance(value, Undetermined):
            return Undetermined(_names(text) | _names(value))
        if not isinstance(text, str) or not isinstance(value, str | int | Decimal):
            raise TypeError(f"{text!r} has no sentences with {value!r}.")
        try:
            spans = trace.sentences[name] = tuple(sentences_with(text, searched(_plain(value))))
            return "\n".join(text[start:end] for start, end in spans)
        except Missing as missing:
            return unknown(str(missing))

    def reading(self, of: ReadingOf, name: str, text: Known, trace: Trace) -> Known:
        """What a reading gives for a text; ``name`` is the text of the whole expression."""
        if isinstance(text, Undetermined):
            return text
        if not isinstance(text, str):
            raise TypeError(f"{name} is read of {text!r}, which is no text.")
        reader = self.reader.readings.get(of.reading)
        if reader is None:
            return unknown(f"{name}: no reading of this name is prepared")
        read = reader.of(text)
        if isinstance(read.value, Undetermined):
            return unknown(*(f"{name}: {reason}" for reason in read.value.names))
        trace.readings[name] = of, read
        return read.value

    def _raw(self, path: tuple[str, ...]) -> Json | Undetermined:
        """A value of the call as the log has it; undetermined if the call cannot be read."""
        if self._why:
            return unknown(self._why)
        fields = () if self.of is None else self.of.fields
        value: Json = dict(self.call.arguments or {})
        for name in path:
            declared = next((one for one in fields if one.name == name), None)
            if declared is None or not isinstance(value, dict):
                return None
            value = value.get(declared.key)
            if why := strange_key(value, declared.object_keys, ".".join(path)):
                return unknown(why)
            if value is not None and (why := misfit(value, declared.schema)):
                return unknown(f"{'.'.join(path)}: {why}")
            fields = declared.fields
        return value


def _normal_forms(value: Json, fields: Sequence[CallField]) -> Iterator[tuple[str, str]]:
    """Yield the texts in a value that are not in their normal form, each after this form."""
    if isinstance(value, list):
        for item in value:
            yield from _normal_forms(item, fields)
    for one in fields if isinstance(value, dict) else ():
        held = value.get(one.key) if isinstance(value, dict) else None
        yield from _normal_forms(held, one.fields)
        normal = one.options.get("normal")
        for text in held if isinstance(held, list) else [held]:
            if isinstance(normal, str) and isinstance(text, str):
                with suppress(Missing):
                    form = normal_text(text, normal)
                    if isinstance(form, str) and form != text:
                        yield form, text


def _plain(value: str | int | Decimal) -> str | int | float:
    """A value as the JSON of a call has it."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == value.to_integral_value() else float(value)


def _part_of_key(value: Known) -> str | None:
    """A part of a key as it is compared; None if it is empty."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    return key_text(value) if isinstance(value, str | int) else None


def _names(value: Known) -> frozenset[str]:
    return value.names if isinstance(value, Undetermined) else frozenset()


def _declared(fields: tuple[CallField, ...], path: tuple[str, ...]) -> CallField | None:
    declared: CallField | None = None
    for name in path:
        declared = next((one for one in fields if one.name == name), None)
        fields = () if declared is None else declared.fields
    return declared


# A point inside a number or an address does not end a sentence; a line end does.
_SENTENCE_END = r"(?<=[.!?])[\"'”’»)\]]*\s+|\n+"


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The begin and the end of each sentence of a text."""
    start = 0
    for end in re.finditer(_SENTENCE_END, text):
        yield start, end.start()
        start = end.end()
    yield start, len(text)


def searched(value: Json) -> str | int | float:
    """A value that a sentence could have. Raises Missing for another one."""
    from workbench.runs.values.value_spellings import is_value, spellings  # few policies ask for sentences

    if not isinstance(value, str | int | float) or not is_value(value) or not spellings(value):
        raise Missing(f"{shown(value)} is no text or number that a sentence could name")
    return value


def sentences_with(text: str, *values: str | int | float) -> Iterator[tuple[int, int]]:
    """The sentences in which each of these values stands, in any spelling."""
    from workbench.runs.values.value_spellings import stands_in  # few policies ask for sentences

    for start, end in sentences(text):
        if all(stands_in(value, text[start:end]) for value in values):
            yield start, end

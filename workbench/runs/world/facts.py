"""Facts: the state of a record, the place that shows it, and the reports of a call on records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workbench.model import Json, LookedUp, Provenance, RecordValue, span_of
from workbench.policy.operations import Known
from workbench.policy.undetermined import fields_in, record_of
from workbench.runs.values.json_places import Path, locate
from workbench.runs.values.jsontext import shared


class RecordState(StrEnum):
    """The knowledge about a record: it is known, not looked up, absent, or cannot be determined."""

    KNOWN = "known"
    NOT_LOOKED_UP = "not_looked_up"
    ABSENT = "absent"
    NOT_DETERMINABLE = "not_determinable"


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call that was made, with its result; ``text`` names the text of the recorded call with this result.

    ``written`` is the text of its arguments in the log.
    """

    tool: str
    arguments: Mapping[str, Json]
    result: str | None
    failed: bool
    index: int
    text: str = "result"
    written: str = ""

    def __str__(self) -> str:
        """The call as it is named in a message."""
        return f"call {self.index} ({self.tool})"


@dataclass(frozen=True, slots=True)
class CallPlace:
    """A place in the result of a call, or in its arguments (``in_arguments``).

    Its characters are searched only when they are requested.
    """

    call: MadeCall
    path: Path
    in_arguments: bool = False

    def provenance(self) -> Provenance:
        """The place with its characters."""
        text = self.call.written if self.in_arguments else self.call.result or ""
        place = locate(text, self.path) if self.path else (0, len(text))
        spans = (span_of(text, *place),) if place else ()
        method = shared(f"record ({self.call.tool}, call {self.call.index})")
        return Provenance(
            method, "arguments" if self.in_arguments else self.call.text, spans, call=self.call.index
        )


class FieldPlaces(Mapping[str, tuple[Provenance, ...]]):
    """The places of a record's fields by name, empty if not found; searched only when requested."""

    __slots__ = ("_argument", "_fact", "_record")

    def __init__(self, record: CallPlace, fact: Fact, argument: str) -> None:
        """Keep the place of the record, what is known of it, and how the argument is called."""
        self._record, self._fact, self._argument = record, fact, f"{argument}."

    def __getitem__(self, name: str) -> tuple[Provenance, ...]:
        """The place of a field."""
        if not name.startswith(self._argument):
            raise KeyError(name)
        own = name.removeprefix(self._argument)
        way = self._fact.ways[own]
        place = self._fact.changed_places.get(own) or CallPlace(self._record.call, (*self._record.path, *way))
        provenance = place.provenance()
        return (provenance,) if provenance.spans else ()

    def __iter__(self) -> Iterator[str]:
        """The names of the fields."""
        return (f"{self._argument}{name}" for name in self._fact.ways)

    def __len__(self) -> int:
        """The number of declared fields."""
        return len(self._fact.ways)


@dataclass(frozen=True, slots=True)
class Fact:
    """The state of one record, its value if it is known, and the reason in words.

    ``ways`` are the paths from the place of the record to its fields; for a list of records, to the list.
    ``changed_places`` are the places of fields that later calls changed. ``changed``: nothing is known
    because calls of the run changed the record.
    """

    state: RecordState
    value: RecordValue | None = None
    why: str = ""
    place: CallPlace | Provenance | None = None
    ways: Mapping[str, Path] = field(default_factory=dict[str, Path])
    changed: bool = False
    changed_places: Mapping[str, CallPlace] = field(default_factory=dict[str, CallPlace])

    @property
    def provenance(self) -> tuple[Provenance, ...]:
        """The place that shows the fact; empty if there is none."""
        if self.place is None:
            return ()
        return (self.place.provenance() if isinstance(self.place, CallPlace) else self.place,)

    def fields(self, argument: str) -> Mapping[str, tuple[Provenance, ...]]:
        """The places of each field of the record, by its path from an argument (``order.total``)."""
        if not isinstance(self.place, CallPlace):
            return {}
        return FieldPlaces(self.place, self, argument)

    def with_fields(self, fields: Mapping[str, Known], places: Mapping[str, CallPlace]) -> Fact:
        """The fact after a call that changed these fields; unchanged if the record is not known."""
        if self.value is None:
            return self
        new_fields = {name: fields.get(name, value) for name, value in fields_in(self.value).items()}
        return replace(
            self,
            value=record_of(self.value.type, new_fields),
            changed_places={**self.changed_places, **places},
        )


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """The state of the record that a call is about; ``remedy`` is the look-up that would give it."""

    fact: Fact
    remedy: LookedUp | None = None

    @property
    def value(self) -> RecordValue | None:
        """The record, if it is known."""
        return self.fact.value


@dataclass(frozen=True, slots=True)
class RecordReport:
    """A call's report on the record with this key, or on all of its kind if the key is None.

    ``changes`` is False if the call only reads; without a key it then reports on an unknown record. With
    ``fields`` the call changed only these, and ``fact`` has their places.
    """

    key: str | None
    fact: Fact
    changes: bool = False
    fields: Mapping[str, Known] | None = None


_AWAITED = r"\bthe result of (call \d+(?: \([^()]{1,200}\))?) is not known\b"


def result_awaited(call: MadeCall) -> str:
    """The reason why nothing is known of what a call may change whose result is not there yet."""
    return f"the result of {call} is not known yet"


def awaited_calls(reasons: Iterable[str]) -> tuple[str, ...]:
    """The calls whose results are awaited, by reasons why something cannot be determined."""
    return tuple(dict.fromkeys(found for reason in reasons for found in re.findall(_AWAITED, reason)))


def not_known_since(why: str) -> Fact:
    """The fact that calls of the run changed a record, so that nothing is known of it."""
    return Fact(RecordState.NOT_LOOKED_UP, why=why, changed=True)

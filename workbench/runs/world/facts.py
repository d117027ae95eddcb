"""Facts: what is known of a record, where it is said, and what a call reports of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workbench.model import Json, LookedUp, Provenance, RecordValue, Value, span_of
from workbench.runs.values.json_places import Path, locate


class RecordState(StrEnum):
    """Knowledge about a record: it is known, nothing is known, there is none, or it cannot be said."""

    KNOWN = "known"
    NOT_LOOKED_UP = "not_looked_up"
    ABSENT = "absent"
    NOT_DETERMINABLE = "not_determinable"


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call that was made, with its result; ``text`` names the text of its call that holds the result.

    ``written`` are its arguments as they were written.
    """

    tool: str
    arguments: Mapping[str, Json]
    result: str | None
    failed: bool
    index: int
    text: str = "result"
    written: str = ""

    def __str__(self) -> str:
        """The call in a message."""
        return f"call {self.index} ({self.tool})"


@dataclass(frozen=True, slots=True)
class CallPlace:
    """The place where a call says something: in its result, or in its arguments (``in_arguments``).

    Its characters are looked for when they are asked for.
    """

    call: MadeCall
    path: Path
    in_arguments: bool = False

    def provenance(self) -> Provenance:
        """The place with its characters."""
        text = self.call.written if self.in_arguments else self.call.result or ""
        place = locate(text, self.path) if self.path else (0, len(text))
        spans = (span_of(text, *place),) if place else ()
        method = f"record ({self.call.tool}, call {self.call.index})"
        return Provenance(
            method, "arguments" if self.in_arguments else self.call.text, spans, call=self.call.index
        )


class FieldPlaces(Mapping[str, tuple[Provenance, ...]]):
    """The places of a record's fields by name, none for what is not there; looked for when asked for."""

    def __init__(self, record: CallPlace, ways: Mapping[str, Path], changed: Mapping[str, CallPlace]) -> None:
        """Keep the place of the record, the way from it to each field, and the places of changed fields."""
        self._record = record
        self._ways = ways
        self._changed = changed

    def __getitem__(self, name: str) -> tuple[Provenance, ...]:
        """The place of a field."""
        way = self._ways[name]
        place = self._changed.get(name) or CallPlace(self._record.call, (*self._record.path, *way))
        provenance = place.provenance()
        return (provenance,) if provenance.spans else ()

    def __iter__(self) -> Iterator[str]:
        """The names of the fields."""
        return iter(self._ways)

    def __len__(self) -> int:
        """How many fields are declared."""
        return len(self._ways)


@dataclass(frozen=True, slots=True)
class Fact:
    """The state of one record, its value where it is known, and why in words.

    ``ways`` lead from the place of the record to its fields; of a list of things to the list.
    ``changed_places`` are those of fields that later calls changed. ``changed``: nothing is known because
    calls of the run changed the record.
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
        """Where it is said; empty where nothing says it."""
        if self.place is None:
            return ()
        return (self.place.provenance() if isinstance(self.place, CallPlace) else self.place,)

    @property
    def state_word(self) -> str:
        """The state for a person, who is told a change apart from what nobody looked up."""
        return "changed" if self.changed else self.state.value

    def fields(self, argument: str) -> Mapping[str, tuple[Provenance, ...]]:
        """Where each field of the record is said, by its path from an argument (``order.total``)."""
        if not isinstance(self.place, CallPlace):
            return {}
        return FieldPlaces(
            self.place,
            {f"{argument}.{name}": way for name, way in self.ways.items()},
            {f"{argument}.{name}": place for name, place in self.changed_places.items()},
        )

    def with_fields(self, fields: Mapping[str, Value], places: Mapping[str, CallPlace]) -> Fact:
        """The same of a known record after a call that changed these fields."""
        if self.value is None:
            return self
        own = tuple((name, fields.get(name, value)) for name, value in self.value.fields)
        return replace(
            self, value=RecordValue(self.value.type, own), changed_places={**self.changed_places, **places}
        )


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """The state of the record that a call is about; ``remedy`` is the call that would look it up."""

    fact: Fact
    remedy: LookedUp | None = None
    key_places: tuple[Provenance, ...] = ()

    @property
    def value(self) -> RecordValue | None:
        """The record, where it is known."""
        return self.fact.value


@dataclass(frozen=True, slots=True)
class RecordReport:
    """A call's report on the record with this key, or on all of its kind where the key is None.

    ``changes`` is False where the call only asked; without a key it then says something about an unknown
    record. With ``fields`` the call changed only these, and ``fact`` has their places.
    """

    key: str | None
    fact: Fact
    changes: bool = False
    fields: Mapping[str, Value] | None = None


def not_known_since(why: str) -> Fact:
    """The fact that calls of the run changed a record, so that nothing is known of it."""
    return Fact(RecordState.NOT_LOOKED_UP, why=why, changed=True)

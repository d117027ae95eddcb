"""Reports: what a call of a run says of records of one kind (what they are, that there is none, a change)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Protocol

from workbench.model import Json, Provenance, Record, RecordResult, RecordValue
from workbench.runs.values.found_value import Missing, span_of
from workbench.runs.values.json_paths import only, parse_parts, walked
from workbench.runs.values.json_places import Path, locate
from workbench.runs.values.jsontext import BadJson, dump, parse_json
from workbench.runs.world.record_values import RecordValues

_SECONDS = 0.5
_MAX_TEXT = 1_000_000


class _Pattern(Protocol):
    """A compiled pattern that can be searched within a time."""

    def search(self, string: str, *, timeout: float) -> object | None:
        """The first match."""
        ...


class State(StrEnum):
    """What is known of a record: what it is, nothing, that there is none, or that it cannot be said."""

    KNOWN = "known"
    NOT_LOOKED_UP = "not_looked_up"
    ABSENT = "absent"
    NOT_DETERMINABLE = "not_determinable"


@dataclass(frozen=True, slots=True)
class Fact:
    """The state of one record, its value where it is known, and why in words."""

    state: State
    value: RecordValue | None = None
    why: str = ""
    provenance: tuple[Provenance, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What a call says of the record with this key, or of all of its kind where the key is None."""

    key: str | None
    fact: Fact


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made, with its result; ``text`` names the text of its step that holds the result."""

    tool: str
    arguments: Mapping[str, Json]
    result: str | None
    failed: bool
    index: int
    text: str = "result"

    def __str__(self) -> str:
        """The call in a message."""
        return f"call {self.index} ({self.tool})"


class Reporter:
    """Reads what calls say of the records of one kind."""

    def __init__(self, record: Record, values: RecordValues) -> None:
        """Prepare the declared results and patterns."""
        import regex as engine

        self.record = record
        self._values = values
        self._results = {result.tool: result for result in record.results}
        if record.look_up is not None:
            self._results.setdefault(record.look_up.tool, RecordResult(record.look_up.tool))
        self._errors: list[_Pattern] = [engine.compile(pattern) for pattern in record.errors]
        self._absent: list[_Pattern] = [engine.compile(pattern) for pattern in record.absent]
        self._named = _key_arguments(record)

    def of_call(self, call: Made) -> Sequence[Report]:
        """What a call of the agent says; nothing where the tool is none that is declared."""
        reads = self._results.get(call.tool)
        if reads is None and call.tool not in self.record.changed_by:
            return ()
        only_asks = self.record.look_up is not None and call.tool == self.record.look_up.tool
        key = self._key_named(call, reads)
        if call.result is None:
            return () if only_asks else [self._unsaid(key, f"the result of {call} is not recorded")]
        try:
            if only_asks and self._matches(self._absent, call.result):
                return [Report(key, self._none(call))] if key is not None else ()
            if call.failed or self._matches(self._errors, call.result):
                return ()
            if reads is None:
                why = f"{call} changed it, and nothing said since what it is"
                return [Report(key, Fact(State.NOT_LOOKED_UP, why=why))]
            return self._read(call, reads, key)
        except Missing as missing:
            if only_asks and key is None:
                return ()
            return [self._unsaid(key, f"{call}: {missing}")]

    def of_look_up(self, call: Made, why: str) -> Sequence[Report]:
        """What a look-up says that was made to decide a call; any answer but a clear one is none.

        ``why`` says why there is no answer at all.
        """
        look_up = self.record.look_up
        if look_up is None or look_up.tool != call.tool:
            return ()
        asked = key_text(next((call.arguments.get(name) for name in key_names(self.record)), None))
        if asked is None or look_up_arguments(self.record, call.arguments) != dict(call.arguments):
            return ()
        shown = call_text(call.tool, call.arguments)
        if call.result is None:
            return [
                self._unsaid(asked, f"the look-up {shown} gave no answer: {why or 'nothing is recorded'}")
            ]
        try:
            if self._matches(self._absent, call.result):
                return [Report(asked, self._none(call))]
            if call.failed or self._matches(self._errors, call.result):
                return [self._unsaid(asked, f"the look-up {shown} failed")]
            found = [report for report in self._read(call, self._results[call.tool], asked)]
        except Missing as missing:
            return [self._unsaid(asked, f"the look-up {shown}: {missing}")]
        own = [report for report in found if report.key == asked]
        if not own:
            others = ", ".join(sorted({report.key or "none" for report in found})) or "none"
            return [self._unsaid(asked, f"the look-up {shown} gave another {self.record.name}: {others}")]
        return own

    def _read(self, call: Made, reads: RecordResult, named: str | None) -> Sequence[Report]:
        """The records that a result holds; raises Missing where it cannot be read."""
        text = call.result or ""
        value = _parsed(text)
        pattern = parse_parts(reads.path)
        found = walked(value, pattern, every=True)
        if None not in pattern and not found:
            raise Missing(f"the result has nothing at {reads.path}")
        single = None not in pattern
        reports: dict[str, Report] = {}
        for item, path in found:
            key = self._key_of(item)
            if key is None and single:
                key = named
            if key is None:
                raise Missing(f"the result does not say the {self.record.key} of the {self.record.name}")
            report = Report(key, self._fact(call, item, path))
            if key in reports and reports[key].fact.value != report.fact.value:
                report = self._unsaid(key, f"{call} says two things of it, which contradict each other")
            reports[key] = report
        return list(reports.values())

    def _fact(self, call: Made, item: Json, path: Path) -> Fact:
        source = self._source(call, path)
        try:
            return Fact(State.KNOWN, self._values.record(self.record, item), "", (source,))
        except Missing as missing:
            return Fact(State.NOT_DETERMINABLE, None, f"{call}: {missing}", (source,))

    def _source(self, call: Made, path: Path) -> Provenance:
        text = call.result or ""
        place = locate(text, path) if path else (0, len(text))
        spans = (span_of(text, *place),) if place else ()
        return Provenance(f"record ({call.tool}, call {call.index})", call.text, spans, call=call.index)

    def _none(self, call: Made) -> Fact:
        return Fact(State.ABSENT, None, f"{call} says that there is none", (self._source(call, ()),))

    def _unsaid(self, key: str | None, why: str) -> Report:
        return Report(key, Fact(State.NOT_DETERMINABLE, None, why))

    def _key_of(self, item: Json) -> str | None:
        found = only(item, parse_parts(self.record.key))
        return key_text(found[0][0]) if found else None

    def _key_named(self, call: Made, reads: RecordResult | None) -> str | None:
        """The key that a call names: where it is declared, else in the argument of the key's name."""
        path = reads.key if reads is not None else self.record.changed_by.get(call.tool, "")
        if path:
            parts = parse_parts(path)
            inside = parts[1:] if parts[:1] == ("arguments",) else parts
            found = only(dict(call.arguments), inside)
            return key_text(found[0][0]) if found else None
        keys = {key_text(call.arguments[name]) for name in self._named if name in call.arguments}
        return next(iter(keys)) if len(keys) == 1 else None

    def _matches(self, patterns: Sequence[_Pattern], text: str) -> bool:
        """Whether a pattern matches; raises Missing for a text on which it takes too long."""
        try:
            return any(pattern.search(text[:_MAX_TEXT], timeout=_SECONDS) for pattern in patterns)
        except TimeoutError:
            raise Missing("a pattern of errors or absent takes too long on the result") from None


def key_text(value: Json) -> str | None:
    """A key as it is compared: texts and whole numbers only, so that 7 and "7" are one record."""
    if isinstance(value, str) and value:
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def key_names(record: Record) -> Iterator[str]:
    """The arguments of the look-up that are the key."""
    if record.look_up is not None:
        yield from (name for name, value in record.look_up.arguments.items() if value == "key")


def _key_arguments(record: Record) -> frozenset[str]:
    last = parse_parts(record.key)[-1:]
    return frozenset([*(part for part in last if isinstance(part, str)), *key_names(record)])


def look_up_arguments(record: Record, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments of a look-up as they are declared, with the key that ``arguments`` have."""
    if record.look_up is None:
        return {}
    declared = record.look_up.arguments
    return {name: arguments.get(name) if value == "key" else value for name, value in declared.items()}


def call_text(tool: str, arguments: Mapping[str, Json]) -> str:
    """A call as a person reads it."""
    return f"{tool}({', '.join(f'{name}={dump(value)}' for name, value in arguments.items())})"


@lru_cache(maxsize=256)
def _parsed(text: str) -> Json:
    """The value of a result, which nobody changes; raises Missing for what is no JSON."""
    if len(text) > _MAX_TEXT:
        raise Missing(f"the result is longer than {_MAX_TEXT} characters")
    try:
        return parse_json(text, unique_keys=True)
    except BadJson as error:
        raise Missing(f"the result is no JSON ({error})") from None

"""Reports: what a call of a run shows of records of one kind (their fields, their absence, a change)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto
from functools import lru_cache
from itertools import takewhile

from workbench.dialect.call_fields import fields_as_read
from workbench.model import Json, LookedUp, Record, RecordResult, RecordValue
from workbench.policy.operations import Known
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Missing
from workbench.runs.values.json_paths import only, parse_parts, walked
from workbench.runs.values.json_places import Path
from workbench.runs.values.jsontext import BadJson, parse_json
from workbench.runs.values.patterns import Pattern, any_in, compiled
from workbench.runs.world.declared_failures import ERROR, says_error
from workbench.runs.world.facts import (
    CallPlace,
    Fact,
    MadeCall,
    RecordReport,
    RecordState,
    not_known_since,
)
from workbench.runs.world.record_keys import key_arguments, key_asked_for, key_of_parts, key_text
from workbench.runs.world.record_values import RecordValues

_MAX_TEXT = 1_000_000


class _Answer(Enum):
    """The kind of a result: it describes records, there is no such record, or the call had no effect."""

    SAID = auto()
    NONE = auto()
    FAILED = auto()


type NotUnderstood = Callable[[str, Mapping[str, Json]], str]
"""The reason why a call of a tool with these arguments is not understood as a whole; empty if it is."""


def whole_call(_tool: str, _arguments: Mapping[str, Json]) -> str:
    """Every call is understood."""
    return ""


class Reporter:
    """Reads the reports of calls on the records of one kind."""

    def __init__(
        self,
        record: Record,
        values: RecordValues,
        errors: Sequence[str],
        not_understood: NotUnderstood,
    ) -> None:
        """Prepare the declared results and patterns; ``errors`` are those of every tool."""
        self.record = record
        self._not_understood = not_understood
        self._values = values
        self._results = {result.tool: result for result in record.results}
        if record.look_up is not None:
            self._results.setdefault(record.look_up.tool, RecordResult(record.look_up.tool))
        self._errors: list[Pattern] = [compiled(pattern) for pattern in (*errors, *record.errors)]
        self._absent: list[Pattern] = [compiled(pattern) for pattern in record.absent]
        self._named = key_arguments(record)
        self._ways = {
            name.replace(".", "_"): _way(field.path or field.name)
            for field in record.fields
            for name, _ in fields_as_read([field])
        }
        self._fields = {field.name: field for field in record.fields}
        self._changes = {
            tool: {name: parse_parts(path)[1:] for name, path in fields.items()}
            for tool, fields in record.changed_to.items()
        }

    def only_asks(self, tool: str) -> bool:
        """Whether the tool is the look-up, which changes nothing."""
        return self.record.look_up is not None and tool == self.record.look_up.tool

    def may_change(self, call: MadeCall) -> tuple[str | None, ...]:
        """The key that a call without a known result may change; None means every key."""
        reads = self._results.get(call.tool)
        if self.only_asks(call.tool) or not self._is_about(call):
            return ()
        return (self._key_named(call, reads),)

    def of_call(self, call: MadeCall) -> Sequence[RecordReport]:
        """The reports of a call of the agent; none if its tool is not declared."""
        if not self._is_about(call):
            return ()
        reads = self._results.get(call.tool)
        asks = self.only_asks(call.tool)
        key = self._key_named(call, reads)
        if call.result is None:
            # The fact from an earlier look-up stays; but this look-up may have been of another record.
            reported_key = None if asks else key
            unsaid = self._unsaid(reported_key, f"the result of {call} is not recorded", changes=not asks)
            return () if asks and call.failed else [unsaid]
        try:
            answer, record_reports = self._answer(call, reads, key)
        except Missing as missing:
            return [self._unsaid(key, f"{call}: {missing}", changes=not asks)]
        if answer is _Answer.NONE:
            return [RecordReport(key, self._none(call))] if key is not None else ()
        if answer is _Answer.FAILED:
            return ()
        if reads is None:
            return [self._change(call, key)]
        return self._of_key(call, reads, key, record_reports)

    def of_look_up(self, call: MadeCall, why: str) -> Sequence[RecordReport]:
        """The reports of a look-up that was made to decide a call; an unclear result counts as no answer.

        ``why`` is the reason why there is no result at all.
        """
        look_up = self.record.look_up
        if look_up is None or look_up.tool != call.tool:
            return ()
        asked_key = key_asked_for(self.record, call.arguments)
        if asked_key is None:
            return ()
        look_up_text = str(LookedUp(call.tool, call.arguments))
        if call.result is None:
            return [
                self._unsaid(
                    asked_key, f"the look-up {look_up_text} gave no answer: {why or 'nothing is recorded'}"
                )
            ]
        try:
            answer, record_reports = self._answer(call, self._results[call.tool], asked_key)
        except Missing as missing:
            return [self._unsaid(asked_key, f"the look-up {look_up_text}: {missing}")]
        if answer is _Answer.NONE:
            return [RecordReport(asked_key, self._none(call))]
        if answer is _Answer.FAILED:
            return [self._unsaid(asked_key, f"the look-up {look_up_text} failed")]
        own_reports = [report for report in record_reports if report.key == asked_key]
        if not own_reports:
            return [
                self._unsaid(
                    asked_key,
                    f"the look-up {look_up_text} gave another {self.record.name}: {_keys_of(record_reports)}",
                )
            ]
        return own_reports

    def _is_about(self, call: MadeCall) -> bool:
        """Whether the call is of a tool that returns records or changes them."""
        return any(call.tool in tools for tools in (self._results, self.record.changed_by, self._changes))

    def _change(self, call: MadeCall, key: str | None) -> RecordReport:
        """The report of a call that changed a record, with the fields after it if they are declared."""
        declared = self._changes.get(call.tool)
        if declared is None or key is None:
            return RecordReport(key, self._changed(call), changes=True)
        if why := self._not_understood(call.tool, call.arguments):
            return self._unsaid(key, f"{call} may have changed more of it: {why}", changes=True)
        fields: dict[str, Known] = {}
        places: dict[str, CallPlace] = {}
        for name, path in declared.items():
            placed_values = only(dict(call.arguments), path)
            if not placed_values:
                continue
            field, written, where = self._fields[name], placed_values[0][0], f"{self.record.name}.{name}"
            try:
                value = self._values.field_value(field, written)
            except Missing as missing:
                return self._unsaid(key, f"{call} changed {where}: {missing}", changes=True)
            fields |= self._values.with_parts(field, value, written, where)
            places[name] = CallPlace(call, placed_values[0][1], in_arguments=True)
        return RecordReport(key, replace(self._changed(call), changed_places=places), True, fields)

    def _of_key(
        self, call: MadeCall, reads: RecordResult, key: str | None, record_reports: Sequence[RecordReport]
    ) -> Sequence[RecordReport]:
        """The reports of a result if the call names a key; a result about another record is no answer."""
        asks = self.only_asks(call.tool)
        reports = [replace(report, changes=not asks) for report in record_reports]
        if key is None or any(report.key == key for report in record_reports):
            return reports
        if None in parse_parts(reads.path):
            return reports if asks else [*reports, RecordReport(key, self._changed(call), changes=True)]
        why = f"{call} is about {key} and its result about {_keys_of(record_reports)}"
        named = self._unsaid(key, why, changes=not asks)
        return (
            [named]
            if asks
            else [
                named,
                *(self._unsaid(record_report.key, why, changes=True) for record_report in record_reports),
            ]
        )

    def _answer(
        self, call: MadeCall, reads: RecordResult | None, key: str | None
    ) -> tuple[_Answer, Sequence[RecordReport]]:
        """The kind of a result, with its reports; raises Missing if the kind is ambiguous."""
        text = call.result or ""
        none = self.only_asks(call.tool) and self._matches(self._absent, text)
        failed = call.failed or self._has_error(text) or self._matches(self._errors, text)
        if not none and not failed:
            return _Answer.SAID, self._read(call, reads, key) if reads is not None else ()
        if not call.failed and reads is not None and self._is_record(call, reads, key):
            says = f"the result says what the {self.record.name} is and"
            if not none and self._has_error(text):
                raise Missing(f"{says} has an error as well")
            pattern = "absent" if none else "errors"
            raise Missing(
                f'{says} matches "{pattern}" as well; write a pattern that matches whole messages only'
            )
        return (_Answer.NONE if none else _Answer.FAILED), ()

    def _has_error(self, text: str) -> bool:
        """Whether a result has an error that is no field of the record."""
        return not any((field.path or field.name) == ERROR for field in self.record.fields) and bool(
            says_error(text)
        )

    def _is_record(self, call: MadeCall, reads: RecordResult, key: str | None) -> bool:
        """Whether a result describes a record: it has the key, or at least one field with a value."""
        try:
            facts = [report.fact for report in self._read(call, reads, key)]
            items = walked(_parsed(call.result or ""), parse_parts(reads.path), every=True)
            keyed = any(only(item, parse_parts(path)) for item, _ in items for path in self.record.keys)
        except Missing:
            return False
        known_values = [fact.value for fact in facts if fact.state is RecordState.KNOWN]
        return any(keyed or _says_something(value) for value in known_values)

    def _read(self, call: MadeCall, reads: RecordResult, named: str | None) -> Sequence[RecordReport]:
        """The reports on the records in a result; raises Missing if the result cannot be read."""
        value = _parsed(call.result or "")
        pattern = parse_parts(reads.path)
        placed_values = walked(value, pattern, every=True)
        single = None not in pattern
        if single and not placed_values:
            raise Missing(f"the result has nothing at {reads.path}")
        reports: dict[str, RecordReport] = {}
        for item, path in placed_values:
            key = self._key_of(item, call)
            if key is None and single:
                key = named
            if key is None:
                raise Missing(f"the result does not say the {self.record.key} of the {self.record.name}")
            report = RecordReport(key, self._fact(call, item, path))
            if key in reports and reports[key].fact.value != report.fact.value:
                report = self._unsaid(key, f"{call} says two things of it, which contradict each other")
            reports[key] = report
        return list(reports.values())

    def _fact(self, call: MadeCall, item: Json, path: Path) -> Fact:
        place = CallPlace(call, path)
        try:
            value = self._values.record(self.record, item)
            return Fact(RecordState.KNOWN, value, "", place, self._ways)
        except Missing as missing:
            return Fact(RecordState.NOT_DETERMINABLE, None, f"{call}: {missing}", place)

    def _none(self, call: MadeCall) -> Fact:
        return Fact(RecordState.ABSENT, None, f"{call} says that there is none", CallPlace(call, ()))

    def _changed(self, call: MadeCall) -> Fact:
        return not_known_since(f"{call} changed it, and nothing said since what it is")

    def _unsaid(self, key: str | None, why: str, *, changes: bool = False) -> RecordReport:
        return RecordReport(key, Fact(RecordState.NOT_DETERMINABLE, None, why), changes)

    def _key_of(self, item: Json, call: MadeCall) -> str | None:
        """The key in a record, None if it has none; raises Missing for a value that is no key.

        If the key has several parts, parts that the record lacks are taken from the arguments of the call.
        """
        parts: list[str] = []
        for number, path in enumerate(self.record.keys):
            placed_values = only(item, parse_parts(path))
            if not placed_values and self.record.key_parts:
                named = self._part_named(call, number)
                if named is None:
                    return None
                parts.append(named)
                continue
            if not placed_values:
                return None
            part = key_text(placed_values[0][0], self.record.normal)
            if part is None:
                raise Missing(f"the {path} {shown(placed_values[0][0])} is neither a text nor a whole number")
            parts.append(part)
        return key_of_parts(parts)

    def _key_named(self, call: MadeCall, reads: RecordResult | None) -> str | None:
        """The key that a call names: at the declared path, else in the argument of the key's name."""
        path = reads.key if reads is not None else self.record.changed_by.get(call.tool, "")
        if path:
            parts = parse_parts(path)
            inside = parts[1:] if parts[:1] == ("arguments",) else parts
            placed_values = only(dict(call.arguments), inside)
            return key_text(placed_values[0][0], self.record.normal) if placed_values else None
        if self.record.key_parts:
            parts = [self._part_named(call, number) for number in range(len(self.record.keys))]
            whole = [part for part in parts if part is not None]
            return key_of_parts(whole) if len(whole) == len(parts) else None
        return self._part_named(call, 0)

    def _part_named(self, call: MadeCall, number: int) -> str | None:
        """The part of a key that the arguments of its names say, if they all say the same."""
        names = self._named[number]
        said = [call.arguments[name] for name in names if name in call.arguments]
        parts = {key_text(value, self.record.normal) for value in said}
        return next(iter(parts)) if len(parts) == 1 else None

    def _matches(self, patterns: Sequence[Pattern], text: str) -> bool:
        """Whether a pattern matches; raises Missing for a text on which it takes too long."""
        try:
            return any_in(patterns, text)
        except TimeoutError:
            raise Missing("a pattern of errors or absent takes too long on the result") from None


def _says_something(value: RecordValue | None) -> bool:
    return value is not None and any(
        field_value not in (None, (), frozenset()) for _, field_value in value.fields
    )


def _keys_of(reports: Sequence[RecordReport]) -> str:
    return ", ".join(sorted({report.key or "none" for report in reports})) or "none"


def _way(path: str) -> Path:
    """The path to a field, or to the list of the field's members."""
    return tuple(
        part for part in takewhile(lambda part: part is not None, parse_parts(path)) if part is not None
    )


@lru_cache(maxsize=32)
def _parsed(text: str) -> Json:
    """The value of a result, which callers must not change; raises Missing if it is no JSON."""
    if len(text) > _MAX_TEXT:
        raise Missing(f"the result is longer than {_MAX_TEXT} characters")
    try:
        return parse_json(text, unique_keys=True)
    except BadJson as error:
        raise Missing(f"the result is no JSON ({error})") from None

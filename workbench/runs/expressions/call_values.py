"""Calls as the records of their classes: each field in its type, or undetermined with the reason."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import tzinfo
from functools import cached_property
from typing import cast

from workbench.dialect.call_fields import CallField, CallType
from workbench.guard.look_alike_names import property_names, unclear_keys
from workbench.model import (
    MOST_ELEMENTS,
    AgentSpec,
    ArgumentType,
    Element,
    Json,
    Kind,
    RecordedCall,
    RecordValue,
    Value,
)
from workbench.policy.operations import Known
from workbench.policy.undetermined import IncompleteRecord, Undetermined
from workbench.runs.kinds.kinds_by_name import kind_of
from workbench.runs.values.coerce import coerce, coerce_whole, shown
from workbench.runs.values.error_results import ERRORS
from workbench.runs.values.found_value import Missing
from workbench.runs.values.json_paths import as_object
from workbench.runs.values.normal_texts import normal_text
from workbench.runs.values.patterns import Pattern, any_in, compiled
from workbench.runs.values.zones import BadZone, moment, zone_named
from workbench.runs.world.declared_failures import DeclaredFailures
from workbench.runs.world.record_values import RecordValues

_TIME, _SUCCEEDED, _FAILED, _RESULT = "time", "succeeded", "failed", "result"
_NOTHING: Mapping[Kind, Value] = {Kind.LIST: (), Kind.SET: frozenset()}
"""The value of an optional list or set that a call lacks; any other value is None then."""
_NO_ERROR = re.compile(r'\s*\{\s*"error"\s*:\s*(null|false|""|\{\s*\}|\[\s*\])\s*[,}]')
"""A result that has the form of an error and says that there is none."""


def unknown(*reasons: str) -> Undetermined:
    """An undetermined value; each reason is a sentence without a full stop."""
    return Undetermined(frozenset(reasons))


class CallValues:
    """Reads the fields of calls in the types of their classes."""

    def __init__(self, spec: AgentSpec, values: RecordValues, failures: DeclaredFailures) -> None:
        """Take the agent, whose zone is that of times without one. Raises BadZone."""
        self._values = values
        self._zone_name = spec.zone
        self._zone = zone_named(spec.zone) if spec.zone else None
        self._names = {tool.name: property_names(dict(tool.parameters)) for tool in spec.tools}
        self._failures = failures

    # --- calls --------------------------------------------------------------------

    def arguments(
        self, call: RecordedCall, fields: Iterable[CallField], where: str, names: Collection[str], why: str
    ) -> dict[str, Known]:
        """The fields of these names from the arguments of a call; ``where`` is the call in a sentence.

        ``why`` is the reason why nothing is known about them.
        """
        chosen = [field for field in fields if field.name in names]
        if not chosen:
            return {}
        if why:
            return {field.name: unknown(why) for field in chosen}
        arguments = call.arguments or {}
        return {field.name: self._field(arguments, field, f"{field.name} of {where}") for field in chosen}

    def unreadable(self, call: RecordedCall, where: str) -> str:
        """The reason why nothing is known about the arguments of a call; empty if they can be read."""
        if call.arguments is None:
            return f"the log does not say which arguments {where} had"
        why = unclear_keys(call.arguments, self._names.get(call.tool or "", ()))
        return f"{where}: {why}" if why else ""

    def time(self, call: RecordedCall, where: str) -> Known:
        """The time of a call."""
        if call.time is None:
            return unknown(f"the log does not say when {where} was")
        try:
            return moment(call.time, self._zone)
        except Missing as missing:
            return unknown(f"the time of {where}: {missing}")

    def earlier(self, call: RecordedCall, of: CallType, names: Collection[str]) -> RecordValue:
        """The fields of these names of an earlier call, as it was known when the decided call was made."""
        where = f"call {call.index}"
        fields = self.arguments(call, of.fields, where, names, self.unreadable(call, where))
        if _TIME in names:
            fields[_TIME] = self.time(call, where)
        if _SUCCEEDED in names or _FAILED in names:
            failed = self._has_failed(call)
            fields[_FAILED] = failed
            fields[_SUCCEEDED] = failed if isinstance(failed, Undetermined) else not failed
        if _RESULT in names:
            fields[_RESULT] = (
                unknown(f"the result of {where} is not known") if call.result is None else call.result
            )
        return record_of(of.name, fields)

    def _has_failed(self, call: RecordedCall) -> bool | Undetermined:
        if call.failed:
            return True
        if call.result is None:
            return unknown(f"the result of call {call.index} is not known, so that it may have failed")
        if _NO_ERROR.match(call.result):
            return False
        try:
            return any_in([self._error], call.result) or self._failures.has_failed(call)
        except TimeoutError:
            return unknown(f"a pattern of errors takes too long on the result of call {call.index}")
        except Missing as missing:
            return unknown(str(missing))

    @cached_property
    def _error(self) -> Pattern:
        return compiled(ERRORS)

    # --- values -------------------------------------------------------------------

    def _field(self, holder: Mapping[str, Json], field: CallField, where: str) -> Known:
        return self._read(holder.get(field.key), field, where, given=field.key in holder)

    def _read(self, value: Json, field: CallField, where: str, *, given: bool = True) -> Known:
        if value is None:
            if field.type.optional:
                return _NOTHING.get(field.type.kind)
            return unknown(f"{where} {'is null' if given else 'is not given'}")
        try:
            return self.value(value, field, where)
        except Missing as missing:
            return unknown(f"{where}: {missing}")

    def value(self, value: Json, field: CallField, where: str) -> Value:
        """A value of a field; raises Missing if it does not fit."""
        if field.keyed_by:
            return self._keyed(value, field, where)
        if not field.fields:
            return self._plain(value, field.type, field.options)
        if field.type.kind is Kind.RECORD:
            return self._object(value, field, field.type, where)
        element = field.type.element
        if not isinstance(value, list) or element is None:
            raise Missing(f"{shown(value)} is no list")
        _check_number(value)
        return tuple(
            self._object(item, field, element, f"{where}, element {number}")
            for number, item in enumerate(value, 1)
        )

    def _keyed(self, value: Json, field: CallField, where: str) -> Value:
        """The members of an object keyed by ids, each with its key as a field."""
        element = field.type.element
        if not isinstance(value, dict) or element is None or element.record is None:
            raise Missing(f"{shown(value)} is no object with a member for each key")
        _check_number(value)
        records: list[Element] = []
        for key, item in value.items():
            place = f"{where}, {shown(key)}"
            inner = self._members(item, (one for one in field.fields if one.name != field.keyed_by), place)
            type_ = element.record.field(field.keyed_by) or ArgumentType(Kind.STR)
            try:
                inner[field.keyed_by] = self._plain(key, type_, {})
            except Missing as missing:
                inner[field.keyed_by] = unknown(f"{place}: {missing}")
            records.append(record_of(element.record.name, inner))
        return tuple(records)

    def _object(self, value: Json, field: CallField, type_: ArgumentType, where: str) -> RecordValue:
        name = type_.record.name if type_.record is not None else field.name
        return record_of(name, self._members(value, field.fields, where))

    def _members(self, value: Json, fields: Iterable[CallField], where: str) -> dict[str, Known]:
        """The fields of an object; a field without a key is the value itself."""
        members: dict[str, Known] = {}
        for one in fields:
            if not one.key:
                members[one.name] = self._read(value, one, where)
            elif isinstance(value, dict):
                members[one.name] = self._field(value, one, f"{where}, {one.name}")
            else:
                raise Missing(f"{shown(value)} is no object")
        return members

    def _plain(self, value: Json, type_: ArgumentType, options: Mapping[str, Json]) -> Value:
        """A scalar, a set or list of scalars, or a value of a kind."""
        kind = type_.kind
        if kind is Kind.LIST and type_.element is not None:
            if not isinstance(value, list):
                raise Missing(f"{shown(value)} is no list")
            _check_number(value)
            element = type_.element
            return tuple(cast("Element", self._plain(item, element, options)) for item in value)
        if kind is Kind.DATETIME:
            zone = options.get("zone")
            return moment(value, _zone(zone) if isinstance(zone, str) and zone else self._zone)
        if kind is Kind.RECORD:
            return self._of_kind(value, type_, options)
        if kind is Kind.DURATION:
            return coerce_whole(value, type_)
        if kind is Kind.SET:
            return self._values.value(value, type_)
        fitted = coerce(value, type_)
        if kind is Kind.TIME and getattr(fitted, "tzinfo", None) is not None:
            raise Missing(f"{shown(value)} has a time zone, which a time of day cannot have")
        normal = options.get("normal")
        return normal_text(fitted, normal) if isinstance(normal, str) else fitted

    def _of_kind(self, value: Json, type_: ArgumentType, options: Mapping[str, Json]) -> Value:
        kind = kind_of(type_.record)
        if kind is None or type_.record is None:
            raise Missing(f"{shown(value)} is no value of a known kind")
        given = {option.name: options[option.name] for option in kind.options if option.name in options}
        read = self._values.reader(kind, given).record(value)
        known = dict(read.fields)
        return record_of(
            read.type,
            {
                name: known[name]
                if name in known
                else unknown(f"the {name} of {shown(value)} cannot be determined")
                for name, _ in type_.record.fields
            },
        )

    def context(self, call: RecordedCall, name: str, type_: ArgumentType) -> Known:
        """A value of the context of a call; None if it is optional and the context has other values."""
        where = f"run.context.{name}"
        context = as_object(call.context)
        value = context.get(name) if isinstance(context, dict) else None
        if value is None:
            if type_.optional and call.context:
                return None
            return unknown(f"the context of the run has no {name}")
        try:
            return self._plain(value, type_, {})
        except Missing as missing:
            return unknown(f"{where}: {missing}")


def record_of(name: str, fields: Mapping[str, Known]) -> RecordValue:
    """The record of fields of which some may be undetermined."""
    known = tuple((name, value) for name, value in fields.items() if not isinstance(value, Undetermined))
    if len(known) == len(fields):
        return RecordValue(name, known)
    lacking = {name: value for name, value in fields.items() if isinstance(value, Undetermined)}
    return IncompleteRecord(name, known, lacking)


def _check_number(members: Sequence[Json] | Mapping[str, Json]) -> None:
    if len(members) > MOST_ELEMENTS:
        raise Missing(f"it has {len(members)} elements, more than the {MOST_ELEMENTS} that are looked at")


def _zone(name: str) -> tzinfo:
    try:
        return zone_named(name)
    except BadZone as error:
        raise Missing(str(error)) from None

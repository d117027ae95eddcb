"""Calls as the records of their classes: each field in its type, or undetermined with the reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import cast

from workbench.dialect.call_fields import (
    CallField,
    CallType,
    ObjectKeys,
    field_and_part,
    parts_of,
    read_in_folder,
    read_without_remotes,
)
from workbench.dialect.run_values import PLACE
from workbench.guard.look_alike_names import property_names, unclear_keys
from workbench.model import (
    MOST_ELEMENTS,
    AgentSpec,
    ArgumentType,
    ContextField,
    Element,
    Json,
    Kind,
    RecordedCall,
    RecordValue,
    Value,
)
from workbench.policy.operations import Known
from workbench.policy.undetermined import Undetermined, record_of, unknown
from workbench.runs.kinds.kinds_by_name import KINDS, kind_of
from workbench.runs.values.coerce import coerce, coerce_whole, shown
from workbench.runs.values.found_value import Missing
from workbench.runs.values.json_paths import as_object, only, parse_parts
from workbench.runs.values.normal_texts import normal_text
from workbench.runs.values.patterns import BadPattern, any_in, compiled
from workbench.runs.values.schema_fit import misfit
from workbench.runs.values.zones import BadZone, moment, zone_named
from workbench.runs.world.declared_failures import DeclaredFailures
from workbench.runs.world.record_values import RecordValues, parts_of_time

_TIME, _SUCCEEDED, _FAILED, _RESULT = "time", "succeeded", "failed", "result"
_APPROVED = "approved"
_NOTHING: Mapping[Kind, Value] = {Kind.LIST: (), Kind.SET: frozenset()}
"""The value of an optional list or set that a call lacks; any other value is None then."""
_NONE_GIVEN = "if a call without it has none, say optional = true in its note in agent.toml"


class CallValues:
    """Reads the fields of calls in the types of their classes."""

    def __init__(self, spec: AgentSpec, values: RecordValues, failures: DeclaredFailures) -> None:
        """Take the agent, whose zone is that of times without one. Raises BadZone."""
        self._values = values
        self._zone_name = spec.zone
        self._zone = zone_named(spec.zone) if spec.zone else None
        self._as_of = spec.as_of
        self._names = {tool.name: property_names(dict(tool.parameters)) for tool in spec.tools}
        self._failures = failures
        self._unsure = {
            tool.name: [*map(compiled, tool.may_have_failed)] for tool in spec.tools if tool.may_have_failed
        }

    # --- calls --------------------------------------------------------------------

    def arguments(
        self, call: RecordedCall, of: CallType, where: str, names: Collection[str], why: str
    ) -> dict[str, Known]:
        """The fields of these names from the arguments of a call; ``where`` is the call in a sentence.

        ``why`` is the reason why nothing is known about them.
        """
        wanted = {field_and_part(name)[0] for name in names}
        chosen = [field for field in of.fields if field.name in wanted]
        if why:
            known_names = {name for field in chosen for name in (field.name, *dict(_parts(field)))}
            return {name: unknown(why) for name in names if name in known_names}
        arguments = call.arguments or {}
        known: dict[str, Known] = {}
        for field in self._in_folder(chosen, arguments, of):
            known |= self._with_parts(arguments, field, f"{field.name} of {where}")
        return {name: value for name, value in known.items() if name in names}

    def own_part(self, call: RecordedCall, of: CallType, field: CallField, part: str) -> str:
        """A text of a kind of value that no policy reads; the reason why it is not known in place of one."""
        arguments = call.arguments or {}
        value, kind = arguments.get(field.key), KINDS[field.kind]
        if value is None:
            return ""
        (read,) = self._in_folder([field], arguments, of)
        try:
            text = self._values.reader(kind, read.options).parts(value)[part]
        except Missing as missing:
            return str(missing)
        return text if isinstance(text, str) else str(text)

    @staticmethod
    def _in_folder(
        fields: Sequence[CallField], arguments: Mapping[str, Json], of: CallType
    ) -> Sequence[CallField]:
        """The fields as they are read in the folder of a call, if the call names one."""
        if not of.cwd_parameter or arguments.get(of.cwd_parameter) is None:
            return fields
        from workbench.runs.kinds.file_systems import folder_of  # it needs the reader of paths

        folder = folder_of(of.cwd, arguments[of.cwd_parameter], of.file_system)
        return [read_in_folder(field, folder) for field in fields]

    def unreadable(self, call: RecordedCall, of: CallType | None, where: str) -> str:
        """The reason why nothing is known about the arguments of a call; empty if they can be read."""
        if call.arguments is None:
            return f"the log does not say which arguments {where} had"
        if why := unclear_keys(call.arguments, self._names.get(call.tool or "", ())):
            return f"{where}: {why}"
        return "" if of is None else strange_key(call.arguments, of.object_keys, where)

    def time(self, call: RecordedCall, where: str) -> Known:
        """The time of a call: of an agent with one time for every call it is that one."""
        time = self._as_of or call.time
        if time is None:
            return unknown(f"the log does not say when {where} was")
        try:
            return moment(time, self._zone, is_cut=True)
        except Missing as missing:
            return unknown(f"the time of {where}: {missing}")

    def earlier(self, call: RecordedCall, of: CallType, names: Collection[str]) -> RecordValue:
        """The fields of these names of an earlier call, as it was known when the decided call was made."""
        where = f"call {call.index}"
        of = replace(of, fields=tuple(map(read_without_remotes, of.fields)))
        fields = self.arguments(call, of, where, names, self.unreadable(call, of, where))
        if PLACE in names:
            fields[PLACE] = call.index
        if any(field_and_part(name)[0] == _TIME for name in names):
            times = self.parts_of_time(self.time(call, where))
            fields |= {name: value for name, value in times.items() if name in names}
        if _SUCCEEDED in names or _FAILED in names:
            failed = self._has_failed(call)
            fields[_FAILED] = failed
            fields[_SUCCEEDED] = failed if isinstance(failed, Undetermined) else not failed
        if _APPROVED in names:
            fields[_APPROVED] = _was_approved(call, where)
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
        try:
            if self._failures.has_failed(call):
                return True
            is_unsure = any_in(self._unsure.get(call.tool or "", ()), call.result)
        except Missing as missing:
            return unknown(str(missing))
        except TimeoutError:
            is_unsure = True
        return unknown(f"by its result call {call.index} may have failed") if is_unsure else False

    # --- values -------------------------------------------------------------------

    def parts_of_time(self, time: Known) -> dict[str, Known]:
        """The time of a call and its parts in the agent's zone."""
        return {_TIME: time, **parts_of_time(_TIME, time, self._zone)}

    def _with_parts(self, holder: Mapping[str, Json], field: CallField, where: str) -> dict[str, Known]:
        """A field and its typed parts, by their names."""
        return self._values.with_parts(field, self._field(holder, field, where), holder.get(field.key), where)

    def _field(self, holder: Mapping[str, Json], field: CallField, where: str) -> Known:
        return self._read(holder.get(field.key), field, where, given=field.key in holder)

    def _read(self, value: Json, field: CallField, where: str, *, given: bool = True) -> Known:
        if value is None:
            if field.type.optional:
                return _NOTHING.get(field.type.kind)
            lacks = f"{where} {'is null' if given else 'is not given'}"
            return unknown(f"{lacks}; {_NONE_GIVEN}" if field.type.kind in _NOTHING else lacks)
        if why := misfit(value, field.schema):
            return unknown(f"{where}: {why}")
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
            fields = [one for one in field.fields if one.name != field.keyed_by]
            inner = self._members(item, fields, field.object_keys, place)
            type_ = element.record.field(field.keyed_by) or ArgumentType(Kind.STR)
            try:
                inner[field.keyed_by] = self._plain(key, type_, {})
            except Missing as missing:
                inner[field.keyed_by] = unknown(f"{place}: {missing}")
            records.append(record_of(element.record.name, inner))
        return tuple(records)

    def _object(self, value: Json, field: CallField, type_: ArgumentType, where: str) -> RecordValue:
        name = type_.record.name if type_.record is not None else field.name
        return record_of(name, self._members(value, field.fields, field.object_keys, where))

    def _members(
        self, value: Json, fields: Iterable[CallField], keys: ObjectKeys | None, where: str
    ) -> dict[str, Known]:
        """The fields of an object; a field without a key is the value itself.

        Nothing is known of the fields of an object that has a key which its schema does not permit.
        """
        if why := strange_key(value, keys, where):
            names = [name for one in fields for name in (one.name, *dict(_parts(one)))]
            return dict.fromkeys(names, unknown(why))
        members: dict[str, Known] = {}
        for one in fields:
            if not one.key:
                members[one.name] = self._read(value, one, where)
            elif isinstance(value, dict):
                members |= self._with_parts(value, one, f"{where}, {one.name}")
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
        parts = self._values.parts_of_kind(value, kind, options, shown(value))
        return record_of(type_.record.name, {name: parts[name] for name, _ in type_.record.fields})

    def context(self, call: RecordedCall, name: str, field: ContextField) -> Known:
        """A value of the context of a call; None if it is optional and the context has other values."""
        where, type_ = f"run.context.{name}", field.type
        found = only(as_object(call.context), parse_parts(field.path or name))
        value = found[0][0] if found else None
        if value is None:
            if type_.optional and call.context:
                return None
            return unknown(f"the context of the run has no {field.path or name}")
        try:
            return self._plain(value, type_, {})
        except Missing as missing:
            return unknown(f"{where}: {missing}")


def _was_approved(call: RecordedCall, where: str) -> Known:
    """Whether a person approved a call.

    A person may be asked by the client itself, which is told of no answer but the end of the call.
    """
    if call.approved is None:
        return unknown(f"the log does not say whether a person approved {where}")
    if call.approved and call.result is None and not call.failed:
        return unknown(f"{where} has not ended, so that a person may still refuse it")
    return call.approved


def strange_key(value: Json | Mapping[str, Json], keys: ObjectKeys | None, where: str) -> str:
    """The reason why an object is not understood: a key that its schema does not permit; else empty."""
    if keys is None or keys.any_other or not isinstance(value, Mapping):
        return ""
    others = (key for key in value if key not in keys.known)
    strange = next((key for key in others if not _is_permitted(key, keys.patterns)), None)
    return "" if strange is None else f"{where} has the key {strange!a:.80}, which its schema does not have"


def strange_keys_within(value: Json | Mapping[str, Json], of: CallType | CallField, where: str) -> str:
    """The reason why an object, or one in it at any depth, is not understood; empty if all are."""
    if isinstance(value, list):
        objects = ((number, item) for number, item in enumerate(value, 1) if isinstance(item, Mapping))
        found = (strange_keys_within(item, of, f"{where}, element {number}") for number, item in objects)
        return next(filter(None, found), "")
    if not isinstance(value, Mapping):
        return ""
    if isinstance(of, CallField) and of.keyed_by:
        inner = replace(of, keyed_by="")
        found = (strange_keys_within(item, inner, f"{where}, {shown(key)}") for key, item in value.items())
        return next(filter(None, found), "")
    if why := strange_key(value, of.object_keys, where):
        return why
    found = (strange_keys_within(value.get(one.key), one, f"{where}, {one.name}") for one in of.fields)
    return next(filter(None, found), "")


def _is_permitted(key: str, patterns: Iterable[str]) -> bool:
    try:
        return any_in(map(compiled, patterns), key)
    except (BadPattern, ModuleNotFoundError, TimeoutError):
        return False


def _parts(field: CallField) -> Iterable[tuple[str, ArgumentType]]:
    return parts_of(field.name, field.type, field.kind)


def _check_number(members: Sequence[Json] | Mapping[str, Json]) -> None:
    if len(members) > MOST_ELEMENTS:
        raise Missing(f"it has {len(members)} elements, more than the {MOST_ELEMENTS} that are looked at")


def _zone(name: str) -> tzinfo:
    try:
        return zone_named(name)
    except BadZone as error:
        raise Missing(str(error)) from None

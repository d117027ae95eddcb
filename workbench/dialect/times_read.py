"""The points in time that a policy reads, of which nothing declares the zone of one that names none.

The zone of the agent is not looked at: with it, each of them has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from workbench.dialect.call_fields import CALL_TIME, CallField, field_and_part, type_of_record
from workbench.dialect.checked import CallPolicy
from workbench.dialect.run_values import ContextValue, ReadingOf, all_parts
from workbench.model import ArgumentType, Kind
from workbench.policy.terms import Attribute, Variable
from workbench.policy.types import set_element
from workbench.policy.written import TimeRead
from workbench.runs.kinds.kinds_by_name import OWN_TEXT
from workbench.runs.kinds.moment import MOMENT
from workbench.runs.values.zones import PARTS

_NUMBERS = ("integer", "number")


def times_read(policy: CallPolicy) -> tuple[TimeRead, ...]:
    """The points in time that the rules and clauses of a policy read and that may name no zone."""
    return tuple(_times(policy))


def _times(policy: CallPolicy) -> Iterator[TimeRead]:
    attributes, readings, contexts = _read(policy)
    for call in policy.types.calls.values():
        for owner, path, field in _with_paths(call.name, "", call.fields):
            parts = attributes.get((owner, field.name))
            if parts is not None and _is_open(field):
                clock = not parts.isdisjoint(PARTS)
                yield TimeRead(f"`{path}` of {call.tool}", (call.tool,), path, clock)
    yield from _of_calls(policy, attributes)
    for record in policy.types.records.values():
        owner = type_of_record(record).name
        tools = tuple(one.tool for one in record.results)
        for one in record.fields:
            is_time = one.kind == MOMENT.name or _is_time(one.type)
            parts = attributes.get((owner, one.name))
            if is_time and not one.options.get("zone") and parts is not None:
                clock = not parts.isdisjoint(PARTS)
                yield TimeRead(f"`{one.name}` of the record {record.name}", tools, by_clock=clock)
    yield from _read_out(policy, readings)
    for name in contexts:
        if _is_time(policy.types.context[name].type):
            yield TimeRead(f"`{name}` of the context")


def _of_calls(policy: CallPolicy, read: Mapping[tuple[str, str], set[str]]) -> Iterator[TimeRead]:
    """The time at which calls are made, where its day or hour is read: it is known in UTC."""
    name = CALL_TIME[0][0]
    tools = [
        call.tool
        for call in policy.types.calls.values()
        if not read.get((call.name, name), set[str]()).isdisjoint(PARTS)
        and all(field.name != name for field in call.fields)
    ]
    if tools:
        yield TimeRead("the time of a call", tuple(tools), name, by_clock=True)


def _read_out(policy: CallPolicy, readings: Sequence[str]) -> Iterator[TimeRead]:
    calls = policy.types.calls
    for name in readings:
        reading = policy.types.readings[name]
        if _is_time(reading.type) and not reading.extraction.options.get("zone"):
            owners = dict.fromkeys(text.partition(".")[0] for text in reading.texts)
            yield TimeRead(f"the reading `{name}`", tuple(calls[one].tool for one in owners if one in calls))


def _read(policy: CallPolicy) -> tuple[Mapping[tuple[str, str], set[str]], Sequence[str], Sequence[str]]:
    """The fields that a policy reads, by class, with their parts, the readings, and the context's values."""
    attributes: dict[tuple[str, str], set[str]] = {}
    readings: dict[str, None] = {}
    contexts: dict[str, None] = {}
    for part in (*policy.rules, *policy.clauses):
        for one in part.terms:
            for term in all_parts(one.term, policy.values):
                if isinstance(term, Attribute) and (owner := term.record.type.record) is not None:
                    field, part_of_it = field_and_part(term.name)
                    names = () if part_of_it == OWN_TEXT or _is_whole_text(term) else owner.name.split(" | ")
                    for name in names:
                        attributes.setdefault((name, field), set()).add(part_of_it)
                value = policy.values.get(term.name) if isinstance(term, Variable) else None
                if isinstance(value, ReadingOf):
                    readings[value.reading] = None
                if isinstance(value, ContextValue):
                    contexts[value.name] = None
    return attributes, [*readings], [*contexts]


def _is_whole_text(term: Attribute) -> bool:
    """Whether a text of a kind is read as it is written."""
    return term.type.kind is Kind.STR and not field_and_part(term.name)[1]


def _is_open(field: CallField) -> bool:
    """Whether a field is a point in time that may be written without a zone, which nothing declares."""
    is_time = field.kind == MOMENT.name or _is_time(field.type)
    return is_time and not field.options.get("zone") and field.schema.get("type") not in _NUMBERS


def _is_time(type_: ArgumentType) -> bool:
    """Whether a value is a point in time, or several."""
    one = set_element(type_) if type_.kind is Kind.SET else type_.element or type_
    return one.kind is Kind.DATETIME or (one.record is not None and one.record.name == MOMENT.type.name)


def _with_paths(owner: str, path: str, fields: Sequence[CallField]) -> Iterator[tuple[str, str, CallField]]:
    """Yield the fields of a call, and of the objects in it, each with its class and its path."""
    for one in fields:
        own = f"{path}{one.key or one.name}"
        is_list = one.type.kind in (Kind.LIST, Kind.SET)
        yield owner, f"{own}[]" if is_list else own, one
        inner = (one.type.element or one.type).record
        if inner is not None:
            yield from _with_paths(inner.name, f"{own}[]." if is_list else f"{own}.", one.fields)

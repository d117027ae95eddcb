"""Ids that calls write otherwise than results: without the sign before them, or in other letters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.clean_text import counted
from workbench.model import FieldNote, Json, Kind, Proposal, Record, RecordedCall, RecordField, Tool
from workbench.runs.extract.propose import fields_of
from workbench.runs.proposals.things import Thing
from workbench.runs.values.found_value import Missing
from workbench.runs.values.normal_texts import normal_text
from workbench.runs.world.reports import key_text

_FORM = "id"


def with_id_forms(
    proposals: Sequence[Proposal],
    things: Sequence[Thing],
    tools: Mapping[str, Tool],
    calls: Sequence[RecordedCall],
) -> list[Proposal]:
    """The records, with a normal form of their key where calls write it otherwise than results.

    The parameters that take the key, and the fields of records that hold it, are read in this form too.
    """
    said: dict[str, Sequence[str]] = {}
    for keys in {thing.keys for thing in things if len(thing.keys) == 1}:
        otherwise = _otherwise(keys[0], things, tools, calls)
        if otherwise:
            said[keys[0]] = otherwise
    return [_in_form(proposal, said, tools) for proposal in proposals] if said else list(proposals)


def _otherwise(
    key: str, things: Sequence[Thing], tools: Mapping[str, Tool], calls: Sequence[RecordedCall]
) -> Sequence[str]:
    """The ids of calls that are, in the normal form only, ids of results; none if two ids have one form."""
    told = {
        text
        for thing in things
        if thing.keys == (key,)
        for item in thing.objects
        if isinstance(text := item.get(key), str)
    }
    ids_by_form: defaultdict[str, set[str]] = defaultdict(set)
    for text in told:
        ids_by_form[_form(text)].add(text)
    if any(len(alike) > 1 for alike in ids_by_form.values()):
        return ()
    named = {text for call in calls for text in _named(call, key, tools)}
    return sorted(text for text in named - told if _form(text) in ids_by_form)


def _named(call: RecordedCall, key: str, tools: Mapping[str, Tool]) -> Iterator[str]:
    tool = tools.get(call.tool or "")
    value: Json = (call.arguments or {}).get(key) if tool is not None else None
    if isinstance(value, str):
        yield value


def _form(text: str) -> str:
    try:
        return str(normal_text(text, _FORM))
    except Missing:
        return key_text(text) or ""


def _in_form(proposal: Proposal, said: Mapping[str, Sequence[str]], tools: Mapping[str, Tool]) -> Proposal:
    """A record with the normal form of its key, and of the keys that its fields hold."""
    records = tuple(_record(record, said) for record in proposal.records)
    record = proposal.record
    if record is None or record.key_parts or record.key not in said:
        return replace(proposal, records=records)
    notes = {
        tool.name: {record.key: FieldNote(normal=_FORM)}
        for tool in tools.values()
        for field in fields_of(tool)
        if field.path == (record.key,) and field.type.kind is Kind.STR
        if record.key not in tool.fields
    }
    otherwise = said[record.key]
    evidence = (
        f"{counted(len(otherwise), 'id')} in calls, such as {otherwise[0][:40]}, are written otherwise than "
        "in results: they are compared in the normal form."
    )
    return replace(proposal, records=records, notes=notes, evidence=(*proposal.evidence, evidence))


def _record(record: Record, said: Mapping[str, Sequence[str]]) -> Record:
    normal = _FORM if record.key in said and not record.key_parts else record.normal
    return replace(record, normal=normal, fields=tuple(_field(field, said) for field in record.fields))


def _field(field: RecordField, said: Mapping[str, Sequence[str]]) -> RecordField:
    """A field that holds such keys, in their normal form."""
    last = (field.path or field.name).rpartition(".")[2].removesuffix("[*]")
    holds = (
        last in said and field.type.kind in (Kind.STR, Kind.SET) and not field.part and not field.type.values
    )
    return replace(field, normal=_FORM) if holds and not field.normal else field

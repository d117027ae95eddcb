"""What the schemas of results say beside what logs show: a log is believed, a schema adds to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.clean_text import listed
from workbench.dialect.call_fields import type_of_record
from workbench.model import ArgumentType, Kind, Proposal, Record, RecordField
from workbench.runs.extract.propose import free_name


def with_described(
    seen: Sequence[Proposal],
    said: Sequence[Proposal],
    logged: Collection[str],
    classes: Mapping[str, str],
) -> list[Proposal]:
    """The proposals that logs show, with what schemas say besides.

    A record of both keeps what the log shows, and has the fields that no result showed, which may be absent.
    What a tool with ``logged`` results tells is none if they do not show it. ``classes`` are the tools by
    their classes.
    """
    grown = list(seen)
    elements = {one.name: one for proposal in said for one in proposal.records}
    for proposal in said:
        tools = _tools(proposal, classes)
        place = next((place for place, one in enumerate(grown) if _tell_one(one, proposal)), None)
        if place is not None:
            grown[place] = _grown(grown[place], proposal, elements, logged)
        elif not tools & set(logged):
            sentence = (
                f"The {'schema' if len(tools) == 1 else 'schemas'} of the results of {listed(sorted(tools))}"
            )
            evidence = (f"{sentence} say{'s' if len(tools) == 1 else ''} so; no log shows it.",)
            evidence += proposal.evidence[1:]
            grown.append(replace(proposal, evidence=evidence, described=tuple(sorted(tools))))
    return _of_one_element_each(grown)


def _tools(proposal: Proposal, classes: Mapping[str, str]) -> set[str]:
    """The tools whose results tell a record or have a reading."""
    record = proposal.record
    if record is None:
        places = [place for reading in proposal.readings for place in reading.texts]
        return {classes[place.removesuffix(".result")] for place in places}
    return _told_by(record)


def _told_by(record: Record) -> set[str]:
    return {one.tool for one in record.results} | ({record.look_up.tool} if record.look_up else set())


def _tell_one(seen: Proposal, said: Proposal) -> bool:
    first, second = seen.record, said.record
    return (
        first is not None
        and second is not None
        and set(first.keys) == set(second.keys)
        and bool(_told_by(first) & _told_by(second))
    )


def _grown(
    proposal: Proposal, said: Proposal, elements: Mapping[str, Record], logged: Collection[str]
) -> Proposal:
    """A record that a log shows, with the further fields and results of its schemas."""
    record, other = proposal.record, said.record
    assert record is not None
    assert other is not None
    inner = {one.name: one for one in proposal.records if one is not record}
    own = {field.path or field.name: field for field in record.fields}
    for field in other.fields:
        known = own.get(field.path or field.name)
        if known is not None and known.of in inner and field.of in elements:
            inner[known.of] = _with_fields(inner[known.of], elements[field.of].fields)
    whole = _with_fields(record, other.fields)
    for field in whole.fields:
        if field.of and field.of not in inner:
            inner[field.of] = elements[field.of]
    unlogged = tuple(one for one in other.results if one.tool not in logged)
    look_up = other.look_up if other.look_up is not None and other.look_up.tool not in logged else None
    further = {one.tool for one in unlogged} | ({look_up.tool} if look_up else set[str]())
    whole = replace(
        whole,
        results=(*record.results, *unlogged),
        look_up=record.look_up or look_up,
        changed_by={tool: path for tool, path in record.changed_by.items() if tool not in further},
    )
    if record.look_up is None and look_up is not None:
        whole = replace(whole, results=tuple(one for one in whole.results if one.tool != look_up.tool))
    if whole == record and all(inner[one.name] == one for one in proposal.records if one is not record):
        return proposal
    added = [field.name for field in whole.fields[len(record.fields) :]]
    words = f": {listed(added)}" if added else ""
    evidence = f"The schemas of results say more of it than the logged ones show{words}."
    return replace(
        proposal,
        records=(*inner.values(), whole),
        evidence=(*proposal.evidence, evidence),
        presumed=tuple(tool for tool in proposal.presumed if tool not in further),
        described=tuple(sorted(_told_by(other))),
    )


def _with_fields(record: Record, others: Iterable[RecordField]) -> Record:
    """A record with the fields at further paths: no result showed them, so they may be absent."""
    paths = {field.path or field.name for field in record.fields}
    taken = {field.name for field in record.fields}
    keys = {*record.keys}
    added: list[RecordField] = []
    for field in others:
        path = field.path or field.name
        if path in paths or path in keys or field.where:
            continue
        name = free_name(field.name, taken)
        added.append(replace(field, name=name, path="" if path == name else path, type=_absent(field.type)))
    return replace(record, fields=(*record.fields, *added))


def _absent(type_: ArgumentType) -> ArgumentType:
    """The type with None; a set, which has no None, is a list."""
    if type_.kind is not Kind.SET:
        return replace(type_, optional=True)
    return ArgumentType(Kind.LIST, optional=True, element=type_.element or ArgumentType(Kind.STR))


def _of_one_element_each(proposals: Sequence[Proposal]) -> list[Proposal]:
    """The proposals, in which each element of lists has all fields that any of them gave it."""
    whole: dict[str, Record] = {}
    for record in (record for proposal in proposals for record in proposal.records if not record.key):
        before = whole.setdefault(record.name, record)
        if len(record.fields) > len(before.fields):
            whole[record.name] = record
    return [
        replace(
            proposal,
            records=tuple(
                _with_elements(whole.get(record.name, record), whole) for record in proposal.records
            ),
        )
        for proposal in proposals
    ]


def _with_elements(record: Record, elements: Mapping[str, Record]) -> Record:
    fields = tuple(
        replace(field, type=replace(field.type, element=_element_type(elements[field.of])))
        if field.of in elements
        else field
        for field in record.fields
    )
    return record if fields == record.fields else replace(record, fields=fields)


def _element_type(element: Record) -> ArgumentType:
    return ArgumentType(Kind.RECORD, record=type_of_record(element))

"""Proposals that a person accepted or dropped, in the agent spec."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from workbench.model import AgentSpec, Proposal


def with_accepted(spec: AgentSpec, proposals: Sequence[Proposal], names: Collection[str]) -> AgentSpec:
    """The spec with the proposals of these names."""
    records = {record.name: record for record in spec.records}
    tools = {tool.name: tool for tool in spec.tools}
    readings = {reading.name: reading for reading in spec.readings}
    context, errors, nouns = dict(spec.context), list(spec.errors), dict(spec.nouns)
    for proposal in proposals:
        if proposal.name not in names:
            continue
        for record in proposal.records:
            records.setdefault(record.name, record)
        for tool, notes in proposal.notes.items():
            # What a person has noted on a parameter stays.
            tools[tool] = replace(tools[tool], fields={**notes, **tools[tool].fields})
        for reading in proposal.readings:
            readings.setdefault(reading.name, reading)
        context = {**proposal.context, **context}
        nouns = {**proposal.nouns, **nouns}
        errors += [pattern for pattern in proposal.errors if pattern not in errors]
    declined = tuple(name for name in spec.not_proposed if name not in names)
    return replace(
        spec,
        records=tuple(records.values()),
        tools=tuple(tools.values()),
        readings=tuple(readings.values()),
        context=context,
        errors=tuple(errors),
        nouns=nouns,
        not_proposed=declined,
    )


def with_dropped(spec: AgentSpec, names: Iterable[str]) -> AgentSpec:
    """The spec with a note that the proposals of these names are not wanted."""
    return replace(spec, not_proposed=tuple(dict.fromkeys((*spec.not_proposed, *names))))

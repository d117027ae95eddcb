"""Proposals that a person accepted or dropped, in the agent spec."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.model import AgentSpec, Argument, Json, Proposal
from workbench.runs.world.record_arguments import RECORD


def with_accepted(spec: AgentSpec, proposals: Sequence[Proposal], names: Collection[str]) -> AgentSpec:
    """The spec with the proposals of these names, and with the proposals that their joins name."""
    by_name = {proposal.name: proposal for proposal in proposals}
    wanted_proposals = [by_name[name] for name in names if name in by_name]
    for proposal in wanted_proposals:
        joined = (join.record for record in proposal.records for join in record.joins)
        wanted_proposals += [
            by_name[name] for name in joined if name in by_name and by_name[name] not in wanted_proposals
        ]
    records = {record.name: record for record in spec.records}
    arguments = {argument.name: argument for argument in spec.arguments}
    for proposal in sorted(wanted_proposals, key=proposals.index):
        for record in proposal.records:
            records.setdefault(record.name, record)
        for argument in proposal.arguments:
            if argument.name not in arguments or proposal.replaces:
                arguments[argument.name] = argument
    names_declared = {name for name, argument in arguments.items() if _is_record(argument)}
    remaining = {
        name: trimmed
        for name, argument in arguments.items()
        if (trimmed := _with_hops_among(argument, names_declared))
    }
    declined = tuple(name for name in spec.not_proposed if name not in names)
    return replace(
        spec, records=tuple(records.values()), arguments=tuple(remaining.values()), not_proposed=declined
    )


def with_dropped(spec: AgentSpec, names: Iterable[str]) -> AgentSpec:
    """The spec with a note that the proposals of these names are not wanted."""
    return replace(spec, not_proposed=tuple(dict.fromkeys((*spec.not_proposed, *names))))


def _is_record(argument: Argument) -> bool:
    return argument.extraction is not None and argument.extraction.method == RECORD


def _with_hops_among(argument: Argument, declared: Collection[str]) -> Argument | None:
    """A record argument without hops from undeclared arguments; None if no key is left."""
    extraction = argument.extraction
    if extraction is None or not _is_record(argument):
        return argument
    keys = extraction.options.get("key")
    if not isinstance(keys, list):
        return argument
    left = [key for key in keys if str(key).startswith("$") or str(key).partition(".")[0] in declared]
    if not left:
        return None
    options: Mapping[str, Json] = {**extraction.options, "key": left[0] if len(left) == 1 else left}
    return replace(argument, extraction=replace(extraction, options=options))

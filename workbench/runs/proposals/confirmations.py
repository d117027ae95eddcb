"""What proposals assume, as few questions that a person answers with yes or no."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.clean_text import counted, listed
from workbench.model import Kind, Proposal, Record, Tool
from workbench.runs.extract.propose import fields_of
from workbench.runs.extract.tool_effects import removes

_MOST_VALUES = 6


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question about what is declared as if it were answered with yes; and what to write if it is no."""

    question: str
    otherwise: str


def confirmations(
    proposals: Sequence[Proposal],
    tools: Sequence[Tool],
    failed: Mapping[str, int],
    described: Iterable[str] = (),
) -> tuple[Confirmation, ...]:
    """The questions: which calls failed, which change what, which lists are empty, which words are all.

    ``failed`` is how many of the logged results of each tool count as failures. ``described`` are the names
    of the fields whose words the schemas of results list.
    """
    return (
        *_failures(proposals, failed),
        *_described(proposals),
        *_changes(proposals),
        *_passed_on(proposals),
        *_lists(proposals),
        *_values(proposals, tools, described),
    )


def _failures(proposals: Sequence[Proposal], failed: Mapping[str, int]) -> Iterator[Confirmation]:
    """One question on what says that a call failed, asked wherever something is declared."""
    if not proposals:
        return
    patterns = [pattern for proposal in proposals for pattern in proposal.errors]
    also = f", or a result that matches {listed(patterns)}" if patterns else ""
    count = sum(failed.values())
    tools = f" ({', '.join(f'{tool} {number}' for tool, number in failed.items())})" if failed else ""
    yield Confirmation(
        f"Does an object with an “error” that is not null, false or empty say that its call failed{also}, "
        f"and no other result? {counted(count, 'logged result')} {'does' if count == 1 else 'do'}{tools}.",
        "name the results that say so by patterns: errors = [...] in agent.toml",
    )


def _described(proposals: Iterable[Proposal]) -> Iterator[Confirmation]:
    """One question for what only the schemas of results say, with the keys that their names suggest."""
    told = [proposal for proposal in proposals if proposal.described]
    tools = sorted({tool for proposal in told for tool in proposal.described})
    if not told:
        return
    records = [record for proposal in told if (record := proposal.record) is not None]
    keys = "; ".join(map(_known_by, records))
    fields = [field for proposal in told for record in proposal.records for field in record.fields]
    times = any(field.type.kind is Kind.DATETIME for field in fields)
    tables = [f"[records.{record.name}]" for record in records]
    yield Confirmation(
        f"Do the results of {listed(tools)} have the form that their schemas say? No log shows it."
        + (f" Does one key stand for one thing in all of them: {keys}?" if keys else "")
        + (" Does each time in them name its zone?" if times else ""),
        f"correct {listed(tables)} in agent.toml" if tables else "take their [readings] out of agent.toml",
    )


def _known_by(record: Record) -> str:
    """By what a record is known, and which tool looks it up."""
    look_up = f" (looked up by {record.look_up.tool})" if record.look_up is not None else ""
    return f"{record.name} by {listed(record.keys)}{look_up}"


def _changes(proposals: Iterable[Proposal]) -> Iterator[Confirmation]:
    """One question for all records that the same tools are taken to change."""
    records_by_tools: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for proposal in proposals:
        if proposal.presumed:
            records_by_tools[proposal.presumed].append(proposal.name)
    for names, records in records_by_tools.items():
        change = "Does" if len(names) == 1 else "Do"
        yield Confirmation(
            f"{change} {listed(names)} change the {listed(records)}? After such a call it is unknown until a "
            "result tells it again.",
            f"take {listed(names)} out of changed_by in [records.{records[0]}]"
            + (" and the others" if len(records) > 1 else ""),
        )


def _passed_on(proposals: Iterable[Proposal]) -> Iterator[Confirmation]:
    """One question for each tool that is taken to leave the records that its calls name as they are."""
    records_by_tool: defaultdict[str, list[str]] = defaultdict(list)
    for proposal in proposals:
        for tool in proposal.spared:
            records_by_tool[tool].append(proposal.name)
    for tool, records in records_by_tool.items():
        change = "remove" if removes(Tool(tool)) else "only pass"
        said = f"{change} the {listed(records)}{' on' * (change == 'only pass')}"
        yield Confirmation(
            f"Does {tool} {said}? What is known stays known after such a call.",
            f'write "{tool}" into changed_by in [records.{records[0]}]'
            + (" and the others" if len(records) > 1 else ""),
        )


def _lists(proposals: Iterable[Proposal]) -> Iterator[Confirmation]:
    names = {
        path.rpartition(".")[2]: None
        for proposal in proposals
        for notes in proposal.notes.values()
        for path, note in notes.items()
        if note.optional
    }
    if names:
        yield Confirmation(
            f"Does a call that leaves out {listed([*names])} have none, and not those that the tool chooses?",
            "take optional = true out of their notes in [tools.….fields]",
        )


def _values(
    proposals: Iterable[Proposal], tools: Iterable[Tool], described: Iterable[str]
) -> Iterator[Confirmation]:
    """The words that were seen and are taken for all: an unseen one would make its record unreadable."""
    declared = {field.path[-1] for tool in tools for field in fields_of(tool) if field.type.kind is Kind.ENUM}
    declared |= {*described}
    shown: dict[str, None] = {}
    for record in (record for proposal in proposals for record in proposal.records):
        for name, values in _enums(record, declared):
            more = ", …" if len(values) > _MOST_VALUES else ""
            shown[f"{name} ({', '.join(values[:_MOST_VALUES])}{more})"] = None
    if shown:
        yield Confirmation(
            f"Are these all the values that there are: {'; '.join(shown)}?",
            'write type = "str" in place of "enum"',
        )


def _enums(record: Record, declared: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for field in record.fields:
        last = (field.path or field.name).rpartition(".")[2]
        if field.type.kind is Kind.ENUM and last not in declared:
            yield field.name, field.type.values

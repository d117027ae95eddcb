"""All that an agent spec could declare in addition, with the evidence."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from workbench.clean_text import counted
from workbench.model import AgentSpec, Proposal, RecordedCall, Tool
from workbench.runs.extract.observe import observed_context
from workbench.runs.extract.propose import fields_of, free_name
from workbench.runs.proposals.call_lists import lists_of
from workbench.runs.proposals.id_forms import with_id_forms
from workbench.runs.proposals.list_elements import ListElements
from workbench.runs.proposals.outcomes import propose_outcomes, with_outcomes
from workbench.runs.proposals.parameter_notes import propose_notes
from workbench.runs.proposals.record_proposals import enums_of, propose_records
from workbench.runs.proposals.result_records import things_of_results
from workbench.runs.proposals.seen_schemas import with_seen_schemas
from workbench.runs.proposals.things import Thing
from workbench.runs.proposals.told_ids import propose_readings
from workbench.runs.proposals.tool_answers import ToolAnswers, error_patterns, read_answers


def propose_for_calls(spec: AgentSpec, calls: Sequence[RecordedCall]) -> tuple[Proposal, ...]:
    """Errors, records, readings, context and notes that the spec neither declares nor has dropped."""
    tools = {tool.name: tool for tool in with_seen_schemas(spec.tools, calls)}
    answers = read_answers(calls)
    named = {field.path[-1] for tool in tools.values() for field in fields_of(tool)}
    named |= {
        field.name for tool in tools.values() for call_list in lists_of(tool) for field in call_list.fields
    }
    elements = ListElements.of(spec, enums_of(list(tools.values())), ())
    outcomes, things = with_outcomes(things_of_results(answers.by_tool, tools, named), tools)
    records = propose_records(spec, tools, things, answers, calls, elements)
    records = with_id_forms(records, things, tools, calls)
    taken = {*(record.name for record in spec.records), *(proposal.name for proposal in records)}
    proposals = [
        *_errors(spec, answers, taken),
        *records,
        *propose_outcomes(spec, [*tools.values()], answers, outcomes, things, taken),
        *propose_readings(spec, [*tools.values()], answers, calls, taken, _keys_of_records(things, tools)),
        *_context(spec, calls, taken),
        *propose_notes(spec.tools, calls, taken, spec.zone),
    ]
    return tuple(proposal for proposal in proposals if proposal.name not in spec.not_proposed)


def _keys_of_records(things: Sequence[Thing], tools: Mapping[str, Tool]) -> Mapping[str, Collection[str]]:
    """The keys of the records that results are, by the tool; one that every call must name is left out."""
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for thing in things:
        for results in thing.results:
            if not results.many:
                named = any(
                    field.needed and field.path == (results.key_argument or results.keys[0],)
                    for field in fields_of(tools[results.tool])
                )
                keys[results.tool] |= set() if named or len(results.keys) > 1 else {*results.keys}
    return keys


def _errors(spec: AgentSpec, answers: ToolAnswers, taken: set[str]) -> Iterator[Proposal]:
    """The patterns of results that say that a call failed, if the log does not flag these calls."""
    failures = [text for texts in answers.failures.values() for text in texts]
    others = [json.dumps(answer.value) for own in answers.by_tool.values() for answer in own[:200]]
    others += [str(answer.value) for own in answers.texts.values() for answer in own[:200]]
    patterns = tuple(pattern for pattern in error_patterns(failures, others) if pattern not in spec.errors)
    if not patterns or not answers.unflagged or spec.errors:
        return
    count = sum(1 for texts in answers.failures.values() for _ in texts)
    evidence = (
        f"{counted(count, 'result')} say that the call failed, and the log does not flag "
        f"{answers.unflagged} of them.",
    )
    yield Proposal(free_name("errors", taken), evidence=evidence, errors=patterns)


def _context(spec: AgentSpec, calls: Sequence[RecordedCall], taken: set[str]) -> Iterator[Proposal]:
    """What the application says of the calls, as far as a policy can take it."""
    fields = {name: field for name, field in observed_context(calls).items() if name not in spec.context}
    if fields:
        evidence = f"The application says it of the calls in the logs: {', '.join(fields)}."
        yield Proposal(free_name("context", taken), evidence=(evidence,), context=fields)

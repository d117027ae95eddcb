"""All that an agent spec could declare in addition, with the evidence.

Readings of what results say of their call itself: whether it is verified, the exit code.

The tools of an agent, with the schemas that recorded calls show where a tool has none.

Proposals that a person accepted or dropped, in the agent spec.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.clean_text import counted, listed
from workbench.dialect.call_types import class_name
from workbench.dialect.class_names import OUTCOME
from workbench.dialect.text_readings import name_refused
from workbench.model import (
    AgentSpec,
    ArgumentType,
    Extraction,
    Json,
    Kind,
    Proposal,
    RecordedCall,
    TextReading,
    Tool,
)
from workbench.runs.extract.observe import observed_context, observed_tools
from workbench.runs.extract.propose import fields_in_lists, fields_of, path_part, take_name
from workbench.runs.extract.tool_effects import effect_of
from workbench.runs.proposals.described_results import ResultSchemas, described_calls, with_described
from workbench.runs.proposals.list_elements import ListElements
from workbench.runs.proposals.parameter_notes import propose_notes
from workbench.runs.proposals.proposed_names import field_name, is_id
from workbench.runs.proposals.record_proposals import enums_of, propose_records
from workbench.runs.proposals.result_records import things_of_results
from workbench.runs.proposals.result_shapes import Members, shape_of
from workbench.runs.proposals.things import Thing
from workbench.runs.proposals.told_ids import propose_readings, with_id_forms
from workbench.runs.proposals.tool_answers import ToolAnswers, error_patterns, read_answers, texts_in

_NO_RESULTS: ResultSchemas = {}


def propose_for_calls(
    spec: AgentSpec, calls: Sequence[RecordedCall], results: ResultSchemas = _NO_RESULTS
) -> tuple[Proposal, ...]:
    """Errors, records, readings, context and notes that the spec neither declares nor has dropped.

    What only the schemas of ``results`` say is added to what calls show.
    """
    tools = {tool.name: tool for tool in _with_seen_schemas(spec.tools, calls)}
    described = described_calls([*tools.values()], results)
    known = _both(enums_of([*tools.values()]), described.members)
    taken = {record.name for record in spec.records}
    answers = read_answers(calls)
    errors = [*_errors(spec, answers, taken)]
    seen = _of_results(spec, tools, answers, calls, known, taken)
    if described.calls:
        taken |= {record.name for proposal in seen for record in proposal.records}
        of_schemas = read_answers(described.calls)
        said = _of_results(spec, tools, of_schemas, described.calls, known, taken)
        classes = {class_name(tool): tool.name for tool in tools.values()}
        seen = with_described(seen, said, {*answers.by_tool, *answers.texts}, classes)
    records = (*spec.records, *(record for proposal in seen for record in proposal.records))
    of_records = {part for record in records for part in (record.key, *record.key_parts)}
    of_records |= {name for record in records for field in record.fields for name in (field.name, field.path)}
    proposals = [
        *errors,
        *seen,
        *_context(spec, calls, taken),
        *propose_notes(spec.tools, calls, taken, spec.zone, of_records),
    ]
    return tuple(proposal for proposal in proposals if proposal.name not in spec.not_proposed)


def _of_results(
    spec: AgentSpec,
    tools: Mapping[str, Tool],
    answers: ToolAnswers,
    calls: Sequence[RecordedCall],
    known: Members,
    taken: set[str],
) -> list[Proposal]:
    """Records and readings of results; their names are added to those that are ``taken``."""
    named = {field.path[-1] for tool in tools.values() for field in fields_of(tool)}
    named |= {field_name(field.path) for tool in tools.values() for field in fields_in_lists(tool)}
    named |= _ids_by_value(answers, calls)
    elements = ListElements.of(spec, known, taken)
    outcomes, things = _with_outcomes(things_of_results(answers.by_tool, tools, named), tools)
    records = propose_records(spec, tools, things, answers, calls, elements)
    records = with_id_forms(records, things, tools, calls)
    taken |= {proposal.name for proposal in records}
    return [
        *records,
        *_propose_outcomes(spec, [*tools.values()], answers, outcomes, things, records, taken),
        *propose_readings(spec, [*tools.values()], answers, calls, taken, _keys_of_records(things, tools)),
    ]


def _both(first: Members, second: Members) -> Members:
    return {
        name: tuple(dict.fromkeys((*first.get(name, ()), *second.get(name, ()))))
        for name in {**first, **second}
    }


def _ids_by_value(answers: ToolAnswers, calls: Sequence[RecordedCall]) -> set[str]:
    """The ids of members of lists in results that later calls name under other names, as ``person_id``."""
    said = {text for call in calls for text in texts_in(call.arguments or {})}
    found: set[str] = set()
    for own in answers.by_tool.values():
        for answer in own[:_MOST_ANSWERS]:
            for name, value in _ids_in_lists(answer.value):
                found |= {name} if name not in found and value in said else set()
    return found


def _ids_in_lists(value: Json, *, in_list: bool = False) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for one in value:
            yield from _ids_in_lists(one, in_list=True)
    for name, one in value.items() if isinstance(value, dict) else ():
        if isinstance(one, str) and in_list and is_id(name):
            yield name, one
        yield from _ids_in_lists(one)


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
    yield Proposal(take_name("errors", taken), evidence=evidence, errors=patterns)


def _context(spec: AgentSpec, calls: Sequence[RecordedCall], taken: set[str]) -> Iterator[Proposal]:
    """What the application says of the calls, as far as a policy can take it."""
    fields = {name: field for name, field in observed_context(calls).items() if name not in spec.context}
    if fields:
        evidence = f"The application says it of the calls in the logs: {', '.join(fields)}."
        yield Proposal(take_name("context", taken), evidence=(evidence,), context=fields)


_MOST_ANSWERS = 500
_MOST_FIELDS = 2
_SINGLE = (Kind.BOOL, Kind.INT, Kind.DECIMAL, Kind.ENUM)
_OF_ONE = (Kind.STR, Kind.DATE, Kind.DATETIME)


def _with_outcomes(things: Sequence[Thing], tools: Mapping[str, Tool]) -> tuple[frozenset[str], list[Thing]]:
    """The tools whose results say only what became of their call, and the things without those.

    Such a tool takes more than a key, or does not only read, and its result has no more than two values
    besides the key that the call names.
    """
    told = frozenset(
        results.tool
        for thing in things
        for results in thing.results
        if len(thing.results) == 1
        and not results.many
        and results.key_argument
        and not _looks_up(tools[results.tool])
        and len(thing.names) <= _MOST_FIELDS
    )
    return told, [thing for thing in things if not all(results.tool in told for results in thing.results)]


def _looks_up(tool: Tool) -> bool:
    needed = [field for field in fields_of(tool) if field.needed]
    return effect_of(tool).reads and len(needed) <= 1


_MOST_OF_ONE = 8
"""How many members of one type are still what is told of one thing."""


def _propose_outcomes(
    spec: AgentSpec,
    tools: Sequence[Tool],
    answers: ToolAnswers,
    outcomes: frozenset[str],
    things: Sequence[Thing],
    records: Sequence[Proposal],
    taken_names: set[str],
) -> Iterator[Proposal]:
    """A reading for each single value in results that are no things: ``c.result.exit_code``.

    Of a tool without arguments, which tells one thing, as who opened the session, texts are read too.
    """
    of_things = {results.tool for thing in things for results in thing.results}
    bare = {tool.name for tool in tools if not any(fields_of(tool))}
    found: defaultdict[tuple[str, ArgumentType], list[Tool]] = defaultdict(list)
    for tool in tools:
        values = [answer.value for answer in answers.by_tool.get(tool.name, ())]
        objects = [value for value in values if isinstance(value, dict)]
        tells_one = tool.name in bare
        is_read = tells_one or tool.name in outcomes or tool.name not in of_things
        kinds = (*_SINGLE, *_OF_ONE) if tells_one else _SINGLE
        if not is_read or not objects or len(objects) < len(values) or not class_name(tool):
            continue
        arguments = {field.path[0] for field in fields_of(tool)}
        parts = shape_of(objects, {}, lists=False).parts
        if len(parts) > _MOST_OF_ONE and len({part.type for part in parts}) == 1:
            continue  # a map, as of the names of airports by their codes
        for part in parts:
            is_own = len(part.path) == 1 and part.path[0] not in arguments
            is_single = part.type is not None and part.type.kind in kinds and not part.is_list
            if is_own and is_single and not part.optional and part.type is not None:
                found[part.path[0], part.type].append(tool)
    of_classes = {field for thing in things for field in thing.names}
    of_classes |= {field.path[-1] for tool in tools for field in fields_of(tool)}
    of_classes |= {
        field.name for proposal in records for record in proposal.records for field in record.fields
    }
    declared = {reading.name for reading in spec.readings}
    for (name, type_), told in found.items():
        is_taken = name in of_classes or name_refused(field_name((name,)))
        own = f"{told[0].name}_{name}" if is_taken and told[0].name in bare else name
        if own not in of_classes and own not in declared:
            yield _proposal(name, own, type_, told, taken_names)


def _proposal(
    name: str, own: str, type_: ArgumentType, told: Sequence[Tool], taken_names: set[str]
) -> Proposal:
    plain = field_name((own,))
    own_name = f"{plain}_read" if name_refused(plain) or plain in OUTCOME else plain
    reading = TextReading(
        take_name(own_name, taken_names),
        type_,
        Extraction("json", {"path": path_part(name).removeprefix(".")}),
        texts=tuple(f"{class_name(tool)}.result" for tool in told),
    )
    evidence = (
        f"Results of {listed([tool.name for tool in told])} say it: c.result.{reading.name} in a policy."
    )
    return Proposal(reading.name, evidence=(evidence,), readings=(reading,))


def _with_seen_schemas(tools: Iterable[Tool], calls: Sequence[RecordedCall]) -> Iterator[Tool]:
    """The tools; a tool without a schema gets the schema of its recorded calls."""
    observed_by_name = {tool.name: tool for tool in observed_tools(calls)}
    for tool in tools:
        unknown = not tool.parameters.get("properties") and tool.name in observed_by_name
        yield replace(tool, parameters=observed_by_name[tool.name].parameters) if unknown else tool


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

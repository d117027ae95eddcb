"""Records proposed from results of recorded calls: key, fields, the tools that return or change them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.clean_text import listed
from workbench.model import (
    AgentSpec,
    ArgumentType,
    Kind,
    LookUpTool,
    Proposal,
    Record,
    RecordedCall,
    RecordField,
    RecordResult,
    Tool,
)
from workbench.runs.extract.propose import fields_of, free_name, path_part
from workbench.runs.extract.tool_effects import effect_of
from workbench.runs.proposals.list_elements import ListElements, field_of_part, left_out_words, path_of
from workbench.runs.proposals.member_fields import member_fields
from workbench.runs.proposals.proposed_names import (
    clean_name,
    free_field_name,
    other_name,
    record_name,
    singular,
)
from workbench.runs.proposals.record_changes import RecordChange, changes_of
from workbench.runs.proposals.result_shapes import Members, ResultShape, ShapePart, names_no_zone, shape_of
from workbench.runs.proposals.text_forms import in_form
from workbench.runs.proposals.things import Thing, ToolResults
from workbench.runs.proposals.tool_answers import ToolAnswers, absent_patterns
from workbench.runs.world.reports import key_words


@dataclass(frozen=True, slots=True)
class _Sketch:
    """A record before it is proposed: its thing, the tools that change it, evidence and open questions."""

    thing: Thing
    record: Record
    changes: tuple[RecordChange, ...]
    evidence: tuple[str, ...]
    unsure: tuple[str, ...]


def propose_records(
    spec: AgentSpec,
    tools: Mapping[str, Tool],
    things: Sequence[Thing],
    answers: ToolAnswers,
    calls: Sequence[RecordedCall],
    elements: ListElements,
) -> list[Proposal]:
    """A proposal for each of the things without a record in the spec."""
    undeclared = [
        thing for thing in things if not any(_is_declared(thing, record) for record in spec.records)
    ]
    undeclared.sort(key=lambda thing: (thing.base is not None, bool(thing.suffix), -len(thing.objects)))
    names = _names(undeclared, tools, elements.taken_names)
    sketches = [
        sketch
        for name, thing in zip(names, undeclared, strict=True)
        if (sketch := _sketch(name, thing, tools, answers, calls, elements, spec.zone)).record.fields
    ]
    return [_proposal(sketch, elements) for sketch in sketches if sketch.record.name not in spec.not_proposed]


def _is_declared(thing: Thing, record: Record) -> bool:
    """Whether a record of the spec has this key and is returned by one of these tools."""
    tools = {result.tool for result in record.results}
    if record.look_up is not None:
        tools.add(record.look_up.tool)
    return set(record.keys) == set(thing.keys) and bool(
        tools & {tool_results.tool for tool_results in thing.results}
    )


def _names(things: Sequence[Thing], tools: Mapping[str, Tool], taken_names: set[str]) -> list[str]:
    """A free name for a record of each of the things; one that is a part of another is named after it."""
    names: dict[int, str] = {}
    for thing in things:
        own_tools = [tools[tool_results.tool] for tool_results in thing.results]
        base = names.get(id(thing.base)) if thing.base is not None else None
        if base is not None:
            wanted_name = base
        else:
            look_up = _look_up(thing, tools)
            looks_up = tools[look_up.tool] if look_up is not None else None
            wanted_name = (
                clean_name(thing.name) if thing.name else record_name(thing.keys[0], own_tools, looks_up)
            )
        if thing.suffix:
            wanted_name = clean_name(f"{wanted_name}_{thing.suffix}")
        if wanted_name in taken_names:
            wanted_name = other_name(wanted_name, own_tools[0])
        names[id(thing)] = free_name(wanted_name, taken_names)
    return [names[id(thing)] for thing in things]


def _sketch(
    name: str,
    thing: Thing,
    tools: Mapping[str, Tool],
    answers: ToolAnswers,
    calls: Sequence[RecordedCall],
    elements: ListElements,
    zone: str,
) -> _Sketch:
    look_up = _look_up(thing, tools)
    shape = shape_of(thing.objects, elements.known)
    fields, unsure = _fields(name, thing, shape, elements, zone)
    told_by = {tool_results.tool for tool_results in thing.results}
    changes = tuple(changes_of(name, thing, tools, told_by, calls))
    if thing.fixed and (presumed := [change for change in changes if not change.sure]):
        changes = tuple(change for change in changes if change.sure)
        unsure.append(
            f"What is told of a {name} never varied, so {listed([change.tool for change in presumed])} "
            f"{'is' if len(presumed) == 1 else 'are'} taken not to change it, though a call names it."
        )
    record = Record(
        name,
        fields,
        path_of((thing.keys[0],), "") or thing.keys[0],
        tuple(
            _result(tool_results)
            for tool_results in thing.results
            if look_up is None or tool_results.tool != look_up.tool or tool_results.path != "$"
        ),
        _changed_by(changes),
        look_up=look_up,
        absent=absent_patterns(answers.failures.get(look_up.tool, ())) if look_up is not None else (),
        key_parts=thing.keys[1:],
    )
    return _Sketch(thing, record, changes, _evidence(thing, record, changes, tools), tuple(unsure))


def _changed_by(changes: Sequence[RecordChange]) -> dict[str, str]:
    """The tools with the path of the key. If one needs a path, each gets one, which may lead to no key."""
    named = any(change.path for change in changes)
    return {
        change.tool: (change.path or (change.own_path or "$.arguments")) if named else ""
        for change in changes
    }


def _look_up(thing: Thing, tools: Mapping[str, Tool]) -> LookUpTool | None:
    """The look-up: a tool that only reads and needs nothing but the key; if several, the most called one."""
    if len(thing.keys) > 1:
        words = dict(zip(thing.keys, key_words(thing.keys), strict=True))
        return next(
            (
                LookUpTool(one.tool, dict(words))
                for one in sorted(thing.results, key=lambda one: -len(one.items))
                if not one.many
                and effect_of(tools[one.tool]).reads
                and sorted(words)
                == sorted(field.path[0] for field in fields_of(tools[one.tool]) if field.needed)
            ),
            None,
        )
    named_results = sorted(
        (
            tool_results
            for tool_results in thing.results
            if tool_results.key_argument and not tool_results.many
        ),
        key=lambda tool_results: -len(tool_results.items),
    )
    for tool_results in named_results:
        needed = [field.path for field in fields_of(tools[tool_results.tool]) if field.needed]
        if effect_of(tools[tool_results.tool]).reads and needed in ([(tool_results.key_argument,)], []):
            return LookUpTool(tool_results.tool, {tool_results.key_argument: "key"})
    return None


def _result(tool_results: ToolResults) -> RecordResult:
    """The declaration of a result with the thing; it has the key's path in the call if the thing lacks it."""
    named = (
        tool_results.key_argument
        and not tool_results.own
        and tool_results.key_argument != tool_results.keys[0]
    )
    return RecordResult(
        tool_results.tool,
        tool_results.path,
        f"$.arguments{path_part(tool_results.key_argument)}" if named else "",
    )


def _fields(
    name: str, thing: Thing, shape: ResultShape, elements: ListElements, zone: str
) -> tuple[tuple[RecordField, ...], list[str]]:
    """The fields of a record, and sentences about them for the person who decides."""
    fields: list[RecordField] = []
    taken_names: set[str] = set()
    unsure: list[str] = []
    left_out = list(shape.left_out)
    naive: list[str] = []
    about_members: list[ShapePart] = []
    for part in shape.parts:
        if len(part.path) == 1 and part.path[0] in thing.keys:
            continue
        if part.members:
            record_field = _list_field(name, part, elements, taken_names, left_out)
            about_members += [part]
        else:
            record_field = field_of_part(part, taken_names)
            record_field = record_field and in_form(record_field, part, thing.objects)
        if record_field is None:
            continue
        fields.append(record_field)
        if record_field.type.kind is Kind.DATETIME and names_no_zone(
            item.get(part.path[0]) for item in thing.objects[:50]
        ):
            naive.append(record_field.name)
    for part in about_members:
        fields += member_fields(name, part, elements, taken_names)
    if naive and not zone:
        unsure.append(
            f"The times of {', '.join(naive)} name no zone: write one into agent.toml, such as "
            'zone = "Europe/Oslo", or no such record can be determined.'
        )
    return tuple(fields), [*unsure, *left_out_words(name, left_out)]


def _list_field(
    record: str, part: ShapePart, elements: ListElements, taken_names: set[str], left_out: list[str]
) -> RecordField | None:
    """A field that is a list of objects."""
    element_name = singular(part.path[-1])
    element, shape = elements.of_objects(element_name, f"{record}_{element_name}", part.members)
    left_out += [f"{part.path[-1]}.{entry}" for entry in shape.left_out]
    if element is None or (part.every and part.optional):
        return None
    name = free_field_name(part.path, taken_names)
    type_ = ArgumentType(
        Kind.LIST, optional=part.optional, element=ArgumentType(Kind.RECORD, record=element.type)
    )
    return RecordField(name, type_, path_of(part.path, name, "[*]" if part.every else ""), of=element.name)


def _evidence(
    thing: Thing, record: Record, changes: Sequence[RecordChange], tools: Mapping[str, Tool]
) -> tuple[str, ...]:
    count_by_tool: Counter[str] = Counter()
    for tool_results in thing.results:
        count_by_tool[tool_results.tool] += len({answer.place for answer, _ in tool_results.items})
    result_counts = ", ".join(f"{tool} ({count})" for tool, count in count_by_tool.most_common())
    sentences = [f"{count_by_tool.total()} results have this shape: {result_counts}."]
    if record.look_up is not None:
        tool, why = record.look_up.tool, effect_of(tools[record.look_up.tool]).why
        sentences.append(f"{tool} looks it up: it takes {', '.join(record.look_up.arguments)} and {why}.")
    keys = " and ".join(thing.keys)
    all_have_key = all(part in item for item in thing.objects for part in thing.keys)
    where = "every result has it" if all_have_key else "the results have it, or the calls that they answer"
    sentences.append(f"It is known by {keys}: {where}.")
    sentences += [
        f"{'Changed' if change.sure else 'Taken to be changed'}: {change.why}." for change in changes
    ]
    return tuple(sentences)


def _proposal(sketch: _Sketch, elements: ListElements) -> Proposal:
    lists = {field.of for field in sketch.record.fields if field.of}
    inner = tuple(elements.records[name] for name in elements.records if name in lists)
    presumed = tuple(change.tool for change in sketch.changes if not change.sure)
    return Proposal(
        sketch.record.name,
        (*inner, sketch.record),
        evidence=sketch.evidence,
        unsure=sketch.unsure,
        presumed=presumed,
    )


def enums_of(tools: Sequence[Tool]) -> Members:
    """The members that the tools' schemas declare, by the name of the property."""
    members_by_name: dict[str, tuple[str, ...]] = {}
    for tool in tools:
        for schema_field in fields_of(tool):
            if schema_field.type.kind is Kind.ENUM:
                members_by_name[schema_field.path[-1]] = tuple(
                    dict.fromkeys(
                        (*members_by_name.get(schema_field.path[-1], ()), *schema_field.type.values)
                    )
                )
    return members_by_name

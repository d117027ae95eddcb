"""Records proposed from results of recorded calls: key, fields, the tools that return or change them.

Fields about the members of a list of things: their ids, and those of each kind of member.

The calls that change a thing: by the effect of their tools, and by results before and after the call.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.clean_text import listed
from workbench.dialect.call_fields import type_of_record
from workbench.model import (
    AgentSpec,
    ArgumentType,
    Json,
    Kind,
    LookUpTool,
    Proposal,
    Record,
    RecordedCall,
    RecordField,
    RecordResult,
    Tool,
)
from workbench.runs.extract.propose import fields_in_lists, fields_of, path_part, take_name
from workbench.runs.extract.tool_effects import CallEffect, effect_of, name_words, passes_on, removes
from workbench.runs.proposals.list_elements import (
    ListElements,
    field_of_part,
    in_form,
    left_out_words,
    path_of,
)
from workbench.runs.proposals.proposed_names import (
    clean_name,
    field_name,
    free_field_name,
    is_id,
    noun_of,
    other_name,
    record_name,
    singular,
    stem_of,
)
from workbench.runs.proposals.result_shapes import Members, ResultShape, ShapePart, names_no_zone, shape_of
from workbench.runs.proposals.things import Thing, ToolResults
from workbench.runs.proposals.tool_answers import ToolAnswers, absent_patterns, texts_in
from workbench.runs.world.record_keys import key_text, key_words


@dataclass(frozen=True, slots=True)
class _Sketch:
    """A record before it is proposed: its thing, the tools that change it, evidence and open questions.

    ``spared`` are tools whose calls name it and that are taken to leave it as it is.
    """

    thing: Thing
    record: Record
    changes: tuple[RecordChange, ...]
    spared: tuple[str, ...]
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
        names[id(thing)] = take_name(wanted_name, taken_names)
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
    fields, unsure = _fields(name, thing, shape, elements, zone, number=_is_numbered(thing, tools))
    told_by = {tool_results.tool for tool_results in thing.results}
    named = tuple(_changes_of(name, thing, tools, told_by, calls))
    changes = tuple(
        change
        for change in named
        if change.sure or not (passes_on(tools[change.tool]) or _removes_it(tools[change.tool], name, thing))
    )
    spared = tuple(change.tool for change in named if change not in changes)
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
    return _Sketch(thing, record, changes, spared, _evidence(thing, record, changes, tools), tuple(unsure))


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


def _is_numbered(thing: Thing, tools: Mapping[str, Tool]) -> bool:
    """Whether calls name a thing by a whole number, so that its key has to be a field of this type.

    The tools that tell it count before all others, whose parameters of its name may be about other things.
    """
    names = {thing.keys[0], *(one.key_argument for one in thing.results)}
    telling = [tools[one.tool] for one in thing.results]
    kinds = _kinds_of(names, telling) or _kinds_of(names, tools.values())
    return len(thing.keys) == 1 and kinds == {Kind.INT}


def _kinds_of(names: Collection[str], tools: Iterable[Tool]) -> set[Kind]:
    """The types of the parameters of these names."""
    fields = (field for tool in tools for field in fields_of(tool))
    return {field.type.kind for field in fields if len(field.path) == 1 and field.path[0] in names}


def _fields(
    name: str, thing: Thing, shape: ResultShape, elements: ListElements, zone: str, *, number: bool
) -> tuple[tuple[RecordField, ...], list[str]]:
    """The fields of a record, and sentences about them for the person who decides.

    Its key is one of them if it is a ``number``.
    """
    fields: list[RecordField] = []
    taken_names: set[str] = set()
    unsure: list[str] = []
    left_out = list(shape.left_out)
    naive: list[str] = []
    about_members: list[ShapePart] = []
    for part in shape.parts:
        is_number = number and part.type is not None and part.type.kind is Kind.INT
        if len(part.path) == 1 and part.path[0] in thing.keys and not is_number:
            continue
        if part.members:
            record_field = _list_field(name, part, elements, taken_names, left_out)
            about_members += [part]
        else:
            record_field = field_of_part(part, taken_names)
            record_field = record_field and in_form(record_field, part, thing.objects, unsure)
        if record_field is None:
            continue
        fields.append(record_field)
        if record_field.type.kind is Kind.DATETIME and names_no_zone(
            item.get(part.path[0]) for item in thing.objects[:50]
        ):
            naive.append(record_field.name)
    for part in about_members:
        fields += _member_fields(name, part, elements, taken_names)
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
        Kind.LIST, optional=part.optional, element=ArgumentType(Kind.RECORD, record=type_of_record(element))
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
        spared=sketch.spared,
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


_MOST_KINDS = 6
_SAYS_KIND = re.compile(r"(^|_)(source|type|kind)$")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_ -]{0,30}")


@dataclass(frozen=True, slots=True)
class _Members:
    """The members of a list: where they are, their singular, and the field that has the id of each."""

    path: tuple[str, ...]
    objects: Sequence[Mapping[str, Json]]
    name: str
    id: str


def _member_fields(
    record: str, part: ShapePart, elements: ListElements, taken_names: set[str]
) -> Iterator[RecordField]:
    """Yield a set of the ids of all members, and for each kind of member a set of the ids of these.

    Members of a kind that have fields of their own (the balance of gift cards) are a list besides. The kind
    of a member is a word that every one of them has in a field such as ``type`` or ``source``.
    """
    found = _id_of(part)
    if not found or part.optional:
        return
    members = _Members(part.path, part.members, singular(part.path[-1]), found)
    yield _ids(members, members.name, {}, taken_names)
    for field, kinds in _kinds(members.objects):
        for kind in kinds:
            own = [item for item in members.objects if item.get(field) == kind]
            name = re.sub(r"[^a-z0-9]+", "_", kind.lower()).strip("_")
            yield _ids(members, name, {field: kind}, taken_names)
            if set(own[0]) & _fields_of_all(own) - _fields_of_all(members.objects) - {field}:
                yield from _of_kind(record, members, own, name, {field: kind}, elements, taken_names)


def _id_of(part: ShapePart) -> str:
    """The field with the id of each member itself, not of a thing that it names; empty if there is none."""
    name = singular(part.path[-1])
    ids = [
        field
        for field in (part.members[0] if part.members else ())
        if is_id(field) and all(isinstance(item.get(field), str) and item.get(field) for item in part.members)
    ]
    if part.every and len(ids) == 1:
        return ids[0]
    return next((field for field in ids if field == "id" or stem_of(field) == name), "")


def _kinds(objects: Sequence[Mapping[str, Json]]) -> Iterator[tuple[str, Sequence[str]]]:
    """The first field that says of which kind a member is, with the kinds that were seen."""
    for field in objects[0]:
        values = [item.get(field) for item in objects]
        kinds = sorted({value for value in values if isinstance(value, str)})
        if (
            _SAYS_KIND.search(field)
            and len(kinds) <= _MOST_KINDS
            and len(kinds) * 2 <= len(values)
            and all(isinstance(value, str) and _WORD.fullmatch(value) for value in values)
        ):
            yield field, kinds
            return


def _fields_of_all(objects: Sequence[Mapping[str, Json]]) -> set[str]:
    return set[str].intersection(*(set(item) for item in objects))


def _ids(members: _Members, name: str, where: Mapping[str, Json], taken_names: set[str]) -> RecordField:
    """The set of the ids of the members that ``where`` keeps."""
    many = f"{name}_{members.id}s" if where or members.id == "id" else f"{members.id}s"
    path = "".join(path_part(part) for part in members.path) + "[*]" + path_part(members.id)
    return RecordField(
        free_field_name((many,), taken_names), ArgumentType(Kind.SET), path.removeprefix("."), dict(where)
    )


def _of_kind(
    record: str,
    members: _Members,
    own: Sequence[Mapping[str, Json]],
    name: str,
    where: Mapping[str, Json],
    elements: ListElements,
    taken_names: set[str],
) -> Iterator[RecordField]:
    """The list of the members of one kind, with the fields that all of them have."""
    (kind_field,) = where
    without_kind = [{key: value for key, value in item.items() if key != kind_field} for item in own]
    element, _ = elements.of_objects(name, f"{record}_{name}", without_kind, share=False)
    if element is None:
        return
    type_ = ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=type_of_record(element)))
    field_name = free_field_name((f"{name.removesuffix('s')}s",), taken_names)
    path = path_of(members.path, "", "[*]")
    yield RecordField(field_name, type_, path, dict(where), of=element.name)


@dataclass(frozen=True, slots=True)
class RecordChange:
    """A tool whose calls make a record unknown, and the reason.

    ``path`` is the path of the key in its call, if the key is not the argument of the key's name;
    ``own_path`` is the path of that argument. A call with neither affects all such records.
    """

    tool: str
    path: str
    own_path: str
    why: str
    sure: bool


def _changes_of(
    name: str,
    thing: Thing,
    tools: Mapping[str, Tool],
    told_by: Collection[str],
    calls: Sequence[RecordedCall],
) -> list[RecordChange]:
    """The tools that take the key of a thing and do not only read.

    A change is sure if the tool changes the thing that it is named after, or if the thing differed later. Of
    one that removes the thing it is not: what was read of it before may be what a rule speaks of.
    """
    key = thing.keys[0]
    key_arguments = {tool_results.key_argument for tool_results in thing.results} - {""}
    counts_by_tool = _seen(thing, calls)
    record_changes: list[RecordChange] = []
    for tool in tools.values():
        effect = effect_of(tool)
        if tool.name in told_by or effect.reads:
            continue
        paths = _names_it(tool, {key, *key_arguments})
        if paths is None:
            continue
        changed, of = counts_by_tool.get(tool.name, (0, 0))
        why = f"{tool.name} takes {key} and {effect.why}"
        if of:
            why += f", and {changed} of {of} times it was different when it was looked up after such a call"
        about = {name, key, stem_of(key)} & {noun_of(tool), *name_words(tool.name)}
        changes_it = (
            effect.effect is CallEffect.CHANGES and bool(about) and not _removes_it(tool, name, thing)
        )
        sure = changed > 0 or changes_it
        record_changes.append(RecordChange(tool.name, *paths, why, sure))
    return record_changes


def _removes_it(tool: Tool, name: str, thing: Thing) -> bool:
    """Whether a tool removes the thing as a whole: it is named after it, and needs nothing but its key."""
    names = {*thing.keys, *(one.key_argument for one in thing.results)}
    needed = {one.path[-1] for one in fields_of(tool) if one.needed}
    return removes(tool) and noun_of(tool) in {name, stem_of(thing.keys[0])} and needed <= names


def _names_it(tool: Tool, names: Collection[str]) -> tuple[str, str] | None:
    """The path of the key in a call, and of the argument of its name; None if a call has no key."""
    paths = [schema_field.path for schema_field in fields_of(tool) if schema_field.path[-1] in names]
    argument_path = next((f"$.arguments{path_part(path[0])}" for path in paths if len(path) == 1), "")
    # No single path names one key of a list of keys: such a call affects all of them.
    inside = any(field_name(field.path) in names for field in fields_in_lists(tool))
    if argument_path or inside:
        return "", "" if inside else argument_path
    return (f"$.arguments{''.join(path_part(part) for part in paths[0])}", "") if paths else None


def _seen(thing: Thing, calls: Sequence[RecordedCall]) -> Mapping[str, tuple[int, int]]:
    """Per tool: how often the record that its call named was seen again changed, and seen again at all."""
    things_by_place = {
        answer.place: (tool_results, item)
        for tool_results in thing.results
        if not tool_results.many
        for answer, item in tool_results.items
    }
    counts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    content_by_key: dict[tuple[str, str], str] = {}
    touched: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for place, call in enumerate(calls):
        if place not in things_by_place:
            for value in texts_in(call.arguments or {}):
                if (
                    (call.run, value) in content_by_key
                    and call.tool is not None
                    and call.ran
                    and not call.failed
                ):
                    touched[call.run, value].add(call.tool)
            continue
        tool_results, item = things_by_place[place]
        key = (
            key_text(item.get(thing.keys[0]))
            or key_text((call.arguments or {}).get(tool_results.key_argument))
            or ""
        )
        content = json.dumps(item, sort_keys=True)
        for tool in touched.pop((call.run, key), ()):
            counts[tool][content_by_key[call.run, key] != content] += 1
        content_by_key[call.run, key] = content
    return {tool: (count[True], count.total()) for tool, count in counts.items()}

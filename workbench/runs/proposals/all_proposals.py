"""All lists and arguments that an agent spec could declare in addition, with the evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extraction,
    Json,
    Kind,
    Proposal,
    RecordedCall,
    RecordField,
    Tool,
)
from workbench.runs.extract.observe import context_schema, observed_context
from workbench.runs.extract.propose import fields_of, free_name, name_of, path_part, propose_arguments
from workbench.runs.extract.tool_effects import effect_of
from workbench.runs.proposals.call_lists import CallList, lists_of
from workbench.runs.proposals.list_elements import ListElements
from workbench.runs.proposals.proposed_names import singular
from workbench.runs.proposals.record_proposals import enums_of
from workbench.runs.proposals.result_shapes import type_of_numerals
from workbench.runs.proposals.seen_schemas import with_seen_schemas
from workbench.runs.proposals.value_kinds import recognised_kind
from workbench.runs.values.found_value import Missing
from workbench.runs.values.json_paths import BadPath, Pattern, only, parse_parts, walked

_CONTEXT = "the context of the runs"
_FEWEST = 3
"""The smallest number of different values from which a type is inferred."""


def propose_all(
    spec: AgentSpec, calls: Sequence[RecordedCall], *, in_use: Iterable[str] = ()
) -> tuple[Proposal, ...]:
    """Lists and arguments that the spec neither declares nor has dropped, in this order.

    An argument that is declared as a text, and that the policy does not use (``in_use``), is proposed with
    the kind of value that its values have.
    """
    tools = {tool.name: tool for tool in with_seen_schemas(spec.tools, calls)}
    lists = [call_list for tool in tools.values() for call_list in lists_of(tool)]
    lists += lists_of(Tool(_CONTEXT, "", context_schema(calls)))
    elements = ListElements.of(spec, enums_of(list(tools.values())), ())
    declared = {argument.name for argument in spec.arguments}
    proposals = [*_lists(spec, lists, elements, declared, calls)]
    taken_names = {proposal.name for proposal in proposals}
    plain_arguments = list(propose_arguments(spec.tools))
    plain_arguments += observed_context(
        calls, (*taken_names, *(argument.name for argument in plain_arguments))
    )
    proposals += _arguments(
        spec, plain_arguments, list(tools.values()), calls, taken_names, frozenset(in_use)
    )
    return tuple(proposal for proposal in proposals if proposal.name not in spec.not_proposed)


def _lists(
    spec: AgentSpec,
    lists: Sequence[CallList],
    elements: ListElements,
    taken_names: set[str],
    calls: Sequence[RecordedCall],
) -> Iterator[Proposal]:
    """Arguments that are lists of the calls, each with the record of its elements."""
    by_path: defaultdict[str, list[CallList]] = defaultdict(list)
    for call_list in lists:
        by_path[_written(call_list)].append(call_list)
    for written, alike in by_path.items():
        path = alike[0].path if alike[0].tool != _CONTEXT else alike[0].path[-1:]
        if name_of(path) in {argument.name for argument in spec.arguments}:
            continue
        field_lists = [_as_seen(call_list, calls) for call_list in alike if call_list.fields]
        kind = None if field_lists else alike[0].element
        name = free_name(name_of(path), taken_names)
        holders = ", ".join(call_list.tool for call_list in alike)
        evidence = f"A list in {holders if holders == _CONTEXT else f'the calls of {holders}'}."
        description = next((call_list.description for call_list in alike if call_list.description), "")
        if kind is not None:
            argument = Argument(
                name,
                ArgumentType(Kind.LIST, element=kind),
                description,
                Extraction("jsonpath", {"path": written}),
            )
            yield Proposal(name, (), (argument,), (evidence,))
            continue
        element_name = singular(path[-1])
        element = elements.of_fields(element_name, f"given_{element_name}", _together(field_lists))
        type_ = ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=element.type))
        argument = Argument(name, type_, description, Extraction("jsonpath", {"path": written}))
        yield Proposal(name, (element,), (argument,), (evidence,))


def _written(call_list: CallList) -> str:
    """The path of a list, in the call or in the context."""
    root = "$.context" if call_list.tool == _CONTEXT else "$.arguments"
    return root + "".join(path_part(part) for part in call_list.path)


def _as_seen(call_list: CallList, calls: Sequence[RecordedCall]) -> CallList:
    """The list with more exact types for texts: dates, times, exact numbers, by the values in the calls."""
    fields: list[RecordField] = []
    for field in call_list.fields:
        path = parse_parts(field.path or field.name)
        texts = _values(calls, (*call_list.path, None, *path), in_context=call_list.tool == _CONTEXT)
        fields.append(replace(field, type=_refined(field.type, list(texts), (field.name,)) or field.type))
    return replace(call_list, fields=tuple(fields))


def _refined(type_: ArgumentType, texts: Sequence[str], path: Sequence[str]) -> ArgumentType | None:
    """The type of texts that are all dates, times or exact numbers; None for others and for too few."""
    if type_.kind is not Kind.STR or type_.values or len(set(texts)) < _FEWEST:
        return None
    argument_type = type_of_numerals(texts, path)
    return None if argument_type is None else replace(argument_type, optional=type_.optional)


def _together(lists: Sequence[CallList]) -> list[RecordField]:
    """The fields of the elements of all these lists; a field that some list lacks is optional."""
    fields: dict[str, list[RecordField]] = {}
    for call_list in lists:
        for field in call_list.fields:
            fields.setdefault(field.name, []).append(field)
    record_fields: list[RecordField] = []
    for alike in fields.values():
        kinds = {field.type.kind for field in alike}
        absent = len(alike) < len(lists) or any(field.type.optional for field in alike)
        if len(kinds) == 1 and not (absent and Kind.SET in kinds):
            record_fields.append(replace(alike[0], type=replace(alike[0].type, optional=absent)))
    return record_fields


def _arguments(
    spec: AgentSpec,
    plain_arguments: Sequence[Argument],
    tools: Sequence[Tool],
    calls: Sequence[RecordedCall],
    taken_names: set[str],
    in_use: frozenset[str],
) -> Iterator[Proposal]:
    """Single values and sets, with the kinds of their values, except those that no rule could use."""
    declared = {argument.name: argument for argument in spec.arguments}
    formats = {
        schema_field.path: schema_field.format
        for tool in tools
        for schema_field in fields_of(tool)
        if schema_field.format
    }
    for argument in plain_arguments:
        before = declared.get(argument.name)
        if argument.name in taken_names or len(argument.type.values) == 1:
            continue
        if before is not None and (before.type != argument.type or before.extraction != argument.extraction):
            continue
        read = _as_kind(argument, formats, calls)
        if before is None and (read is not None or not _is_prose(argument, tools, calls)):
            yield read or Proposal(argument.name, (), (argument,), _seen(argument, calls))
        elif before is not None and read is not None and argument.name not in in_use:
            yield replace(read, replaces=before.type.kind.value)


def _seen(argument: Argument, calls: Sequence[RecordedCall]) -> tuple[str, ...]:
    """A sentence: how many of the calls have this argument."""
    parts = _parts(argument)
    if not parts or not calls:
        return ()
    count = sum(1 for call in calls if only(dict(call.arguments or {}), parts[:1]))
    return (f"{count} of {len(calls)} calls have it.",)


def _is_prose(argument: Argument, tools: Sequence[Tool], calls: Sequence[RecordedCall]) -> bool:
    """Whether an argument is long, varying text that only reading tools take, so that no rule uses it."""
    parts = _parts(argument)
    if argument.type.kind is not Kind.STR or not parts:
        return False
    texts = list(_values(calls, parts))
    wordy = (
        len(texts) >= _FEWEST
        and len(set(texts)) * 2 > len(texts)
        and sum(len(text.split()) for text in texts) >= 6 * len(texts)
    )
    return wordy and all(
        effect_of(tool).reads
        for tool in tools
        if any(schema_field.path == tuple(parts) for schema_field in fields_of(tool))
    )


def _parts(argument: Argument) -> Pattern:
    """The path of an argument within a call's arguments; empty if its value is elsewhere."""
    extraction = argument.extraction
    path = (
        extraction.options.get("path") if extraction is not None and extraction.method == "jsonpath" else None
    )
    if not isinstance(path, str) or not path.startswith("$.arguments"):
        return ()
    try:
        return parse_parts(path)[1:]
    except BadPath:
        return ()


def _as_kind(
    argument: Argument, formats: Mapping[tuple[str, ...], str], calls: Sequence[RecordedCall]
) -> Proposal | None:
    """A proposal of a text, or a set of texts, with the kind of its values; None if no kind fits."""
    extraction, parts = argument.extraction, _parts(argument)
    texts = argument.type.kind is Kind.STR or (
        argument.type.kind is Kind.SET and argument.type.element is None
    )
    if extraction is None or not parts or not texts or argument.type.values:
        return None
    names = tuple(part for part in parts if isinstance(part, str))
    seen_texts = list(_values(calls, parts))
    refined_type = _refined(argument.type, seen_texts, names)
    if refined_type is not None:
        evidence = f"All {len(seen_texts)} texts that were seen are of this type."
        return Proposal(argument.name, (), (replace(argument, type=refined_type),), (evidence,))
    found_kind = recognised_kind(names[-1], formats.get(names, ""), seen_texts)
    if found_kind is None:
        return None
    record = ArgumentType(
        Kind.RECORD, argument.type.values, argument.type.optional, record=found_kind.kind.type
    )
    options: dict[str, Json] = {**extraction.options, **found_kind.options}
    if argument.type.kind is Kind.SET:
        record = ArgumentType(Kind.LIST, element=replace(record, optional=False))
        options["path"] = str(extraction.options["path"]).removesuffix("[*]")
    retyped = replace(argument, type=record, extraction=replace(extraction, options=options))
    return Proposal(argument.name, (), (retyped,), found_kind.evidence, found_kind.unsure)


def _values(
    calls: Iterable[RecordedCall], parts: Sequence[str | int | None], *, in_context: bool = False
) -> Iterator[str]:
    """The texts at a path in the arguments of calls, or in the context of their runs."""
    for call in calls:
        holder = call.context if in_context else call.arguments
        try:
            for value, _ in walked(dict(holder or {}), tuple(parts)):
                if isinstance(value, str):
                    yield value
        except Missing:
            continue

"""Readings of results that tell ids: a plain text, a list of ids, an id among other values.

Ids that calls write otherwise than results: without the sign before them, or in other letters.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.clean_text import counted, listed
from workbench.dialect.call_types import class_name
from workbench.dialect.text_readings import name_refused
from workbench.model import (
    AgentSpec,
    ArgumentType,
    Extraction,
    FieldNote,
    Json,
    Kind,
    Proposal,
    Record,
    RecordedCall,
    RecordField,
    TextReading,
    Tool,
)
from workbench.runs.extract.propose import fields_of, path_part, take_name
from workbench.runs.proposals.proposed_names import clean_name, is_id, stem_of
from workbench.runs.proposals.things import Thing
from workbench.runs.proposals.tool_answers import ToolAnswer, ToolAnswers
from workbench.runs.values.found_value import Missing
from workbench.runs.values.normal_texts import normal_text
from workbench.runs.world.record_keys import key_text

_FEWEST = 2
_PLAIN = re.compile(r"\S{1,80}")
_WHOLE = Extraction("regex", {"pattern": r'\A\s*"?([^\s"]+)"?\s*\Z', "group": 1})
"""A text without blanks, which may be one of JSON."""


def propose_readings(
    spec: AgentSpec,
    tools: Sequence[Tool],
    answers: ToolAnswers,
    calls: Sequence[RecordedCall],
    taken_names: set[str],
    keys_of_records: Mapping[str, Collection[str]],
) -> Iterator[Proposal]:
    """A reading for each kind of id that results tell, with all tools whose results tell it in one way.

    Of results that are records only the key is read, by which the record is found: ``keys_of_records`` has
    their keys, by tool.
    """
    if spec.readings:
        return
    ids = _ids_of_calls(calls)
    by_form: defaultdict[tuple[str, str, bool], list[str]] = defaultdict(list)
    for tool in tools:
        own = [*answers.by_tool.get(tool.name, ()), *answers.texts.get(tool.name, ())]
        if not own or not class_name(tool):
            continue
        for path, many in _paths(own):
            of_record = keys_of_records.get(tool.name)
            stem = "" if of_record is not None and path not in of_record else _stem(own, path, ids)
            if stem and of_record is None and _are_echoes(own, path):
                continue
            if stem:
                by_form[stem, path, many].append(tool.name)
    classes = {tool.name: class_name(tool) for tool in tools}
    for (stem, path, many), names in by_form.items():
        yield _proposal(stem, path, names, [classes[name] for name in names], taken_names, many=many)


def _proposal(
    stem: str,
    path: str,
    tools: Sequence[str],
    classes: Sequence[str],
    taken_names: set[str],
    *,
    many: bool,
) -> Proposal:
    name = clean_name(f"found_{stem}{'s' if many and not stem.endswith('s') else ''}")
    name = take_name(f"{name}_read" if name_refused(name) else name, taken_names)
    type_ = ArgumentType(Kind.SET) if many else ArgumentType(Kind.STR)
    method = Extraction("json", {"path": path}) if path else _WHOLE
    what = f"the ids of each {stem} that was found" if many else f"the id of the {stem} that was found"
    reading = TextReading(name, type_, method, what, tuple(f"{one}.result" for one in classes))
    evidence = f"Results of {listed(tools)} tell ids that calls take: c.result.{name} in a policy."
    return Proposal(name, evidence=(evidence,), readings=(reading,))


def _ids_of_calls(calls: Sequence[RecordedCall]) -> dict[str, str]:
    """The stem of the parameter that takes an id, by the id; none for one that names several kinds."""
    stems: defaultdict[str, set[str]] = defaultdict(set)
    for call in calls:
        for name, value in (call.arguments or {}).items():
            for one in value if isinstance(value, list) else (value,):
                text = key_text(one) if isinstance(one, str | int) else None
                stem = stem_of(name.removesuffix("s") if isinstance(value, list) else name)
                if text is not None and stem:
                    stems[text].add(stem)
    return {text: next(iter(found)) for text, found in stems.items() if len(found) == 1}


def _paths(own: Sequence[ToolAnswer]) -> Iterator[tuple[str, bool]]:
    """The places of texts and lists of texts in results, and whether it is a list; "" for the whole text."""
    values = [answer.value for answer in own]
    if all(isinstance(value, str) for value in values):
        yield "", False
    elif all(isinstance(value, list) for value in values):
        yield "$[*]", True
    elif all(isinstance(value, dict) for value in values):
        keys = [value for value in values if isinstance(value, dict)]
        for name in keys[0]:
            if '"' in name or "]" in name or not all(name in value for value in keys):
                continue
            if all(isinstance(value[name], list) for value in keys):
                yield f"{path_part(name).removeprefix('.')}[*]", True
            elif all(isinstance(value[name], str) for value in keys):
                yield path_part(name).removeprefix("."), False


def _stem(own: Sequence[ToolAnswer], path: str, ids: dict[str, str]) -> str:
    """The kind of thing whose ids stand there; empty if it is no id, or only that of the call."""
    found: list[str] = []
    for answer in own:
        texts = _texts(answer.value, path)
        if texts is None:
            return ""
        found += texts
    known = [ids[text] for text in found if text in ids]
    stems = set(known)
    own_name = stem_of(path) if is_id(path) else ""
    if len(stems) != 1 or len(set(found)) < _FEWEST:
        return ""
    (stem,) = stems
    return stem if own_name in ("", stem) and len(known) * 3 >= len(found) else ""


def _are_echoes(own: Sequence[ToolAnswer], path: str) -> bool:
    """Whether results only repeat what their call says."""
    return all(
        set(_texts(answer.value, path) or ())
        <= {key_text(value) for value in answer.arguments.values() if isinstance(value, str | int)}
        for answer in own
    )


def _texts(value: Json, path: str) -> list[str] | None:
    """The texts at a path, all of which could be ids; None if one could not."""
    name = path.removesuffix("[*]").removeprefix("$")
    held = value.get(name) if isinstance(value, dict) and name else value
    texts = [text for text in (held if isinstance(held, list) else [held])]
    if not all(isinstance(text, str) and _PLAIN.fullmatch(text) for text in texts):
        return None
    return [text for text in texts if isinstance(text, str)]


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
        last in said and field.type.kind in (Kind.STR, Kind.SET) and not field.kind and not field.type.values
    )
    return replace(field, normal=_FORM) if holds and not field.normal else field

"""Readings of results that tell ids: a plain text, a list of ids, an id among other values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from workbench.clean_text import listed
from workbench.dialect.call_types import class_name
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
from workbench.runs.extract.propose import free_name, path_part
from workbench.runs.proposals.proposed_names import clean_name, is_id, stem_of
from workbench.runs.proposals.tool_answers import ToolAnswer, ToolAnswers
from workbench.runs.world.reports import key_text

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
    name = free_name(f"{name}_read" if name_refused(name) else name, taken_names)
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

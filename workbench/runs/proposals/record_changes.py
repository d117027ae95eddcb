"""The calls that change a thing: by the effect of their tools, and by results before and after the call."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.model import Json, RecordedCall, Tool
from workbench.runs.extract.propose import fields_of, path_part
from workbench.runs.extract.tool_effects import CallEffect, effect_of, name_words
from workbench.runs.proposals.call_lists import lists_of
from workbench.runs.proposals.proposed_names import noun_of, stem_of
from workbench.runs.proposals.things import Thing
from workbench.runs.world.reports import key_text


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


def changes_of(
    name: str,
    thing: Thing,
    tools: Mapping[str, Tool],
    told_by: Collection[str],
    calls: Sequence[RecordedCall],
) -> list[RecordChange]:
    """The tools that take the key of a thing and do not only read.

    A change is sure if the tool changes the thing that it is named after, or if the thing differed later.
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
        sure = changed > 0 or (effect.effect is CallEffect.CHANGES and bool(about))
        record_changes.append(RecordChange(tool.name, *paths, why, sure))
    return record_changes


def _names_it(tool: Tool, names: Collection[str]) -> tuple[str, str] | None:
    """The path of the key in a call, and of the argument of its name; None if a call has no key."""
    paths = [schema_field.path for schema_field in fields_of(tool) if schema_field.path[-1] in names]
    argument_path = next((f"$.arguments{path_part(path[0])}" for path in paths if len(path) == 1), "")
    # No single path names one key of a list of keys: such a call affects all of them.
    inside = any(field.name in names for call_list in lists_of(tool) for field in call_list.fields)
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
            for value in _texts(call.arguments or {}):
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


def _texts(value: Json | Mapping[str, Json]) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for member in value:
                yield from _texts(member)
        case Mapping():
            for member in value.values():
                yield from _texts(member)
        case _:
            pass

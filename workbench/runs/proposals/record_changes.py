"""Which calls change a thing: by what their tools do, and by what was seen of it before and after."""

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
from workbench.runs.proposals.result_records import Thing
from workbench.runs.world.reports import key_text


@dataclass(frozen=True, slots=True)
class RecordChange:
    """A tool after whose calls a thing is not known any more, and why.

    ``path`` is that of the key in its call where the argument of the key's name is not it, ``own_path`` that
    of this argument. A call without either is about all such things.
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

    It is sure where the tool changes what it is called after, or the thing was seen to differ afterwards.
    """
    key = thing.keys[0]
    key_arguments = {tool_results.key_argument for tool_results in thing.results} - {""}
    seen = _seen(thing, calls)
    record_changes: list[RecordChange] = []
    for tool in tools.values():
        effect = effect_of(tool)
        if tool.name in told_by or effect.reads:
            continue
        paths = _names_it(tool, {key, *key_arguments})
        if paths is None:
            continue
        changed, of = seen.get(tool.name, (0, 0))
        why = f"{tool.name} takes {key} and {effect.why}"
        if of:
            why += f", and {changed} of {of} times it was different when it was looked up after such a call"
        about = {name, key, stem_of(key)} & {noun_of(tool), *name_words(tool.name)}
        sure = changed > 0 or (effect.effect is CallEffect.CHANGES and bool(about))
        record_changes.append(RecordChange(tool.name, *paths, why, sure))
    return record_changes


def _names_it(tool: Tool, names: Collection[str]) -> tuple[str, str] | None:
    """The path of the key in a call, and that of the argument of its name; None where a call has no key."""
    paths = [schema_field.path for schema_field in fields_of(tool) if schema_field.path[-1] in names]
    own = next((f"$.arguments{path_part(path[0])}" for path in paths if len(path) == 1), "")
    # Of a list of keys no single path names one: such a call is about all of them.
    inside = any(field.name in names for call_list in lists_of(tool) for field in call_list.fields)
    if own or inside:
        return "", "" if inside else own
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
    known: dict[tuple[str, str], str] = {}
    touched: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for place, call in enumerate(calls):
        if place not in things_by_place:
            for value in _texts(call.arguments or {}):
                if (call.run, value) in known and call.tool is not None and call.ran and not call.failed:
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
            counts[tool][known[call.run, key] != content] += 1
        known[call.run, key] = content
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

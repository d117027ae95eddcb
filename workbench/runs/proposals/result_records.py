"""The things in results: the results with one shape, and the id by which a thing is known."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from workbench.model import Json, Tool
from workbench.runs.extract.propose import fields_of
from workbench.runs.extract.tool_effects import effect_of, name_words
from workbench.runs.proposals.proposed_names import is_id, noun_of, stem_of
from workbench.runs.proposals.shared_facts import with_shared_facts
from workbench.runs.proposals.things import Thing, ToolResults, determines, part_of
from workbench.runs.proposals.tool_answers import ToolAnswer
from workbench.runs.world.reports import key_text

_ALIKE = 0.6
_MOST_ITEMS = 5_000
_ENVELOPE = frozenset(["ok", "success", "status", "code", "message", "count", "total", "page", "next"])


def things_of_results(
    answers: Mapping[str, Sequence[ToolAnswer]], tools: Mapping[str, Tool], named: Collection[str]
) -> list[Thing]:
    """The things in the results; ``named`` are the ids by which calls and lists name things."""
    things: list[Thing] = []
    for tool_results in chain.from_iterable(
        _results_of_tool(own_answers, tools.get(tool), tools, named) for tool, own_answers in answers.items()
    ):
        alike = next(
            (
                thing
                for thing in things
                if thing.keys[0] == tool_results.keys[0]
                and _alike(thing.names, tool_results.names)
                and _tell_all_of_each_other(thing, tool_results, tools)
            ),
            None,
        )
        if alike is None:
            things.append(Thing(tool_results.keys, [tool_results]))
        else:
            alike.results.append(tool_results)
            alike.keys = max(alike.keys, tool_results.keys, key=len)
            alike.results = [replace(results, keys=alike.keys) for results in alike.results]
    return with_shared_facts(things, named)


def _alike(names: frozenset[str], other_names: frozenset[str]) -> bool:
    """Whether two sets of fields are of one shape: most are equal, or the shorter one lacks some."""
    common_count = len(names & other_names)
    return common_count >= _ALIKE * len(names | other_names) or (
        common_count >= 3 and common_count >= _ALIKE * min(len(names), len(other_names))
    )


def _tell_all_of_each_other(thing: Thing, results: ToolResults, tools: Mapping[str, Tool]) -> bool:
    """Whether neither lacks what the other always tells; a call may change what a thing has."""
    keys = {*thing.keys, *results.keys}
    reads = effect_of(tools[results.tool]).reads
    return thing.names_of_all - keys <= results.names and (
        not reads or results.names_of_all - keys <= thing.names
    )


def _results_of_tool(
    answers: Sequence[ToolAnswer], tool: Tool | None, tools: Mapping[str, Tool], named: Collection[str]
) -> Iterator[ToolResults]:
    if tool is None:
        return
    path, items = _items(answers)
    if not items or len({type(item) for _, item in items}) != 1:
        return
    if "*" in path:
        yield from _of_a_list(tool, path, items, named)
        return
    if keys := _keys_of_call(items, tool):
        own = all(name in item for _, item in items for name in keys)
        yield ToolResults(tool.name, path, keys, "", own=own, items=items)
        return
    argument, key = _echo(items) or _named_by_call(items, tool, tools) or ("", "")
    mine = _own_key(items, named, _about(tool))
    if mine and (not key or (stem_of(mine) in _about(tool) and stem_of(key) not in _about(tool))):
        argument, key = "", mine
    if key and any(name != key for _, item in items for name in item):
        has_own_key = all(key in item for _, item in items)
        yield ToolResults(tool.name, path, (key,), argument, own=has_own_key, items=items)
    elif not key:
        for name, listed in _lists_beside(items):
            yield from _of_a_list(tool, f"{path}.{name}[*]", listed, named)


def _of_a_list(
    tool: Tool,
    path: str,
    items: tuple[tuple[ToolAnswer, Mapping[str, Json]], ...],
    named: Collection[str],
) -> Iterator[ToolResults]:
    if keys := _key_of_list(items, named):
        yield ToolResults(tool.name, path, keys, "", own=True, items=items)


def _lists_beside(
    items: Sequence[tuple[ToolAnswer, Mapping[str, Json]]],
) -> Iterator[tuple[str, tuple[tuple[ToolAnswer, Mapping[str, Json]], ...]]]:
    """The lists of objects that every result has, with their objects, for results without their own key."""
    for name in items[0][1]:
        lists = [(answer, item.get(name)) for answer, item in items]
        if not name.isidentifier() or not all(isinstance(value, list) for _, value in lists):
            continue
        members = [(answer, member) for answer, value in lists if isinstance(value, list) for member in value]
        objects = tuple(
            (answer, member)
            for answer, member in members[:_MOST_ITEMS]
            if isinstance(member, dict) and member
        )
        if objects and len(objects) == len(members[:_MOST_ITEMS]):
            yield name, objects


def _about(tool: Tool) -> Collection[str]:
    """The words of a tool's name, and its noun."""
    return {noun_of(tool), *name_words(tool.name)}


def _items(answers: Sequence[ToolAnswer]) -> tuple[str, tuple[tuple[ToolAnswer, Mapping[str, Json]], ...]]:
    """The objects that the results are, or hold in one place, and the path to them."""
    values = [answer.value for answer in answers]
    path = "$"
    while values and all(isinstance(value, dict) for value in values):
        inner = {_only_content(value) for value in values if isinstance(value, dict)}
        (name,) = inner if len(inner) == 1 else ("",)
        if not name:
            break
        path = f"{path}.{name}"
        values = [value[name] for value in values if isinstance(value, dict)]
        if path.count(".") > 2:
            break
    pairs: list[tuple[ToolAnswer, Json]] = list(zip(answers, values, strict=True))
    depth = 0
    while depth < 2 and pairs and all(isinstance(value, list) for _, value in pairs):
        pairs = [(answer, member) for answer, value in pairs if isinstance(value, list) for member in value]
        pairs = pairs[:_MOST_ITEMS]
        path, depth = f"{path}[*]", depth + 1
    items = tuple((answer, value) for answer, value in pairs if isinstance(value, dict) and value)
    return path, items if len(items) == len(pairs) else ()


def _only_content(value: Mapping[str, Json]) -> str:
    """The only key of an envelope with an object or a list of objects; empty if it is no envelope."""
    inner = [
        key
        for key, content in value.items()
        if (isinstance(content, dict) and content)
        or (isinstance(content, list) and all(isinstance(item, dict) for item in content))
    ]
    other_keys = set(value) - set(inner)
    return inner[0] if len(inner) == 1 and inner[0].isidentifier() and other_keys <= _ENVELOPE else ""


def _echo(items: Sequence[tuple[ToolAnswer, Mapping[str, Json]]]) -> tuple[str, str] | None:
    """The argument whose value is repeated in every result, and the field that repeats it."""
    candidates: list[tuple[int, int, str, str]] = []
    first_answer, first = items[0]
    for argument in first_answer.arguments:
        for name in first:
            argument_values = [key_text(answer.arguments.get(argument)) for answer, _ in items]
            field_values = [key_text(item.get(name)) for _, item in items]
            if None in argument_values or argument_values != field_values:
                continue
            likely = 2 * (argument == name) + is_id(name)
            if likely and (len(set(argument_values)) > 1 or argument == name):
                candidates.append((likely, len(set(argument_values)), argument, name))
    best = max(candidates, key=lambda candidate: candidate[:2], default=None)
    return (best[2], best[3]) if best is not None else None


def _named_by_call(
    items: Sequence[tuple[ToolAnswer, Mapping[str, Json]]], tool: Tool, tools: Mapping[str, Tool]
) -> tuple[str, str] | None:
    """The only argument that a reading tool needs, if it names the object of the result."""
    needed = [schema_field for schema_field in fields_of(tool) if schema_field.needed]
    if len(needed) != 1 or len(needed[0].path) != 1 or not effect_of(tool).reads:
        return None
    name = needed[0].path[0]
    elsewhere = any(
        schema_field.path == (name,)
        for other_tool in tools.values()
        if other_tool.name != tool.name
        for schema_field in fields_of(other_tool)
    )
    searches = tool.name.lower().startswith(("search", "list", "find"))
    if any(key_text(answer.arguments.get(name)) is None for answer, _ in items) or searches:
        return None
    if is_id(name) or elsewhere:
        return (name, name) if all(name not in item for _, item in items) else None
    return None


def _keys_of_call(items: Sequence[tuple[ToolAnswer, Mapping[str, Json]]], tool: Tool) -> tuple[str, ...]:
    """The arguments that a reading tool needs, if only together they name the object of the result."""
    needed = [schema_field.path for schema_field in fields_of(tool) if schema_field.needed]
    names = tuple(path[0] for path in needed if len(path) == 1)
    if len(names) < max(2, len(needed)) or not effect_of(tool).reads:
        return ()
    for name in names:
        said = [key_text(answer.arguments.get(name)) for answer, _ in items]
        echoed = [key_text(item.get(name, answer.arguments.get(name))) for answer, item in items]
        if None in said or said != echoed or determines(items, (name,)):
            return ()
    return names if determines(items, names) else ()


def _own_key(
    items: Sequence[tuple[ToolAnswer, Mapping[str, Json]]], named: Collection[str], about: Collection[str]
) -> str:
    """The id that every result has and by which calls name things; the tool's subject is preferred."""
    ids = [name for name in items[0][1] if is_id(name) and name in named]
    for name in sorted(ids, key=lambda name: stem_of(name) not in about):
        keys = [key_text(item.get(name)) for _, item in items]
        contents = {json.dumps(item, sort_keys=True) for _, item in items}
        if None not in keys and (stem_of(name) in about or len(set(keys)) * 3 > len(contents)):
            return name
    return ""


def _key_of_list(
    items: Sequence[tuple[ToolAnswer, Mapping[str, Json]]], named: Collection[str]
) -> tuple[str, ...]:
    """The id of the objects in lists, with a second part if one id has several contents."""
    first_answer, first = items[0]
    for name in first:
        if name not in named or not is_id(name) or any(key_text(item.get(name)) is None for _, item in items):
            continue
        if determines(items, (name,)):
            return (name,)
        parts = [
            part
            for part in chain(first, first_answer.arguments)
            if part != name and part in named and all(part_of(pair, part) is not None for pair in items)
        ]
        for part in dict.fromkeys(parts):
            if determines(items, (name, part)):
                return (name, part)
    return ()

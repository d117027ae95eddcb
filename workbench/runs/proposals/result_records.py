"""The things in results: the results with one shape, and the id by which a thing is known.

Things that several results tell in part: members of others, what a part of a key tells, things in brief.

A record is known as a whole or not at all. So what few fields more results tell is a record of its own.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from workbench.model import Json, Tool
from workbench.runs.extract.propose import fields_of
from workbench.runs.extract.tool_effects import effect_of, name_words
from workbench.runs.proposals.proposed_names import is_id, noun_of, singular, stem_of
from workbench.runs.proposals.result_shapes import is_table
from workbench.runs.proposals.things import Item, Thing, ToolResults, determines, part_of
from workbench.runs.proposals.tool_answers import ToolAnswer
from workbench.runs.world.record_keys import key_text

_ALIKE = 0.6


_FEWEST = 3
"""The smallest number of comparisons from which something is inferred."""
_MOST_NAMED = 2


def _with_shared_facts(things: Sequence[Thing], named: Collection[str]) -> list[Thing]:
    """The things, with those of which only parts are told together.

    * The values of an object whose keys are ids by which calls name them (the variants of a product).
    * The fields that follow from the first part of a key of several parts (where a flight goes).
    * The fields that further results tell of a thing, if they tell only some.
    """
    members = [inner for thing in things for results in thing.results for inner in _members(results, named)]
    found: list[Thing] = []
    for thing in things:
        if (fixed := _of_first_part(thing)) is not None:
            found += [fixed, replace(thing, suffix=f"by_{thing.keys[1]}")]
        else:
            found.append(thing)
    keyed_by = {thing.keys for thing in found}
    for inner, of_table in members:
        alike = next((one for one in found if one.keys == inner.keys and _agrees(one, inner)), None)
        if alike is not None and _tell_the_same(alike, inner):
            alike.results.append(inner)
        elif of_table and inner.keys not in keyed_by:
            found.append(Thing(inner.keys, [inner], name=_singular_of(inner.path)))
            keyed_by.add(inner.keys)
    partial = [
        (one, other)
        for one in found
        for other in (*found, *(Thing(inner.keys, [inner]) for inner, _ in members))
        if one is not other and one.keys == other.keys and len(one.names) >= len(other.names)
    ]
    return _with_briefs(found, partial)


def _singular_of(path: str) -> str:
    return singular(path.removesuffix("[*]").rpartition(".")[2])


def _with_briefs(things: list[Thing], partial: Sequence[tuple[Thing, Thing]]) -> list[Thing]:
    """The things with a further one for the fields that a whole thing and results with some of them have."""
    told: list[Thing] = []
    parts_by_whole: defaultdict[tuple[int, bool], list[_Part]] = defaultdict(list)
    for whole, part in partial:
        common = frozenset(name for name in whole.names & part.names if _same(whole, part, name))
        if not common or common == whole.names:
            continue
        parts_by_whole[id(whole), _is_in_lists(part)].append(_Part(whole, part, common))
        if common == part.names:
            told.append(part)
    briefs = [_brief(parts) for parts in parts_by_whole.values()]
    return [
        *(thing for thing in things if not any(thing is one for one in told)),
        *(brief for brief in briefs if brief is not None),
    ]


def _is_in_lists(part: Thing) -> bool:
    return all(results.many for results in part.results)


class _Part(NamedTuple):
    """A thing, results that tell some of its fields, and these fields."""

    whole: Thing
    part: Thing
    common: frozenset[str]


def _brief(parts: Sequence[_Part]) -> Thing | None:
    """The thing with the fields that a whole thing and all of its parts have; None if there are none."""
    whole = parts[0].whole
    common = frozenset[str].intersection(*(one.common for one in parts))
    if not common:
        return None
    words = _in_order(whole, common)
    suffix = "_and_".join(words) if len(words) <= _MOST_NAMED else "in_brief"
    told = (whole, *(one.part for one in parts))
    results = [_only(one, common) for thing in told for one in thing.results]
    return Thing(whole.keys, results, base=whole, suffix=suffix, fixed=whole.fixed)


def _in_order(thing: Thing, names: Collection[str]) -> list[str]:
    """The names in the order in which the thing has them."""
    first = list(thing.objects[0])
    return sorted(names, key=lambda name: (first.index(name) if name in first else len(first), name))


def _only(results: ToolResults, names: Collection[str]) -> ToolResults:
    """Results with only these fields of their objects, besides the key."""
    wanted = {*names, *results.keys}
    items = tuple(
        (answer, {name: value for name, value in item.items() if name in wanted})
        for answer, item in results.items
    )
    return replace(results, items=items)


def _members(results: ToolResults, named: Collection[str]) -> Iterator[tuple[ToolResults, bool]]:
    """Yield the members of lists within objects, each list with an id by which calls name its members.

    With them: whether it is an object whose keys are ids.
    """
    if results.path.count("[*]") > 1:
        return
    for name in results.items[0][1] if results.items else ():
        values = [(answer, item.get(name)) for answer, item in results.items]
        tables = [value for _, value in values if isinstance(value, dict)]
        is_of_ids = len(tables) == len(values) and is_table(tables)
        if not name.isidentifier() or not (is_of_ids or all(isinstance(value, list) for _, value in values)):
            continue
        members = tuple(
            (answer, member)
            for answer, value in values
            for member in _each(value)
            if isinstance(member, dict)
        )[:_MOST_ITEMS]
        key = _key(members, named)
        if key:
            path = f"{results.path}.{name}[*]"
            yield ToolResults(results.tool, path, (key,), "", own=True, items=members), is_of_ids


def _each(value: Json) -> Iterable[Json]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _key(members: Sequence[Item], named: Collection[str]) -> str:
    for name in members[0][1] if members else ():
        if (
            name in named
            and is_id(name)
            and all(isinstance(item.get(name), str | int) and item.get(name) for _, item in members)
        ):
            return name
    return ""


def _of_first_part(thing: Thing) -> Thing | None:
    """The fields that follow from the first part of a key, however the other parts vary; None without any."""
    if len(thing.keys) < 2:
        return None
    first, *others = thing.keys
    by_first: defaultdict[str, list[Item]] = defaultdict(list)
    for results in thing.results:
        for answer, item in results.items:
            by_first[str(part_of((answer, item), first))].append((answer, item))
    varied = [
        items
        for items in by_first.values()
        if len({tuple(str(part_of(item, name)) for name in others) for item in items}) > 1
    ]
    if len(varied) < _FEWEST:
        return None
    names = {
        name
        for name in thing.names
        if all(len(_contents(items, name)) == 1 for items in varied)
        and len(_contents([items[0] for items in by_first.values()], name)) > 1
    }
    if not names:
        return None
    results = [_only(replace(one, keys=(first,), own=True), names) for one in thing.results]
    if not all(first in item for one in results for _, item in one.items):
        return None
    return Thing((first,), results, fixed=True)


def _contents(items: Sequence[Item], name: str) -> set[str]:
    return {json.dumps(item.get(name), sort_keys=True) for _, item in items}


def _values(thing: Thing, name: str) -> Mapping[tuple[str, str], list[tuple[int, str]]]:
    """The values of a field, by run and key, each with the place of the call."""
    values: defaultdict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for results in thing.results:
        for answer, item in results.items:
            key = "/".join(str(part_of((answer, item), part)) for part in thing.keys)
            if name in item:
                values[answer.run, key].append((answer.place, json.dumps(item[name], sort_keys=True)))
    return values


def _same(whole: Thing, part: Thing, name: str) -> bool:
    """Whether both tell the same of a field, wherever a run has both, the part first.

    Members of lists may come later too, as they are not told by a call that changes the thing; a few
    comparisons are needed to believe them.
    """
    theirs = _values(part, name)
    listed = any(results.many for results in part.results)
    compared = equal = 0
    for key, reports in _values(whole, name).items():
        for place, value in theirs.get(key, ()):
            later = [own for at, own in reports if at > place] or [own for _, own in reports[-1:] if listed]
            compared += bool(later)
            equal += value in later[:1]
    return equal * 10 >= compared * 9 and (compared >= _FEWEST or not listed)


def _agrees(thing: Thing, inner: ToolResults) -> bool:
    part = Thing(inner.keys, [inner])
    common = thing.names & part.names
    return bool(common) and all(_same(thing, part, name) for name in common)


def _tell_the_same(thing: Thing, inner: ToolResults) -> bool:
    """Whether members of a list have all fields of a thing, and determine them."""
    return thing.names <= inner.names and determines(_only(inner, thing.names).items, inner.keys)


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
    return _with_shared_facts(things, named)


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
    items: tuple[Item, ...],
    named: Collection[str],
) -> Iterator[ToolResults]:
    if keys := _key_of_list(items, named):
        yield ToolResults(tool.name, path, keys, "", own=True, items=items)


def _lists_beside(
    items: Sequence[Item],
) -> Iterator[tuple[str, tuple[Item, ...]]]:
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


def _items(answers: Sequence[ToolAnswer]) -> tuple[str, tuple[Item, ...]]:
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


def _echo(items: Sequence[Item]) -> tuple[str, str] | None:
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


def _named_by_call(items: Sequence[Item], tool: Tool, tools: Mapping[str, Tool]) -> tuple[str, str] | None:
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


def _keys_of_call(items: Sequence[Item], tool: Tool) -> tuple[str, ...]:
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


def _own_key(items: Sequence[Item], named: Collection[str], about: Collection[str]) -> str:
    """The id that every result has and by which calls name things; the tool's subject is preferred."""
    ids = [name for name in items[0][1] if is_id(name) and name in named]
    for name in sorted(ids, key=lambda name: stem_of(name) not in about):
        keys = [key_text(item.get(name)) for _, item in items]
        contents = {json.dumps(item, sort_keys=True) for _, item in items}
        if None not in keys and (stem_of(name) in about or len(set(keys)) * 3 > len(contents)):
            return name
    return ""


def _key_of_list(items: Sequence[Item], named: Collection[str]) -> tuple[str, ...]:
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

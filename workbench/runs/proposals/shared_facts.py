"""Things that several results tell in part: members of others, what a part of a key tells, things in brief.

A record is known as a whole or not at all. So what few fields more results tell is a record of its own.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from workbench.model import Json
from workbench.runs.proposals.proposed_names import is_id, singular
from workbench.runs.proposals.result_shapes import is_table
from workbench.runs.proposals.things import Thing, ToolResults, determines, part_of
from workbench.runs.proposals.tool_answers import ToolAnswer

_FEWEST = 3
"""The smallest number of comparisons from which something is inferred."""
_MOST_ITEMS = 5_000
_MOST_NAMED = 2


def with_shared_facts(things: Sequence[Thing], named: Collection[str]) -> list[Thing]:
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
    results = [only(one, common) for thing in told for one in thing.results]
    return Thing(whole.keys, results, base=whole, suffix=suffix, fixed=whole.fixed)


def _in_order(thing: Thing, names: Collection[str]) -> list[str]:
    """The names in the order in which the thing has them."""
    first = list(thing.objects[0])
    return sorted(names, key=lambda name: (first.index(name) if name in first else len(first), name))


def only(results: ToolResults, names: Collection[str]) -> ToolResults:
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


def _key(members: Sequence[tuple[ToolAnswer, Mapping[str, Json]]], named: Collection[str]) -> str:
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
    by_first: defaultdict[str, list[tuple[ToolAnswer, Mapping[str, Json]]]] = defaultdict(list)
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
    results = [only(replace(one, keys=(first,), own=True), names) for one in thing.results]
    if not all(first in item for one in results for _, item in one.items):
        return None
    return Thing((first,), results, fixed=True)


def _contents(items: Sequence[tuple[ToolAnswer, Mapping[str, Json]]], name: str) -> set[str]:
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
    return thing.names <= inner.names and determines(only(inner, thing.names).items, inner.keys)

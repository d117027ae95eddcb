"""Things in the results of recorded calls: what one tool tells, and what several tools tell of one kind."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from workbench.model import Json
from workbench.runs.proposals.tool_answers import ToolAnswer
from workbench.runs.world.record_keys import key_text

type Item = tuple[ToolAnswer, Mapping[str, Json]]
"""An object in a result, with the result."""


@dataclass(frozen=True, slots=True)
class ToolResults:
    """The objects of one kind in the results of one tool: the objects at ``path``, and their key.

    ``key_argument`` is the argument that has the key as its value, empty if the call does not name it.
    ``own`` is whether the objects have the key themselves.
    """

    tool: str
    path: str
    keys: tuple[str, ...]
    key_argument: str
    own: bool
    items: tuple[Item, ...]

    @property
    def names(self) -> frozenset[str]:
        """The names of the objects' fields, without the key."""
        return frozenset(key for _, item in self.items[:200] for key in item) - {*self.keys}

    @property
    def names_of_all(self) -> frozenset[str]:
        """The names of the fields that every object has, without the key."""
        names = [set(item) for _, item in self.items]
        return frozenset(set[str].intersection(*names) if names else ()) - {*self.keys}

    @property
    def many(self) -> bool:
        """Whether a result has several objects."""
        return "*" in self.path


@dataclass(slots=True)
class Thing:
    """A kind of thing in the results of one or several tools.

    ``name`` is what it is called, if that is said where it stands. It is named after ``base`` if it is a part
    of that thing, with ``suffix``. ``fixed`` is whether what is told of it never varied with anything.
    """

    keys: tuple[str, ...]
    results: list[ToolResults] = field(default_factory=list[ToolResults])
    name: str = ""
    base: Thing | None = None
    suffix: str = ""
    fixed: bool = False

    @property
    def objects(self) -> list[Mapping[str, Json]]:
        """All objects of this kind in the results."""
        return [item for tool_results in self.results for _, item in tool_results.items]

    @property
    def names(self) -> frozenset[str]:
        """The names of the fields of the objects."""
        return frozenset(chain.from_iterable(tool_results.names for tool_results in self.results))

    @property
    def names_of_all(self) -> frozenset[str]:
        """The names of the fields that every object has."""
        names = [tool_results.names_of_all for tool_results in self.results]
        return frozenset[str].intersection(*names) if names else frozenset()


def part_of(item: Item, name: str) -> str | None:
    """A part of the key of an object: its own, or that of the call."""
    return key_text(item[1][name] if name in item[1] else item[0].arguments.get(name))


def determines(items: Iterable[Item], keys: Sequence[str]) -> bool:
    """Whether objects of one run with the same key have the same content, with few exceptions."""
    contents_by_key: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for answer, item in items:
        key = (answer.run, *(str(part_of((answer, item), name)) for name in keys))
        content = {name: value for name, value in item.items() if name not in keys}
        contents_by_key[key].append(json.dumps(content, sort_keys=True))
    again = [contents for contents in contents_by_key.values() if len(contents) > 1]
    # A thing may change in a run, so some may differ.
    return sum(len(set(contents)) > 1 for contents in again) * 10 <= len(again)

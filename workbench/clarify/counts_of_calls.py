"""Counts of the successful calls of a tool with equal arguments, by a person's names for them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from workbench.author.rules.words import have_same_words, split_words, stem
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.clarify.tool_values import ToolValue
from workbench.model import Argument, ArgumentType, Extraction, Json, Kind
from workbench.runs.extract.propose import free_name, name_of

_COUNTED = re.compile(r"how many (?P<tool>\w+) succeeded before in the run for the same (?P<keys>.+)", re.I)


def count_phrase(tool: str, keys: Sequence[str]) -> str:
    """The name of the count of a tool's earlier calls in the run that had the same values."""
    suffix = f" for the same {' and '.join(keys)}" if keys else ""
    return f"how many {tool} succeeded before in the run{suffix}"


def counted_for_the_same(
    phrase: str, called: Mapping[str, Sequence[ToolValue]], taken_names: set[str], errors: Sequence[str]
) -> SayableFact | None:
    """The count that the words name, for arguments of the tool by their names; None if they name none."""
    match = _COUNTED.fullmatch(phrase)
    leaves = called.get(match["tool"], ()) if match is not None else ()
    if match is None or not leaves:
        return None
    single = {leaf.path[0]: leaf for leaf in leaves if len(leaf.path) == 1 and not leaf.many}
    keys = [
        next((key for key in single if have_same_words(key, part)), "")
        for part in match["keys"].split(" and ")
    ]
    if not all(keys):
        return None
    tool, places = match["tool"], [single[key].written("$.arguments") for key in keys]
    options: dict[str, Json] = {
        "operation": "count",
        "of": [tool],
        "same": {place: place for place in places},
        "tools": [tool],
        "outcome": "successful",
        "errors": list[Json](errors),
    }
    name = free_name(name_of((tool, "count", "by", *keys))[:60].strip("_"), taken_names)
    argument = Argument(name, ArgumentType(Kind.INT, optional=True), phrase, Extraction("history", options))
    words = frozenset(stem(word) for word in split_words(phrase))
    return SayableFact(phrase, FactSource.EARLIER_CALL, argument, (tool,), words)

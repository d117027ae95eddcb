"""Verbs times objects: “read or export invoices and receipts” is four actions."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.author.argument_terms import (
    names,
)
from workbench.author.rules.lexicon import Reference
from workbench.author.rules.phrase_items import Item, KnownWords
from workbench.author.rules.words import ACTION_FILLER, ARTICLES, LIGHT, PEOPLE

_JOINTS = frozenset(["AND", "OR", "COMMA"])


@dataclass(frozen=True, slots=True)
class VerbObjectPairs:
    """Verbs, the objects of each of them, and the other items, which apply to all."""

    verbs: tuple[KnownWords, ...]
    objects: tuple[KnownWords, ...]
    other_items: tuple[Item, ...]


def crossed(items: list[Item], action: str) -> VerbObjectPairs | None:
    """A list of bare verbs followed by a list of values of one other argument, or None.

    The verbs all precede the objects, so no verb has an object of its own and all share the list.
    """
    verbs, after = _run(items, 0, action)
    if len(verbs) < 2:
        return None
    if after >= len(items) or not isinstance(first := items[after], KnownWords):
        return None
    about = () if isinstance(first.meaning, Reference) else names(first.meaning)
    if len(about) != 1 or about == (action,):
        return None
    objects, end = _run(items, after, about[0])
    remaining_items = tuple(items[end:])
    if len(objects) < 2 or any(
        not isinstance(item, KnownWords) and item.kind in _JOINTS for item in remaining_items
    ):
        return None
    return VerbObjectPairs(verbs, objects, remaining_items)


def _run(items: list[Item], start: int, argument: str) -> tuple[tuple[KnownWords, ...], int]:
    """The values of one argument listed from ``start`` on, and the end of the list."""
    listed_values: list[KnownWords] = []
    place, end = start, start
    joined = True
    while place < len(items):
        item = items[place]
        place += 1
        if isinstance(item, KnownWords):
            named = () if isinstance(item.meaning, Reference) else names(item.meaning)
            if named != (argument,) or not joined:
                break
            listed_values.append(item)
            joined, end = False, place
        elif item.kind in _JOINTS:
            joined = True
        elif item.text.lower() not in ARTICLES | LIGHT | PEOPLE | ACTION_FILLER or item.kind != "WORD":
            break
    while end < len(items) and _is_filler(items[end]):
        end += 1
    return tuple(listed_values), end


def _is_filler(item: Item) -> bool:
    return not isinstance(item, KnownWords) and item.kind == "WORD" and item.text.lower() in ARTICLES

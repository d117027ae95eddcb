"""Names that a reader could mistake for each other: other case, width or signs, and look-alike characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import cast

from workbench.model import Json

_MADE_VISIBLE = re.compile("<U\\+[0-9A-F]{4,6}>|[\u2400-\u2421\ufffd]")
_LOOK_ALIKES = str.maketrans(
    "абвеԁһіјкӏмнорԛѕтυѵԝхуαβεικνορτχγıℓɡ",
    "a6bedhijklmhopqstuvwxyabeiknoptxyilg",
)


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """The letters and digits of a name in one case, with look-alike characters replaced."""
    normalised = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    return "".join(letter for letter in normalised.translate(_LOOK_ALIKES) if letter.isalnum())


def is_plain(name: str) -> bool:
    """Whether a name is visible ASCII, so that it hides nothing and has no look-alike."""
    return name.isascii() and name.isprintable() and " " not in name


def twin(name: str, names: Iterable[str]) -> str:
    """The name in ``names`` that a careless reader could mistake ``name`` for; empty if there is none.

    It is also empty if ``name`` is one of ``names``.
    """
    known_names = list(names)
    if name in known_names:
        return ""
    fold = folded(name)
    return next((known_name for known_name in known_names if folded(known_name) == fold), "")


@lru_cache(maxsize=4096)
def hides(name: str) -> bool:
    """Whether a name has an invisible sign, characters of another width, or Latin among other letters.

    A sign that was made visible (``clean_text``) counts as it was: a record of a call has such names.
    """
    if _MADE_VISIBLE.search(name):
        return True
    if name.isascii():
        return not name.isprintable()
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in name if letter.isalpha()}
    mixed = "LATIN" in scripts and len(scripts) > 1
    return mixed or not name.isprintable() or unicodedata.normalize("NFKC", name) != name


def property_names(schema: Json) -> frozenset[str]:
    """The names of all properties anywhere in a JSON schema."""
    names: set[str] = set()
    open_values: list[Json] = [schema]
    while open_values:
        item = open_values.pop()
        if isinstance(item, dict):
            properties = item.get("properties")
            if isinstance(properties, dict):
                names |= properties.keys()
            open_values.extend(item.values())
        elif isinstance(item, list):
            open_values.extend(item)
    return frozenset(names)


@lru_cache(maxsize=256)
def _by_fold(names: frozenset[str]) -> Mapping[str, str]:
    return {folded(name): name for name in names}


def unclear_keys(arguments: Mapping[str, Json], names: Iterable[str] = ()) -> str:
    """The reason why a tool could read the arguments of a call otherwise than a policy; empty if it cannot.

    A key at any depth could be mistaken for another one beside it, or for one of the known ``names``, or has
    hidden characters.
    """
    names = frozenset(names)
    near = _by_fold(names)
    open_values: list[object] = [arguments]
    seen: set[int] = set()
    while open_values:
        item = open_values.pop()
        if id(item) in seen:
            continue
        if isinstance(item, list | tuple):
            seen.add(id(cast("object", item)))
            open_values.extend(cast("Sequence[object]", item))
        elif isinstance(item, Mapping):
            seen.add(id(cast("object", item)))
            members = cast("Mapping[object, object]", item)
            keys = [key for key in members if isinstance(key, str)]
            if why := unclear_beside_each_other(keys, "the arguments"):
                return why
            for key in keys:
                if key not in names and (near_name := near.get(folded(key))) is not None:
                    return f"the arguments have the key {key!a}, which is {near_name!r} to some readers"
            open_values.extend(members.values())
    return ""


def unclear_beside_each_other(keys: Iterable[str], where: str) -> str:
    """The reason why a reader could mistake one key for another, or overlook a part of one; else empty."""
    key_by_fold: dict[str, str] = {}
    for key in keys:
        earlier_key = key_by_fold.setdefault(folded(key) or key, key)
        if earlier_key != key:
            return f"{where} has the keys {earlier_key!a} and {key!a}, which are one to some readers"
        if hides(key):
            return f"{where} has the key {key!a}, which hides what it is"
    return ""

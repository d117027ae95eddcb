"""Keys of records: the texts by which they are compared, and how the arguments of a look-up say them."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress

from workbench.model import Json, Record
from workbench.runs.values.found_value import Missing
from workbench.runs.values.json_paths import parse_parts
from workbench.runs.values.normal_texts import normal_text

_KEY = "key"
"""The word that stands for the key among the arguments of a look-up."""


def key_text(value: Json, normal: str = "") -> str | None:
    """A key as it is compared: texts and whole numbers only, so that 7 and "7" are one record.

    A text is compared in its normal form; one without such a form is no key.
    """
    if isinstance(value, str) and value:
        with suppress(Missing):
            return str(normal_text(value, normal)) or None
        return None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def key_of_parts(parts: Sequence[str]) -> str:
    """The key of a record from the parts of its key; different parts give different keys."""
    return parts[0] if len(parts) == 1 else json.dumps(list(parts), ensure_ascii=False)


def folded(key: str) -> str:
    """The common form of all spellings by which a tool could mean the same record.

    Tools may ignore case, spaces, signs, leading zeros, and forms of Unicode.
    """
    if key.startswith('["'):
        with suppress(ValueError, RecursionError):
            return " ".join(_folded(str(part)) for part in json.loads(key))
    return _folded(key)


def _folded(key: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", key).casefold())
    return "".join(character for character in folded if character.isalnum()).lstrip("0")


def in_normal_form(record: Record, key: str) -> str | None:
    """A key as records of this kind are compared by; None if it has no such form."""
    if not record.normal:
        return key
    parts = [key_text(part, record.normal) for part in parts_of_key(record, key)]
    whole = [part for part in parts if part is not None]
    return key_of_parts(whole) if len(whole) == len(parts) else None


def parts_of_key(record: Record, key: str) -> Sequence[str]:
    """The parts of a key as it is compared."""
    return [str(part) for part in json.loads(key)] if record.key_parts else [key]


def look_up_arguments(record: Record, parts: Sequence[Json]) -> dict[str, Json]:
    """The arguments of the look-up of the record whose key has these parts."""
    if record.look_up is None:
        return {}
    takes = _takes_key(record)
    declared = record.look_up.arguments.items()
    return {name: parts[takes[name]] if name in takes else value for name, value in declared}


def _takes_key(record: Record) -> Mapping[str, int]:
    """The arguments of the look-up that take the key, each with the number of the part that it takes."""
    if record.look_up is None:
        return {}
    words = {word: number for number, word in enumerate(key_words(record.keys))}
    declared = record.look_up.arguments.items()
    return {name: words[value] for name, value in declared if isinstance(value, str) and value in words}


def key_words(keys: Sequence[str]) -> Sequence[str]:
    """The words that stand for the parts of a key, given by their paths, among the arguments of a look-up."""
    return [f"{_KEY}.{path}" for path in keys] if len(keys) > 1 else [_KEY]


def key_asked_for(record: Record, arguments: Mapping[str, Json]) -> str | None:
    """The key that a call with these arguments looks up; None if it is not the look-up that is declared."""
    takes = _takes_key(record)
    parts: list[Json] = [None] * len(record.keys)
    for name, number in takes.items():
        parts[number] = arguments.get(name)
    whole = [part for value in parts if (part := key_text(value, record.normal)) is not None]
    if len(whole) < len(parts) or look_up_arguments(record, parts) != dict(arguments):
        return None
    return key_of_parts(whole)


def asked_as(record: Record, arguments: Mapping[str, Json]) -> str:
    """The key that a look-up with these arguments asks for, as they write it; empty if they do not."""
    takes = _takes_key(record)
    parts = ["" for _ in record.keys]
    for name, number in takes.items():
        parts[number] = key_text(arguments.get(name)) or ""
    return key_of_parts(parts) if all(parts) else ""


def key_arguments(record: Record) -> Sequence[frozenset[str]]:
    """The names of the arguments that say each part of the key."""
    takes = _takes_key(record)
    return [
        frozenset(
            [
                *(part for part in parse_parts(path)[-1:] if isinstance(part, str)),
                *(name for name, taken in takes.items() if taken == number),
            ]
        )
        for number, path in enumerate(record.keys)
    ]

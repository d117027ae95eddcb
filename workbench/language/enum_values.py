"""The values of an enum as sentences say them: each as it stands, and in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from workbench.language.words import words_of, words_of_name


@lru_cache(maxsize=256)
def enum_words(sort: str) -> Mapping[str, str]:
    """The values of an enum that have words of their own, with these; one with a digit is its own word."""
    read = enum_texts(sort)
    words: dict[str, str] = {}
    for value in _enum_values_of(sort):
        plain = value if _WITH_DIGIT.fullmatch(value) else words_of_name(value)
        if read.get(plain.casefold()) == value:
            words[value] = plain
    return words


@lru_cache(maxsize=256)
def enum_texts(sort: str) -> Mapping[str, str]:
    """The texts that are read as values of an enum, each of one value: its own text, and its words."""
    found: dict[str, set[str]] = {}
    for value in _enum_values_of(sort):
        for text in (value, words_of_name(value)):
            if words_of(text) and "“" not in text and '"' not in text:
                found.setdefault(text.casefold(), set()).add(value)
    return {text: next(iter(values)) for text, values in found.items() if len(values) == 1}


def _enum_values_of(sort: str) -> Sequence[str]:
    return [value for value in sort.partition("|")[2].split("|") if value]


_WITH_DIGIT = re.compile(r"[A-Za-z][A-Za-z_]*\d\w*")
"""A value that is written as it stands: cut into words it would be hard to know again, as "s 3"."""

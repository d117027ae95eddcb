"""Texts that the schema of a field permits, all different."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice
from string import ascii_letters, digits

from workbench.runs.values.schema_fit import Schema, misfit

_MOST_TRIED = 300
_REPEATED = re.compile(r"(\\.|\[[^\]]*\]|[^\\\]])\{(\d{1,2})(?:,\d*)?\}")


def fitting_text(schema: Schema, word: str, used: Collection[str]) -> str | None:
    """A text that fits and is not used, like a word if that is possible; None if none is found."""
    tried = islice(_tried(schema, word), _MOST_TRIED)
    return next((text for text in tried if text not in used and not misfit(text, schema)), None)


def _tried(schema: Schema, word: str) -> Iterator[str]:
    """Texts that may fit, and those that differ from them by one sign, the last sign first."""
    listed = schema.get("enum")
    for value in listed if isinstance(listed, list) else ():
        if isinstance(value, str):
            yield value
    pattern = schema.get("pattern")
    bases = list(candidates(_written_out(pattern))) if isinstance(pattern, str) else [word]
    least, most = schema.get("minLength"), schema.get("maxLength")
    if isinstance(least, int):
        bases = [text.ljust(least, "x") for text in bases]
    if isinstance(most, int):
        bases = [text[-most:] if most else "" for text in bases]
    yield from bases
    for text in bases:
        for at in reversed(range(len(text))):
            for sign in digits + ascii_letters:
                yield f"{text[:at]}{sign}{text[at + 1 :]}"


def _written_out(pattern: str) -> str:
    return _REPEATED.sub(lambda found: found[1] * int(found[2]), pattern)


_CLASSES = {r"\s": " ", r"\d": "1", r"\w": "a", r"\b": "", r"\S": "a", r"\A": "", r"\Z": ""}


def candidates(pattern: str) -> Iterator[str]:
    """Texts that a pattern may match: the pattern without its signs."""
    plain = re.sub(r"\(\?[a-zA-Z]+\)|\^|\$", "", pattern)
    for sign, text in _CLASSES.items():
        plain = plain.replace(sign, text)
    plain = re.sub(r"\[\^[^\]]*\]", "a", plain)
    plain = re.sub(r"\[(\\?.)[^\]]*\]", r"\1", plain)
    alternatives = re.sub(r"\((?:\?:)?([^()|]*)(?:\|[^()]*)?\)", r"\1", plain)
    for text in (*alternatives.split("|"), pattern):
        yield re.sub(r"\\(.)", r"\1", re.sub(r"\.[*+]\??", "it", re.sub(r"(?<!\\)[?+]", "", text)))

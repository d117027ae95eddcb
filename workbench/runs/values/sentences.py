"""The sentences of a text, and those in which a value stands, so that they are about this value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.model import Json
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Missing
from workbench.runs.values.value_spellings import is_value, spellings, stands_in

# A point inside a number or an address does not end a sentence; a line end does.
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’»)\]]*\s+|\n+")


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The begin and the end of each sentence of a text."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        yield start, end.start()
        start = end.end()
    yield start, len(text)


def searched(value: Json) -> str | int | float:
    """A value that a sentence could have. Raises Missing for another one."""
    if not isinstance(value, str | int | float) or not is_value(value) or not spellings(value):
        raise Missing(f"{shown(value)} is no text or number that a sentence could name")
    return value


def sentences_with(text: str, *values: str | int | float) -> Iterator[tuple[int, int]]:
    """The sentences in which each of these values stands, in any spelling."""
    for start, end in sentences(text):
        if all(stands_in(value, text[start:end]) for value in values):
            yield start, end

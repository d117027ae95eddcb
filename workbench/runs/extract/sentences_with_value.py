"""The sentences of a text that contain a value of the call, so that they are about this value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from workbench.model import RecordedCall
from workbench.runs.extract.jsonpath import parse_path
from workbench.runs.extract.options import Options
from workbench.runs.extract.text_region import TextRegion
from workbench.runs.values.call_paths import matches
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Absent, Missing
from workbench.runs.values.value_spellings import is_value, spellings, stands_in

# A point inside a number or an address does not end a sentence; a line end does.
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’»)\]]*\s+|\n+")


class Beside:
    """The option ``beside``: the path of a value of the call."""

    def __init__(self, options: Options) -> None:
        """Read the option; without it every region is read as a whole."""
        path = options.text("beside")
        self._path = parse_path(path, options) if path else None

    def of(self, call: RecordedCall, region: TextRegion) -> tuple[TextRegion, ...]:
        """The sentences of a region that contain every value at the path, in any spelling.

        There are none if the call has no such value. Raises Missing for a value that cannot be searched for.
        """
        if self._path is None:
            return (region,)
        try:
            values = [value for value, _ in matches(call, self._path, every=True) if value is not None]
        except Absent:
            return ()
        searched_values: list[str | int | float] = []
        for value in values:
            if not isinstance(value, str | int | float) or not is_value(value) or not spellings(value):
                raise Missing(f"{shown(value)} is no text or number that a sentence could name")
            searched_values.append(value)
        return tuple(
            sentence
            for sentence in _sentences(region)
            if searched_values and all(stands_in(value, sentence.text) for value in searched_values)
        )


def _sentences(region: TextRegion) -> Iterator[TextRegion]:
    start = 0
    for end in _SENTENCE_END.finditer(region.text):
        yield replace(region, start=region.start + start, end=region.start + end.start())
        start = end.end()
    yield replace(region, start=region.start + start)

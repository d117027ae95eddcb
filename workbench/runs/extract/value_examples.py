"""Examples of a value: those that the session lists, and the demonstrations of its memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.model import Demonstration, Kind, TextReading
from workbench.runs.extract.options import Options
from workbench.runs.extract.text_region import RegionOptions, TextRegion
from workbench.runs.values.found_value import Missing


@dataclass(frozen=True, slots=True)
class TaughtExample:
    """A text with its value; ``source`` is the id of a demonstration, or empty."""

    value: str
    text: str
    source: str = ""


class Taught:
    """The options ``examples``, ``memory`` and ``field`` of readings that learn from examples."""

    def __init__(
        self, reading: TextReading, options: Options, demonstrations: Sequence[Demonstration] | None
    ) -> None:
        """Read the options; raises WorkbenchError if both are absent, or for a value that the reading lacks.

        If no memory is at hand, a reading that needs one gives no value.
        """
        self._regions = RegionOptions(options)
        listed = options.words("examples")
        self._memory = options.flag("memory")
        if not listed and not self._memory:
            raise options.error("examples are needed, texts by value, or memory = true")
        values = reading.type.values
        unknown = [value for value in listed if values and value not in values]
        if unknown:
            raise options.error(f"examples has {unknown[0]!r}, which is not a value of the reading")
        if self._memory and reading.type.kind not in (Kind.ENUM, Kind.SET, Kind.STR):
            raise options.error("memory teaches words, not values of this type")
        taught_examples = [TaughtExample(value, text) for value, texts in listed.items() for text in texts]
        if self._memory:
            taught_examples += demonstrated(reading, self._regions, demonstrations or ())
        self.examples: tuple[TaughtExample, ...] = tuple(taught_examples)
        self._unread = self._memory and demonstrations is None

    def region(self, text: TextRegion) -> TextRegion:
        """The part of a text to compare; raises Missing if it has none, or if there is no example."""
        if self._unread:
            raise Missing("the session's memory is not at hand here")
        if not self.examples:
            raise Missing("no demonstration of the memory says a value of it")
        return self._regions.of(text)


def demonstrated(
    reading: TextReading, regions: RegionOptions, demonstrations: Sequence[Demonstration]
) -> Iterable[TaughtExample]:
    """The enabled demonstrations whose plan has exactly one value of the reading."""
    pattern = _pattern_of(reading)
    for demonstration in demonstrations:
        values = {match.group(1).casefold() for match in pattern.finditer("\n".join(demonstration.plan))}
        text = _text_of(demonstration, regions)
        if demonstration.enabled and len(values) == 1 and text:
            (value,) = values
            declared_by_folded = {declared.casefold(): declared for declared in reading.type.values}
            yield TaughtExample(declared_by_folded.get(value, value), text, demonstration.id)


def _text_of(demonstration: Demonstration, regions: RegionOptions) -> str:
    """The text of the demonstration that corresponds to a text that is read."""
    try:
        return regions.of(TextRegion.of_whole(demonstration.agent_input)).text
    except Missing:
        return ""


def _pattern_of(reading: TextReading) -> re.Pattern[str]:
    """The pattern of ``action book_hotel``, ``action: book_hotel`` or ``action = book_hotel`` in a plan."""
    name = r"[ _-]".join(re.escape(part) for part in reading.name.split("_"))
    values = sorted(reading.type.values, key=len, reverse=True)
    value = "|".join(re.escape(text) for text in values) or r"\w+"
    return re.compile(rf"\b{name}(?:\s+is|\s*[:=])?\s+[`'\"]?({value})(?!\w)", re.IGNORECASE)

"""The reading ``model``: a value that a language model reads from a text, with the words that show it.

The log is hostile. Its text can change only the value of this reading, and only to a value of its type whose
evidence is in the text, word for word. Otherwise the value is missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.model import (
    ArgumentType,
    Json,
    Kind,
    Provenance,
    TextReading,
    WorkbenchError,
)
from workbench.runs.extract.options import Options
from workbench.runs.extract.text_region import RegionOptions, TextRegion
from workbench.runs.values.found_value import FoundValue, Missing

MOST_TEXT = 8000
# A model's reading is never as certain as a value found by code.
CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class WantedValue:
    """A value to be read in a text: the reading, its description and hints."""

    name: str
    description: str
    type: ArgumentType
    hints: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WantedText:
    """A text, and every value that a model is to read in it, all by one call."""

    text: str
    values: tuple[WantedValue, ...]


@dataclass(frozen=True, slots=True)
class Quoted:
    """A value from the model, with the words of the text that show it."""

    value: Json
    quote: str


class Reader(Protocol):
    """An object that asks the model. The same content is asked once.

    A protocol, because the code that talks to models is in a layer above extraction.
    """

    def announce(self, texts: Sequence[WantedText]) -> None:
        """Report to the watcher what asking about these texts would cost."""
        ...

    def ask(self, texts: Sequence[WantedText]) -> None:
        """Ask about all texts at once; ``read`` raises the errors."""
        ...

    def read(self, text: WantedText) -> Mapping[str, tuple[Quoted, ...]]:
        """By name what was found: nothing, one, or one for each element of a set; raises WorkbenchError."""
        ...


class ModelMethod:
    """Reads a text, or a ``field`` of it, with a model.

    ``describe`` says what to look for; the table ``values`` has the meanings of the members of an enum.
    """

    def __init__(self, reading: TextReading, options: Options, reader: Reader | None) -> None:
        """Read the options; raises WorkbenchError for a wrong one."""
        self._reader = reader
        self._regions = RegionOptions(options)
        self.region = tuple(options.text(name) for name in ("field", "above", "under"))
        description = options.text("describe") or reading.description
        hints = {value: " ".join(meaning) for value, meaning in options.words("values").items()}
        unknown = [value for value in hints if value not in reading.type.values]
        if unknown:
            raise options.error(f"values describes {unknown[0]!r}, which is not a value of the reading")
        self._value = WantedValue(reading.name, description, reading.type, hints)
        self._asked = (self._value,)

    @staticmethod
    def ask_together(methods: Sequence[ModelMethod]) -> None:
        """Let one call ask for what all of these read: the same part of the same texts."""
        asked = tuple(method._value for method in methods)
        for method in methods:
            method._asked = asked

    def wanted(self, text: TextRegion) -> WantedText:
        """The request to the model about a text; raises Missing if the model is not asked."""
        return WantedText(self._region(text).text, self._asked)

    def __call__(self, text: TextRegion) -> FoundValue:
        """What the model reads; raises Missing if it does not give a value, or gives no evidence."""
        region = self._region(text)
        if self._reader is None:
            raise Missing("no model is set up to read it; set WORKBENCH_MODEL, or replay recorded calls")
        try:
            quotes = self._reader.read(WantedText(region.text, self._asked))[self._value.name]
        except WorkbenchError as error:
            raise Missing(f"the model did not read it: {error}") from error
        declared = self._value.type
        return _set(region, quotes) if declared.kind is Kind.SET else _single(region, quotes, declared)

    def _region(self, text: TextRegion) -> TextRegion:
        region = self._regions.of(text)
        if len(region.text) > MOST_TEXT:
            raise Missing(f"{region.name} is longer than the {MOST_TEXT} characters that a model is given")
        return region


def _single(region: TextRegion, quotes: tuple[Quoted, ...], declared: ArgumentType) -> FoundValue:
    if len(quotes) != 1:
        raise Missing(f"the model found {'nothing' if not quotes else 'several values'} in {region.name}")
    provenance = _place(region, quotes[0])
    if declared.kind in (Kind.STR, Kind.INT, Kind.DECIMAL) and not _shows(quotes[0]):
        raise Missing(f"the words {_short(quotes[0].quote)!r} do not have the value that the model gives")
    return FoundValue(quotes[0].value, (provenance,))


def _set(region: TextRegion, quotes: tuple[Quoted, ...]) -> FoundValue:
    """A set of elements, each with its own evidence; raises Missing if an element has none."""
    items: dict[str, tuple[Provenance, ...]] = {}
    for quoted in quotes:
        if not isinstance(quoted.value, str):
            raise Missing("the model gave an element that is not a text")
        items[quoted.value] = (*items.get(quoted.value, ()), _place(region, quoted))
    if not items:
        raise Missing(f"the model found nothing in {region.name}")
    return FoundValue(list[Json](items), tuple(place for places in items.values() for place in places), items)


def _place(region: TextRegion, quoted: Quoted) -> Provenance:
    """The place of the quoted words; raises Missing if the text does not contain them."""
    start = region.text.find(quoted.quote) if re.search(r"\w", quoted.quote) else -1
    if start < 0:
        raise Missing(f"the model quotes {_short(quoted.quote)!r}, which is not in {region.name}")
    return region.provenance("model", start, start + len(quoted.quote), CONFIDENCE)


def _shows(quoted: Quoted) -> bool:
    """Whether the quoted words contain the value itself, not as a part of a longer number or word."""
    text = quoted.value if isinstance(quoted.value, str) else str(quoted.value)
    return bool(re.search(rf"(?<![\w.]){re.escape(text)}(?!\w|\.\d)", quoted.quote)) if text else False


def _short(quote: str) -> str:
    return quote if len(quote) <= 60 else quote[:57] + "..."

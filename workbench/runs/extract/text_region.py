"""The part of a text that a reading reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.model import Provenance, Span, span_of
from workbench.runs.extract.key_lines import KeyLineReader
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import FoundValue


@dataclass(frozen=True, slots=True)
class TextRegion:
    """A part of a text; ``name`` is what a reason calls the text."""

    name: str
    whole: str
    start: int
    end: int

    @classmethod
    def of_whole(cls, text: str, name: str = "the text") -> TextRegion:
        """A whole text."""
        return cls(name, text, 0, len(text))

    @property
    def text(self) -> str:
        """The characters of the region."""
        return self.whole[self.start : self.end]

    def span(self, start: int, end: int) -> Span:
        """The span in the whole text of offsets in the region."""
        return span_of(self.whole, self.start + start, self.start + end)

    def provenance(self, method: str, start: int, end: int, confidence: float = 1.0) -> Provenance:
        """The provenance of characters of the region."""
        return Provenance(method, self.name, (self.span(start, end),), confidence)


type ReadsRegion = Callable[[TextRegion], FoundValue]
"""A reading of a text; it raises Missing if the text does not say the value."""


class RegionOptions:
    """The options ``field``, ``above`` and ``under``, which say what part of its text a reading reads."""

    def __init__(self, options: Options) -> None:
        """Read the options: the key of a ``Key: value`` line, and the lines that bound its part."""
        key = options.text("field")
        self._field = KeyLineReader(key, options) if key else None

    def of(self, region: TextRegion) -> TextRegion:
        """The part of a text; raises Missing if there is none, or there are two that differ."""
        return region if self._field is None else self._field.of(region)

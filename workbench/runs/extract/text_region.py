"""The part of a call's text that a method reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.model import FACTS, Provenance, RecordedCall, Span, span_of
from workbench.runs.extract.key_lines import KeyLineReader
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import Missing


@dataclass(frozen=True, slots=True)
class TextRegion:
    """A part of a named text of a call."""

    name: str
    whole: str
    start: int
    end: int

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


def first_text(call: RecordedCall, names: Sequence[str]) -> TextRegion:
    """The first of the named texts that the call has; raises Missing if it has none."""
    for name in names:
        text = call.texts.get(name)
        if text is not None and name != FACTS:
            return TextRegion(name, text, 0, len(text))
    raise Missing(f"the call has no text {' or '.join(names)}")


class RegionOptions:
    """The options ``text`` and ``field`` (with ``above`` and ``under``) that all methods over texts share."""

    def __init__(self, options: Options) -> None:
        """Read the options: the names of the texts, in order, and the key of a ``Key: value`` line."""
        self.names = options.texts("text")
        key = options.text("field")
        self._field = KeyLineReader(key, options) if key else None

    def of(self, call: RecordedCall) -> TextRegion:
        """The region of a call; raises Missing if there is no region, or there are two that differ."""
        region = first_text(call, self.names)
        return region if self._field is None else self._field.of(region)

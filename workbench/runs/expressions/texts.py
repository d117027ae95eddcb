"""Readings of texts: what gives them, and where in the texts of the call their values stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from workbench.model import Provenance, span_of
from workbench.policy.operations import Known


@dataclass(frozen=True, slots=True)
class ReadText:
    """What a reading gives for a text; the places are in this text, those of the elements of a set too."""

    value: Known
    provenance: tuple[Provenance, ...] = ()
    items: Mapping[str, tuple[Provenance, ...]] = field(default_factory=dict[str, tuple[Provenance, ...]])


class ReadsText(Protocol):
    """A reading, ready to be applied to many texts."""

    def of(self, text: str) -> ReadText:
        """What it gives for a text; undetermined, with the reason, if it gives nothing."""
        ...


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text that was read, with its pieces in a named text of the call.

    A piece is its begin in the text that was read, its begin in the whole text, and its length.
    """

    name: str
    whole: str
    pieces: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, name: str, text: str) -> PlacedText:
        """A whole text."""
        return cls(name, text, ((0, 0, len(text)),))

    def parts(self, spans: Sequence[tuple[int, int]]) -> PlacedText:
        """Parts of the text as one text, a line for each."""
        at, pieces = 0, list[tuple[int, int, int]]()
        for start, end in spans:
            pieces += [(at + low - start, of, length) for low, of, length in self._within(start, end)]
            at += end - start + 1
        return replace(self, pieces=tuple(pieces))

    def _within(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """The pieces of a stretch of the text that was read."""
        for begin, of_whole, length in self.pieces:
            low, high = max(start, begin), min(end, begin + length)
            if low < high or start == low == high:
                yield low, of_whole + low - begin, high - low

    def placed(self, provenance: Provenance) -> Provenance:
        """A place in the text that was read, as one in the text of the call."""
        spans = tuple(
            span_of(self.whole, start, start + length)
            for span in provenance.spans
            for _, start, length in self._within(span.start, span.end)
        )
        return replace(provenance, text=self.name, spans=spans)

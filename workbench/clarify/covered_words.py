"""Words of a sentence that an offered rule covers, and words that it leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from workbench.clarify.reversing_words import turning_spans
from workbench.clarify.word_meanings import OpenedWord, WordRole

_SAYS_SOMETHING = (WordRole.ARGUMENT, WordRole.VALUE, WordRole.QUANTITY, WordRole.UNKNOWN)
_NEVER_LEFT_OUT = (WordRole.QUANTITY, WordRole.DUTY, WordRole.JOINS)

type Place = tuple[int, int]


@dataclass(slots=True)
class WordsRead:
    """The places of the words in a sentence that a rule covers."""

    places: list[Place] = field(default_factory=list["Place"])

    def add(self, *places: Place) -> None:
        """Mark the words at some places as covered."""
        self.places += places

    def has(self, start: int, end: int) -> bool:
        """Whether the words between two positions are covered."""
        return any(first <= start and end <= last for first, last in self.places)

    def are_whole(self, text: str, words: Iterable[OpenedWord]) -> bool:
        """Whether all words that reverse, restrict or bound a text are covered."""
        if not all(self.has(*place) for place in turning_spans(text)):
            return False
        return all(word.role not in _NEVER_LEFT_OUT or self.has(*word.place) for word in words)

    def left_out(self, words: Sequence[OpenedWord]) -> tuple[str, ...]:
        """The meaningful words that are not covered; adjacent words are one text."""
        left = [word.role in _SAYS_SOMETHING and not self.has(*word.place) for word in words]
        texts: list[str] = []
        for place, word in enumerate(words):
            if left[place] and place and left[place - 1]:
                texts[-1] += f" {word.text}"
            elif left[place]:
                texts.append(word.text)
        return tuple(texts)

"""Likeness of two words, and the word that was probably meant. rapidfuzz is imported late."""

# rapidfuzz is compiled and its functions are typed only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterable

_ALIKE = 60.0


def likeness(first: str, second: str) -> float:
    """From 0 (nothing in common) to 100 (the same)."""
    from rapidfuzz import fuzz

    return float(fuzz.ratio(first, second))


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like the given one; None if none is like it."""
    best = max(sorted(known), key=lambda item: likeness(word, item), default=None)
    return best if best is not None and likeness(word, best) >= _ALIKE else None


def did_you_mean(word: str, known: Iterable[str], sentence: str = "did you mean {}?") -> str:
    """A hint for a message about an unknown word: the sentence with the nearest known one, or nothing."""
    best = nearest(word, known)
    return "" if best is None else sentence.format(best)


def closeness(first: str, second: str) -> float:
    """The share of the longer text's characters that no edit (Levenshtein) touches, from 0 to 1."""
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_similarity(first, second))

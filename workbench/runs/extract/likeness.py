"""How alike two words are. The only module here that touches rapidfuzz, which is imported late."""

# rapidfuzz is compiled and its functions are typed only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterable

_ALIKE = 60.0


def likeness(one: str, other: str) -> float:
    """From 0 (nothing in common) to 100 (the same)."""
    from rapidfuzz import fuzz

    return float(fuzz.ratio(one, other))


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like the given one; None if none is like it."""
    best = max(known, key=lambda item: likeness(word, item), default=None)
    return best if best is not None and likeness(word, best) >= _ALIKE else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for a message about an unknown word: the nearest known one, or all of them."""
    names = sorted(known)
    best = nearest(word, names)
    return f"did you mean {best}?" if best else f"known are {', '.join(names)}"


def closeness(one: str, other: str) -> float:
    """The share of the longer text's characters that no edit (Levenshtein) touches, from 0 to 1."""
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_similarity(one, other))

"""Words that are close to known words (rapidfuzz)."""

from __future__ import annotations

from rapidfuzz import fuzz, process


def closest(word: str, known: tuple[str, ...], least: float = 85.0) -> str | None:
    """The known word that is the given one, or so close that it is taken for a slip."""
    lowered = {name.lower(): name for name in known}
    if word.lower() in lowered:
        return lowered[word.lower()]
    match = process.extractOne(word.lower(), list(lowered), scorer=fuzz.ratio, score_cutoff=least)
    return lowered[match[0]] if match else None


def near_words(word: str, known: tuple[str, ...], least: float = 72.0) -> tuple[str, ...]:
    """The known words that are close to the given one, the closest first, at most three.

    ``least`` is the least similarity, from 0 to 100.
    """
    lowered = {name.lower(): name for name in known}
    matches = process.extract(word.lower(), list(lowered), scorer=fuzz.ratio, score_cutoff=least, limit=3)
    return tuple(lowered[name] for name, _score, _place in matches)

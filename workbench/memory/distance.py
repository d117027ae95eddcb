"""The Levenshtein distance of two texts."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein


def edit_distance(left: str, right: str, cutoff: int | None = None) -> int:
    """How many insertions, deletions and substitutions turn ``left`` into ``right``.

    With a ``cutoff`` (at least 0), any larger distance is given as ``cutoff + 1``.
    """
    return Levenshtein.distance(left, right, score_cutoff=cutoff)

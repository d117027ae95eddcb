"""The Levenshtein distance of two texts, and of one text to many."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein


def edit_distance(left: str, right: str, cutoff: int | None = None) -> int:
    """The number of insertions, deletions and substitutions that turn ``left`` into ``right``.

    With a ``cutoff`` (at least 0), any larger distance is given as ``cutoff + 1``.
    """
    return Levenshtein.distance(left, right, score_cutoff=cutoff)


def within(text: str, others: Sequence[str], cutoff: int | None = None) -> list[tuple[int, int]]:
    """The positions of the others that are at most ``cutoff`` away, with their distances, nearest first."""
    near = process.extract(
        text, others, scorer=Levenshtein.distance, processor=None, limit=None, score_cutoff=cutoff
    )
    return [(position, distance) for _, distance, position in near]

"""Likeness of words and texts, and the nearest known word. rapidfuzz is imported late."""

# rapidfuzz is compiled and its functions are only partly typed.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile
from types import ModuleType

ALIKE_FOR_HINT = 60.0
"""The least likeness of a word that a message suggests: a wrong hint costs its reader little."""


@cache
def _rapidfuzz() -> ModuleType:
    import rapidfuzz

    return rapidfuzz


def likeness(first: str, second: str) -> float:
    """From 0 (nothing in common) to 100 (the same)."""
    return float(_rapidfuzz().fuzz.ratio(first, second))


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The known word that is most like the given word; None if none is similar."""
    return next(iter(_alike(word, sorted(candidates), ALIKE_FOR_HINT, 1)), None)


def did_you_mean(word: str, candidates: Iterable[str], sentence: str = "did you mean {}?") -> str:
    """A hint for a message about an unknown word: the sentence with the nearest known word, or nothing."""
    best = nearest(word, candidates)
    return "" if best is None else sentence.format(best)


def _alike(word: str, known: Sequence[str], least: float, most: int) -> list[str]:
    """The known words of at least this likeness, the nearest first; equally near words in their order."""
    matches = _rapidfuzz().process.extract(
        word, known, scorer=_rapidfuzz().fuzz.ratio, score_cutoff=least, limit=most
    )
    return [name for name, _likeness, _place in matches]


def closeness(first: str, second: str) -> float:
    """The share of the longer text's characters that no edit (Levenshtein) touches, from 0 to 1."""
    return float(_rapidfuzz().distance.Levenshtein.normalized_similarity(first, second))


def edit_distance(first: str, second: str, cutoff: int | None = None) -> int:
    """The number of insertions, deletions and substitutions (Levenshtein) that turn one text into the other.

    With a ``cutoff`` (at least 0), any larger distance is given as ``cutoff + 1``.
    """
    return _rapidfuzz().distance.Levenshtein.distance(first, second, score_cutoff=cutoff)


def edit_distances(text: str, others: Sequence[str], cutoff: int | None = None) -> list[tuple[int, int]]:
    """The positions of the other texts at most ``cutoff`` away, with their distances, nearest first."""
    near = _rapidfuzz().process.extract(
        text, others, scorer=_rapidfuzz().distance.Levenshtein.distance, limit=None, score_cutoff=cutoff
    )
    return [(position, distance) for _, distance, position in near]


_FIRST_WORDS = 3
"""The number of words that are kept of a beginning that texts share."""


def told_apart(texts: Mapping[str, str], shown: int) -> Mapping[str, str]:
    """The texts by their keys, shortened so that what is ``shown`` of them differs if the texts do.

    Texts of which the same would be shown are told by the words that they do not share.
    """
    alike: dict[str, set[str]] = {}
    for text in texts.values():
        alike.setdefault(text[:shown], set()).add(text)
    groups = (group for group in alike.values() if len(group) > 1)
    distinct = {text: words for group in groups for text, words in _without_shared(group)}
    return {key: distinct.get(text, text) for key, text in texts.items()}


def _without_shared(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each of several texts without most of the words with which it and the most similar other begin."""
    every = sorted(text.split(" ") for text in texts)  # the most similar one stands next to a text
    for at, words in enumerate(every):
        neighbours = (*every[max(at - 1, 0) : at], *every[at + 1 : at + 2])
        shared = max((_shared(words, other) for other in neighbours), default=0)
        text = " ".join(words)
        cut = (*words[:_FIRST_WORDS], "…", *words[min(shared, len(words) - 1) :])
        yield text, text if shared <= _FIRST_WORDS else " ".join(cut)


def _shared(words: Sequence[str], other_words: Sequence[str]) -> int:
    """The number of words with which both texts begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, other_words, strict=False)))

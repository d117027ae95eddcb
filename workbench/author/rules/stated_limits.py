"""Limits over several actions that a sentence states, taken from the words of its skeleton.

“At most 3 times per session”, “3 refunds a day”, “1,000 EUR in total”: each is
removed from the skeleton, which then contains the limited action only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.quantities import UPPER_BOUNDS, without_copula
from workbench.author.rules.sentences import (
    BE,
    IT_IS,
    MORE_THAN,
    OF_MORE_THAN,
    Chunk,
    SentenceWord,
    Skeleton,
    spelled,
    without_words,
)
from workbench.author.rules.word_order import NO_PAST
from workbench.author.rules.words import word_set

_ORDINALS = ("second", "third", "fourth", "fifth", "sixth")
_BOUNDS = UPPER_BOUNDS | {"more than"}
_EXCEEDS = frozenset(["exceed", "more than", "over"])
# Words after a number that measure: they name no things that are counted.
_MEASURES = word_set(
    "eur usd gbp chf euro euros dollar dollars pound pounds percent b kb mb gb tb kib mib gib tib byte "
    "bytes hour hours minute minutes second seconds day days week weeks month months year years time times "
    "instance instances character characters word words line lines"
)
_MADE = frozenset(["made", "performed", "done"])
_MOST_NOUNS = 3
_IN_NOUN = frozenset(["WORD", "AND", "OR"])


@dataclass(frozen=True, slots=True)
class StatedLimit:
    """A limit over several actions: on their number (``times``), or on the sum (``total``).

    ``bound`` and ``count`` are those of "at most 3 times"; ``window`` are the words for the period.
    """

    kind: str
    bound: str = ""
    count: int = 0
    window: str = ""


class _Found(NamedTuple):
    """A limit in a chunk, and the chunk without it."""

    rest: Chunk
    limit: StatedLimit


def limited(skeleton: Skeleton) -> tuple[Skeleton, StatedLimit | None]:
    """The skeleton without its limit over several actions, and that limit.

    Raises UnreadableError for what is about an earlier action.
    """
    skeleton = _of_made(skeleton)
    stated = _of_whole(skeleton) or _in_parts(skeleton)
    skeleton, limit = stated or (skeleton, None)
    if any(map(_is_after_an_act, (*skeleton.chunks, skeleton.condition))):
        raise UnreadableError(NO_PAST, kind="stateful")
    return _spelled(skeleton), limit


def _spelled(skeleton: Skeleton) -> Skeleton:
    condition = spelled(skeleton.condition)
    return replace(
        skeleton,
        chunks=tuple(map(spelled, skeleton.chunks)),
        condition=() if condition == IT_IS else condition,
        exception=spelled(skeleton.exception),
    )


def _of_made(skeleton: Skeleton) -> Skeleton:
    """“At most 3 refunds may be made per day”: the window is moved to the counted things."""
    if skeleton.form not in ("permit", "forbid") or len(skeleton.chunks) != 2:
        return skeleton
    counted_chunk, verb_chunk = skeleton.chunks
    if len(counted_chunk) < 3 or not _bound(counted_chunk[0]) or verb_chunk[:1] != (BE,):
        return skeleton
    window = tuple(word for word in verb_chunk[2:] if word.kind == "WINDOW")
    if len(verb_chunk) != 2 + len(window):
        return skeleton
    if verb_chunk[1].text.lower() in _MADE:
        excess_chunk = (MORE_THAN, *counted_chunk[1:], *window)
        return replace(skeleton, form="forbid_passive", chunks=(excess_chunk,))
    return replace(skeleton, chunks=((*counted_chunk, *window), verb_chunk[:2]))


def _of_whole(skeleton: Skeleton) -> tuple[Skeleton, StatedLimit] | None:
    """“A fourth refund per day is forbidden”, “the total sent per day must not exceed 500 EUR”."""
    first, *other_chunks = skeleton.chunks or ((),)
    texts = [word.text.lower() for word in first]
    if len(first) < 4 or first[-1].kind != "WINDOW":
        return None
    window, inner = first[-1].text, first[2:-1]
    if skeleton.form == "forbid_passive" and texts[0] in ("a", "an", "the") and texts[1] in _ORDINALS:
        limit = StatedLimit("times", "more than", _ORDINALS.index(texts[1]) + 1, window)
        return replace(skeleton, chunks=(inner,)), limit
    if len(other_chunks) == 1 and texts[0] == "the" and texts[1] in ("total", "sum", "overall"):
        bound = (
            without_copula(other_chunks[0][0].text)
            if other_chunks[0] and other_chunks[0][0].kind == "COMPARATOR"
            else ""
        )
        beyond = bound in _EXCEEDS and skeleton.form == "forbid"
        if beyond or (bound == "at most" and skeleton.form == "must"):
            noun_chunk = without_words(inner, ("amount", "of", "all"))
            chunk = (*noun_chunk, OF_MORE_THAN, *other_chunks[0][1:])
            return replace(skeleton, form="forbid_passive", chunks=(chunk,)), StatedLimit(
                "total", window=window
            )
    return None


def _in_parts(skeleton: Skeleton) -> tuple[Skeleton, StatedLimit] | None:
    parts = (*skeleton.chunks, skeleton.condition, skeleton.exception)
    for read in (_times, _things, _total):
        for place, part in enumerate(parts):
            if (stated := read(part)) is not None:
                *chunks, condition, exception = (*parts[:place], stated.rest, *parts[place + 1 :])
                changed = replace(skeleton, chunks=tuple(chunks), condition=condition, exception=exception)
                return changed, stated.limit
    return None


def _bound(word: SentenceWord) -> str:
    text = without_copula(word.text) if word.kind == "COMPARATOR" else ""
    return text if text in _BOUNDS else ""


def _count(word: SentenceWord) -> int | None:
    return int(word.text) if word.kind == "NUMBER" and word.text.isdigit() else None


def _times(chunk: Chunk) -> _Found | None:
    """“At most 3 times”, with or without its window."""
    for place in range(len(chunk) - 2):
        bound, count = _bound(chunk[place]), _count(chunk[place + 1])
        if not bound or count is None or chunk[place + 2].text.lower() not in ("time", "times"):
            continue
        end = place + 3
        window = chunk[end].text if chunk[end : end + 1] and chunk[end].kind == "WINDOW" else ""
        remaining_words = chunk[:place] + chunk[end + bool(window) :]
        return _Found(remaining_words, StatedLimit("times", bound, count, window))
    return None


def _things(chunk: Chunk) -> _Found | None:
    """“At most 3 refunds per day”: the refunds stay, their number and window are removed."""
    for place in range(len(chunk) - 3):
        bound, count = _bound(chunk[place]), _count(chunk[place + 1])
        if not bound or count is None:
            continue
        end = place + 2
        while end < len(chunk) and chunk[end].kind in _IN_NOUN:
            end += 1
        nouns = [word.text.lower() for word in chunk[place + 2 : end]]
        if end == len(chunk) or chunk[end].kind != "WINDOW" or not nouns:
            continue
        if nouns[0] in _MEASURES or nouns[-1] in _MEASURES or (place and len(nouns) > _MOST_NOUNS):
            continue
        remaining_words = (*chunk[:place], *chunk[place + 2 : end], *chunk[end + 1 :])
        return _Found(remaining_words, StatedLimit("times", bound, count, chunk[end].text))
    return None


def _total(chunk: Chunk) -> _Found | None:
    """“At most 1,000 EUR per day”: the amount stays, its window is removed."""
    for end in range(len(chunk) - 1, 1, -1):
        amount, bound = chunk[end - 1], _bound(chunk[end - 2])
        if chunk[end].kind == "WINDOW" and amount.kind in ("MONEY", "NUMBER") and bound not in ("", "only"):
            return _Found(chunk[:end] + chunk[end + 1 :], StatedLimit("total", window=chunk[end].text))
    return None


def _is_after_an_act(chunk: Chunk) -> bool:
    """Whether a chunk has “after” before an act; “24 hours after booking” is a distance in time instead."""
    return any(
        (word.kind, word.text.lower()) == ("COMPARATOR", "after")
        and following.text.lower().endswith("ing")
        and not (place > 1 and chunk[place - 2].kind == "NUMBER")
        for place, (word, following) in enumerate(pairwise(chunk))
    )

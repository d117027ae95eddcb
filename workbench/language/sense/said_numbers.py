"""How a sentence bounds its numbers: by comparisons, by the noun of a limit, by ranges."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

from workbench.language.foreign.cues import Cue, CueAt
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.small_words import ENDS_OF_CLAUSE
from workbench.language.foreign.tokens import ForeignWord
from workbench.language.sense.rule_parts import Part, written_value

_NEAR_NUMBER = 4
"""How many words a comparison and its number are apart at most."""
JOINTS = ENDS_OF_CLAUSE | {"and", "but"}
NEAR = 3
_UPPER = frozenset(("maximum", "max", "maximally", "ceiling", "limit", "limited", "cap", "capped"))
LOWER = frozenset(("minimum", "min", "minimally"))
MORE = frozenset((Cue.MORE, Cue.AT_LEAST))


def is_number(word: ForeignWord) -> bool:
    """Whether a word counts something, or is a time of day."""
    return isinstance(word.literal, Decimal | timedelta) or ":" in word.text[1:]


def _is_amount(word: ForeignWord) -> bool:
    return is_number(word) and word.low != "one"


def number_of(sentence: ForeignSentence, one: CueAt) -> int:
    """The number that a comparison goes with, after it or before it; -1 for "handed over"."""
    after = range(one.after, min(len(sentence.words), one.after + _NEAR_NUMBER))
    before = range(one.first - 1, max(-1, one.first - _NEAR_NUMBER), -1)
    return next((at for at in (*after, *before) if _is_amount(sentence.words[at])), -1)


def is_near(one: CueAt, at: int) -> bool:
    """Whether a cue stands beside a word, or one word apart."""
    return 0 <= at - one.after <= 1 or 0 <= one.first - at - 1 <= 1


def comparisons_at(sentence: ForeignSentence, at: int) -> frozenset[Cue]:
    """How a number is compared by the words beside it."""
    return frozenset(one.cue for one in sentence.comparisons if is_near(one, at))


def limits_at(sentence: ForeignSentence, at: int) -> Iterator[str]:
    """The noun of a limit that goes with a number, behind it or else before it."""
    words = sentence.words
    if words[at + 1 : at + 2] and words[at + 1].low in _UPPER | LOWER:
        yield words[at + 1].low
        return
    for word in reversed(words[max(0, at - _NEAR_NUMBER) : at]):
        if word.literal is not None or word.low in JOINTS:
            return
        if word.low in _UPPER | LOWER:
            yield word.low
            return


def limit_cues_at(sentence: ForeignSentence, at: int) -> Iterator[Cue]:
    """How a number is limited by the noun of a limit."""
    return (Cue.AT_MOST if one in _UPPER else Cue.AT_LEAST for one in limits_at(sentence, at))


def ranges_of(sentence: ForeignSentence) -> Iterator[tuple[int, int]]:
    """The numbers between "from" or "between" and "to" or "and"."""
    words = sentence.words
    for one in words:
        if one.low in ("from", "between"):
            near = [word.number for word in words[one.number + 1 : one.number + 8] if is_number(word)]
            joints = {word.low for word in words[near[0] : near[1]]} if len(near) > 1 else set[str]()
            if not joints.isdisjoint(("to", "and", "till", "until")):
                yield near[0], near[1]


def says_more(sentence: ForeignSentence, part: Part) -> bool | None:
    """Whether a number is said to be what something is more than, or less; None for neither."""
    words = sentence.words
    ends = {
        at: (at == first) is not sentence.negated(first)
        for first, then in ranges_of(sentence) for at in (first, then)
    }  # fmt: skip
    lows = {word.low for at in part.places for word in words[max(0, at - NEAR) : at + 1 + NEAR]}
    cues = {
        cue for at in part.places for cue in (*comparisons_at(sentence, at), *limit_cues_at(sentence, at))
        if cue is not Cue.EXACTLY
    }  # fmt: skip
    if part.places <= ends.keys():
        said = {ends[at] for at in part.places}
    elif isinstance(written_value(part.tree)[2], timedelta) and not lows.isdisjoint(
        ("later", "earlier", "sooner")
    ):
        return _says_later(sentence, part)
    else:
        said = {one in MORE for one in cues}
    return next(iter(said)) if len(said) == 1 else None


def _says_later(sentence: ForeignSentence, part: Part) -> bool | None:
    """Whether a length of time is the least between two times: "no later than a day before the start"."""
    words = sentence.words
    said = set[bool]()
    for at in part.places:
        behind = [word.low for word in words[at + 1 : at + 1 + NEAR]]
        ahead = any(low in ("before", "ahead", "prior") for low in behind)
        if not ahead and not any(low in ("after", "from", "since") for low in behind):
            return None
        said |= {(one in MORE) is not ahead for one in comparisons_at(sentence, at) if one is not Cue.EXACTLY}
    return said.pop() if len(said) == 1 else None

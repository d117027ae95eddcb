"""The phrases of a closed table that cue something: a comparison, a prohibition, a demand, a condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from workbench.language.vocabulary import CUES


class Cue(StrEnum):
    """What a phrase says of the words around it."""

    MORE = ">"
    AT_LEAST = ">="
    LESS = "<"
    AT_MOST = "<="
    EXACTLY = "=="
    FORBID = "forbid"
    REQUIRE = "require"
    PERMIT = "permit"
    ASK = "ask"
    NO_ASK = "without approval"
    ONLY = "only"
    IF = "if"
    UNLESS = "unless"
    NOT = "not"
    AHEAD = "ahead of a time"
    SINCE = "since a time"
    EARLIER = "an earlier call"
    TOTAL = "in total"
    SAME = "the same"
    USER = "the user named it"
    CALLER = "who is logged in"
    GIVEN = "is given"
    MISSING = "is missing"
    EXISTS = "exists"
    LOOKED_UP = "was looked up"
    OR = "or"
    BEGINS = "begins with"
    ENDS = "ends with"
    CONTAINS = "contains"


@dataclass(frozen=True, slots=True)
class CueAt:
    """A cue and the words that it takes: from ``first`` to before ``after``."""

    cue: Cue
    first: int
    after: int

    @property
    def places(self) -> range:
        """The numbers of its words."""
        return range(self.first, self.after)


def _phrases() -> Mapping[str, list[tuple[tuple[str, ...], Cue]]]:
    """The phrases by their first word, the longest first."""
    found: dict[str, list[tuple[tuple[str, ...], Cue]]] = {}
    for cue in Cue:
        for phrase in CUES[cue.name.lower()]:
            words = tuple(phrase.split())
            found.setdefault(words[0], []).append((words, cue))
    return {word: sorted(ones, key=lambda one: -len(one[0])) for word, ones in found.items()}


def inside(one: CueAt, other: CueAt) -> bool:
    """Whether a cue is a part of a longer one."""
    return (
        other.first <= one.first
        and one.after <= other.after
        and other.after - other.first > one.after - one.first
    )


def overlap(one: CueAt, other: CueAt) -> bool:
    """Whether two cues share a word."""
    return one.first < other.after and other.first < one.after


COMPARING = (Cue.MORE, Cue.AT_LEAST, Cue.LESS, Cue.AT_MOST, Cue.EXACTLY)
NORMS = (Cue.FORBID, Cue.REQUIRE, Cue.PERMIT)
PHRASES = _phrases()

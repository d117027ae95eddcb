"""The words of a sentence that is not of the language: their stems, what they count, and what they cue.

Nothing here parses English. A *cue* is a phrase of a closed table: a comparison, a prohibition, a demand, an
approval, a word that begins a condition. Numbers, durations and texts in quotation marks are *literals*.
All other words but the smallest are *content*: what a suggestion should use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import cached_property

from workbench.language.foreign.cued_sentence import CuedSentence
from workbench.language.foreign.cues import Cue, CueAt, inside, overlap
from workbench.language.foreign.norms import Norms
from workbench.language.foreign.roles import Role, Roles
from workbench.language.foreign.small_words import (
    ALL,
    ARTICLES,
    BORDERS,
    CLAUSES,
    CONSENT,
    COPULAS,
    ENDS,
    GOING_ON,
    HAVING,
    LIMITING_BUT,
    MONTH_NAMES,
    NAMED_TIMES,
    NEEDLESS,
    OF_MAIN_CLAUSE,
    PAST,
    PEOPLE,
    PRESENT,
    RELATIVE,
    TELLING,
)
from workbench.language.foreign.tokens import CUE_WEIGHT, ForeignWord

_NEAR_NOUN = 6


@dataclass(frozen=True)
class ForeignSentence(CuedSentence):
    """A sentence with what it forbids, demands, permits and denies, and what its conditions are there for."""

    @cached_property
    def _norms(self) -> Norms:
        return Norms(self)

    @cached_property
    def norm(self) -> CueAt | None:
        """The cue of what the sentence does: forbid, demand, permit; the first outside of conditions."""
        return self._norms.norm

    @cached_property
    def main_norms(self) -> tuple[CueAt, ...]:
        """The cues of a norm that stand in no condition."""
        return self._norms.main_norms

    @cached_property
    def excepted(self) -> frozenset[int]:
        """The words of what is excepted."""
        return self._norms.excepted

    @property
    def norms(self) -> tuple[CueAt, ...]:
        """The cues of a norm outside of conditions, in their order."""
        return self._norms.all_norms

    @cached_property
    def kept(self) -> frozenset[str]:
        """The states that something is said to stay in."""
        return self._norms.kept

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        """What a condition that is named at each word says of a call."""
        return Roles(self, self._norms).roles

    @property
    def is_free(self) -> bool:
        """Whether it says that nobody is asked; "never without asking" says that somebody is."""
        free = next(self.at(Cue.NO_ASK), None)
        norm = self.norm
        return free is not None and (norm is None or norm.cue is not Cue.FORBID or norm.first > free.first)

    @cached_property
    def told(self) -> Mapping[int, str]:
        """The words that tell when something is done or to what, by what begins them: "after it was read".

        They go up to a comma, or to what goes on with the main clause: "that was read is sent". A relative
        clause in the present may be what is decided: "a letter that is sent".
        """
        found: dict[int, str] = {}
        inside, past = "", False
        for number, low in enumerate(self.lows):
            if low in ENDS or low in OF_MAIN_CLAUSE:
                inside = ""
            if low in PRESENT | PAST:
                past = low in PAST
            if inside and (past or inside not in RELATIVE):
                found[number] = inside
            if low in TELLING:
                inside, past = low, False
        return found

    @cached_property
    def described(self) -> frozenset[int]:
        """The words that say how something is in a relative clause: "pupils who are enrolled"."""
        lows = self.lows
        return frozenset(
            number for number in range(2, len(lows))
            if lows[number - 1] in PRESENT | PAST | {"been", "not", "already"}
            and not RELATIVE.isdisjoint(lows[max(0, number - 4) : number - 1])
        )  # fmt: skip

    @property
    def states(self) -> bool:
        """Whether a verb says what something is or does, outside of what only tells which thing is meant."""
        tells = (at for at, low in enumerate(self.lows) if low in TELLING)
        verbs = (at for at, low in enumerate(self.lows) if at and low in COPULAS)
        first = next((at for at in verbs if self.lows[at - 1] not in ARTICLES), None)
        return first is not None and first < next(tells, len(self.words))

    @cached_property
    def alone(self) -> int:
        """The word that says who alone may do something, as the owner in "nobody but the owner"; or -1."""
        cue = next((one for one in self.at(Cue.ONLY) if self.lows[one.after - 1] in ("but", "than")), None)
        if cue is None:
            return -1
        return next((word.number for word in self.words[cue.after :] if word.weight), -1)

    def says_some(self, at: int) -> bool:
        """Whether a noun is one that something must have among others: "must carry an “owner” label"."""
        before = self.lows[max(0, at - _NEAR_NOUN) : at]
        some = max((number for number, low in enumerate(before) if low in ("a", "an", "one")), default=-1)
        if some < 0 or self.has(Cue.ONLY) or not BORDERS.isdisjoint(before[some:]):
            return False
        least = before[max(0, some - 2) : some] == ("at", "least")
        return least or before[some : some + 2] == ("one", "of") or (some > 0 and before[some - 1] in HAVING)

    def _begins_condition(self, one: CueAt) -> bool:
        """Whether "before" or "until" begins a condition, and belongs to no time and no length of time."""
        following = self.words[one.after : one.after + 2]
        if not following or following[0].low != "the":
            following = following[:1]
        if self.asks or any(":" in word.text or isinstance(word.literal, Decimal) for word in following):
            return False
        if not following or following[0].low in MONTH_NAMES | NAMED_TIMES:
            return False
        before = self.words[max(0, one.first - 3) : one.first]
        return not any(isinstance(word.literal, timedelta) for word in before)

    @property
    def has_limits(self) -> bool:
        """Whether it says in which cases it holds; a person's approval is none of them."""
        if not self.asks:
            return bool(self.wanting) or self.has(Cue.IF, Cue.ONLY)
        asked = {at for one in self.at(Cue.ASK) for at in one.places}
        follow = {at for one in (*self.wanting, *self.at(Cue.IF)) for at in self.what_follows(one)}
        return bool(self.only) or any(
            self.words[at].weight and self.words[at].low not in CONSENT | PEOPLE for at in follow - asked
        )

    @property
    def only(self) -> list[CueAt]:
        """What says that something is all; "only deploy with an approval" asks where one deploys.

        "Only to Rome, unless I approve" asks where it is not to Rome; "…, and only if I approve" where it is.
        """
        every = [one for one in self.at(Cue.ONLY) if self.norm is None or not inside(one, self.norm)]
        if not self.asks or self.has(Cue.NO_ASK):
            return every
        consents = [word.number for word in self.words if word.low in CONSENT]
        asked = max((*consents, *(one.first for one in self.at(Cue.ASK))), default=-1)
        unless = [
            one.first for one in self.wanting
            if one.first < asked
            and (self.lows[one.first] != "only" or self.lows[max(0, one.first - 1)] not in ("and", "but"))
        ]  # fmt: skip
        return [one for one in every if any(one.first < first for first in unless)]

    def says_which(self, at: int) -> bool:
        """Whether a word says which things a demand is about: "confidential documents", "every oral dose"."""
        demands = self.norm is None or self.norm.cue is Cue.REQUIRE
        if not demands or self.has(Cue.ONLY, Cue.UNLESS) or at + 1 >= len(self.words):
            return False
        follows = self.words[at + 1]
        if not follows.weight or follows.literal is not None or self.words[at].literal is not None:
            return False
        before = self.lows[at - 1] if at else ""
        begins = self.norm is None and not any(word.weight for word in self.words[:at])
        return begins or before in ALL - {"no"}

    @cached_property
    def limited_at(self) -> int:
        """Where a permission is limited: at the "but" of "may pay from savings, but not more than 300"."""
        norm = self.norm
        if norm is None or norm.cue is not Cue.PERMIT or self.asks:
            return -1
        every = range(norm.after, len(self.words) - 1)
        ifs = {one.first for one in self.at(Cue.IF)}
        found = (
            at for at in every
            if self.lows[at] == "but" and self.lows[at + 1] in LIMITING_BUT and at + 2 not in ifs
        )  # fmt: skip
        return next(found, -1)

    @cached_property
    def ended(self) -> frozenset[int]:
        """The words of what ends a permission: after the "until" of "may be changed until it is shipped"."""
        norm = self.norm
        if norm is None or norm.cue is not Cue.PERMIT or self.asks:
            return frozenset()
        found: set[int] = set()
        for one in self.at(Cue.UNLESS):
            if self.words[one.first].low in ("before", "until") and self._begins_condition(one):
                ends = (at for at in range(one.after, len(self.words)) if self.lows[at] in BORDERS)
                found.update(range(one.after, next(ends, len(self.words))))
        return frozenset(found)

    @cached_property
    def needless(self) -> frozenset[int]:
        """The words of what need not be so: after "needs no", "does not have to be"."""
        norm = self.norm
        if norm is None or norm.cue is not Cue.PERMIT or self.lows[norm.first] not in NEEDLESS:
            return frozenset()
        ends = (at for at in range(norm.after, len(self.words)) if self.lows[at] in BORDERS | {"to"})
        return frozenset(range(norm.after, next(ends, len(self.words))))

    @cached_property
    def wanting(self) -> tuple[CueAt, ...]:
        """The cues that begin what is wanted, or excepted: "unless", and "without" where it limits."""
        orders = self.norm is None and self.words[0].stem in {words[0] for words in self.doing if words}
        permits = orders or (self.norm is not None and self.norm.cue is Cue.PERMIT)
        return tuple(
            one for one in self.at(Cue.UNLESS)
            if one.first not in self.as_long_as | self.ahead_of
            and (
                self.words[one.first].low not in ("before", "until", "without")
                or (
                    self._begins_condition(one)
                    and not (self.lows[one.first] == "without" and (permits or self._is_alone(one.first)))
                )
            )
        )  # fmt: skip

    def _is_alone(self, at: int) -> bool:
        """Whether "only", "unless" or "be" stands before a "without", or an "only" ends the sentence."""
        last = next((one.first for one in self.at(Cue.ONLY) if one.first > at), 0)
        ends = last and not any(word.weight for word in self.words[last + 1 :])
        return (
            bool(ends)
            or self.lows[at - 1] == "be"
            or any(
                one.first < at and not any(low in BORDERS for low in self.lows[one.first + 1 : at])
                for one in self.at(Cue.ONLY, Cue.UNLESS)
                if one.cue is Cue.ONLY or self.lows[one.first] in ("unless", "except")
            )
        )

    @cached_property
    def as_long_as(self) -> frozenset[int]:
        """Where "as long as" says when something is forbidden, and not when it is allowed."""
        forbids = self.norm is not None and self.norm.cue is Cue.FORBID
        return frozenset(
            one.first for one in self.at(Cue.UNLESS)
            if forbids and self.lows[one.first : one.after] == ("as", "long", "as")
        )  # fmt: skip

    @cached_property
    def ahead_of(self) -> frozenset[int]:
        """Where "before" says when what is demanded must be so: "must be signed before it is uploaded"."""
        demands = self.norm is not None and self.norm.cue is Cue.REQUIRE and not self.asks
        return frozenset(
            one.first for one in self.at(Cue.UNLESS)
            if demands and self.lows[one.first] == "before" and self._begins_condition(one)
        )  # fmt: skip

    @cached_property
    def content(self) -> tuple[ForeignWord, ...]:
        """The words that a suggestion should use: all but those that say of which form it is."""
        return tuple(word for word in self.words if word.weight > 0 and word.number not in self._formal)

    @cached_property
    def weights(self) -> Mapping[int, float]:
        """What using each word of content is worth; a part of a comparison is worth as much as a cue."""
        compared = {number for one in self.comparisons for number in one.places}
        return {
            word.number: min(word.weight, CUE_WEIGHT) if word.number in compared else word.weight
            for word in self.content
        }

    def worth_of(self, number: int) -> float:
        """What it is worth to use a word."""
        return self.weights.get(number, 0.1)

    @cached_property
    def _formal(self) -> frozenset[int]:
        """The words that forbid, demand, permit, ask for an approval, or begin a condition."""
        cues = [
            *self.at(Cue.ONLY, Cue.IF, Cue.ASK, Cue.NO_ASK),
            *([self.norm] if self.norm is not None else []),
        ]
        found = {number for one in cues for number in one.places}
        if self.asks:
            found |= {word.number for word in self.words if word.low in CONSENT | PEOPLE}
            found |= {number for one in self.at(Cue.REQUIRE) for number in one.places}
        return frozenset(found)

    def denied(self, at: int) -> bool:
        """Whether the word before this one, or the one before that, is a plain "not"."""
        taken = () if self.norm is None else range(self.norm.first, self.norm.after)
        return any(
            word.low in ("not", "never", "without") or word.low.endswith("n't")
            for word in self.words[max(0, at - 2) : at]
            if word.number not in taken
        )

    def negated(self, at: int, before: int = 3) -> bool:
        """Whether a word before this one negates it that neither forbids nor compares."""
        return self.negation(at, before) is not None

    def negation(self, at: int, before: int = 3) -> CueAt | None:
        """What negates a word, a few words before it; what forbids or compares is none.

        Nor is the "nor" of what goes on with a prohibition.
        """
        norms = [
            one for one in self.main_norms
            if one.cue is Cue.FORBID
            and (one.after - one.first > 1 or (one.first and self.lows[one.first - 1] in CLAUSES))
        ]  # fmt: skip
        taken = [
            *self.comparisons,
            *norms,
            *self.at(Cue.ONLY),
            *([self.norm] if self.norm is not None else []),
        ]
        forbids = self.norm is not None and self.norm.cue is Cue.FORBID
        for one in self.at(Cue.NOT):
            near = at - before <= one.first < at and not (forbids and self._goes_on_forbidding(one.first))
            near = near and not any(overlap(one, other) for other in self.wanting)
            near = near and self.lows[one.after : one.after + 1] != ("even",)  # "not even" denies nothing
            if near and not any(inside(one, other) or one.first == other.first for other in taken):
                if any(self.words[n].low in (",", ";", "and", "or", "but") for n in range(one.after, at)):
                    continue
                if self.norm is not None and one.first < self.norm.first < at:
                    continue  # "everybody but clerks may read it"
                return one
        return None

    def forbids(self, at: int) -> bool:
        """Whether a word is one that forbids, as the "no" of "gets no discount", which then lacks nothing."""
        norm = self.norm
        return norm is not None and norm.cue is Cue.FORBID and norm.first <= at < norm.after

    def denials_around(self, cue: CueAt) -> frozenset[int]:
        """What denies the clause of a cue, before the cue or after it: "that the user did not name"."""
        first = cue.first
        while first > max(0, cue.first - 3) and self.words[first - 1].low not in BORDERS:
            first -= 1
        last = cue.after
        while last < min(len(self.words), cue.after + 4) and self.words[last].low not in BORDERS:
            last += 1
        taken = [*self.comparisons, *self.wanting, *([self.norm] if self.norm is not None else [])]
        return frozenset(
            one.first
            for one in self.at(Cue.NOT)
            if first <= one.first < last and not any(overlap(one, other) for other in taken)
        )

    @cached_property
    def negations(self) -> frozenset[int]:
        """The words that negate something, and do not say which form the sentence has, or compare.

        A "nor" goes on with what a "neither" forbids or denies.
        """
        formal = (
            *self.main_norms,
            *self.comparisons,
            *self.at(Cue.ONLY, Cue.IF, Cue.UNLESS, Cue.ASK, Cue.NO_ASK),
        )
        other = {number for one in formal for number in one.places} | self._formal
        free = (one.first for one in self.at(Cue.NOT) if one.first not in other)
        forbids = self.norm is not None and self.norm.cue is Cue.FORBID
        return frozenset(
            number for number in free
            if self.words[number].low != "nor" and not (forbids and self._goes_on_forbidding(number))
        )  # fmt: skip

    def _goes_on_forbidding(self, at: int) -> bool:
        """Whether a word goes on with what is forbidden: "nor", "so no euros", "and neither does"."""
        goes_on = self.lows[at] in ("no", "neither") and self.lows[max(0, at - 1)] in GOING_ON
        return self.lows[at] == "nor" or (goes_on and self.norm is not None and self.norm.first < at)

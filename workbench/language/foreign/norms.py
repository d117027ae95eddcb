"""What a foreign sentence does: it forbids, demands or permits; and what is excepted from that."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from itertools import pairwise

from workbench.language.foreign.cued_sentence import CuedSentence
from workbench.language.foreign.cues import NORMS, PHRASES, Cue, CueAt, inside, overlap
from workbench.language.foreign.small_words import (
    ALL,
    BORDERS,
    CLAUSES,
    CONTRASTS,
    COPULAS,
    DEMANDING,
    DENIALS,
    DOING,
    ENDS,
    EXCEPTING,
    HELD,
    KEEPING,
    LEADING,
    MODALS,
    PAST,
    PLACES,
    PREPOSITIONS,
    PRESENT,
    PRONOUNS,
    RELATIVE,
    STATES_KEPT,
    STAYING,
    VERBS,
)
from workbench.language.foreign.stems import denied_part

_NEAR_WHICH = 4
_IMPOSSIBLE = re.compile(r"(?:un(?!der)|in(?!ter)|im|ir|il|non-?)\w{3,}[ai]ble")


@dataclass(frozen=True)
class Norms:
    """Finds what a sentence forbids, demands or permits, outside of its conditions."""

    sentence: CuedSentence

    @cached_property
    def all_norms(self) -> tuple[CueAt, ...]:
        """The cues of a norm outside of conditions, in their order; "must not" is not "must".

        What is demanded of at most so many is permitted of them.
        """
        ones = [self._permitted(one) for one in self.sentence.cues if one.cue in NORMS]
        alone = [one for one in ones if not any(inside(one, other) for other in ones)]
        taken = [*self.sentence.comparisons, *self.sentence.at(Cue.ONLY, Cue.NO_ASK)]
        free = [one for one in alone if not any(inside(one, other) for other in taken)]
        free = [
            one
            for one in free
            if self.sentence.lows[one.after - 1] != "no"
            or not any(other.first == one.after - 1 for other in self.sentence.comparisons)
        ]  # "there are no more than two"
        staying = [
            one
            for at, _ in enumerate(self.sentence.words)
            if (one := self.staying(at) or self._excessive(at) or self._impossible(at)) is not None
        ]
        return tuple(
            sorted(
                (
                    *staying,
                    *(
                        one for one in free
                        if not any(overlap(one, other) for other in staying)
                        and not self._relative(one) and not self._is_done(one)
                        and not self._is_lacking(one)
                    ),
                ),
                key=lambda one: one.first,
            )
        )  # fmt: skip

    def _permitted(self, one: CueAt) -> CueAt:
        """What demands as what permits after a limit that begins a clause: "not more than 3 shall be"."""
        is_limited = one.cue is Cue.REQUIRE and any(
            limit.cue is Cue.AT_MOST
            and limit.after < one.first
            and (not limit.first or self.sentence.lows[limit.first - 1] in ENDS)
            for limit in self.sentence.comparisons
        )
        return replace(one, cue=Cue.PERMIT) if is_limited else one

    def staying(self, at: int) -> CueAt | None:
        """That something stays as it is, which forbids what changes it: "must stay closed"."""
        if self.sentence.words[at].low not in STAYING or at + 1 >= len(self.sentence.words):
            return None
        done = self.sentence.lows[at + 1].endswith("ed") and self.sentence.lows[at + 2 : at + 3] in (
            ("off",),
            ("on",),
        )
        last = at + 1 + done  # "stays switched off"
        state = self.sentence.lows[last]
        if self.sentence.lows[at] in KEEPING and state in HELD and at and not self._modal_before(at):
            return CueAt(Cue.FORBID, at, at + 1)  # "guests keep the room that they have"
        if state == "for" and self._is_length_ahead(last):
            return CueAt(Cue.FORBID, at, last)  # "is kept for 10 years after it was closed"
        if state in PLACES and any(number > at for number in self.sentence.numbers):
            return None  # "stays in the range of 18 to 22"
        if state == "open" and any(
            one.cue is Cue.AT_MOST and one.first > at for one in self.sentence.comparisons
        ):
            return None  # "stays open 10 minutes at most"
        if state not in STATES_KEPT | PLACES and not denied_part(state):
            return None
        first = at
        while first and self.sentence.words[first - 1].low in DEMANDING:
            first -= 1
        return CueAt(Cue.FORBID, first, last + 1)

    def _is_length_ahead(self, at: int) -> bool:
        """Whether a length of time follows that something begins."""
        words = self.sentence.words[at + 1 : at + 3]
        return (
            len(words) > 1 and isinstance(words[0].literal, timedelta) and words[1].low in ("after", "from")
        )

    def _modal_before(self, at: int) -> bool:
        return not MODALS.isdisjoint(self.sentence.lows[:at])

    def _excessive(self, at: int) -> CueAt | None:
        """That something is too much for what is done with it: "too stale for the public channel"."""
        is_so = self.sentence.lows[at] == "too" and self.sentence.lows[at + 2 : at + 3] in (("for",), ("to",))
        return CueAt(Cue.FORBID, at, at + 2) if is_so else None

    def _impossible(self, at: int) -> CueAt | None:
        """That something cannot be done, in one word: "are immutable", "is non-refundable"."""
        low = self.sentence.lows[at]
        is_so = (
            at and self.sentence.lows[at - 1] in PRESENT and low not in PHRASES and _IMPOSSIBLE.fullmatch(low)
        )
        return CueAt(Cue.FORBID, at, at + 1) if is_so else None

    def _relative(self, one: CueAt) -> bool:
        """Whether a cue denies what a thing is told by, not what is done: "that the user never named"."""
        before = self.sentence.lows[max(0, one.first - 3) : one.first]
        told_by = max((number for number, low in enumerate(before) if low in RELATIVE), default=len(before))
        is_over = any(low in PRESENT | PAST for low in before[told_by + 1 : -1])  # "who has left cannot"
        if one.after - one.first == 1 and (
            before[-2:] == ("the", "user") or (told_by < len(before) and not is_over)
        ):
            return True
        if one.cue is Cue.FORBID and before[-1:] and self._tells_of_thing(one, before):
            return True
        lead = self.sentence.lows[max(0, one.first - _NEAR_WHICH) : one.first]
        if (
            not RELATIVE.isdisjoint(lead)
            and CLAUSES.isdisjoint(lead)
            and any(
                other.cue is Cue.FORBID and one.after <= other.first <= one.after + 1
                for other in self.sentence.cues
            )
        ):
            return True  # "for which it isn't allowed are left alone"
        told = before[-1:] and (before[-1] in RELATIVE or self.sentence.lows[one.first] == "nobody")
        return bool(told) and any(
            other.cue in NORMS and other.first >= one.after and before[-1] not in CLAUSES
            for other in self.sentence.cues
        )

    def _tells_of_thing(self, one: CueAt, before: tuple[str, ...]) -> bool:
        """Whether what forbids tells of which thing: "who is blocked", "somebody we have banned"."""
        relative = before[-1] in RELATIVE and self.sentence.lows[one.first] in PRESENT | PAST | DOING
        done = before[-1] in PAST and self.sentence.lows[one.first].endswith("ed")
        said = (
            before[-1:]
            if self.sentence.lows[one.first] in DOING and self._conditional(one.first)
            else before[-2:-1]
        )
        own = bool(said) and said[0] in PRONOUNS | {"i"}
        return relative or (own and (done or said == before[-1:]))

    @cached_property
    def kept(self) -> frozenset[str]:
        """The states that something is said to stay in."""
        return frozenset(
            self.sentence.lows[one.after - 1]
            for at, _ in enumerate(self.sentence.words)
            if (one := self.staying(at)) is not None
        )

    def _is_lacking(self, one: CueAt) -> bool:
        """Whether a cue says that something is not there in a condition: "unless there is no note"."""
        is_there = self.sentence.lows[one.first].startswith("there")
        is_neither = self.sentence.lows[one.after - 1] == "neither"
        is_told = is_neither and not RELATIVE.isdisjoint(
            self.sentence.lows[max(0, one.first - 1) : one.first]
        )
        is_nobody = self.sentence.lows[one.first] == "nobody" and any(
            self._ends_of(one.first) < other.first for other in self.sentence.at(Cue.NOT)
        )
        return is_told or (
            (is_there or is_neither or is_nobody)
            and (one.first in self.excepted or self._conditional(one.first))
        )

    def _ends_of(self, at: int) -> int:
        """Where the clause of a word ends."""
        every = range(at, len(self.sentence.words))
        return next(
            (number for number in every if self.sentence.lows[number] in ENDS), len(self.sentence.words)
        )

    def _denies_phrase(self, at: int) -> bool:
        """Whether a "not" denies what a noun has, and not what is done: "letters not to Rome"."""
        is_noun = (
            at > 0 and self.sentence.words[at - 1].weight >= 1 and self.sentence.lows[at - 1] not in COPULAS
        )
        joint = at - (self.sentence.lows[at - 1] in ("and", "but")) if at else 0
        if joint and self.sentence.lows[joint - 1] == "," and self.sentence.lows[at : at + 2] in CONTRASTS:
            return True  # "… is their own, and not the one that was used"
        return (
            is_noun
            and self.sentence.lows[at] == "not"
            and self.sentence.lows[at + 1 : at + 2] in PREPOSITIONS
        )

    def _is_done(self, one: CueAt) -> bool:
        """Whether what would forbid is what a tool does: "cards are blocked" where a tool blocks cards."""
        own = {self.sentence.words[number].stem for number in one.places}
        stems = {word.stem for word in self.sentence.words}
        return one.cue is Cue.FORBID and any(
            words[0] in own and len(words) > 1 and stems.issuperset(words) for words in self.sentence.doing
        )

    @cached_property
    def norm(self) -> CueAt | None:
        """The cue of what the sentence does: forbid, demand, permit; the first outside of conditions."""
        plain = [one for one in self.all_norms if one.first not in self.excepted or 0 in self.excepted]
        outside = [one for one in plain if not self._conditional(one.first)]
        first = next(iter(outside or plain), None)
        if first is not None and first.cue is Cue.REQUIRE:
            first = next((one for one in outside if self._goes_on(first, one)), first)
        if first is not None and self.sentence.words[first.first].low == "always":
            first = next((one for one in outside if one.cue is Cue.PERMIT), first)
        begins = self.sentence.words[0].low if self.sentence.words else ""
        if begins == "no" and (then := self._then_no) is not None:
            return CueAt(Cue.FORBID, then, then + 1)
        if begins in LEADING and (then := self._then_no) is not None and not self._compares(then):
            return CueAt(Cue.FORBID, then, then + 1)
        if begins in ("no", "none", "neither", "not") and not self._compares(0):
            return CueAt(Cue.FORBID, 0, 1)
        if first is None or (first.cue is Cue.REQUIRE and self._conditional(first.first)):
            only = list(self.sentence.at(Cue.ONLY))
            if any(map(self.excludes, only)):
                return first
            denied = [
                one
                for one in self.sentence.at(Cue.NOT)
                if not any(one.first == other.first for other in (*only, *self.sentence.at(Cue.NO_ASK)))
                and self.sentence.words[one.first].low in DENIALS
                and not self._conditional(one.first)
                and one.first not in self.excepted
                and not self._denies_phrase(one.first)
                and not any(
                    word.low in RELATIVE for word in self.sentence.words[max(0, one.first - 2) : one.first]
                )
                and "whose" not in self.sentence.lows[max(0, one.first - 3) : one.first]
                and not self._tells_who(one.first)
            ]
            free = [
                one
                for one in denied
                if not any(
                    inside(one, other) or one.first == other.first for other in self.sentence.comparisons
                )
            ]
            if free:
                return CueAt(Cue.FORBID, free[-1].first, free[-1].after)
        return first

    def _tells_who(self, at: int) -> bool:
        """Whether a word tells who is meant: "whoever does not live here"."""
        return (
            self.sentence.lows[:1] != ()
            and self.sentence.lows[0].startswith("whoever")
            and not any(low in BORDERS for low in self.sentence.lows[:at])
        )

    @cached_property
    def main_norms(self) -> tuple[CueAt, ...]:
        """The cues of a norm that stand in no condition."""
        return tuple(one for one in self.all_norms if not self._conditional(one.first))

    def _goes_on(self, demand: CueAt, one: CueAt) -> bool:
        """Whether what demands is what forbids: "shall in no case", "has to refrain"."""
        return one.cue is Cue.FORBID and demand.after <= one.first <= demand.after + 1

    def _compares(self, at: int) -> bool:
        """Whether a "no" begins what compares, excludes others or needs no approval: "no more than"."""
        return any(
            one.first == at for one in (*self.sentence.comparisons, *self.sentence.at(Cue.ONLY, Cue.NO_ASK))
        )

    @cached_property
    def _then_no(self) -> int | None:
        """The "no" after a comma: what is lacking or excepted stands before it in "no reason, no refund"."""
        pairs = pairwise(self.sentence.lows)
        return next((at for at, pair in enumerate(pairs, start=1) if pair == (",", "no")), None)

    @cached_property
    def excepted(self) -> frozenset[int]:
        """The words of exceptions: from "unless" to the end, or to the comma where it begins the sentence."""
        found: set[int] = set()
        for one in self.sentence.at(Cue.UNLESS):
            if not self.excepts(one):
                continue
            last = self.sentence.end_of_leading(one) if one.first == 0 else len(self.sentence.words)
            limits = (at for at in self.after_exceptions if at > one.first)
            found.update(range(one.first, min(last, min(limits, default=last))))
        return frozenset(found)

    def excepts(self, one: CueAt) -> bool:
        """Whether what begins a condition says that it is an exception: "unless", "with the exception of"."""
        return not EXCEPTING.isdisjoint((self.sentence.lows[one.first], self.sentence.lows[one.after - 2]))

    @cached_property
    def after_exceptions(self) -> frozenset[int]:
        """Where a comparison goes on with the sentence: "any room except the hall above 20 degrees"."""
        every = ALL - {"no"}
        verbs = {
            next(
                (
                    at
                    for at in range(one.after + 1, len(self.sentence.words))
                    if self.sentence.lows[at] in VERBS
                ),
                -1,
            )
            for one in self.sentence.at(Cue.UNLESS)
            if one.first
            and self.sentence.words[one.first].low in ("except", "apart")
            and 1 <= one.first <= 3
            and one.after not in {each.first for each in self.sentence.at(Cue.IF)}
        }  # "everything except economy is refused"
        return frozenset(verbs - {-1}).union(
            other.first
            for one in self.sentence.at(Cue.UNLESS)
            if self.excepts(one)
            and self.sentence.lows[one.first] != "unless"
            and self.sentence.lows[one.after : one.after + 1] not in (("those",), ("ones",))
            and every.intersection(self.sentence.lows[max(0, one.first - 3) : max(0, one.first - 1)])
            for other in self.sentence.comparisons
            if 1 < other.first - one.after <= 3
        )

    def excludes(self, one: CueAt) -> bool:
        """Whether "nowhere else" says that what stands before it is all."""
        return self.sentence.words[one.after - 1].low == "else"

    def _conditional(self, at: int) -> bool:
        """Whether a word stands in a condition that an "if" begins, up to the next comma."""
        inside = False
        for number in range(at):
            if any(one.first == number and one.cue is Cue.IF for one in self.sentence.cues):
                inside = True
            if self.sentence.words[number].low in ENDS:
                inside = False
        return inside

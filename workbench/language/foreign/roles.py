"""What a condition says by its place in a sentence: which call is meant, what is bad, what is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.language.foreign.cues import Cue, CueAt, inside
from workbench.language.foreign.norms import Norms
from workbench.language.foreign.small_words import (
    ARTICLES,
    BEHIND,
    BORDERS,
    CAPS,
    CLAUSES,
    COPULAS,
    DURING,
    ENDS,
    ENDS_OF_CLAUSE,
    GO_BY,
    LIMITING,
    PER,
    PREDICATIVE,
    PREPOSITIONS,
    PRESENT,
    SOME,
)
from workbench.language.foreign.tokens import ForeignWord

if TYPE_CHECKING:
    from workbench.language.foreign.sentence import ForeignSentence


_NEAR_PER = 4


class Role(StrEnum):
    """What a condition says by its place in a sentence: which call, what is bad, what is wanted."""

    GUARD = "guard"
    BAD = "bad"
    GOOD = "good"


@dataclass(frozen=True)
class Roles:
    """Finds what a condition that is named at a word of a sentence says of a call."""

    sentence: ForeignSentence
    norms: Norms

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        """What a condition that is named at each word says of a call."""
        norm = self.sentence.norm
        free = self.sentence.only
        only = [
            one for one in free
            if any(word.weight for word in self.sentence.words[one.after :])
            and not self._ends_clause(one) and not self.norms.excludes(one)
        ]  # fmt: skip
        last = len(only) < len(free)
        kind = norm.cue if norm is not None else None
        unless = self.sentence.wanting
        said_of = max(self._said_at, self._before_only(free[-1])) if last else self._said_at
        after_norm = norm.first if norm is not None else -1
        asks = self.sentence.asks
        limit = self.sentence.limited_at
        then = self._demanded_then
        wanted_alone = self._needed or self._of_only(only)

        def own(at: int) -> Role:
            """The role of a word outside of conditions."""
            if wanted_alone:
                return Role.GOOD if at in wanted_alone else Role.GUARD
            if at < max(after_norm, limit) or (norm is None and at < said_of):
                return Role.GUARD
            demanded = any(after_norm < first <= at for first in then)
            return (
                Role.BAD
                if (kind is Cue.FORBID and not last and not demanded) or (asks and not last)
                else Role.GOOD
            )

        ifs = self._ifs
        limited_to = {at for one in only if one.first for at in (one.after, one.after + 1)}
        wanted = {one.first for one in unless} | (ifs & limited_to)  # "only when", "only changed when"
        leading = next((self.sentence.end_of_leading(one) for one in unless if not one.first), 0)
        as_permitted = kind is Cue.PERMIT and not asks
        found: list[Role] = []
        segment: Role | None = None
        for at, word in enumerate(self.sentence.words):
            if word.low in ENDS and (segment is Role.GUARD or (0 in wanted and at >= leading)):
                segment = None
            if at in self.norms.after_exceptions | self._alternatives or (0 in wanted and at == leading):
                segment = None
            if at in ifs:
                segment = Role.GOOD if as_permitted and at > after_norm else Role.GUARD
            if at in wanted:
                segment = Role.GOOD
            marks = ENDS_OF_CLAUSE.intersection(self.sentence.lows[at : max(at, after_norm)])
            behind = ENDS_OF_CLAUSE.intersection(self.sentence.lows[max(0, after_norm) : at])
            apart = kind is None or (kind is Cue.FORBID and bool(marks or (behind and self._is_capped(at))))
            limited = (
                segment is None and apart and (self._is_limit(at) or (kind is None and self._is_once(at)))
            )
            limited = limited or self._has_to_pass(at)
            found.append(Role.GOOD if limited or self._is_kept(at) else segment or own(at))
        return tuple(found)

    def _of_only(self, only: Sequence[CueAt]) -> range:
        """The words of what is all that is allowed: up to the "may" in "only owners may open it"."""
        if not only:
            return range(0)
        if self.sentence.norm is not None and only[0].first < self.sentence.norm.first:
            return range(only[0].first, self.sentence.norm.first)
        return range(only[0].first + 1, len(self.sentence.words))

    @property
    def _ifs(self) -> frozenset[int]:
        """Where a condition begins that says which calls are meant; "except when" is no "when"."""
        excepts = {
            one.after for one in self.sentence.at(Cue.UNLESS) if self.norms.excepts(one)
        }  # "except where"
        plain = (
            one.first for one in self.sentence.at(Cue.IF)
            if one.first not in excepts and not any(inside(one, other) for other in self.sentence.wanting)
        )  # fmt: skip
        return frozenset(plain) | self.sentence.as_long_as | self.sentence.ahead_of

    @property
    def _demanded_then(self) -> list[int]:
        """What a clause behind a prohibition demands: "no chat — the reason must be given"."""
        norm = self.sentence.norm
        return [
            one.first for one in self.norms.all_norms
            if one.cue is Cue.REQUIRE and norm is not None and norm.cue is Cue.FORBID
            and self._begins_clause(one.first, norm.first)
        ]  # fmt: skip

    @cached_property
    def _needed(self) -> range:
        """The words of what is needed, where it is said for what: "a note is required for transfers".

        It is also what "must be stated for transfers" demands, where transfers are what is sent.
        """
        norm = self.sentence.norm
        if norm is None or norm.cue is not Cue.REQUIRE or self.sentence.asks or self.sentence.has(Cue.ONLY):
            return range(0)
        if self.sentence.lows[max(0, norm.first - 2)] == "it" and self.sentence.lows[
            norm.after : norm.after + 1
        ] == ("that",):
            return range(norm.after, len(self.sentence.words))  # "it is necessary that there is a note"
        if (
            self.sentence.lows[norm.first] in PREDICATIVE
            and self.sentence.lows[max(0, norm.first - 1)] in PRESENT
        ):
            begins = (
                at for at in range(norm.first - 2, -1, -1)
                if self.sentence.lows[at] in ENDS_OF_CLAUSE or self.sentence.lows[at] in ARTICLES
            )  # fmt: skip
            return range(next(begins, 0), norm.first)
        doing = {word for words in self.sentence.doing for word in words}
        for at in range(norm.after, len(self.sentence.words)):
            following = next((word for word in self.sentence.words[at + 1 :] if word.weight), None)
            between = any(word.weight for word in self.sentence.words[norm.after : at])
            if (
                self.sentence.lows[at] == "for"
                and between
                and following is not None
                and following.stem in doing
            ):
                return range(norm.first, at)
        return range(0)

    @cached_property
    def _said_at(self) -> int:
        """Where it is said of something what it is or does, in a sentence that says no "must"."""
        colon = next((word.number for word in self.sentence.words if word.low == ":"), -1)
        either = bool(self.sentence.words) and self.sentence.words[0].low == "either"
        verb = (
            -1
            if either
            else next((word.number for word in self.sentence.words[1:] if self._is_said(word)), -1)
        )
        return max(colon, verb)

    def _is_kept(self, at: int) -> bool:
        """Whether a word says how something has to stay: "stays private"."""
        is_new = all(self.sentence.words[at].stem != word.stem for word in self.sentence.words[:at])
        return at > 0 and is_new and self.norms.staying(at - 1) is not None

    def _ends_clause(self, one: CueAt) -> bool:
        """Whether an "only" stands behind what is all, and an exception follows: "to Rome only, unless …"."""
        follows = self.sentence.lows[one.after : one.after + 2]
        return self.sentence.asks and follows[:1] == (",",) and follows[1:] in (("unless",), ("except",))

    def _before_only(self, one: CueAt) -> int:
        """Where the phrase begins that an "only" behind it is about: "travel in a box only"; or -1."""
        near = (at for at in range(one.first - 1, -1, -1) if self.sentence.lows[at : at + 1] in PREPOSITIONS)
        return -1 if one.after - one.first > 1 else next(near, -1)

    @cached_property
    def _alternatives(self) -> frozenset[int]:
        """Where "or", "and" or "nor" goes on with the noun of before: "letters … or letters to Rome"."""
        return frozenset(
            at for at, low in enumerate(self.sentence.lows)
            if low in ("or", "and", "nor")
            and self._is_repeated(at + 1 + (self.sentence.lows[at + 1 : at + 2] in SOME))
        )  # fmt: skip

    def _is_repeated(self, at: int) -> bool:
        """Whether a word is a noun that stands before too, and owns nothing."""
        word = self.sentence.words[at] if at < len(self.sentence.words) else None
        return word is not None and word.weight > 0 and not word.low.endswith("'s") and any(
            word.stem == one.stem for one in self.sentence.words[: at - 1])  # fmt: skip

    def _is_said(self, word: ForeignWord) -> bool:
        """Whether a word is the verb of what stands before it, and not that of an empty "it is"."""
        return word.low in COPULAS and (word.number > 1 or self.sentence.words[0].weight > 0)

    def _begins_clause(self, at: int, start: int) -> bool:
        """Whether a norm after the first is one of another clause: "no chat — the reason must be given"."""
        return any(word.low in CLAUSES for word in self.sentence.words[max(0, start) : at])

    def _is_once(self, at: int) -> bool:
        """Whether a word says that something is done one time in each of some cases: "once per run"."""
        return self.sentence.lows[at] == "once" and self.sentence.lows[at + 1 : at + 2] in (
            ("per",), ("a",), ("an",), ("each",), ("every",), ("in",),
        )  # fmt: skip

    def _has_to_pass(self, at: int) -> bool:
        """Whether a length of time is one that must have gone by: "at least 56 days must have passed"."""
        norm = self.sentence.norm
        if (
            norm is None
            or norm.cue is not Cue.REQUIRE
            or not isinstance(self.sentence.words[at].literal, timedelta)
        ):
            return False
        then = self.sentence.lows[norm.after : norm.after + _NEAR_PER]
        return (
            at < norm.first
            and not GO_BY.isdisjoint(then)
            and not BORDERS - {"must"} & {*self.sentence.lows[at : norm.first]}
        )

    def _is_capped(self, at: int) -> bool:
        """Whether something is said to be limited to a number: "students are limited to 4 hours"."""
        lows = self.sentence.lows
        return any(
            one.cue is Cue.AT_MOST and 0 <= at - one.after <= 1 and lows[one.first - 1] in PRESENT
            for one in self.sentence.comparisons if one.first
        )  # fmt: skip

    def _is_asked_of(self, one: CueAt) -> bool:
        """Whether a person is asked of what a comparison says: "approval for stays of at most 20 days"."""
        asked = (each.after for each in self.sentence.at(Cue.ASK) if each.after <= one.first)
        first = next(asked, one.first)
        apart = first == one.first or not ENDS.isdisjoint(self.sentence.lows[first : one.first])
        return self.sentence.asks and (not apart or self.sentence.lows[one.first - 1 : one.first] == ("of",))

    def _is_limit(self, at: int) -> bool:
        """Whether a number is one that must not be passed, also where a sentence forbids: "not more than"."""
        if self.sentence.words[at].literal is None:
            return False
        limits = [one for one in self.sentence.comparisons if one.cue is Cue.AT_MOST]
        least = [one for one in self.sentence.comparisons if one.cue is Cue.AT_LEAST and not one.first]
        begins = self.sentence.words[0].low == "at" and self.sentence.norm is None and not self.sentence.asks
        if begins and any(0 <= at - one.after <= 1 for one in least):
            return True  # "at least one item is named"
        if not at and isinstance(self.sentence.words[0].literal, Decimal) and "too" not in self.sentence.lows:
            per = [low for low in self.sentence.lows[1:_NEAR_PER] if low in PER]
            if per and not any(one.first <= _NEAR_PER for one in self.sentence.comparisons):
                return True  # "five messages an hour"
        caps = [one for one in limits if not CAPS.isdisjoint(self.sentence.lows[one.first : one.after])]
        before = [
            *caps,
            *(
                one for one in limits
                if self.sentence.lows[one.first] in LIMITING
                and not self._is_asked_of(one)
            ),
        ]  # fmt: skip
        if any(0 <= at - one.after <= 1 for one in before):
            return True
        behind = [
            one for one in limits
            if at < one.first and (one in caps or self.sentence.words[one.first].low in BEHIND)
        ]  # fmt: skip
        if (
            isinstance(self.sentence.words[at].literal, timedelta)
            and self.sentence.lows[at - 1 : at] in DURING
        ):
            return False  # "three messages in 24 hours are the limit"
        return any(
            all(
                word.literal is None or self.sentence.lows[word.number - 1 : word.number] in DURING
                for word in self.sentence.words[at + 1 : one.first]
            )
            for one in behind
        )  # "four messages are the limit", "four messages at the most"

"""Which words of a sentence are cues, by the closed table of phrases and by what stands around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from workbench.language.approvers import approvals
from workbench.language.foreign.cues import PHRASES, Cue, CueAt
from workbench.language.foreign.small_words import (
    BORDERS,
    CONSENT,
    COPULA,
    DEFINITE,
    ENDS_OF_CLAUSE,
    EVERYBODY,
    MODALS,
    NEEDLESS,
    PEOPLE,
    PREPOSITIONS,
    WHICH_PEOPLE,
)
from workbench.language.foreign.tokens import ForeignWord

_NEAR_FREE = 2
"""How many words after "need not" an approval belongs to it."""
_NEAR_EVEN = 3
"""How many words before an approval an "even" says that it changes nothing: "not even with an approval"."""
_OF_CALLER = 4


@dataclass(frozen=True)
class CueReading:
    """Finds the cues among words; ``own`` are stems of the desk, which cue no approval."""

    words: tuple[ForeignWord, ...]
    lows: tuple[str, ...]
    own: frozenset[str]

    @cached_property
    def cues(self) -> tuple[CueAt, ...]:
        """The cues of the sentence: of phrases that begin at one word, the longest of each cue."""
        found: list[CueAt] = []
        for at, word in enumerate(self.words):
            seen: set[Cue] = set()
            for phrase, cue in PHRASES.get(word.low, ()):
                if self._cues_nothing(cue, phrase, at):
                    continue
                if cue not in seen and self.lows[at : at + len(phrase)] == phrase:
                    seen.add(cue)
                    found.append(CueAt(cue, at, at + len(phrase)))
            if word.low == "but" and not EVERYBODY.isdisjoint(self.lows[max(0, at - 3) : at]):
                found.append(CueAt(Cue.NOT, at, at + 1))  # "every room but the kitchen"
        found += self.approvals
        found = [*(one for one in found if one.cue is not Cue.ASK), *self._asking(found)]
        callers = [one for one in found if one.cue is Cue.CALLER]
        return tuple(
            one
            for one in found
            if one.cue is not Cue.USER
            or not any(-1 <= each.first - one.first <= _OF_CALLER for each in callers)
        )  # "the user who is logged in" names nothing

    def _asking(self, found: Sequence[CueAt]) -> Iterator[CueAt]:
        """Yield what asks for an approval; "need not be approved" asks for none."""
        free = [one for one in found if one.cue is Cue.PERMIT and self.lows[one.first] in NEEDLESS]
        asked = [one for one in found if one.cue is Cue.ASK]
        consents = (CueAt(Cue.NO_ASK, one.number, one.number + 1) for one in self.words if one.low in CONSENT)
        yield from (one for one in consents if any(self._is_freed(one, each) for each in free))
        for one in asked:
            is_free = any(self._is_freed(one, each) for each in free)
            yield replace(one, cue=Cue.NO_ASK) if is_free else one

    def _is_freed(self, one: CueAt, free: CueAt) -> bool:
        between = self.lows[free.after : one.first]
        return 0 <= one.first - free.after <= _NEAR_FREE and BORDERS.isdisjoint(between)

    def _cues_nothing(self, cue: Cue, phrase: tuple[str, ...], at: int) -> bool:
        """Whether a phrase says something else where it stands."""
        after = self.lows[at + 1 : at + 2]
        match cue:
            case Cue.USER:  # "all that is not named here", "must come from /home"
                place = self.words[at + len(phrase) : at + len(phrase) + _NEAR_FREE]
                of_place = phrase[-1] == "from" and any("/" in one.text for one in place)
                return of_place or after in (("here",), ("above",), ("below",))
            case Cue.LOOKED_UP:  # "check who is logged in" looks up no record
                return after == ("who",)
            case Cue.ONLY:  # "nobody else becomes owner": what stands before it is no part of the sentence
                adjective = phrase == ("restricted",) and self.lows[max(0, at - 1) : at] not in COPULA
                return adjective or (not at and phrase[-1] == "else")
            case Cue.PERMIT:  # "needs no less than 100"
                then = self.lows[at + len(phrase) : at + len(phrase) + 2]
                return phrase[-1] == "no" and then[1:] == ("than",)
            case Cue.ASK:  # a "signature" that a call has is no approval, nor are "people in finance"
                then = self.lows[at + len(phrase) : at + len(phrase) + 1]
                own = len(phrase) == 1 and self.words[at].stem in self.own
                own = own or (phrase == ("consulted",) and PEOPLE.isdisjoint(self.lows))
                own = own or then == ("after",)  # who is asked afterwards approves nothing
                is_refused = "even" in self.lows[max(0, at - _NEAR_EVEN) : at]
                return own or is_refused or (phrase[-1] == "people" and then in WHICH_PEOPLE)
            case Cue.FORBID:  # "is over 500", "more than nothing", "the stop of a bus"
                before = self.lows[max(0, at - 1) : at]
                noun = len(phrase) == 1 and before in DEFINITE
                amount = phrase == ("nothing",) and before == ("than",)
                return noun or amount or (phrase[-1] == "over" and not self._ends_clause(at + len(phrase)))
            case Cue.MISSING | Cue.EARLIER:  # "no other channels" lack nothing, what has run out is no run
                return (phrase, after) in ((("no",), ("other",)), (("run",), ("out",)))
            case Cue.MORE:  # "is over at noon"
                return phrase == ("over",) and after in PREPOSITIONS
            case Cue.AT_LEAST | Cue.AT_MOST:  # "from the last 24 hours", "under 18 or over 70"
                lately = phrase == ("from",) and self._is_lately(at + 1)
                then = self.words[at + len(phrase) : at + len(phrase) + 1]
                return lately or (phrase[0] == "or" and any(one.literal is not None for one in then))
            case _:  # "was it uploaded before, may it be released"
                return cue is Cue.UNLESS and phrase == ("before",) and self._ends_clause(at + 1)

    def _is_lately(self, at: int) -> bool:
        """Whether a length of time up to now begins here: "the last 24 hours"."""
        at += self.lows[at : at + 1] == ("the",)
        return self.lows[at : at + 1] in (("last",), ("past",), ("previous",))

    def _ends_clause(self, at: int) -> bool:
        """Whether a clause is over before a word, or its verb follows: "… before may it go"."""
        return self.lows[at : at + 1] == () or self.lows[at] in ENDS_OF_CLAUSE | MODALS | {".", "!", "?"}

    @cached_property
    def approvals(self) -> tuple[CueAt, ...]:
        """The phrases that say who is to approve; a "signature" that a call has is none."""
        found = approvals([word.text for word in self.words])
        own = {word.number for word in self.words if word.low == "signature" and word.stem in self.own}
        return tuple(CueAt(Cue.ASK, *each) for each in found if own.isdisjoint(range(*each)))

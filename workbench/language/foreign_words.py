"""The words of a sentence that is not of the language: their stems, what they count, and what they cue.

Nothing here parses English. A *cue* is a phrase of a closed table: a comparison, a prohibition, a demand, an
approval, a word that begins a condition. Numbers, durations and texts in quotation marks are *literals*.
All other words but the smallest are *content*: what a suggestion should use.

The words that stand for each other in a foreign sentence and in the one that a person chose for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import pairwise

from workbench.language.approvers import approvals
from workbench.language.units import MEASURES
from workbench.language.vocabulary import (
    CUES,
    EVERYDAY,
    GENERAL,
    GENERAL_WORDS,
    IRREGULAR,
    OPPOSITES,
    words_named,
)
from workbench.language.words import MONTHS

MOST_WORDS = 400
"""The words of a sentence that are looked at; what comes after them is left out."""
_WORD = re.compile(
    r"(?P<quoted>“[^”]*”|\"[^\"]*\"|`[^`]*`|(?<!\w)'[^']+'(?!\w))"
    r"|(?P<path>(?<![\w./])@[\w-]+(?:\.[\w-]+)+|(?<![\w./])[\w.-]+/(?![\w/])|(?<![\w.])(?:[*~]|\.{1,2})?(?:/[\w.*#-]*\w)+/?"
    r"|(?<![\w.])\*?\.[a-zA-Z]\w*|\#\w+(?:-\w+)*|(?<![\w.])\d+(?:\.\d+){2,3}(?:/\d+)?(?![\w.]*\d))"
    r"|(?P<clock>\d{1,2}:\d\d)"
    r"|(?P<number>[-−]?\d+(?:[,  ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<unit>%|(?:[hdsm]|st|nd|rd|th)(?!\w))?"
    r"|(?P<word>[^\W\d_](?:[^\W_]|['’](?=[^\W_])|-(?=[^\W_]))*"
    r"(?:@(?=[^\W_])[^\W_]+(?:[.-](?=[^\W_])[^\W_]+)*|[._/:](?=[^\W_])[^\W_]+)*)"
    r"|(?P<other>\S)"
)
_STOP = words_named("stop")
_SMALL_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = {10 * at: word for at, word in enumerate(
    ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2)}  # fmt: skip
NUMBERS = {
    **{word: at for at, word in enumerate(_SMALL_NUMBERS)}, **{word: ten for ten, word in _TENS.items()},
    **{f"{word}-{one}": ten + at for ten, word in _TENS.items()
       for at, one in enumerate(_SMALL_NUMBERS[1:10], start=1)},
    "nought": 0, "nil": 0, "twice": 2, "dozen": 12, "hundred": 100, "thousand": 1_000,
}  # fmt: skip
_UNITS = {
    "s": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3_600, "hr": 3_600, "hour": 3_600,
    "d": 86_400, "day": 86_400, "week": 604_800, "month": 2_592_000, "year": 31_536_000,
    "fortnight": 1_209_600,
}  # fmt: skip
_MONEY = words_named("money")
_SIZES = frozenset(("kb", "mb", "gb", "tb", "kib", "mib", "gib"))
_PORTIONS = {
    "half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10, "twentieth": 20,
}  # fmt: skip
_MULTIPLES = {"half": Decimal("0.5"), "twice": Decimal(2), "double": Decimal(2)}
_OF_WHAT = frozenset(("the", "its", "their", "his", "her", "what", "that"))
SHARE = "share"
"""The unit of a number that says how much of something: "a fifth of the price", "twice the rent"."""
ORDINAL = "th"
"""The unit of a number that says which of several: "the 25th"."""
_ORDINALS = frozenset(("st", "nd", "rd", ORDINAL))


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


COMPARING = (Cue.MORE, Cue.AT_LEAST, Cue.LESS, Cue.AT_MOST, Cue.EXACTLY)
NORMS = (Cue.FORBID, Cue.REQUIRE, Cue.PERMIT)

_SPELT = re.compile(r"(?<=[a-z]{3})is(e|ed|er|ing|ation)$")
"""British endings of words that have a z elsewhere."""
_SHORTEST_VERY = 6
_ENDINGS = ("ation", "ment", "able", "ing", "ied", "ed", "ion", "al", "ly", "er", "or")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a word: "cancellation", "cancelled" and "cancels" have one."""
    plain = word.casefold().replace("’", "'").removesuffix("'s").removesuffix("'")
    if plain in IRREGULAR:
        return _bare(IRREGULAR[plain])
    if not plain.isascii():
        return plain
    if re.search(r"[^aeiou]ies$", plain) and len(plain) > 4:
        plain = plain[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|z)es$", plain):
        plain = plain[:-2]
    elif plain.endswith("very") and len(plain) > _SHORTEST_VERY:
        plain = plain[:-1]  # "delivery" as "deliver"
    elif re.search(r"[^sui]s$", plain) and len(plain) > 3:
        plain = plain[:-1]
    plain = _SPELT.sub(r"iz\1", IRREGULAR.get(plain, plain))
    found = next((one for one in _ENDINGS if plain.endswith(one) and len(plain) - len(one) >= 3), "")
    base = plain.removesuffix(found) if found else plain
    if found == "ied":
        base += "y"
    if found in ("ing", "ed", "al") and len(base) > 4:  # "ordering" as "order", "deferral" as "defer"
        base = base.removesuffix("err") if found == "al" else base.removesuffix("er").removesuffix("err")
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "se":
        base = base[:-1]
    return _bare(base)


def _bare(base: str) -> str:
    """A stem without its last "e"; a long one as it is with the commonest slips: "recieve", "adress"."""
    base = base.removesuffix("e") if len(base) > 3 else base
    return _DOUBLED.sub(r"\1", base.replace("ei", "ie")) if len(base) >= _LONG else base


_DOUBLED = re.compile(r"([^\W\d_])\1")
_LONG = 6


@lru_cache(maxsize=1)
def everyday() -> Mapping[str, frozenset[str]]:
    """The stems that stand for each stem in everyday business."""
    found: dict[str, set[str]] = {}
    for words in EVERYDAY.values():
        group = [_verb_stem(word) for word in words]
        for one in group:
            found.setdefault(one, set()).update(other for other in group if other != one)
    return {one: frozenset(others) for one, others in found.items()}


@lru_cache(maxsize=1)
def general() -> Mapping[str, frozenset[str]]:
    """The stems of narrower words that a general word may stand for: "people" for drivers."""
    found: dict[str, set[str]] = {}
    for name, words in GENERAL.items():
        for word in GENERAL_WORDS[name]:
            found.setdefault(stem(word), set()).update(stem(one) for one in words)
    return {one: frozenset(others) for one, others in found.items()}


def _verb_stem(word: str) -> str:
    """The stem of a word; of a verb of two words that of the first with the other."""
    verb, _, rest = word.partition("-")
    return f"{stem(verb)}-{rest}" if rest else stem(word)


def _phrases() -> Mapping[str, list[tuple[tuple[str, ...], Cue]]]:
    """The phrases by their first word, the longest first."""
    found: dict[str, list[tuple[tuple[str, ...], Cue]]] = {}
    for cue in Cue:
        for phrase in CUES[cue.name.lower()]:
            words = tuple(phrase.split())
            found.setdefault(words[0], []).append((words, cue))
    return {word: sorted(ones, key=lambda one: -len(one[0])) for word, ones in found.items()}


_BY_WORD = _phrases()


@dataclass(frozen=True, slots=True)
class ForeignWord:
    """A word of the sentence: as it is written, in small letters, its stem, and its place in the text.

    ``literal`` is its value: a number, duration or text, and ``unit`` the size that a number counts: "MB".
    ``weight`` is what using it is worth; a word of the heading or of a neighbour has none, and stands at a
    negative number.
    """

    number: int
    text: str
    low: str
    stem: str
    start: int
    end: int
    weight: float = 0.0
    literal: Decimal | timedelta | str | None = None
    money: bool = False
    unit: str = ""


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


_PEOPLE = words_named("people")
CONSENT = words_named("consent")


class Role(StrEnum):
    """What a condition says by its place in a sentence: which call, what is bad, what is wanted."""

    GUARD = "guard"
    BAD = "bad"
    GOOD = "good"


@dataclass(frozen=True)
class ForeignSentence:
    """The words of a sentence, with those of what stands around it.

    ``names`` are those of parameters: one that is a small word, such as ``to``, is meant after an article.
    ``doing`` has the stems of what each tool does: where all of them stand, "are blocked" is what it does.
    """

    text: str
    around: str = ""
    known: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    names: frozenset[str] = frozenset()
    doing: tuple[tuple[str, ...], ...] = ()

    @cached_property
    def words(self) -> tuple[ForeignWord, ...]:
        """The words of the sentence itself."""
        found = tuple(_words(self.text))[:MOST_WORDS]
        counted = {
            at + step for at, one in enumerate(found) if isinstance(one.literal, Decimal) for step in (-1, 1)
        }
        return tuple(
            replace(word, weight=1.0)
            if (word.low in CURRENCIES and word.number not in counted)
            or (word.low in _STOP and word.low in self.names and before in _ARTICLES)
            else word
            for before, word in zip(("", *(one.low for one in found)), found, strict=False)
        )

    @cached_property
    def small_names(self) -> frozenset[str]:
        """The small words of the sentence that are meant as the names of parameters."""
        return frozenset(word.low for word in self.words if word.low in _STOP and word.weight)

    @cached_property
    def in_other_letters(self) -> Mapping[int, tuple[str, ...]]:
        """The words with names of parameters in other letters than a to z, also where no blank ends them."""
        names = [part for one in self.names if not one.isascii() for part in one.split()]
        found = {
            word.number: tuple(one for one in names if one.casefold() in word.low)
            for word in self.words if not word.low.isascii() and word.literal is None
        }  # fmt: skip
        return {number: ones for number, ones in found.items() if ones}

    @cached_property
    def context(self) -> tuple[ForeignWord, ...]:
        """The words of the heading and the neighbours."""
        found = [one for one in _words(self.around) if one.weight and one.literal is None][:MOST_WORDS]
        return tuple(
            ForeignWord(-1 - number, one.text, one.low, one.stem, -1, -1) for number, one in enumerate(found)
        )

    @cached_property
    def cues(self) -> tuple[CueAt, ...]:
        """The cues of the sentence: of phrases that begin at one word, the longest of each cue."""
        found: list[CueAt] = []
        for at, word in enumerate(self.words):
            seen: set[Cue] = set()
            for phrase, cue in _BY_WORD.get(word.low, ()):
                if self._cues_nothing(cue, phrase, at):
                    continue
                if cue not in seen and self._lows[at : at + len(phrase)] == phrase:
                    seen.add(cue)
                    found.append(CueAt(cue, at, at + len(phrase)))
            if word.low == "but" and not _EVERYBODY.isdisjoint(self._lows[max(0, at - 3) : at]):
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
        free = [one for one in found if one.cue is Cue.PERMIT and self._lows[one.first] in _NEEDLESS]
        asked = [one for one in found if one.cue is Cue.ASK]
        consents = (CueAt(Cue.NO_ASK, one.number, one.number + 1) for one in self.words if one.low in CONSENT)
        yield from (one for one in consents if any(self._is_freed(one, each) for each in free))
        for one in asked:
            is_free = any(self._is_freed(one, each) for each in free)
            yield replace(one, cue=Cue.NO_ASK) if is_free else one

    def _is_freed(self, one: CueAt, free: CueAt) -> bool:
        between = self._lows[free.after : one.first]
        return 0 <= one.first - free.after <= _NEAR_FREE and _BORDERS.isdisjoint(between)

    def _cues_nothing(self, cue: Cue, phrase: tuple[str, ...], at: int) -> bool:
        """Whether a phrase says something else where it stands."""
        after = self._lows[at + 1 : at + 2]
        match cue:
            case Cue.USER:  # "all that is not named here"
                return after in (("here",), ("above",), ("below",))
            case Cue.LOOKED_UP:  # "check who is logged in" looks up no record
                return after == ("who",)
            case Cue.ONLY:  # "nobody else becomes owner": what stands before it is no part of the sentence
                adjective = phrase == ("restricted",) and self._lows[max(0, at - 1) : at] not in _COPULA
                return adjective or (not at and phrase[-1] == "else")
            case Cue.PERMIT:  # "needs no less than 100"
                then = self._lows[at + len(phrase) : at + len(phrase) + 2]
                return phrase[-1] == "no" and then[1:] == ("than",)
            case Cue.ASK:  # a "signature" that a call has is no approval, nor are "people in finance"
                then = self._lows[at + len(phrase) : at + len(phrase) + 1]
                own = len(phrase) == 1 and self.words[at].stem in self._own
                own = own or (phrase == ("consulted",) and _PEOPLE.isdisjoint(self._lows))
                own = own or then == ("after",)  # who is asked afterwards approves nothing
                is_refused = "even" in self._lows[max(0, at - _NEAR_EVEN) : at]
                return own or is_refused or (phrase[-1] == "people" and then in _WHICH_PEOPLE)
            case Cue.FORBID:  # "is over 500", "more than nothing", "the stop of a bus"
                before = self._lows[max(0, at - 1) : at]
                noun = len(phrase) == 1 and before in _DEFINITE
                amount = phrase == ("nothing",) and before == ("than",)
                return noun or amount or (phrase[-1] == "over" and not self._ends_clause(at + len(phrase)))
            case Cue.MISSING | Cue.EARLIER:  # "no other channels" lack nothing, what has run out is no run
                return (phrase, after) in ((("no",), ("other",)), (("run",), ("out",)))
            case Cue.AT_LEAST | Cue.AT_MOST:  # "from the last 24 hours", "under 18 or over 70"
                lately = phrase == ("from",) and self._is_lately(at + 1)
                then = self.words[at + len(phrase) : at + len(phrase) + 1]
                return lately or (phrase[0] == "or" and any(one.literal is not None for one in then))
            case Cue.UNLESS:  # "was it uploaded before, may it be released"
                return phrase == ("before",) and self._ends_clause(at + 1)
            case _:
                return False

    def _is_lately(self, at: int) -> bool:
        """Whether a length of time up to now begins here: "the last 24 hours"."""
        at += self._lows[at : at + 1] == ("the",)
        return self._lows[at : at + 1] in (("last",), ("past",), ("previous",))

    def _ends_clause(self, at: int) -> bool:
        """Whether a clause is over before a word, or its verb follows: "… before may it go"."""
        return self._lows[at : at + 1] == () or self._lows[at] in ENDS_OF_CLAUSE | _MODALS | {".", "!", "?"}

    @cached_property
    def approvals(self) -> tuple[CueAt, ...]:
        """The phrases that say who is to approve; a "signature" that a call has is none."""
        found = approvals([word.text for word in self.words])
        own = {word.number for word in self.words if word.low == "signature" and word.stem in self._own}
        return tuple(CueAt(Cue.ASK, *each) for each in found if own.isdisjoint(range(*each)))

    @cached_property
    def approvers(self) -> frozenset[int]:
        """The words of those phrases, which name nothing else."""
        return frozenset(at for one in self.approvals for at in range(one.first, one.after))

    @cached_property
    def _own(self) -> frozenset[str]:
        """The stems of the names of parameters, and of what the tools do."""
        named = (stem(part) for one in self.names for part in one.split("_"))
        return frozenset((*named, *(words[0] for words in self.doing if words)))

    @cached_property
    def _lows(self) -> tuple[str, ...]:
        return tuple(word.low for word in self.words)

    def has(self, *cues: Cue) -> bool:
        """Whether the sentence has one of these cues."""
        return any(one.cue in cues for one in self.cues)

    def at(self, *cues: Cue) -> Iterator[CueAt]:
        """Yield the cues of these kinds."""
        return (one for one in self.cues if one.cue in cues)

    def places_of(self, *cues: Cue) -> frozenset[int]:
        """The words of the cues of these kinds."""
        return frozenset(at for one in self.at(*cues) for at in one.places)

    def end_of_clause(self, at: int) -> int:
        """Where the clause of a word ends."""
        every = range(at, len(self.words))
        return next((number for number in every if self._lows[number] in ENDS_OF_CLAUSE), len(self.words))

    @cached_property
    def comparisons(self) -> tuple[CueAt, ...]:
        """The comparisons that are no part of a longer one: "no more than" is not "more than".

        Nor is "or more" one in "or more than".
        """
        # "over all" is not more, nor is "looked up"
        totals = [one for one in self.at(Cue.TOTAL, Cue.LOOKED_UP) if one.after - one.first > 1]
        ones = [
            one for one in self.cues
            if one.cue in COMPARING and not any(_overlap(one, other) for other in totals)
        ]  # fmt: skip
        return tuple(
            one
            for one in ones
            if not any(
                _inside(one, other) or one.first < other.first < one.after < other.after for other in ones
            )
        )

    @cached_property
    def asks(self) -> bool:
        """Whether a person is to say yes: an approval, or a person near a word of consent."""
        if self.has(Cue.ASK, Cue.NO_ASK):
            return True
        people = [word.number for word in self.words if word.low.removesuffix("'s") in _PEOPLE]
        ago = {word.number for word in self.words if word.low == "ago"}  # what was approved is a record's
        yes = [word.number for word in self.words if word.low in CONSENT and not ago.intersection(
            range(word.number, word.number + _AGO))]  # fmt: skip
        return any(abs(one - other) <= 4 for one in people for other in yes)

    @cached_property
    def norms(self) -> tuple[CueAt, ...]:
        """The cues of a norm outside of conditions, in their order; "must not" is not "must".

        What is demanded of at most so many is permitted of them.
        """
        ones = [self._permitted(one) for one in self.cues if one.cue in NORMS]
        alone = [one for one in ones if not any(_inside(one, other) for other in ones)]
        taken = [*self.comparisons, *self.at(Cue.ONLY, Cue.NO_ASK)]
        free = [one for one in alone if not any(_inside(one, other) for other in taken)]
        free = [
            one
            for one in free
            if self._lows[one.after - 1] != "no"
            or not any(other.first == one.after - 1 for other in self.comparisons)
        ]  # "there are no more than two"
        staying = [
            one
            for at, _ in enumerate(self.words)
            if (one := self._staying(at) or self._excessive(at) or self._impossible(at)) is not None
        ]
        return tuple(
            sorted(
                (
                    *staying,
                    *(
                        one for one in free
                        if not any(_overlap(one, other) for other in staying)
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
            and (not limit.first or self._lows[limit.first - 1] in _ENDS)
            for limit in self.comparisons
        )
        return replace(one, cue=Cue.PERMIT) if is_limited else one

    def _staying(self, at: int) -> CueAt | None:
        """That something stays as it is, which forbids what changes it: "must stay closed"."""
        if self.words[at].low not in _STAYING or at + 1 >= len(self.words):
            return None
        done = self._lows[at + 1].endswith("ed") and self._lows[at + 2 : at + 3] in (("off",), ("on",))
        last = at + 1 + done  # "stays switched off"
        state = self._lows[last]
        if self._lows[at] in _KEEPING and state in _HELD and at and not self._modal_before(at):
            return CueAt(Cue.FORBID, at, at + 1)  # "guests keep the room that they have"
        if state in _PLACES and any(number > at for number in self.numbers):
            return None  # "stays in the range of 18 to 22"
        if state == "open" and any(one.cue is Cue.AT_MOST and one.first > at for one in self.comparisons):
            return None  # "stays open 10 minutes at most"
        if state not in _STATES_KEPT | _PLACES and not denied_part(state):
            return None
        first = at
        while first and self.words[first - 1].low in _DEMANDING:
            first -= 1
        return CueAt(Cue.FORBID, first, last + 1)

    def _modal_before(self, at: int) -> bool:
        return not _MODALS.isdisjoint(self._lows[:at])

    def _excessive(self, at: int) -> CueAt | None:
        """That something is too much for what is done with it: "too stale for the public channel"."""
        is_so = self._lows[at] == "too" and self._lows[at + 2 : at + 3] in (("for",), ("to",))
        return CueAt(Cue.FORBID, at, at + 2) if is_so else None

    def _impossible(self, at: int) -> CueAt | None:
        """That something cannot be done, in one word: "are immutable", "is non-refundable"."""
        low = self._lows[at]
        is_so = at and self._lows[at - 1] in _PRESENT and low not in _BY_WORD and _IMPOSSIBLE.fullmatch(low)
        return CueAt(Cue.FORBID, at, at + 1) if is_so else None

    def _relative(self, one: CueAt) -> bool:
        """Whether a cue denies what a thing is told by, not what is done: "that the user never named"."""
        before = self._lows[max(0, one.first - 3) : one.first]
        told_by = max((number for number, low in enumerate(before) if low in _RELATIVE), default=len(before))
        is_over = any(low in _PRESENT | _PAST for low in before[told_by + 1 : -1])  # "who has left cannot"
        if one.after - one.first == 1 and (
            before[-2:] == ("the", "user") or (told_by < len(before) and not is_over)
        ):
            return True
        if one.cue is Cue.FORBID and before[-1:] and self._tells_of_thing(one, before):
            return True
        lead = self._lows[max(0, one.first - _NEAR_WHICH) : one.first]
        if (
            not _RELATIVE.isdisjoint(lead)
            and _CLAUSES.isdisjoint(lead)
            and any(
                other.cue is Cue.FORBID and one.after <= other.first <= one.after + 1 for other in self.cues
            )
        ):
            return True  # "for which it isn't allowed are left alone"
        told = before[-1:] and (before[-1] in _RELATIVE or self._lows[one.first] == "nobody")
        return bool(told) and any(
            other.cue in NORMS and other.first >= one.after and before[-1] not in _CLAUSES
            for other in self.cues
        )

    def _tells_of_thing(self, one: CueAt, before: tuple[str, ...]) -> bool:
        """Whether what forbids tells of which thing: "who is blocked", "somebody we have banned"."""
        relative = before[-1] in _RELATIVE and self._lows[one.first] in _PRESENT | _PAST | _DOING
        done = before[-1] in _PAST and self._lows[one.first].endswith("ed")
        said = (
            before[-1:] if self._lows[one.first] in _DOING and self._conditional(one.first) else before[-2:-1]
        )
        own = bool(said) and said[0] in _PRONOUNS | {"i"}
        return relative or (own and (done or said == before[-1:]))

    @cached_property
    def kept(self) -> frozenset[str]:
        """The states that something is said to stay in."""
        return frozenset(
            self._lows[one.after - 1]
            for at, _ in enumerate(self.words)
            if (one := self._staying(at)) is not None
        )

    def _is_lacking(self, one: CueAt) -> bool:
        """Whether a cue says that something is not there in a condition: "unless there is no note"."""
        is_there = self._lows[one.first].startswith("there")
        is_neither = self._lows[one.after - 1] == "neither"
        is_told = is_neither and not _RELATIVE.isdisjoint(self._lows[max(0, one.first - 1) : one.first])
        is_nobody = self._lows[one.first] == "nobody" and any(
            self._ends_of(one.first) < other.first for other in self.at(Cue.NOT)
        )
        return is_told or (
            (is_there or is_neither or is_nobody)
            and (one.first in self.excepted or self._conditional(one.first))
        )

    def _ends_of(self, at: int) -> int:
        """Where the clause of a word ends."""
        every = range(at, len(self.words))
        return next((number for number in every if self._lows[number] in _ENDS), len(self.words))

    def _denies_phrase(self, at: int) -> bool:
        """Whether a "not" denies what a noun has, and not what is done: "letters not to Rome"."""
        is_noun = at > 0 and self.words[at - 1].weight >= 1 and self._lows[at - 1] not in _COPULAS
        joint = at - (self._lows[at - 1] in ("and", "but")) if at else 0
        if joint and self._lows[joint - 1] == "," and self._lows[at : at + 2] in _CONTRASTS:
            return True  # "… is their own, and not the one that was used"
        return is_noun and self._lows[at] == "not" and self._lows[at + 1 : at + 2] in _PREPOSITIONS

    def _is_done(self, one: CueAt) -> bool:
        """Whether what would forbid is what a tool does: "cards are blocked" where a tool blocks cards."""
        own = {self.words[number].stem for number in range(one.first, one.after)}
        stems = {word.stem for word in self.words}
        return one.cue is Cue.FORBID and any(
            words[0] in own and len(words) > 1 and stems.issuperset(words) for words in self.doing
        )

    @cached_property
    def norm(self) -> CueAt | None:
        """The cue of what the sentence does: forbid, demand, permit; the first outside of conditions."""
        plain = [one for one in self.norms if one.first not in self.excepted or 0 in self.excepted]
        outside = [one for one in plain if not self._conditional(one.first)]
        first = next(iter(outside or plain), None)
        if first is not None and first.cue is Cue.REQUIRE:
            first = next((one for one in outside if self._goes_on(first, one)), first)
        if first is not None and self.words[first.first].low == "always":
            first = next((one for one in outside if one.cue is Cue.PERMIT), first)
        begins = self.words[0].low if self.words else ""
        if begins == "no" and (then := self._then_no) is not None:
            return CueAt(Cue.FORBID, then, then + 1)
        if begins in _LEADING and (then := self._then_no) is not None and not self._compares(then):
            return CueAt(Cue.FORBID, then, then + 1)
        if begins in ("no", "none", "neither", "not") and not self._compares(0):
            return CueAt(Cue.FORBID, 0, 1)
        if first is None or (first.cue is Cue.REQUIRE and self._conditional(first.first)):
            only = list(self.at(Cue.ONLY))
            if any(map(self._excludes, only)):
                return first
            denied = [
                one
                for one in self.at(Cue.NOT)
                if not any(one.first == other.first for other in (*only, *self.at(Cue.NO_ASK)))
                and self.words[one.first].low in _DENIALS
                and not self._conditional(one.first)
                and one.first not in self.excepted
                and not self._denies_phrase(one.first)
                and not any(word.low in _RELATIVE for word in self.words[max(0, one.first - 2) : one.first])
                and "whose" not in self._lows[max(0, one.first - 3) : one.first]
                and not self._tells_who(one.first)
            ]
            free = [
                one
                for one in denied
                if not any(_inside(one, other) or one.first == other.first for other in self.comparisons)
            ]
            if free:
                return CueAt(Cue.FORBID, free[-1].first, free[-1].after)
        return first

    def _tells_who(self, at: int) -> bool:
        """Whether a word tells who is meant: "whoever does not live here"."""
        return (
            self._lows[:1] != ()
            and self._lows[0].startswith("whoever")
            and not any(low in _BORDERS for low in self._lows[:at])
        )

    @cached_property
    def main_norms(self) -> tuple[CueAt, ...]:
        """The cues of a norm that stand in no condition."""
        return tuple(one for one in self.norms if not self._conditional(one.first))

    def _goes_on(self, demand: CueAt, one: CueAt) -> bool:
        """Whether what demands is what forbids: "shall in no case", "has to refrain"."""
        return one.cue is Cue.FORBID and demand.after <= one.first <= demand.after + 1

    def _compares(self, at: int) -> bool:
        """Whether a "no" begins what compares, excludes others or needs no approval: "no more than"."""
        return any(one.first == at for one in (*self.comparisons, *self.at(Cue.ONLY, Cue.NO_ASK)))

    @cached_property
    def _then_no(self) -> int | None:
        """The "no" after a comma: what is lacking or excepted stands before it in "no reason, no refund"."""
        pairs = pairwise(self._lows)
        return next((at for at, pair in enumerate(pairs, start=1) if pair == (",", "no")), None)

    def _conditional(self, at: int) -> bool:
        """Whether a word stands in a condition that an "if" begins, up to the next comma."""
        inside = False
        for number in range(at):
            if any(one.first == number and one.cue is Cue.IF for one in self.cues):
                inside = True
            if self.words[number].low in _ENDS:
                inside = False
        return inside

    @property
    def states(self) -> bool:
        """Whether a verb says what something is or does, outside of what only tells which thing is meant."""
        tells = (at for at, low in enumerate(self._lows) if low in _TELLING)
        verbs = (at for at, low in enumerate(self._lows) if at and low in _COPULAS)
        first = next((at for at in verbs if self._lows[at - 1] not in _ARTICLES), None)
        return first is not None and first < next(tells, len(self.words))

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
        for number, low in enumerate(self._lows):
            if low in _ENDS or low in _OF_MAIN_CLAUSE:
                inside = ""
            if low in _PRESENT | _PAST:
                past = low in _PAST
            if inside and (past or inside not in _RELATIVE):
                found[number] = inside
            if low in _TELLING:
                inside, past = low, False
        return found

    @cached_property
    def described(self) -> frozenset[int]:
        """The words that say how something is in a relative clause: "pupils who are enrolled"."""
        lows = self._lows
        return frozenset(
            number for number in range(2, len(lows))
            if lows[number - 1] in _PRESENT | _PAST | {"been", "not", "already"}
            and not _RELATIVE.isdisjoint(lows[max(0, number - 4) : number - 1])
        )  # fmt: skip

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        """What a condition that is named at each word says of a call."""
        norm = self.norm
        free = self._only
        only = [
            one for one in free
            if any(word.weight for word in self.words[one.after :]) and not self._excludes(one)
        ]  # fmt: skip
        last = len(only) < len(free)
        kind = norm.cue if norm is not None else None
        unless = self.wanting
        said_of = max(self._said_at, self._before_only(free[-1])) if last else self._said_at
        after_norm = norm.first if norm is not None else -1
        asks = self.asks
        limit = self.limited_at
        then = self._demanded_then
        wanted_alone = self._needed or self._of_only(only)

        def own(at: int) -> Role:
            """The role of a word outside of conditions."""
            if wanted_alone:
                return Role.GOOD if at in wanted_alone else Role.GUARD
            if at < max(after_norm, limit) or (norm is None and at < said_of):
                return Role.GUARD
            demanded = any(after_norm < first <= at for first in then)
            return Role.BAD if (kind is Cue.FORBID and not last and not demanded) or asks else Role.GOOD

        ifs = self._ifs
        limited_to = {at for one in only if one.first for at in (one.after, one.after + 1)}
        wanted = {one.first for one in unless} | (ifs & limited_to)  # "only when", "only changed when"
        leading = next((self.end_of_leading(one) for one in unless if not one.first), 0)
        as_permitted = kind is Cue.PERMIT and not asks
        found: list[Role] = []
        segment: Role | None = None
        for at, word in enumerate(self.words):
            if word.low in _ENDS and (segment is Role.GUARD or (0 in wanted and at >= leading)):
                segment = None
            if at in self._after_exceptions | self._alternatives or (0 in wanted and at == leading):
                segment = None
            if at in ifs:
                segment = Role.GOOD if as_permitted and at > after_norm else Role.GUARD
            if at in wanted:
                segment = Role.GOOD
            marks = ENDS_OF_CLAUSE.intersection(self._lows[at : max(at, after_norm)])
            behind = ENDS_OF_CLAUSE.intersection(self._lows[max(0, after_norm) : at])
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
        if self.norm is not None and only[0].first < self.norm.first:
            return range(only[0].first, self.norm.first)
        return range(only[0].first + 1, len(self.words))

    @property
    def _ifs(self) -> frozenset[int]:
        """Where a condition begins that says which calls are meant; "except when" is no "when"."""
        excepts = {one.after for one in self.at(Cue.UNLESS) if self._excepts(one)}  # "except where"
        plain = (
            one.first for one in self.at(Cue.IF)
            if one.first not in excepts and not any(_inside(one, other) for other in self.wanting)
        )  # fmt: skip
        return frozenset(plain) | self._while | self._ahead_of

    @property
    def _demanded_then(self) -> list[int]:
        """What a clause behind a prohibition demands: "no chat — the reason must be given"."""
        norm = self.norm
        return [
            one.first for one in self.norms
            if one.cue is Cue.REQUIRE and norm is not None and norm.cue is Cue.FORBID
            and self._begins_clause(one.first, norm.first)
        ]  # fmt: skip

    @cached_property
    def _needed(self) -> range:
        """The words of what is needed, where it is said for what: "a note is required for transfers".

        It is also what "must be stated for transfers" demands, where transfers are what is sent.
        """
        norm = self.norm
        if norm is None or norm.cue is not Cue.REQUIRE or self.asks or self.has(Cue.ONLY):
            return range(0)
        if self._lows[max(0, norm.first - 2)] == "it" and self._lows[norm.after : norm.after + 1] == (
            "that",
        ):
            return range(norm.after, len(self.words))  # "it is necessary that there is a note"
        if self._lows[norm.first] in _PREDICATIVE and self._lows[max(0, norm.first - 1)] in _PRESENT:
            begins = (
                at for at in range(norm.first - 2, -1, -1)
                if self._lows[at] in ENDS_OF_CLAUSE or self._lows[at] in _ARTICLES
            )  # fmt: skip
            return range(next(begins, 0), norm.first)
        doing = {word for words in self.doing for word in words}
        for at in range(norm.after, len(self.words)):
            following = next((word for word in self.words[at + 1 :] if word.weight), None)
            between = any(word.weight for word in self.words[norm.after : at])
            if self._lows[at] == "for" and between and following is not None and following.stem in doing:
                return range(norm.first, at)
        return range(0)

    @cached_property
    def _said_at(self) -> int:
        """Where it is said of something what it is or does, in a sentence that says no "must"."""
        colon = next((word.number for word in self.words if word.low == ":"), -1)
        either = bool(self.words) and self.words[0].low == "either"
        verb = -1 if either else next((word.number for word in self.words[1:] if self._is_said(word)), -1)
        return max(colon, verb)

    def _is_kept(self, at: int) -> bool:
        """Whether a word says how something has to stay: "stays private"."""
        is_new = all(self.words[at].stem != word.stem for word in self.words[:at])
        return at > 0 and is_new and self._staying(at - 1) is not None

    def _before_only(self, one: CueAt) -> int:
        """Where the phrase begins that an "only" behind it is about: "travel in a box only"; or -1."""
        near = (at for at in range(one.first - 1, -1, -1) if self._lows[at : at + 1] in _PREPOSITIONS)
        return -1 if one.after - one.first > 1 else next(near, -1)

    @cached_property
    def _alternatives(self) -> frozenset[int]:
        """Where "or", "and" or "nor" goes on with the noun of before: "letters … or letters to Rome"."""
        return frozenset(
            at for at, low in enumerate(self._lows)
            if low in ("or", "and", "nor")
            and self._is_repeated(at + 1 + (self._lows[at + 1 : at + 2] in _SOME))
        )  # fmt: skip

    def _is_repeated(self, at: int) -> bool:
        """Whether a word is a noun that stands before too, and owns nothing."""
        word = self.words[at] if at < len(self.words) else None
        return word is not None and word.weight > 0 and not word.low.endswith("'s") and any(
            word.stem == one.stem for one in self.words[: at - 1])  # fmt: skip

    @property
    def has_limits(self) -> bool:
        """Whether it says in which cases it holds; a person's approval is none of them."""
        if not self.asks:
            return bool(self.wanting) or self.has(Cue.IF, Cue.ONLY)
        asked = {at for one in self.at(Cue.ASK) for at in range(one.first, one.after)}
        follow = {at for one in (*self.wanting, *self.at(Cue.IF)) for at in self.what_follows(one)}
        return bool(self._only) or any(
            self.words[at].weight and self.words[at].low not in CONSENT | _PEOPLE for at in follow - asked
        )

    @property
    def _only(self) -> list[CueAt]:
        """What says that something is all; "only deploy with an approval" asks where one deploys.

        "Only to Rome, unless I approve" asks where it is not to Rome.
        """
        every = [one for one in self.at(Cue.ONLY) if self.norm is None or not _inside(one, self.norm)]
        if not self.asks or self.has(Cue.NO_ASK):
            return every
        consents = [word.number for word in self.words if word.low in CONSENT]
        asked = max((*consents, *(one.first for one in self.at(Cue.ASK))), default=-1)
        unless = [one.first for one in self.wanting if one.first < asked]
        return [one for one in every if any(one.first < first for first in unless)]

    def says_which(self, at: int) -> bool:
        """Whether a word says which things a demand is about: "confidential documents", "every oral dose"."""
        demands = self.norm is None or self.norm.cue is Cue.REQUIRE
        if not demands or self.has(Cue.ONLY, Cue.UNLESS) or at + 1 >= len(self.words):
            return False
        follows = self.words[at + 1]
        if not follows.weight or follows.literal is not None or self.words[at].literal is not None:
            return False
        before = self._lows[at - 1] if at else ""
        begins = self.norm is None and not any(word.weight for word in self.words[:at])
        return begins or before in _ALL - {"no"}

    def _is_said(self, word: ForeignWord) -> bool:
        """Whether a word is the verb of what stands before it, and not that of an empty "it is"."""
        return word.low in _COPULAS and (word.number > 1 or self.words[0].weight > 0)

    @cached_property
    def alone(self) -> int:
        """The word that says who alone may do something, as the owner in "nobody but the owner"; or -1."""
        cue = next((one for one in self.at(Cue.ONLY) if self._lows[one.after - 1] in ("but", "than")), None)
        if cue is None:
            return -1
        return next((word.number for word in self.words[cue.after :] if word.weight), -1)

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
            if self._lows[at] == "but" and self._lows[at + 1] in _LIMITING_BUT and at + 2 not in ifs
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
                ends = (at for at in range(one.after, len(self.words)) if self._lows[at] in _BORDERS)
                found.update(range(one.after, next(ends, len(self.words))))
        return frozenset(found)

    @cached_property
    def needless(self) -> frozenset[int]:
        """The words of what need not be so: after "needs no", "does not have to be"."""
        norm = self.norm
        if norm is None or norm.cue is not Cue.PERMIT or self._lows[norm.first] not in _NEEDLESS:
            return frozenset()
        ends = (at for at in range(norm.after, len(self.words)) if self._lows[at] in _BORDERS | {"to"})
        return frozenset(range(norm.after, next(ends, len(self.words))))

    def _begins_clause(self, at: int, start: int) -> bool:
        """Whether a norm after the first is one of another clause: "no chat — the reason must be given"."""
        return any(word.low in _CLAUSES for word in self.words[max(0, start) : at])

    @cached_property
    def wanting(self) -> tuple[CueAt, ...]:
        """The cues that begin what is wanted, or excepted: "unless", and "without" where it limits."""
        orders = self.norm is None and self.words[0].stem in {words[0] for words in self.doing if words}
        permits = orders or (self.norm is not None and self.norm.cue is Cue.PERMIT)
        return tuple(
            one for one in self.at(Cue.UNLESS)
            if one.first not in self._while | self._ahead_of
            and (
                self.words[one.first].low not in ("before", "until", "without")
                or (
                    self._begins_condition(one)
                    and not (self._lows[one.first] == "without" and (permits or self._is_alone(one.first)))
                )
            )
        )  # fmt: skip

    def _is_alone(self, at: int) -> bool:
        """Whether "only", "unless" or "be" stands before a "without", or an "only" ends the sentence."""
        last = next((one.first for one in self.at(Cue.ONLY) if one.first > at), 0)
        ends = last and not any(word.weight for word in self.words[last + 1 :])
        return (
            bool(ends)
            or self._lows[at - 1] == "be"
            or any(
                one.first < at and not any(low in _BORDERS for low in self._lows[one.first + 1 : at])
                for one in self.at(Cue.ONLY, Cue.UNLESS)
                if one.cue is Cue.ONLY or self._lows[one.first] in ("unless", "except")
            )
        )

    @cached_property
    def _while(self) -> frozenset[int]:
        """Where "as long as" says when something is forbidden, and not when it is allowed."""
        forbids = self.norm is not None and self.norm.cue is Cue.FORBID
        return frozenset(
            one.first for one in self.at(Cue.UNLESS)
            if forbids and self._lows[one.first : one.after] == ("as", "long", "as")
        )  # fmt: skip

    @cached_property
    def _ahead_of(self) -> frozenset[int]:
        """Where "before" says when what is demanded must be so: "must be signed before it is uploaded"."""
        demands = self.norm is not None and self.norm.cue is Cue.REQUIRE and not self.asks
        return frozenset(
            one.first for one in self.at(Cue.UNLESS)
            if demands and self._lows[one.first] == "before" and self._begins_condition(one)
        )  # fmt: skip

    def _is_once(self, at: int) -> bool:
        """Whether a word says that something is done one time in each of some cases: "once per run"."""
        return self._lows[at] == "once" and self._lows[at + 1 : at + 2] in (
            ("per",), ("a",), ("an",), ("each",), ("every",), ("in",),
        )  # fmt: skip

    def _has_to_pass(self, at: int) -> bool:
        """Whether a length of time is one that must have gone by: "at least 56 days must have passed"."""
        norm = self.norm
        if norm is None or norm.cue is not Cue.REQUIRE or not isinstance(self.words[at].literal, timedelta):
            return False
        then = self._lows[norm.after : norm.after + _NEAR_PER]
        return (
            at < norm.first
            and not _GO_BY.isdisjoint(then)
            and not _BORDERS - {"must"} & {*self._lows[at : norm.first]}
        )

    def _is_capped(self, at: int) -> bool:
        """Whether something is said to be limited to a number: "students are limited to 4 hours"."""
        return any(
            one.cue is Cue.AT_MOST and 0 <= at - one.after <= 1 and self._lows[one.first - 1] in _PRESENT
            for one in self.comparisons if one.first
        )  # fmt: skip

    def _is_asked_of(self, one: CueAt) -> bool:
        """Whether a person is asked of what a comparison says: "approval for stays of at most 20 days"."""
        asked = (each.after for each in self.at(Cue.ASK) if each.after <= one.first)
        first = next(asked, one.first)
        apart = first == one.first or not _ENDS.isdisjoint(self._lows[first : one.first])
        return self.asks and (not apart or self._lows[one.first - 1 : one.first] == ("of",))

    def _is_limit(self, at: int) -> bool:
        """Whether a number is one that must not be passed, also where a sentence forbids: "not more than"."""
        if self.words[at].literal is None:
            return False
        limits = [one for one in self.comparisons if one.cue is Cue.AT_MOST]
        least = [one for one in self.comparisons if one.cue is Cue.AT_LEAST and not one.first]
        begins = self.words[0].low == "at" and self.norm is None and not self.asks
        if begins and any(0 <= at - one.after <= 1 for one in least):
            return True  # "at least one item is named"
        if not at and isinstance(self.words[0].literal, Decimal) and "too" not in self._lows:
            per = [low for low in self._lows[1:_NEAR_PER] if low in _PER]
            if per and not any(one.first <= _NEAR_PER for one in self.comparisons):
                return True  # "five messages an hour"
        caps = [one for one in limits if not _CAPS.isdisjoint(self._lows[one.first : one.after])]
        before = [
            *caps,
            *(
                one for one in limits
                if self._lows[one.first] in _LIMITING
                and not self._is_asked_of(one)
            ),
        ]  # fmt: skip
        if any(0 <= at - one.after <= 1 for one in before):
            return True
        behind = [
            one for one in limits
            if at < one.first and (one in caps or self.words[one.first].low in _BEHIND)
        ]  # fmt: skip
        if isinstance(self.words[at].literal, timedelta) and self._lows[at - 1 : at] in _DURING:
            return False  # "three messages in 24 hours are the limit"
        return any(
            all(
                word.literal is None or self._lows[word.number - 1 : word.number] in _DURING
                for word in self.words[at + 1 : one.first]
            )
            for one in behind
        )  # "four messages are the limit", "four messages at the most"

    @cached_property
    def excepted(self) -> frozenset[int]:
        """The words of exceptions: from "unless" to the end, or to the comma where it begins the sentence."""
        found: set[int] = set()
        for one in self.at(Cue.UNLESS):
            if not self._excepts(one):
                continue
            last = self.end_of_leading(one) if one.first == 0 else len(self.words)
            limits = (at for at in self._after_exceptions if at > one.first)
            found.update(range(one.first, min(last, min(limits, default=last))))
        return frozenset(found)

    def _excepts(self, one: CueAt) -> bool:
        """Whether what begins a condition says that it is an exception: "unless", "with the exception of"."""
        return not _EXCEPTING.isdisjoint((self._lows[one.first], self._lows[one.after - 2]))

    def what_follows(self, one: CueAt) -> Iterator[int]:
        """Yield the words of what a cue begins: to the next comma, or to its end where it leads."""
        last = len(self.words) if one.first else self.end_of_leading(one)
        for at in range(one.after, last):
            if one.first and self._lows[at] in ENDS_OF_CLAUSE:
                return
            yield at

    def end_of_leading(self, one: CueAt) -> int:
        """Where an exception ends that begins a sentence: at its comma, and of a list at the one after it."""
        if not any(word.low == "," for word in self.words):
            begins = _BEGINNING if self.words[one.first].low == "without" else _NAMELESS
            named = next((word.number for word in self.words[one.after :] if word.weight), one.after)
            after = (word.number for word in self.words[named + 1 :] if word.low in begins)
            return next(after, len(self.words))  # "without consent no chart is shared"
        inverted = (
            at for at, pair in enumerate(pairwise(self._lows))
            if at > one.first and pair[0] in _MODALS and pair[1] in _ARTICLES | _PRONOUNS
        )  # fmt: skip
        if self.words[one.first].low == "only" and (at := next(inverted, None)) is not None:
            return at  # "only if it was tested may it be released"
        ends = [word.number for word in self.words if word.number > one.first and word.low in _ENDS]
        last = max((word.number for word in self.words if word.low in ("or", "and")), default=-1)
        listed = [at for at in ends if at > last] if ends and last - ends[-1] < 0 < last - ends[0] else ends
        return next(iter(listed), len(self.words))

    @cached_property
    def _after_exceptions(self) -> frozenset[int]:
        """Where a comparison goes on with the sentence: "any room except the hall above 20 degrees"."""
        every = _ALL - {"no"}
        verbs = {
            next((at for at in range(one.after + 1, len(self.words)) if self._lows[at] in _VERBS), -1)
            for one in self.at(Cue.UNLESS)
            if one.first
            and self.words[one.first].low in ("except", "apart")
            and 1 <= one.first <= 3
            and one.after not in {each.first for each in self.at(Cue.IF)}
        }  # "everything except economy is refused"
        return frozenset(verbs - {-1}).union(
            other.first
            for one in self.at(Cue.UNLESS)
            if self._excepts(one)
            and self._lows[one.first] != "unless"
            and self._lows[one.after : one.after + 1] not in (("those",), ("ones",))
            and every.intersection(self._lows[max(0, one.first - 3) : max(0, one.first - 1)])
            for other in self.comparisons
            if 1 < other.first - one.after <= 3
        )

    def _excludes(self, one: CueAt) -> bool:
        """Whether "nowhere else" says that what stands before it is all."""
        return self.words[one.after - 1].low == "else"

    def _begins_condition(self, one: CueAt) -> bool:
        """Whether "before" or "until" begins a condition, and belongs to no time and no length of time."""
        following = self.words[one.after : one.after + 2]
        if not following or following[0].low != "the":
            following = following[:1]
        if self.asks or any(":" in word.text or isinstance(word.literal, Decimal) for word in following):
            return False
        if following[0].low in _MONTHS:
            return False
        before = self.words[max(0, one.first - 3) : one.first]
        return not any(isinstance(word.literal, timedelta) for word in before)

    @cached_property
    def stems(self) -> Mapping[str, tuple[tuple[int, float], ...]]:
        """The words by each stem that they may be meant by, with how surely."""
        found: dict[str, dict[int, float]] = {}
        asked = {
            at for one in self.at(Cue.ASK) for at in range(one.first, one.after) if self._lows[at] in _PEOPLE
        }
        for word in (*self.words, *self.context):
            if isinstance(word.literal, timedelta) and not self._is_apart_in_time(word.number):
                # "240 minutes" are of what is called minutes
                found.setdefault(stem(word.low.split()[-1]), {})[word.number] = 1.0
            is_small = (word.low in _STOP and not word.weight) or word.number in self.approvers | asked
            if is_small or word.literal is not None or not word.low[0].isalpha():
                continue
            if word.number in self.of_run and self._is_run_itself(word):
                continue
            sure = 1.0 if word.number >= 0 else 0.5
            if denied := denied_part(word.low):
                found.setdefault(denied, {})[word.number] = sure * 0.9
            named = map(stem, self.in_other_letters.get(word.number, ()))
            for one in (*_parts(word.low), *self._verbs(word), *named):
                own = found.setdefault(one, {})
                own[word.number] = max(own.get(word.number, 0), sure)
                for other in self.known.get(one, ()):
                    own = found.setdefault(other, {})
                    own[word.number] = max(own.get(word.number, 0), sure * 0.95)
                for other in everyday().get(one, ()):
                    own = found.setdefault(other, {})
                    own[word.number] = max(own.get(word.number, 0), sure * 0.6)
                for other in general().get(one, ()):
                    own = found.setdefault(other, {})
                    own[word.number] = max(own.get(word.number, 0), sure * 0.5)
        return {one: tuple(places.items()) for one, places in found.items()}

    def _is_apart_in_time(self, at: int) -> bool:
        """Whether a length of time says how far away something is, and not how long: "an hour ago"."""
        before, after = self._lows[max(0, at - 1) : at], self._lows[at + 1 : at + 2]
        return not _LATELY.isdisjoint(before) or not _AWAY.isdisjoint(after)

    def _verbs(self, word: ForeignWord) -> Iterator[str]:
        """The verb of two words that a word is a part of: "call off", "look up"."""
        if word.number < 0:
            return
        for first, second in pairwise(self.words[max(0, word.number - 1) : word.number + 2]):
            both = f"{first.stem}-{second.low}"
            if both in everyday():
                yield both

    @cached_property
    def content(self) -> tuple[ForeignWord, ...]:
        """The words that a suggestion should use: all but those that say of which form it is."""
        return tuple(word for word in self.words if word.weight > 0 and word.number not in self._formal)

    @cached_property
    def weights(self) -> Mapping[int, float]:
        """What using each word of content is worth; a part of a comparison is worth as much as a cue."""
        compared = {number for one in self.comparisons for number in range(one.first, one.after)}
        return {
            word.number: min(word.weight, _CUE_WEIGHT) if word.number in compared else word.weight
            for word in self.content
        }

    def worth_of(self, number: int) -> float:
        """What it is worth to use a word."""
        return self.weights.get(number, 0.1)

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The words that are numbers or lengths of time."""
        return tuple(
            word.number
            for word in self.words
            if word.literal is not None and not isinstance(word.literal, str)
        )

    @cached_property
    def of_run(self) -> frozenset[int]:
        """The words that mean the run: session, conversation."""
        following = (*self._lows[1:], "")
        return frozenset(
            word.number for word, then in zip(self.words, following, strict=True)
            if word.low in _RUN and then != "out"  # what has run out is no run
        )  # fmt: skip

    def _is_run_itself(self, word: ForeignWord) -> bool:
        """Whether a word is the run of the agent, and no tool that runs something: "ten mails a run"."""
        before = self._lows[word.number - 1] if word.number else ""
        nouns = {stem(part) for name in self.names for part in name.split("_")}
        nouns |= {noun for words in self.doing for noun in words[1:]}
        return before in _ARTICLES | {"per", "one", "this", "same", "single"} and word.stem not in nouns

    @cached_property
    def _formal(self) -> frozenset[int]:
        """The words that forbid, demand, permit, ask for an approval, or begin a condition."""
        cues = [
            *self.at(Cue.ONLY, Cue.IF, Cue.ASK, Cue.NO_ASK),
            *([self.norm] if self.norm is not None else []),
        ]
        found = {number for one in cues for number in range(one.first, one.after)}
        if self.asks:
            found |= {word.number for word in self.words if word.low in CONSENT | _PEOPLE}
            found |= {number for one in self.at(Cue.REQUIRE) for number in range(one.first, one.after)}
        return frozenset(found)

    def is_adjective(self, at: int) -> bool:
        """Whether a word says how a thing is that follows: "a cancelled booking", "the cancelled one"."""
        follows = self.words[at + 1 : at + 2]
        before = self._lows[at - 1] if at else ""
        return (
            self._lows[at].endswith("ed")
            and before not in _PRESENT | _PAST | {"be", "been", "not"}
            and any(word.weight >= 1 or word.low in ("one", "ones") for word in follows)
        )

    def is_about(self, at: int, stems: Collection[str]) -> bool:
        """Whether the clause after a word has one of some words, or none that says anything."""
        ends = (word.number for word in self.words[at + 1 :] if word.low in _BORDERS)
        told = [word.stem for word in self.words[at + 1 : next(ends, len(self.words))] if word.weight]
        return not told or not set(stems).isdisjoint(told)

    def is_joined(self, first: int, second: int) -> bool:
        """Whether two words stand in one clause: no comma, "and", "if" or "must" is between them."""
        return _BORDERS.isdisjoint(self._lows[min(first, second) : max(first, second)])

    def says_some(self, at: int) -> bool:
        """Whether a noun is one that something must have among others: "must carry an “owner” label"."""
        before = self._lows[max(0, at - _NEAR_NOUN) : at]
        some = max((number for number, low in enumerate(before) if low in ("a", "an", "one")), default=-1)
        if some < 0 or self.has(Cue.ONLY) or not _BORDERS.isdisjoint(before[some:]):
            return False
        least = before[max(0, some - 2) : some] == ("at", "least")
        return least or before[some : some + 2] == ("one", "of") or (some > 0 and before[some - 1] in _HAVING)

    def says_every(self, at: int) -> bool:
        """Whether "each" or "every" stands just before a noun."""
        return not {"each", "every", "all"}.isdisjoint(self._lows[max(0, at - 2) : at])

    def joined(self, first: int, second: int) -> bool:
        """Whether two words stand in a row, with a comma, "and" or "or" between them."""
        between = [word.low for word in self.words[first + 1 : second]]
        return 0 < len(between) <= 2 and all(one in ("and", "or", ",", "nor") for one in between)

    def in_rows(self, places: Iterable[int]) -> Iterator[tuple[int, ...]]:
        """Yield which of some words stand in a row: "a, b or c", "no a and no b", "do a or do b"."""
        row: list[int] = []
        for at in sorted(places):
            between = self._lows[row[-1] + 1 : at] if row else ()
            if not between or not _IN_ROWS.issuperset(between) or _JOINTS.isdisjoint(between):
                if len(row) > 1:
                    yield tuple(row)
                row = []
            row.append(at)
        if len(row) > 1:
            yield tuple(row)

    def denied(self, at: int) -> bool:
        """Whether the word before this one, or the one before that, is a plain "not"."""
        taken = () if self.norm is None else range(self.norm.first, self.norm.after)
        return any(
            word.low in ("not", "never", "without") or word.low.endswith("n't")
            for word in self.words[max(0, at - 2) : at]
            if word.number not in taken
        )

    def denies(self, at: int, words: Iterable[str]) -> bool:
        """Whether a word denies one of some stems by its first letters, and is none of them itself."""
        low = self.words[at].low if 0 <= at < len(self.words) else ""
        return bool(low) and stem(low) not in words and denied_part(low) in words

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
            and (one.after - one.first > 1 or (one.first and self._lows[one.first - 1] in _CLAUSES))
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
            near = near and not any(_overlap(one, other) for other in self.wanting)
            near = near and self._lows[one.after : one.after + 1] != ("even",)  # "not even" denies nothing
            if near and not any(_inside(one, other) or one.first == other.first for other in taken):
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
        while first > max(0, cue.first - 3) and self.words[first - 1].low not in _BORDERS:
            first -= 1
        last = cue.after
        while last < min(len(self.words), cue.after + 4) and self.words[last].low not in _BORDERS:
            last += 1
        taken = [*self.comparisons, *self.wanting, *([self.norm] if self.norm is not None else [])]
        return frozenset(
            one.first
            for one in self.at(Cue.NOT)
            if first <= one.first < last and not any(_overlap(one, other) for other in taken)
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
        other = {number for one in formal for number in range(one.first, one.after)} | self._formal
        free = (one.first for one in self.at(Cue.NOT) if one.first not in other)
        forbids = self.norm is not None and self.norm.cue is Cue.FORBID
        return frozenset(
            number for number in free
            if self.words[number].low != "nor" and not (forbids and self._goes_on_forbidding(number))
        )  # fmt: skip

    def _goes_on_forbidding(self, at: int) -> bool:
        """Whether a word goes on with what is forbidden: "nor", "so no euros", "and neither does"."""
        goes_on = self._lows[at] in ("no", "neither") and self._lows[max(0, at - 1)] in _GOING_ON
        return self._lows[at] == "nor" or (goes_on and self.norm is not None and self.norm.first < at)


ENDS_OF_CLAUSE = frozenset((",", ";", ":", "—", "–"))
_NEAR_FREE = 2
"""How many words after "need not" an approval belongs to it."""
_NEAR_EVEN = 3
"""How many words before an approval an "even" says that it changes nothing: "not even with an approval"."""
_NEAR_WHICH = 4
_GOING_ON = ENDS_OF_CLAUSE | {"and", "so", "or"}
_WHICH_PEOPLE = (("in",), ("from",), ("of",), ("with",), ("who",))
_MONTHS = frozenset(map(str.casefold, MONTHS))
_DURING = (("in",), ("within",), ("per",), ("every",))
_BEHIND = words_named("copulas") | {"are", "at", "tops"}
_JOINTS = frozenset((",", "and", "or", "nor"))
_IN_ROWS = _JOINTS | {"no", "a", "an", "the", "to"}
_DEFINITE = (("the",), ("a",), ("each",), ("every",))
_GO_BY = words_named("go_by")
_LATELY = frozenset(("last", "past", "next", "previous", "coming"))
_AWAY = _GO_BY | {
    "ago",
    "ahead",
    "before",
    "after",
    "prior",
    "earlier",
    "later",
    "old",
    "older",
    "must",
    "have",
}
_NEAR_NOUN = 6
_NEAR_PER = 4
_PER = frozenset(("a", "an", "per", "each", "every"))
_IMPOSSIBLE = re.compile(r"(?:un(?!der)|in(?!ter)|im|ir|il|non-?)\w{3,}[ai]ble")
_HAVING = words_named("having")
_PREDICATIVE = frozenset(("required", "needed", "necessary", "mandatory", "compulsory", "obligatory"))
_KEEPING = frozenset(("keep", "keeps"))
_HELD = frozenset(("the", "their", "its", "his", "her"))
_DOING = frozenset(("do", "don't", "does", "doesn't"))
_PRONOUNS = frozenset(("it", "they", "he", "she", "this", "that", "these", "those", "one", "you", "we"))
_MODALS = frozenset(("may", "can", "must", "should", "shall"))
_CLAUSES = frozenset((",", ";", ":", "—", "–", ".", "and", "but"))
_BORDERS = frozenset((",", ";", ":", "and", "or", "but", "if", "when", "unless", "must", "may", "should"))
"""What ends the clause of a word."""
_PREPOSITIONS = (("of",), ("to",), ("for",), ("from",), ("in",), ("with",), ("by",), ("at",), ("on",))
_CONTRASTS = (("not", "the"), ("not", "a"), ("not", "an"), ("not", "one"), ("not", "those"))
_SOME = (("a",), ("an",), ("any",), ("no",))
_ALL = frozenset(("every", "all", "any", "each", "no"))
_EVERYBODY = _ALL | frozenset(("everybody", "everyone", "anybody", "anyone", "everything", "anything"))
_OF_CALLER = 4
_AGO = 9
"""How many words after "approved" an "ago" belongs to it."""
_NEEDLESS = words_named("needless")
_STAYING = words_named("staying")
_PLACES = frozenset(("in", "inside", "here", "there", "where", "at"))
_STATES_KEPT = words_named("states_kept")
_DEMANDING = frozenset(("must", "should", "shall", "has", "have", "to", "always", "be", "is", "are"))
_ARTICLES = frozenset(("a", "an", "the", "no", "any", "each", "every"))
_LEADING = frozenset(
    ("after", "once", "except", "unless", "apart", "without", "if", "when", "outside", "before", "until")
)
"""The first words of what stands before a comma, and is said of what follows."""
_VERBS = frozenset(("is", "are", "may", "must", "can", "gets", "needs", "goes"))
_NAMELESS = frozenset(("it", "they", "nobody", "nothing", "he", "she"))
_BEGINNING = frozenset(("the", "a", "an", "no", "nobody", "nothing", "it"))
_DENIALS = words_named("denials")
_RELATIVE = frozenset(("that", "which", "who", "whose"))
_PRESENT = frozenset(("is", "are", "isn't", "aren't"))
_COPULA = (("is",), ("are",), ("be",), ("remains",), ("remain",))
_PAST = frozenset(("was", "were", "wasn't", "weren't", "has", "have", "had", "hasn't", "haven't", "hadn't"))
_TELLING = frozenset(("after", "once", "if", "when", "whenever", *_RELATIVE))
_OF_MAIN_CLAUSE = frozenset(
    ("it's", "then", "nothing", "nobody", "no", "may", "must", "can", "cannot", "should")
)
_LIMITING = frozenset(("no", "not", "at"))
_CAPS = frozenset(
    ("max", "max.", "maximum", "maximally", "cap", "capped", "ceiling", "limit", "limited", "tops")
)
_LIMITING_BUT = frozenset(("not", "no", "never", "at", "only"))
_COPULAS = words_named("copulas")


CURRENCIES = {
    **dict.fromkeys(("eur", "euro", "euros"), "EUR"), **dict.fromkeys(("usd", "dollar", "dollars"), "USD"),
    **dict.fromkeys(("gbp", "pound", "pounds", "sterling"), "GBP"),
    **dict.fromkeys(("chf", "franc", "francs"), "CHF"), **dict.fromkeys(("jpy", "yen"), "JPY"),
    **dict.fromkeys(("sek", "kronor", "krona"), "SEK"), **dict.fromkeys(("inr", "rupee", "rupees"), "INR"),
}  # fmt: skip


def _parts(word: str) -> Iterable[str]:
    """The stem of a word, and those of its parts if it has some, and of these without a hyphen: "pick-up"."""
    pieces = [piece for piece in re.split(r"[-_./@:]", word) if piece]
    if len(pieces) == 1:
        return {stem(word)}
    return {stem(word), stem(word.replace("-", "")), *map(stem, pieces)}


def denied_part(word: str) -> str:
    """The stem of what a word denies: "signed" of "unsigned"; empty if it denies nothing."""
    if word in OPPOSITES:
        return stem(OPPOSITES[word])
    for prefix in _DENYING_PREFIXES:
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= _LEAST_DENIED:
            return stem(rest)
    return ""


_DENYING_PREFIXES = ("non-", "un", "dis", "not-yet-")
_LEAST_DENIED = 4


def _inside(one: CueAt, other: CueAt) -> bool:
    """Whether a cue is a part of a longer one."""
    return (
        other.first <= one.first
        and one.after <= other.after
        and other.after - other.first > one.after - one.first
    )


def _overlap(one: CueAt, other: CueAt) -> bool:
    return one.first < other.after and other.first < one.after


def _words(text: str) -> Iterator[ForeignWord]:
    """The words of a text; a number and its unit of time are one word."""
    found = list(_WORD.finditer(text))
    at = number = 0
    while at < len(found) and number < MOST_WORDS:
        one = found[at]
        after = found[at + 1] if at + 1 < len(found) else None
        before = found[at - 1].group().casefold() if at else ""
        half = _half(text, found[at : at + 3], number)
        share = _share(text, found[at : at + 3], number)
        word, taken = (half, 3) if half is not None else share or _word(one, after, before, number)
        yield word
        number, at = number + 1, at + taken


def _half(text: str, found: Sequence[re.Match[str]], number: int) -> ForeignWord | None:
    """Half of a unit of time: "half an hour"."""
    lows = [one.group().casefold() for one in found]
    length = _UNITS.get(lows[2].removesuffix("s")) if len(lows) > 2 else None
    if length is None or lows[0] != "half" or lows[1] not in ("a", "an"):
        return None
    written = text[found[0].start() : found[2].end()]
    span = timedelta(seconds=length / 2)
    return ForeignWord(
        number, written, written.casefold(), written, found[0].start(), found[2].end(), 2.0, span
    )


def _share(text: str, found: Sequence[re.Match[str]], number: int) -> tuple[ForeignWord, int] | None:
    """How much of something: "a fifth of", "two thirds of", "half the price"; with how many pieces say it."""
    lows = [*(one.group().casefold() for one in found), "", "", ""]
    portion = _PORTIONS.get(lows[1].removesuffix("s"))
    count = 1 if lows[0] in ("a", "an") else NUMBERS.get(lows[0], 0)
    if portion and count and lows[2] == "of":
        value, taken = round(Decimal(count) / portion, 4), 2
    elif lows[0] in _MULTIPLES and (lows[1] in _OF_WHAT or (lows[0] == "half" and lows[1] == "of")):
        value, taken = _MULTIPLES[lows[0]], 1
    else:
        return None
    start, end = found[0].start(), found[taken - 1].end()
    said = text[start:end]
    return ForeignWord(number, said, said.casefold(), said, start, end, 2.0, value, unit=SHARE), taken


def _counted(one: re.Match[str], following: str, before: str) -> Decimal | None:
    """The number that a piece of a text says, in digits or in words."""
    low, digits = one.group().casefold(), one.group("number") or ""
    if low in ("a", "an", "one") and following in _UNITS and len(following) > 2 and before in _MEASURING:
        return Decimal(1)
    if low in ("a", "an") and following in MEASURES and len(following) > 3 and before in ("", *_MEASURING):
        return Decimal(1)
    counts = low != "one" or before in ("least", "most", "between")
    if low in NUMBERS and (counts or (following not in _NO_NUMBER and before not in _BEFORE_PRONOUN)):
        return Decimal(NUMBERS[low])
    return Decimal(re.sub(r"[,\s−]", "", digits)) if 0 < len(digits) < _MOST_DIGITS else None


def _word(
    one: re.Match[str], after: re.Match[str] | None, before: str, number: int
) -> tuple[ForeignWord, int]:
    """The word that begins with a piece of the text, and how many pieces it takes."""
    written, low = one.group(), one.group().replace("’", "'").casefold()
    following = after.group().casefold() if after is not None else ""
    value = _counted(one, following, before)
    if value is not None:
        unit = one.group("unit") or following.strip("-")
        length = _UNITS.get(unit, _UNITS.get(unit.removesuffix("s")))
        if length is not None and (one.group("unit") or len(unit) > 2):
            own = one.group("unit") or after is None
            end = one.end() if own or after is None else after.end()
            span = timedelta(seconds=float(value * length)) if value < _LONGEST else timedelta.max
            text = written if own else f"{written} {following}"
            return ForeignWord(
                number, text, text.casefold(), text, one.start(), end, 2.0, span
            ), 1 if own else 2
        if following in _SIZES and after is not None:
            text = f"{written} {after.group()}"
            word = ForeignWord(number, text, low, low, one.start(), after.end(), 2.0, value, unit=following)
            return word, 2
        money = before in _MONEY or following in _MONEY
        weight = 0.3 if low == "one" else 2.0
        if one.group("unit") == "%":
            value = value / 100
        counted = ORDINAL if unit in _ORDINALS else following if following in MEASURES else ""
        return ForeignWord(
            number, written, low, low, one.start(), one.end(), weight, value, money, counted
        ), 1
    if one.group("path") is not None:
        return ForeignWord(number, written, low, low, one.start(), one.end(), 2.0, written), 1
    if one.group("quoted") is not None:
        return ForeignWord(number, written, low, low, one.start(), one.end(), 2.0, written[1:-1]), 1
    if one.group("clock") is not None:
        return ForeignWord(number, written, low, low, one.start(), one.end(), 2.0), 1
    plain = low if one.group("word") and not _ABBREVIATION.fullmatch(low) else ""
    content = bool(plain) and (plain not in _STOP or written in _IN_CAPITALS)
    weight = (_CUE_WEIGHT if plain in _ALONE and plain not in _CONTENT else 1.0) if content else 0.0
    return ForeignWord(number, written, low, stem(low) if plain else low, one.start(), one.end(), weight), 1


_ALONE = {words[0] for ones in _BY_WORD.values() for words, _ in ones if len(words) == 1}
_CUE_WEIGHT = 0.4
"""What a word is worth that cues something: it is used if the form of a suggestion says the same."""
_RUN = words_named("run")
_MEASURING = frozenset(("than", "within", "after", "least", "most", "next", "last", "past", "under", "over"))
"""Before "a year" they say that it is a length of time, and no "per year"."""
_NO_NUMBER = words_named("after_one")
_BEFORE_PRONOUN = words_named("before_one")
_ABBREVIATION = re.compile(r"[a-z](\.[a-z])+|etc|vs")
_IN_CAPITALS = frozenset(("US", "IT"))
"""Small words that are others in capitals."""
"""After "one" they say that it counts nothing."""
_EXCEPTING = frozenset(("unless", "except", "apart", "but", "save", "barring", "exception"))
_ENDS = ENDS_OF_CLAUSE | {"then"}
"""What ends a condition that an "if" begins."""
_MOST_DIGITS = 40
_LONGEST = 10**6
_CONTENT = words_named("naming")
"""Words that cue something and may name something too."""


def confirmed(foreign: str, chosen: str) -> Mapping[str, str]:
    """Each word of a foreign sentence that a choice gives a meaning to, with the word of the language for it.

    A word is confirmed for another that stands for it in everyday business, and where each side has only one
    word that the other does not have.
    """
    own, other = _content(foreign), _content(chosen)
    left = {key: word for key, word in own.items() if key not in other}
    right = {key: word for key, word in other.items() if key not in own}
    found: dict[str, str] = {}
    for key in list(left):
        meant = sorted(everyday().get(key, frozenset()) & right.keys())
        if len(meant) == 1:
            found[left.pop(key).low] = right.pop(meant[0]).low
    if len(left) == len(right) == 1:
        found[next(iter(left.values())).low] = next(iter(right.values())).low
    return found


def _content(text: str) -> Mapping[str, ForeignWord]:
    """The words of content of a sentence by their stems, without numbers and quoted texts."""
    return {
        word.stem: word for word in ForeignSentence(text).content if word.literal is None and word.weight == 1
    }

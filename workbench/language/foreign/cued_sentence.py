"""A foreign sentence as its words, its cues, and how these stand to each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from itertools import pairwise

from workbench.language.foreign.cue_reading import CueReading
from workbench.language.foreign.cues import COMPARING, Cue, CueAt, inside, overlap
from workbench.language.foreign.small_words import (
    ARTICLES,
    AWAY,
    BEGINNING,
    BORDERS,
    CONSENT,
    ENDS,
    ENDS_OF_CLAUSE,
    IN_ROWS,
    JOINTS,
    LATELY,
    MODALS,
    NAMELESS,
    PAST,
    PEOPLE,
    PRESENT,
    PRONOUNS,
    RUN,
)
from workbench.language.foreign.stems import denied_part, everyday, general, stem, stems_of_parts
from workbench.language.foreign.tokens import CURRENCIES, MOST_WORDS, STOP, ForeignWord, words_of_text

_AGO = 9
"""How many words after "approved" an "ago" belongs to it."""


@dataclass(frozen=True)
class CuedSentence:
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
    def cues(self) -> tuple[CueAt, ...]:
        """The cues of the sentence: of phrases that begin at one word, the longest of each cue."""
        return CueReading(self.words, self.lows, self.own).cues

    @cached_property
    def approvals(self) -> tuple[CueAt, ...]:
        """The phrases that say who is to approve; a "signature" that a call has is none."""
        return CueReading(self.words, self.lows, self.own).approvals

    @cached_property
    def words(self) -> tuple[ForeignWord, ...]:
        """The words of the sentence itself."""
        found = tuple(words_of_text(self.text))[:MOST_WORDS]
        counted = {
            at + step for at, one in enumerate(found) if isinstance(one.literal, Decimal) for step in (-1, 1)
        }
        return tuple(
            replace(word, weight=1.0)
            if (word.low in CURRENCIES and word.number not in counted)
            or (word.low in STOP and word.low in self.names and before in ARTICLES)
            else word
            for before, word in zip(("", *(one.low for one in found)), found, strict=False)
        )

    @cached_property
    def context(self) -> tuple[ForeignWord, ...]:
        """The words of the heading and the neighbours."""
        found = [one for one in words_of_text(self.around) if one.weight and one.literal is None][:MOST_WORDS]
        return tuple(
            ForeignWord(-1 - number, one.text, one.low, one.stem, -1, -1) for number, one in enumerate(found)
        )

    @cached_property
    def small_names(self) -> frozenset[str]:
        """The small words of the sentence that are meant as the names of parameters."""
        return frozenset(word.low for word in self.words if word.low in STOP and word.weight)

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
    def approvers(self) -> frozenset[int]:
        """The words of those phrases, which name nothing else."""
        return frozenset(at for one in self.approvals for at in one.places)

    @cached_property
    def own(self) -> frozenset[str]:
        """The stems of the names of parameters, and of what the tools do."""
        named = (stem(part) for one in self.names for part in one.split("_"))
        return frozenset((*named, *(words[0] for words in self.doing if words)))

    @cached_property
    def lows(self) -> tuple[str, ...]:
        """The words in small letters."""
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
        return next((number for number in every if self.lows[number] in ENDS_OF_CLAUSE), len(self.words))

    @cached_property
    def comparisons(self) -> tuple[CueAt, ...]:
        """The comparisons that are no part of a longer one: "no more than" is not "more than".

        Nor is "or more" one in "or more than".
        """
        # "over all" is not more, nor is "looked up"
        totals = [one for one in self.at(Cue.TOTAL, Cue.LOOKED_UP) if one.after - one.first > 1]
        ones = [
            one for one in self.cues
            if one.cue in COMPARING and not any(overlap(one, other) for other in totals)
        ]  # fmt: skip
        return tuple(
            one
            for one in ones
            if not any(
                inside(one, other) or one.first < other.first < one.after < other.after for other in ones
            )
        )

    @cached_property
    def asks(self) -> bool:
        """Whether a person is to say yes: an approval, or a person near a word of consent."""
        if self.has(Cue.ASK, Cue.NO_ASK):
            return True
        people = [word.number for word in self.words if word.low.removesuffix("'s") in PEOPLE]
        ago = {word.number for word in self.words if word.low == "ago"}  # what was approved is a record's
        told = {at for at, low in enumerate(self.lows, start=1) if low in ("who", "whoever")}
        yes = [word.number for word in self.words
               if word.low in CONSENT and word.number not in told
               and not ago.intersection(range(word.number, word.number + _AGO))]  # fmt: skip
        return any(abs(one - other) <= 4 for one in people for other in yes)

    @cached_property
    def stems(self) -> Mapping[str, tuple[tuple[int, float], ...]]:
        """The words by each stem that they may be meant by, with how surely."""
        found: dict[str, dict[int, float]] = {}
        asked = {at for one in self.at(Cue.ASK) for at in one.places if self.lows[at] in PEOPLE}
        for word in (*self.words, *self.context):
            if isinstance(word.literal, timedelta) and not self._is_apart_in_time(word.number):
                # "240 minutes" are of what is called minutes
                found.setdefault(stem(word.low.split()[-1]), {})[word.number] = 1.0
            is_small = (word.low in STOP and not word.weight) or word.number in self.approvers | asked
            if is_small or word.literal is not None or not word.low[0].isalpha():
                continue
            if word.number in self.of_run and self._is_run_itself(word):
                continue
            sure = 1.0 if word.number >= 0 else 0.5
            if denied := denied_part(word.low):
                found.setdefault(denied, {})[word.number] = sure * 0.9
            named = map(stem, self.in_other_letters.get(word.number, ()))
            for one in (*stems_of_parts(word.low), *self._verbs(word), *named):
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
        before, after = self.lows[max(0, at - 1) : at], self.lows[at + 1 : at + 2]
        return not LATELY.isdisjoint(before) or not AWAY.isdisjoint(after)

    def _verbs(self, word: ForeignWord) -> Iterator[str]:
        """The verb of two words that a word is a part of: "call off", "look up"."""
        if word.number < 0:
            return
        for first, second in pairwise(self.words[max(0, word.number - 1) : word.number + 2]):
            both = f"{first.stem}-{second.low}"
            if both in everyday():
                yield both

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
        following = (*self.lows[1:], "")
        return frozenset(
            word.number for word, then in zip(self.words, following, strict=True)
            if word.low in RUN and then != "out"  # what has run out is no run
        )  # fmt: skip

    def _is_run_itself(self, word: ForeignWord) -> bool:
        """Whether a word is the run of the agent, and no tool that runs something: "ten mails a run"."""
        before = self.lows[word.number - 1] if word.number else ""
        nouns = {stem(part) for name in self.names for part in name.split("_")}
        nouns |= {noun for words in self.doing for noun in words[1:]}
        return before in ARTICLES | {"per", "one", "this", "same", "single"} and word.stem not in nouns

    def what_follows(self, one: CueAt) -> Iterator[int]:
        """Yield the words of what a cue begins: to the next comma, or to its end where it leads."""
        last = len(self.words) if one.first else self.end_of_leading(one)
        for at in range(one.after, last):
            if one.first and self.lows[at] in ENDS_OF_CLAUSE:
                return
            yield at

    def end_of_leading(self, one: CueAt) -> int:
        """Where an exception ends that begins a sentence: at its comma, and of a list at the one after it."""
        if not any(word.low == "," for word in self.words):
            begins = BEGINNING if self.words[one.first].low == "without" else NAMELESS
            named = next((word.number for word in self.words[one.after :] if word.weight), one.after)
            after = (word.number for word in self.words[named + 1 :] if word.low in begins)
            return next(after, len(self.words))  # "without consent no chart is shared"
        inverted = (
            at for at, pair in enumerate(pairwise(self.lows))
            if at > one.first and pair[0] in MODALS and pair[1] in ARTICLES | PRONOUNS
        )  # fmt: skip
        if self.words[one.first].low == "only" and (at := next(inverted, None)) is not None:
            return at  # "only if it was tested may it be released"
        ends = [word.number for word in self.words if word.number > one.first and word.low in ENDS]
        last = max((word.number for word in self.words if word.low in ("or", "and")), default=-1)
        listed = [at for at in ends if at > last] if ends and last - ends[-1] < 0 < last - ends[0] else ends
        return next(iter(listed), len(self.words))

    def is_adjective(self, at: int) -> bool:
        """Whether a word says how a thing is that follows: "a cancelled booking", "the cancelled one"."""
        follows = self.words[at + 1 : at + 2]
        before = self.lows[at - 1] if at else ""
        return (
            self.lows[at].endswith("ed")
            and before not in PRESENT | PAST | {"be", "been", "not"}
            and any(word.weight >= 1 or word.low in ("one", "ones") for word in follows)
        )

    def is_about(self, at: int, stems: Collection[str]) -> bool:
        """Whether the clause after a word has one of some words, or none that says anything."""
        ends = (word.number for word in self.words[at + 1 :] if word.low in BORDERS)
        told = [word.stem for word in self.words[at + 1 : next(ends, len(self.words))] if word.weight]
        return not told or not set(stems).isdisjoint(told)

    def is_joined(self, first: int, second: int) -> bool:
        """Whether two words stand in one clause: no comma, "and", "if" or "must" is between them."""
        return BORDERS.isdisjoint(self.lows[min(first, second) : max(first, second)])

    def joined(self, first: int, second: int) -> bool:
        """Whether two words stand in a row, with a comma, "and" or "or" between them."""
        between = [word.low for word in self.words[first + 1 : second]]
        return 0 < len(between) <= 2 and all(one in ("and", "or", ",", "nor") for one in between)

    def in_rows(self, places: Iterable[int]) -> Iterator[tuple[int, ...]]:
        """Yield which of some words stand in a row: "a, b or c", "no a and no b", "do a or do b"."""
        row: list[int] = []
        for at in sorted(places):
            between = self.lows[row[-1] + 1 : at] if row else ()
            if not between or not IN_ROWS.issuperset(between) or JOINTS.isdisjoint(between):
                if len(row) > 1:
                    yield tuple(row)
                row = []
            row.append(at)
        if len(row) > 1:
            yield tuple(row)

    def says_every(self, at: int) -> bool:
        """Whether "each" or "every" stands just before a noun."""
        return not {"each", "every", "all"}.isdisjoint(self.lows[max(0, at - 2) : at])

    def denies(self, at: int, words: Iterable[str]) -> bool:
        """Whether a word denies one of some stems by its first letters, and is none of them itself."""
        low = self.words[at].low if 0 <= at < len(self.words) else ""
        return bool(low) and stem(low) not in words and denied_part(low) in words

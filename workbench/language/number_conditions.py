"""Conditions on numbers and times that a sentence names.

Times are those of the call: days of the week and times of the day.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from workbench.language.foreign.cues import Cue, CueAt
from workbench.language.foreign.roles import Role
from workbench.language.foreign.stems import stem
from workbench.language.foreign.tokens import NUMBERS, ORDINAL, SHARE, ForeignWord
from workbench.language.nameable import Nameable
from workbench.language.naming import Condition, Named, Naming, number_of, opposite
from workbench.language.productions import kind_of, unit_of
from workbench.language.trees import CALL, Tree, joined, with_instead
from workbench.language.units import MEASURES, measured, unit_named
from workbench.language.vocabulary import GENERAL, words_named
from workbench.language.words import MONTHS, WEEKDAYS

_MOST_TERMS = 8
_FROM_NOW = (["from", "now"], ["from", "today"])
_NOTHING = frozenset(("nothing", "none", "no", "zero", "nobody"))
_NAMED_WELL = 0.7
_NEAR_SOME = 4
_NEAR_NUMBER = 6
_FAINT = 0.5
_SIGNED = {"positive": ">", "negative": "<"}
_BETWEEN = frozenset(("to", "and", "-", "–", "or"))
_DEBT = frozenset(map(stem, words_named("more_than_nothing")))
_PERCENT = frozenset(("%", "percent", "per"))
_OF_MONEY = frozenset(map(stem, GENERAL["money"]))
_LOWERED = frozenset(
    ("lower", "lowered", "reduce", "reduced", "cut", "decrease", "decreased", "drop", "fall")
)
_GO_BY = words_named("go_by")
_AGES = frozenset(("older", "younger"))
_COMING_UP = frozenset(("next", "coming"))
_MOMENTS = frozenset(("earlier", "sooner", "later"))
_LETTERS = frozenset(map(stem, words_named("letters")))
_EACH = frozenset(("a", "an", "per", "each", "every", "/"))
_RATES = frozenset(map(stem, ("rate", "price", "tariff", "fee", "wage")))
_UNIT_SECONDS = {
    "minut": 60,
    "min": 60,
    "hour": 3_600,
    "day": 86_400,
    "night": 86_400,
    "second": 1,
    "week": 604_800,
    "month": 2_592_000,
    "year": 31_536_000,
    "age": 31_536_000,
}
_OF_A_TIME = frozenset(("this", "last", "per"))
"""In a name they say that what follows is when or for each of what, and no unit: "donations_this_year"."""


class NumberConditions:
    """Comparisons of what is named with the numbers and lengths of time of a sentence."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._sentence = naming.sentence
        self._things = naming.things

    def every(self) -> Iterator[Condition]:
        """Yield the conditions on each number, length of time and sign of the sentence."""
        for word in self._sentence.words:
            if isinstance(word.literal, timedelta):
                yield from self._of_duration(word)
            elif isinstance(word.literal, Decimal):
                yield from self._of_number(word)
            elif word.low in _SIGNED:
                yield from self._of_sign(word)
        yield from self._of_ranges()
        yield from self._of_shares()
        yield from self._of_lengths()
        yield from self._of_some()

    def _of_ranges(self) -> Iterator[Condition]:
        """From one number to another: inside, or outside where that is refused."""
        words = self._sentence.words
        for first, link, last in zip(words, words[1:], words[2:], strict=False):
            low, high = first.literal, last.literal
            if isinstance(low, Decimal) and isinstance(high, timedelta):
                yield from self._of_range_of_lengths(first, link, last)
            if not (isinstance(low, Decimal) and isinstance(high, Decimal)) or link.low not in _BETWEEN:
                continue
            before = words[first.number - 1].low if first.number else ""
            if low >= high or (link.low == "and" and before != "between") or link.low == "or":
                continue
            used = (
                first.number,
                last.number,
                *((first.number - 1,) if before in ("between", "from") else ()),
            )
            outside = self._sentence.negated(first.number) or before == "outside"
            for one in self._naming.numeric(last.number):
                ends = number_of(low, one.thing.sort), number_of(high, one.thing.sort)
                if ends[0] is None or ends[1] is None:
                    continue
                inside: Tree = (
                    "and",
                    (">=", one.thing.tree, ends[0]),
                    ("<=", one.thing.tree, ends[1]),
                )
                yield self._naming.condition(
                    opposite(inside) if outside else inside, one, used, -0.2, last.number, last.number
                )

    def _of_range_of_lengths(
        self, first: ForeignWord, link: ForeignWord, last: ForeignWord
    ) -> Iterator[Condition]:
        """From one length of time to another: "between one and four weeks"."""
        before = self._sentence.words[first.number - 1].low if first.number else ""
        high = last.literal
        count = re.match(r"[\d.,]+|\w+", last.low)
        most = Decimal(NUMBERS.get(count.group(), 0)) if count is not None else Decimal(0)
        if count is not None and not most and count.group().isdecimal():
            most = Decimal(count.group())
        low = first.literal
        if not isinstance(high, timedelta) or not isinstance(low, Decimal) or not 0 < low < most:
            return
        if link.low not in _BETWEEN or before not in ("between", "from"):
            return
        ends = (high * float(low / most), high)
        used = (first.number - 1, first.number, last.number)
        for one in self._timed(last.number)[:_MOST_TERMS]:
            counts = [in_unit(one.thing, end) for end in ends]
            if kind_of(one.thing.sort) not in ("int", "dec") or None in counts:
                continue
            bounds: list[Tree] = [("lit", "int", count) for count in counts if count is not None]
            inside: Tree = ("and", (">=", one.thing.tree, bounds[0]), ("<=", one.thing.tree, bounds[1]))
            yield self._naming.condition(inside, one, used, -0.2, last.number, last.number)

    def _of_shares(self) -> Iterator[Condition]:
        """A share of what one thing was: "by more than 15 %", "90 % of the capacity"."""
        words = self._sentence.words
        for word in words:
            if not isinstance(word.literal, Decimal) or not self._is_share(word):
                continue
            after = [one.low for one in words[word.number + 1 : word.number + 3]]
            is_part = word.unit == SHARE
            share = word.literal if is_part or word.text.endswith("%") else word.literal / 100
            operator, used = self._naming.operator(word.number)
            lowered = any(one.low in _LOWERED for one in words)
            is_part = is_part or "of" in after
            factor = share if is_part else 1 - share if lowered else 1 + share
            if lowered and not is_part:
                operator = {">": "<", "<=": ">="}.get(operator, operator)
            ones = [
                one for one in self._naming.named
                if kind_of(one.thing.sort) in ("int", "dec") and not one.thing.many and not one.thing.domain
            ]  # fmt: skip
            if any(one.own and _PERCENT & set(one.thing.words) for one in ones if one.thing.of_call):
                continue  # it is a share itself
            for left in [one for one in ones if one.thing.of_call]:
                for right in [one for one in ones if one.own and not one.thing.of_call]:
                    if not set(left.thing.words) & set(right.thing.words) and not left.own:
                        continue
                    part: Tree = ("*", ("lit", "dec", factor.normalize()), right.thing.tree)
                    needs = tuple(dict.fromkeys((*left.thing.needs, *right.thing.needs)))
                    both = replace(right, thing=replace(right.thing, needs=needs))
                    tree: Tree = (operator, left.thing.tree, part)
                    own = (word.number, *used, *left.used)
                    yield self._naming.condition(tree, both, own, 0.0, word.number, word.number)

    def _is_share(self, word: ForeignWord) -> bool:
        after = self._sentence.words[word.number + 1 : word.number + 2]
        return word.text.endswith("%") or word.unit == SHARE or any(one.low in _PERCENT for one in after)

    def _of_lengths(self) -> Iterator[Condition]:
        """Texts of at most so many characters."""
        for word in self._sentence.words:
            said = self._letters_after(word)
            if not isinstance(word.literal, Decimal) or said < 0 or word.literal % 1:
                continue
            operator, used = self._naming.operator(word.number)
            for one in self._naming.named:
                if one.thing.sort != "text" or one.thing.many or not one.own or one.thing.form != "field":
                    continue
                size: Tree = ("call", "len", one.thing.tree)
                number: Tree = ("lit", "int", int(word.literal))
                wanted = self._sentence.roles[word.number] is Role.GOOD
                compares = operator if used else "<=" if wanted else ">"
                yield self._naming.condition(
                    (compares, size, number),
                    one,
                    (word.number, said, *used),
                    0.0 if used else 0.1,
                    word.number,
                    word.number,
                )

    def _letters_after(self, word: ForeignWord) -> int:
        """Where letters are said that a number counts: after it, or after the next one; -1 if nowhere.

        "At least 3 and at most 20 characters" counts them twice.
        """
        words, numbers = self._sentence.words, self._sentence.numbers
        following = next((at for at in numbers if at > word.number), word.number)
        last = following if following - word.number <= _NEAR_SOME else word.number
        near = (*words[word.number + 1 : word.number + 3], *words[last + 1 : last + 3])
        return next((one.number for one in near if one.stem in _LETTERS), -1)

    def _of_some(self) -> Iterator[Condition]:
        """What is more than nothing, where no number is said: open fees, somebody who waits."""
        words = self._sentence.words
        for one in self._naming.named:
            if kind_of(one.thing.sort) not in ("int", "dec") or one.thing.many or not one.own:
                continue
            if one.thing.form != "field" or one.cost > _NAMED_WELL or one.used <= self._naming.tools:
                continue
            if not any(
                sure > _FAINT for word in one.thing.words for _, sure in self._sentence.stems.get(word, ())
            ):
                continue
            zero = number_of(Decimal(0), one.thing.sort)
            near = [
                word.number for word in words
                if word.stem in _DEBT and abs(word.number - one.anchor) <= _NEAR_SOME
            ]  # fmt: skip
            if zero is None or self._has_number(one):
                continue
            some: Tree = (">", one.thing.tree, zero)
            nothing = [
                word.number for word in words[max(0, one.anchor - 3) : one.anchor + 1]
                if word.low in _NOTHING and not self._sentence.forbids(word.number)
            ]  # fmt: skip
            near += nothing
            nothing = [at for at in nothing if words[at - 1].low != "than" or not at]
            no = bool(nothing) or self._sentence.negated(one.anchor)
            tree: Tree = ("==", one.thing.tree, zero) if no else some
            yield self._naming.condition(tree, one, near, 0.15 if near else 0.5)

    def _has_number(self, one: Named) -> bool:
        """Whether a number of the sentence goes with what is named: "the size is at most 20", "20 kg"."""
        own = {word.number for word in self._sentence.words if word.stem in one.thing.words} or {one.anchor}
        return any(
            abs(at - each) <= _NEAR_NUMBER and self._sentence.is_joined(at, each)
            for at in self._sentence.numbers for each in own
        )  # fmt: skip

    def _of_sign(self, word: ForeignWord) -> Iterator[Condition]:
        """What is positive, or negative."""
        words = self._sentence.words
        before = words[max(0, word.number - 2) : word.number]
        or_zero = len(before) == 2 and before[0].literal == 0 and before[1].low == "or"
        used = (word.number, *((before[0].number,) if or_zero else ()))
        for one in self._naming.numeric(word.number):
            if (zero := number_of(Decimal(0), one.thing.sort)) is not None:
                sign: Tree = (f"{_SIGNED[word.low]}{'=' * or_zero}", one.thing.tree, zero)
                yield self._naming.condition(sign, one, used, 0.1 - 0.2 * or_zero, word.number, word.number)

    def _of_number(self, word: ForeignWord) -> Iterator[Condition]:
        value, at = word.literal, word.number
        assert isinstance(value, Decimal)
        operator, told = self._naming.operator(at)
        for one in self._naming.numeric(at):
            counted = counted_in(value, word.unit, one.thing)
            literal = None if counted is None or word.unit == SHARE else number_of(counted, one.thing.sort)
            if literal is None or (self._is_share(word) and not _OF_MONEY.isdisjoint(one.thing.words)):
                continue  # 10 percent of a price is no price of 10
            one, per = self._of_rate(word, one)
            if word.unit in MEASURES:  # 4 GB are of a "size mb" rather than of what has no unit
                fits = _has_unit(one.thing)
                one = replace(one, cost=one.cost - 0.4 if fits else one.cost + 0.6)
                per = (*per, *self._of_unit(word)) if fits else per
            used = (*told, *per)
            repeats = self._is_repeated(at)
            repeated = repeats and one.own and kind_of(one.thing.sort) == "int"
            operator = "!=" if not told and operator == "==" and self._sentence.negated(at) else operator
            if told or not repeats:  # "renewed twice" is not renewed exactly two times
                yield self._naming.condition(
                    (operator, one.thing.tree, literal), one, (at, *used), anchor=at, literal=at
                )
            if not told and self._sentence.has(Cue.REQUIRE):
                yield self._naming.condition((">=", one.thing.tree, literal), one, (at, *per), 0.0, at, at)
            if not told and self._sentence.roles[at] is Role.GOOD:
                yield self._naming.condition(("<=", one.thing.tree, literal), one, (at, *per), 0.3, at, at)
            if repeated:
                full: Tree = ("<" if self._sentence.roles[at] is Role.GOOD else ">=", one.thing.tree, literal)
                yield self._naming.condition(full, one, (at, *used), 0.1, at, at)

    def _of_rate(self, word: ForeignWord, one: Named) -> tuple[Named, tuple[int, ...]]:
        """How a number that is said "per word" goes with what is named, and what it is per.

        It is of what is for each of these, and no number of them.
        """
        words = self._sentence.words
        pair = next(
            (
                (per, unit)
                for per, unit in pairwise(words[word.number + 1 : word.number + 4])
                if per.low in _EACH and unit.weight and unit.literal is None
            ),
            None,
        )
        if pair is None:
            return one, ()
        unit = pair[1]
        if unit.stem in one.thing.words and "per" not in one.thing.name.split("_"):
            return replace(one, cost=one.cost + 0.8), ()
        if unit.stem in one.thing.words:
            return replace(one, cost=min(one.cost, 0.3) - 0.5), (unit.number,)
        if unit.stem in one.thing.gloss or (word.money and not _RATES.isdisjoint(one.thing.words)):
            return replace(one, cost=min(one.cost, 0.3) - 0.3), (unit.number,)
        return one, ()

    def _of_unit(self, word: ForeignWord) -> Iterator[int]:
        """The word behind a number that is its unit."""
        after = self._sentence.words[word.number + 1 : word.number + 2]
        return (one.number for one in after if one.low == word.unit)

    def _is_repeated(self, at: int) -> bool:
        """Whether a number counts how often the call may be made: "twice", "three times"."""
        following = self._sentence.words[at + 1 : at + 2]
        return self._sentence.words[at].low == "twice" or any(one.low == "times" for one in following)

    def _of_duration(self, word: ForeignWord) -> Iterator[Condition]:
        at, length = word.number, word.literal
        assert isinstance(length, timedelta)
        literal: Tree = ("lit", "dur", length)
        cue = self._naming.compared(at)
        used = (at, *(range(cue.first, cue.after) if cue is not None else ()))
        yield from self._between_times(word, cue, used)
        for one in self._timed(at)[:_MOST_TERMS]:
            if kind_of(one.thing.sort) == "dur":
                operator = str(cue.cue) if cue is not None else "=="
                yield self._naming.condition((operator, one.thing.tree, literal), one, used, 0, at, at)
            elif kind_of(one.thing.sort) in ("int", "dec"):
                if one.thing.form != "clock" and (count := in_unit(one.thing, length)) is not None:
                    operator = str(cue.cue) if cue is not None else "=="
                    number: Tree = ("lit", "int", count)
                    yield self._naming.condition((operator, one.thing.tree, number), one, used, 0, at, at)
            else:
                yield from self._since_or_until(one, literal, cue, at, used)

    def _between_times(
        self, word: ForeignWord, cue: CueAt | None, used: Sequence[int]
    ) -> Iterator[Condition]:
        """How long lies between two times: "leaves at least two hours before the event starts"."""
        words, at = self._sentence.words, word.number
        joint = words[at + 1].low if at + 1 < len(words) else ""
        if joint not in ("before", "after"):
            return
        times = [
            one for one in self._naming.named
            if kind_of(one.thing.sort) == "moment" and one.thing.form == "field" and one.own
            and not one.thing.many
        ]  # fmt: skip
        bad = self._sentence.roles[at] is not Role.GOOD
        operator = str(cue.cue) if cue is not None else "<" if bad else ">="
        if bad and self._sentence.norm is None:  # "leaves at least two hours before" must not be less
            operator = {">=": "<", "<=": ">"}.get(operator, operator)
        for own in [one for one in times if one.thing.of_call and one.first < at]:
            for other in [one for one in times if one.anchor > at and one.thing != own.thing]:
                pair = (other.thing, own.thing) if joint == "before" else (own.thing, other.thing)
                needs = (*own.thing.needs, *other.thing.needs)
                gaps = (one.tree for one in pair if one.optional)
                thing = replace(other.thing, needs=tuple(dict.fromkeys((*needs, *gaps))), optional=False)
                both = replace(other, thing=thing, cost=min(other.cost, 0.3))
                tree: Tree = (operator, ("-", pair[0].tree, pair[1].tree), ("lit", "dur", word.literal))
                yield self._naming.condition(tree, both, (*used, *own.used, at + 1), -0.1, at, at)

    def _timed(self, at: int) -> list[Named]:
        found: list[Named] = []
        for one in self._naming.named:
            if one.thing.many or kind_of(one.thing.sort) not in ("moment", "date", "dur", "int", "dec"):
                continue
            far = abs(one.anchor - at) if one.anchor >= 0 else 6
            found.append(replace(one, cost=one.cost + min(0.4, 0.03 * far) + (0 if one.worth else 0.3)))
        found += self._naming.sums([one for one in found if kind_of(one.thing.sort) in ("int", "dec")])
        return sorted(found, key=lambda one: one.cost - one.worth)

    def _since_or_until(
        self, one: Named, literal: Tree, cue: CueAt | None, at: int, used: Iterable[int]
    ) -> Iterator[Condition]:
        ahead = self._near(Cue.AHEAD, at)
        since = self._near(Cue.SINCE, at)
        words = self._sentence.words[cue.first].low if cue is not None else ""
        bad = self._sentence.roles[at] is not Role.GOOD
        told = self._told_direction(at, cue)
        for direction, cued in (("ahead", ahead), ("since", since)):
            if told not in ("", direction):
                continue
            other = since if direction == "ahead" else ahead
            cost = 0.0 if cued is not None and (other is None or abs(cued - at) <= abs(other - at)) else 0.35
            if cued is None and other is not None:
                cost = 0.7
            base = _until(one.thing) if direction == "ahead" else _since(one.thing)
            operator = str(cue.cue) if cue is not None else ("<" if bad else ">=")
            if direction == "ahead" and (turned := self._as_moment(cue, at)):
                operator = turned
            elif direction == "ahead" and words in ("up", "until", "no", "not", "later"):
                operator = {"<=": ">=", ">": "<"}.get(operator, operator)
            if direction == "since" and cue is None:
                operator = ">" if bad and not self._is_lately(at) else "<="
                if self._has_to_pass(at):
                    over = bad and self._is_when(at)
                    operator = ">" if over else "<" if bad else ">="
                elif at and self._sentence.words[at - 1].low == "for":
                    # what has been so for 14 days, and what stays so for 14 days after something
                    operator = "<" if bad and self._low_after(at) in _AFTER else ">="
            if direction == "since" and words == "later" and cue is not None:
                operator = ">"
            passing = self._going_by(at) if direction == "since" else self._coming_up(at)
            yield self._naming.condition(
                (operator, base, literal),
                one,
                [*used, *([cued] if cued is not None else []), *passing],
                cost,
                at,
                at,
            )

    def _told_direction(self, at: int, cue: CueAt | None) -> str:
        """Whether a length of time ends or begins now: "5 days before it is due", "older than 14 days"."""
        after = self._low_after(at)
        if cue is not None and self._sentence.words[cue.first].low in _AGES:
            return "since"
        if self._coming_up(at):
            return "ahead"  # "within the next 30 days"
        if after == "before" and any(one.first == at + 1 for one in self._sentence.at(Cue.UNLESS)):
            return "ahead"
        return {"ahead": "ahead", "after": "since", "ago": "since"}.get(after, "")

    def _as_moment(self, cue: CueAt | None, at: int) -> str:
        """How long it is until then, where a moment is compared: "earlier than 5 days before" is more."""
        words = self._sentence.words
        if cue is not None and [word.low for word in words[at + 1 : at + 3]] in _FROM_NOW:
            return str(cue.cue)
        ends = {word.low for word in words[cue.after - 2 : cue.after]} if cue is not None else set[str]()
        if cue is None or ends.isdisjoint(_MOMENTS):
            return ""
        return {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(str(cue.cue), "")

    def _has_to_pass(self, at: int) -> bool:
        """Whether a length of time is one that has to go by first."""
        return bool(self._going_by(at))

    def _coming_up(self, at: int) -> Sequence[int]:
        words = self._sentence.words[max(0, at - 2) : at]
        return [word.number for word in words if word.low in _COMING_UP]

    def _going_by(self, at: int) -> Sequence[int]:
        return [word.number for word in self._sentence.words[at + 1 : at + 7] if word.low in _GO_BY]

    def _is_lately(self, at: int) -> bool:
        """Whether something was in a length of time, and not before it: "in the last 30 days"."""
        before = [word.low for word in self._sentence.words[max(0, at - 3) : at]]
        return before[-1:] in (["last"], ["past"]) and bool({"in", "within", "during"} & {*before}) and not (
            self._sentence.negated(at, _NEAR_NUMBER)
        )  # fmt: skip

    def _low_after(self, at: int) -> str:
        return self._sentence.words[at + 1].low if at + 1 < len(self._sentence.words) else ""

    def _is_when(self, at: int) -> bool:
        """Whether something is refused when a length of time has gone by: "once 30 days have passed"."""
        before = self._sentence.words[max(0, at - 3) : at]
        return any(word.low in ("once", "when", "if", "after") for word in before)

    def _near(self, cue: Cue, at: int) -> int | None:
        """The nearest word of a cue after a place, or just before it."""
        ones = [
            one.first for one in self._sentence.at(cue) if at - 3 <= one.first <= at + 4 and one.first != at
        ]
        return min(ones, key=lambda one: (one < at, abs(one - at))) if ones else None


def counted_in(value: Decimal, unit: str, thing: Nameable) -> Decimal | None:
    """A number of a unit in the unit of what it is of: 25 MB in bytes, 4 GB of a "size mb".

    As it is where that has no unit; None for the day of a month, which counts nothing.
    """
    if not unit:
        return value
    own = unit_named(unit_of(thing.sort)) if unit_of(thing.sort) else None
    size = next((form.size for form in own.forms if form.text.casefold() == unit), None) if own else None
    if size is not None:
        return value * size.numerator / size.denominator
    if unit == ORDINAL:
        return None
    named = (_MEASURES[word] for word in (*thing.words, *thing.gloss) if word in _MEASURES)
    counted = measured(value, unit, named) if unit in MEASURES else None
    return value if counted is None else counted


def _has_unit(thing: Nameable) -> bool:
    return bool(unit_of(thing.sort)) or any(word in _MEASURES for word in (*thing.words, *thing.gloss))


_MEASURES = {stem(word): word for word in MEASURES}
"""The words of measures by their stems."""


def in_unit(thing: Nameable, length: timedelta) -> int | None:
    """A length of time in the unit that a number is of by its words."""
    unit = _UNIT_SECONDS.get(stem(unit_of(thing.sort))) or next(
        (_UNIT_SECONDS[word] for word in (*thing.words, *thing.gloss) if word in _UNIT_SECONDS), None
    )
    if not _OF_A_TIME.isdisjoint(thing.name.split("_")):
        return None
    if unit is None:
        return None
    count, left = divmod(length.total_seconds(), unit)
    return int(count) if not left else None


def _since(thing: Nameable) -> Tree:
    now: Tree = ("attr", CALL, "time")
    return ("-", now if kind_of(thing.sort) == "moment" else ("attr", now, "date"), thing.tree)


def _until(thing: Nameable) -> Tree:
    now: Tree = ("attr", CALL, "time")
    return ("-", thing.tree, now if kind_of(thing.sort) == "moment" else ("attr", now, "date"))


_TIME: Tree = ("attr", CALL, "time")
_WEEKDAY: Tree = ("attr", _TIME, "weekday")
_OF_DAY: Tree = ("attr", _TIME, "time")
_AFTER = frozenset(("after", "from", "past", "since"))
_BEFORE = frozenset(("before", "until", "till", "by"))
_LAST = frozenset(("until", "till", "by"))
"""They say that a day itself is meant too."""
_NEAR = 3
_HOURS = frozenset(("h", "hrs", "hr", "o'clock", "clock", "hours"))
_WORKING = frozenset(("weekday", "weekdays", "workday", "workdays"))
_THROUGH = frozenset(("to", "through", "till", "until", "-", "–"))
_PASSED = words_named("passed")
_COMING = words_named("coming")
_RUN = frozenset(("run", "runs", "ran"))
_WHEN = frozenset(("until", "till", "before", "after", "once", "when", "since", "if"))
_BEGUN = frozenset(("begun", "started"))
_END_STEMS = frozenset(map(stem, words_named("ends_of_time")))
_TODAY: Tree = ("attr", _TIME, "date")
_MONTHS = tuple(map(str.casefold, MONTHS))
_SHORT_MONTH = 3
_YEARS = (1900, 2200)
_TO_DATES = frozenset(("to", "and", "till", "until", "through", "-", "–"))
_OF_DATES = _AFTER | _BEFORE | {"between", "through", "on", "the"}


class _Dated(NamedTuple):
    """A date, and the words that say it: from ``first`` to before ``after``."""

    day: date
    first: int
    after: int


def _on_dates(operator: str, day: date) -> Tree:
    return (operator, _TODAY, ("lit", "date", day))


_CLOCK = re.compile(r"\d{1,2}:\d\d")
_NAMED = {"noon": time(12), "midday": time(12), "midnight": time(0)}


class TimeConditions:
    """What a sentence says of the day and the time of the call."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._sentence = naming.sentence

    def every(self) -> Iterator[Condition]:
        """Yield the conditions on days of the week and on times of the day."""
        yield from self._of_days()
        yield from self._of_ordinals()
        yield from self._of_moments()
        yield from self._of_what_happens()
        yield from self._of_dates()
        clocks = [(word, found) for word in self._sentence.words if (found := self._clock(word)) is not None]
        for word, found in clocks:
            operator = self._operator(word)
            tree: Tree = (operator, _OF_DAY, ("lit", "clock", found))
            yield self._condition(tree, self._words_of(word), 0.05)
            yield from self._fields_at(tree, self._words_of(word))
        for (first, start), (second, end) in pairwise(clocks):
            inside = joined(
                "or" if start > end else "and",  # a night has two parts
                [(">=", _OF_DAY, ("lit", "clock", start)), ("<=", _OF_DAY, ("lit", "clock", end))],
            )
            opens = (first.number - 1,) if self._low(first.number - 1) in ("between", "from") else ()
            used = (*opens, *self._words_of(first), *self._words_of(second))
            before = any(self._low(first.number - number) in _BEFORE for number in (1, 2))
            apart = before and self._operator(second) == ">"
            inside = opposite(inside) if self._is_outside(first) or apart else inside
            yield self._condition(inside, used, 0.0)
            yield from self._fields_at(inside, used)
            norm = self._sentence.norm
            forbids = norm is not None and norm.cue is Cue.FORBID
            if forbids and inside[0] == "or" and start > end:  # it is over when its end is reached
                yield self._condition(("or", inside[1], ("<", *inside[2][1:])), used, 0.05)

    def _of_days(self) -> Iterator[Condition]:
        found: list[tuple[ForeignWord, int]] = []
        for word in self._sentence.words:
            day = word.low.removesuffix("s")
            if day in WEEKDAYS:
                found.append((word, WEEKDAYS.index(day) + 1))
            elif day == "weekend":
                values: Tree = ("set", ("lit", "int", 6), ("lit", "int", 7))
                yield self._denied(word, ("in", _WEEKDAY, values), (word.number,))
                yield from self._fields_on_days(("in", _WEEKDAY, values), word, (word.number,))
        for word, number in found:
            yield from self._fields_on_days(("==", _WEEKDAY, ("lit", "int", number)), word, (word.number,))
            yield self._denied(word, ("==", _WEEKDAY, ("lit", "int", number)), (word.number,))
        for word in self._sentence.words:
            if word.low.replace("-", " ") in _WORKING or (
                word.low in ("working", "business", "week") and self._low(word.number + 1) in ("day", "days")
            ):
                used = (
                    word.number,
                    *((word.number + 1,) if self._low(word.number + 1) in ("day", "days") else ()),
                )
                yield self._denied(word, ("<=", _WEEKDAY, ("lit", "int", 5)), used)
                yield from self._fields_on_days(("<=", _WEEKDAY, ("lit", "int", 5)), word, used)
        for (first, start), (last, end) in pairwise(found):
            if start < end and self._low(first.number + 1) in _THROUGH and last.number - first.number == 2:
                inside = joined("and", [
                    *(() if start == 1 else ((">=", _WEEKDAY, ("lit", "int", start)),)),
                    *(() if end == 7 else (("<=", _WEEKDAY, ("lit", "int", end)),)),
                ])  # fmt: skip
                yield replace(self._denied(first, inside, (first.number, last.number)), cost=-0.3)
        if len(found) > 1:
            values = ("set", *(("lit", "int", number) for _, number in found))
            yield self._denied(found[0][0], ("in", _WEEKDAY, values), [word.number for word, _ in found])

    def _of_ordinals(self) -> Iterator[Condition]:
        """Days of the month: "before the 25th"."""
        for word in self._sentence.words:
            day = word.literal
            if word.unit != ORDINAL or not isinstance(day, Decimal) or not 1 <= day <= 31:
                continue
            following = [self._low(word.number + number) for number in (1, 2)]
            operator = ">=" if following[:1] in (["on"], ["onwards"]) else self._operator(word)
            operator = "<=" if operator == "<" and self._low(word.number - 2) in _LAST else operator
            tree: Tree = (operator, ("attr", _TIME, "day"), ("lit", "int", int(day)))
            yield self._condition(tree, (word.number,), 0.05)

    def _of_dates(self) -> Iterator[Condition]:
        """Dates of the calendar: "after 31 March 2027", "from 24 December 2026 to 6 January 2027"."""
        dates = self._dates
        told = [(_on_dates(self._operator_of_date(one), one.day), [one]) for one in dates]
        for first, last in pairwise(dates):
            links = [word.low for word in self._sentence.words[first.after : last.first]]
            if len(links) == 1 and links[0] in _TO_DATES and first.day < last.day:
                inside: Tree = ("and", _on_dates(">=", first.day), _on_dates("<=", last.day))
                told.append((opposite(inside) if self._is_out_of(first) else inside, [first, last]))
        for tree, ones in told:
            first, last = ones[0].first, ones[-1].after
            while first and self._low(first - 1) in _OF_DATES:
                first -= 1
            if self._low(last) == "or" and self._low(last + 1) in ("later", "after", "earlier", "before"):
                last += 2
            used = range(first, last)
            yield self._condition(tree, used, -0.1 * len(ones))
            for one in self._naming.named:
                kind = kind_of(one.thing.sort)
                if kind in ("moment", "date") and one.thing.of_call and one.thing.depth == 0:
                    day: Tree = ("attr", one.thing.tree, "date") if kind == "moment" else one.thing.tree
                    base = replace(one, cost=min(one.cost, 0.3))
                    own = with_instead(tree, _TODAY, day)
                    yield self._naming.condition(own, base, used, -0.1 * len(ones), last - 1, last - 1)

    @cached_property
    def _dates(self) -> Sequence[_Dated]:
        """The dates with a year, also "24" and "24 December" before another one that says the rest."""
        found: list[tuple[int, int, int, int, int]] = []
        for word in self._sentence.words:
            day = self._whole(word.number)
            at, month = word.number, self._month(word.number + 1)
            after = word.number + 2
            if not month and (month := self._month(word.number - 1)):
                at, after = word.number - 1, word.number + 1
            if not 1 <= day <= 31:
                continue
            if found and at <= found[-1][4]:
                continue
            year = self._whole(after + (self._low(after) == ","))
            ends = after + 1 + (self._low(after) == ",")
            if month and _YEARS[0] <= year <= _YEARS[1]:
                found.append((year, month, day, at, ends))
            elif self._low(after if month else word.number + 1) in _TO_DATES:
                found.append((0, month, day, at, after if month else word.number + 1))
        dates: list[_Dated] = []
        for (year, month, day, at, ends), follows in zip(found, (*found[1:], None), strict=False):
            if not year and follows is not None and follows[0]:
                month = month or follows[1]
                year = follows[0] - (month > follows[1])
            if year and month and day <= monthrange(year, month)[1]:
                dates.append(_Dated(date(year, month, day), at, ends))
        return dates

    def _whole(self, at: int) -> int:
        """A whole number at a place; 0 where none is."""
        words = self._sentence.words
        value = words[at].literal if 0 <= at < len(words) else None
        return int(value) if isinstance(value, Decimal) and not value % 1 and value < _YEARS[1] else 0

    def _month(self, at: int) -> int:
        """The number of a month that is named at a place; 0 where none is."""
        low = self._low(at)
        if len(low) < _SHORT_MONTH:
            return 0
        return next((number for number, name in enumerate(_MONTHS, start=1) if name.startswith(low)), 0)

    def _operator_of_date(self, one: _Dated) -> str:
        before = self._low(one.first - 1)
        before = self._low(one.first - 2) if before == "the" else before
        if self._low(one.after) == "or":  # "on 3 May 2027 or later"
            return {"later": ">=", "after": ">=", "earlier": "<=", "before": "<="}.get(
                self._low(one.after + 1), "=="
            )
        if before in ("from", "since") or self._low(one.after) in ("on", "onwards", "onward"):
            return ">="
        if before == "after":
            return ">"
        return "<=" if before in (*_LAST, "through") else "<" if before == "before" else "=="

    def _is_out_of(self, one: _Dated) -> bool:
        return any(self._low(one.first - number) in ("outside", "except") for number in (1, 2, 3))

    def _of_moments(self) -> Iterator[Condition]:
        """Times that have passed, or that are still to come: "expired", "overdue", "valid"."""
        lows = ["", *(word.low for word in self._sentence.words)]
        words = [
            word
            for word in self._sentence.words
            if word.low in _PASSED | _COMING
            or (word.low == "out" and lows[word.number] in _RUN)
            or self._is_under(word)
        ]
        for one in self._naming.named:
            thing = one.thing
            if kind_of(thing.sort) not in ("moment", "date") or thing.many or thing.form != "field":
                continue
            now: Tree = _TIME if kind_of(thing.sort) == "moment" else ("attr", _TIME, "date")
            for word in words:
                future = thing.of_call and word.low == "past"  # nothing begins there
                if not one.used and not set(thing.words) & _END_STEMS and not future:
                    continue
                begun = word.low in _BEGUN and word.stem in thing.words  # what has started, started
                over = begun or word.low == "out" or word.low in _PASSED
                passed = over != self._sentence.negated(word.number)
                if self._is_under(word) and not (
                    word.number + 1 in one.used and set(thing.words) & _END_STEMS
                ):
                    continue
                if passed and any(self._sentence.denies(at, thing.words) for at in one.used):
                    continue  # what is unexpired has not expired
                strict = word.low == "future" and kind_of(thing.sort) == "date"  # today is no future day
                tree: Tree = ("<" if passed else ">" if strict else ">=", thing.tree, now)
                far = min(0.3, 0.04 * abs(one.anchor - word.number)) if one.used else 0.2
                ends = 0.0 if set(thing.words) & _END_STEMS else 0.3
                base = replace(one, cost=min(one.cost, 0.3))
                yield self._naming.condition(tree, base, (word.number,), far + ends, word.number, word.number)

    def _is_under(self, word: ForeignWord) -> bool:
        """Whether a word says that what follows lasts, as of what "until" tells the end: "under embargo"."""
        numbers = self._sentence.numbers
        return word.low == "under" and not any(word.number < at <= word.number + 3 for at in numbers)

    def _of_what_happens(self) -> Iterator[Condition]:
        """What happens at a time that the session knows: "until the course closes", "once it has started"."""
        words, norm = self._sentence.words, self._sentence.norm
        forbids = norm is not None and norm.cue is Cue.FORBID
        for one in self._naming.named:
            thing = one.thing
            if kind_of(thing.sort) not in ("moment", "date") or thing.many or thing.form != "field":
                continue
            for word in words:
                if word.stem not in thing.words or not word.low.endswith(("s", "ed", "n")):
                    continue
                joints = [each for each in words[max(0, word.number - 5) : word.number] if each.low in _WHEN]
                if not joints or word.number in self._naming.tools:
                    continue
                joint = joints[-1]
                passed = joint.low not in _BEFORE or forbids
                now: Tree = _TIME if kind_of(thing.sort) == "moment" else ("attr", _TIME, "date")
                tree: Tree = ("<" if passed else ">=", thing.tree, now)
                base = replace(one, cost=min(one.cost, 0.3))
                yield self._naming.condition(tree, base, (word.number,), 0.0, word.number, word.number)

    def _fields_at(self, tree: Tree, used: Sequence[int]) -> Iterator[Condition]:
        """The same of the times of the day that the call gives."""
        for one in self._naming.named:
            if kind_of(one.thing.sort) == "moment" and one.thing.of_call and one.thing.depth == 0:
                own = with_instead(tree, _OF_DAY, ("attr", one.thing.tree, "time"))
                base = replace(one, cost=min(one.cost, 0.3))
                yield self._naming.condition(own, base, used, 0.0 if one.used else 0.3, max(used), max(used))

    def _fields_on_days(self, tree: Tree, word: ForeignWord, used: Sequence[int]) -> Iterator[Condition]:
        """The same of the days of the times that the call gives."""
        for one in self._naming.named:
            thing = one.thing
            if kind_of(thing.sort) == "moment" and thing.of_call and thing.depth == 0:
                own = with_instead(tree, _WEEKDAY, ("attr", thing.tree, "weekday"))
                no = self._sentence.negated(word.number)
                cost = 0.1 if one.used else 0.15
                base = replace(one, cost=min(one.cost, 0.2))
                yield self._naming.condition(
                    opposite(own) if no else own, base, used, cost, max(used), max(used)
                )

    def _denied(self, word: ForeignWord, tree: Tree, used: Sequence[int]) -> Condition:
        no = self._sentence.negated(word.number)
        return self._condition(opposite(tree) if no else tree, used, 0.0)

    def _condition(self, tree: Tree, used: Sequence[int], cost: float) -> Condition:
        return Condition(tree, frozenset(used), max(used), cost, literal=max(used))

    def _low(self, at: int) -> str:
        """A word of the sentence in small letters; empty where there is none."""
        return self._sentence.words[at].low if 0 <= at < len(self._sentence.words) else ""

    def _is_hour(self, word: ForeignWord) -> bool:
        """Whether a number is an hour of a range that says so: "from 8 to 19 hrs", "9 to 5 o'clock"."""
        words = self._sentence.words
        near = words[max(0, word.number - 8) : word.number + 4]
        literal = word.literal
        whole = isinstance(literal, timedelta) or (isinstance(literal, Decimal) and not literal % 1)
        ranged = self._low(word.number + 1) in _THROUGH or self._low(word.number - 1) in (*_THROUGH, "and")
        if self._low(word.number - 1) in _AFTER | _BEFORE and any(_CLOCK.fullmatch(one.low) for one in near):
            return whole  # "before 9 or after 15:30"
        return whole and ranged and any(one.low.split()[-1] in _HOURS for one in near)

    def _clock(self, word: ForeignWord) -> time | None:
        """The time of the day that a word begins: "22:00", "10 pm", "noon"."""
        if word.low in _NAMED:
            return _NAMED[word.low]
        if self._is_hour(word):
            count = word.literal
            hours = count.total_seconds() / 3_600 if isinstance(count, timedelta) else float(str(count))
            return time(int(hours)) if 0 <= hours < 24 and hours % 1 == 0 else None
        half = self._half(word)
        hour, _, minute = word.text.partition(":")
        if not half and not minute:
            return None
        number = word.literal if not minute and isinstance(word.literal, Decimal) else None
        if number is not None and number == number.to_integral_value():
            hour, minute = str(int(number)), "0"
        if not (hour.isdecimal() and minute.isdecimal()):
            return None
        own = int(hour) % 12 + (12 if half == "pm" else 0) if half else int(hour)
        return time(own, int(minute)) if own < 24 and int(minute) < 60 else None

    def _half(self, word: ForeignWord) -> str:
        """The half of the day that is said after a number: "am" or "pm"; empty if none is."""
        low = self._low(word.number + 1).replace(".", "")
        if low == "in" and self._low(word.number + 2) == "the":
            named = self._low(word.number + 3)
            return {"morning": "am", "evening": "pm", "afternoon": "pm"}.get(named, "")
        return low if low in ("am", "pm") else ""

    def _words_of(self, word: ForeignWord) -> Sequence[int]:
        return (word.number, word.number + 1) if self._half(word) else (word.number,)

    def _operator(self, word: ForeignWord) -> str:
        """How the call's time is compared with one, by the nearest word before it that says so."""
        for one in reversed(self._sentence.words[max(0, word.number - _NEAR) : word.number]):
            if one.low in _AFTER:
                return ">"
            if one.low in _BEFORE:
                return "<"
        return "=="

    def _is_outside(self, word: ForeignWord) -> bool:
        before = self._sentence.words[max(0, word.number - _NEAR - 1) : word.number]
        return any(one.low in ("outside", "except") for one in before)

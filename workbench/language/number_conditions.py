"""Conditions on numbers and times that a sentence names.

Times are those of the call: days of the week and times of the day.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import time, timedelta
from decimal import Decimal
from itertools import pairwise

from workbench.language.foreign_words import Cue, CueAt, ForeignWord, Role, stem
from workbench.language.nameable import Nameable
from workbench.language.naming import Condition, Named, Naming, number_of, opposite
from workbench.language.productions import kind_of, unit_of
from workbench.language.trees import CALL, Tree, joined

_MOST_TERMS = 8
_SIGNED = {"positive": ">", "negative": "<"}
_UNIT_SECONDS = {
    "minut": 60,
    "min": 60,
    "hour": 3_600,
    "day": 86_400,
    "night": 86_400,
    "second": 1,
    "week": 604_800,
}


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

    def _of_sign(self, word: ForeignWord) -> Iterator[Condition]:
        """What is positive, or negative."""
        for one in self._naming.numeric(word.number):
            if (zero := number_of(Decimal(0), one.thing.sort)) is not None:
                sign: Tree = (_SIGNED[word.low], one.thing.tree, zero)
                yield self._naming.condition(sign, one, (word.number,), 0.1, word.number, word.number)

    def _of_number(self, word: ForeignWord) -> Iterator[Condition]:
        value, at = word.literal, word.number
        assert isinstance(value, Decimal)
        operator, used = self._naming.operator(at)
        for one in self._naming.numeric(at):
            literal = number_of(value, one.thing.sort)
            if literal is None:
                continue
            yield self._naming.condition(
                (operator, one.thing.tree, literal), one, (at, *used), anchor=at, literal=at
            )
            if not used and self._sentence.roles[at] is Role.GOOD:
                yield self._naming.condition(("<=", one.thing.tree, literal), one, (at,), 0.3, at, at)

    def _of_duration(self, word: ForeignWord) -> Iterator[Condition]:
        at, length = word.number, word.literal
        assert isinstance(length, timedelta)
        literal: Tree = ("lit", "dur", length)
        cue = self._naming.compared(at)
        used = (at, *(range(cue.first, cue.after) if cue is not None else ()))
        for one in self._timed(at)[:_MOST_TERMS]:
            if kind_of(one.thing.sort) == "dur":
                operator = str(cue.cue) if cue is not None else "=="
                yield self._naming.condition((operator, one.thing.tree, literal), one, used, 0, at, at)
            elif kind_of(one.thing.sort) in ("int", "dec"):
                if one.thing.form != "clock" and (count := _in_unit(one.thing, length)) is not None:
                    operator = str(cue.cue) if cue is not None else "=="
                    number: Tree = ("lit", "int", count)
                    yield self._naming.condition((operator, one.thing.tree, number), one, used, 0, at, at)
            else:
                yield from self._since_or_until(one, literal, cue, at, used)

    def _timed(self, at: int) -> list[Named]:
        found: list[Named] = []
        for one in self._naming.named:
            if one.thing.many or kind_of(one.thing.sort) not in ("moment", "date", "dur", "int", "dec"):
                continue
            far = abs(one.anchor - at) if one.anchor >= 0 else 6
            found.append(replace(one, cost=one.cost + min(0.4, 0.03 * far) + (0 if one.worth else 0.3)))
        return sorted(found, key=lambda one: one.cost - one.worth)

    def _since_or_until(
        self, one: Named, literal: Tree, cue: CueAt | None, at: int, used: Iterable[int]
    ) -> Iterator[Condition]:
        ahead = self._near(Cue.AHEAD, at)
        since = self._near(Cue.SINCE, at)
        words = self._sentence.words[cue.first].low if cue is not None else ""
        bad = self._sentence.roles[at] is not Role.GOOD
        for direction, cued in (("ahead", ahead), ("since", since)):
            other = since if direction == "ahead" else ahead
            cost = 0.0 if cued is not None and (other is None or abs(cued - at) <= abs(other - at)) else 0.35
            if cued is None and other is not None:
                cost = 0.7
            base = _until(one.thing) if direction == "ahead" else _since(one.thing)
            operator = str(cue.cue) if cue is not None else ("<" if bad else ">=")
            if direction == "ahead" and words in ("up", "until", "no", "not", "later"):
                operator = {"<=": ">=", ">": "<"}.get(operator, operator)
            if direction == "since" and cue is None:
                operator = ">" if bad else "<="
            if direction == "since" and words == "later" and cue is not None:
                operator = ">"
            yield self._naming.condition(
                (operator, base, literal), one, [*used, *([cued] if cued is not None else [])], cost, at, at
            )

    def _near(self, cue: Cue, at: int) -> int | None:
        """The nearest word of a cue after a place, or just before it."""
        ones = [
            one.first for one in self._sentence.at(cue) if at - 3 <= one.first <= at + 4 and one.first != at
        ]
        return min(ones, key=lambda one: (one < at, abs(one - at))) if ones else None


def _in_unit(thing: Nameable, length: timedelta) -> int | None:
    """A length of time in the unit that a number is of by its words."""
    unit = _UNIT_SECONDS.get(stem(unit_of(thing.sort))) or next(
        (_UNIT_SECONDS[word] for word in (*thing.words, *thing.gloss) if word in _UNIT_SECONDS), None
    )
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


_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_TIME: Tree = ("attr", CALL, "time")
_WEEKDAY: Tree = ("attr", _TIME, "weekday")
_OF_DAY: Tree = ("attr", _TIME, "time")
_AFTER = frozenset(("after", "from", "past", "since"))
_BEFORE = frozenset(("before", "until", "till", "by"))
_NEAR = 3
_NAMED = {"noon": time(12), "midday": time(12), "midnight": time(0)}


class TimeConditions:
    """What a sentence says of the day and the time of the call."""

    def __init__(self, naming: Naming) -> None:
        self._sentence = naming.sentence

    def every(self) -> Iterator[Condition]:
        """Yield the conditions on days of the week and on times of the day."""
        yield from self._of_days()
        clocks = [(word, found) for word in self._sentence.words if (found := self._clock(word)) is not None]
        for word, found in clocks:
            operator = self._operator(word)
            yield self._condition((operator, _OF_DAY, ("lit", "clock", found)), self._words_of(word), 0.05)
        for (first, start), (second, end) in pairwise(clocks):
            inside = joined(
                "and",
                [(">=", _OF_DAY, ("lit", "clock", start)), ("<=", _OF_DAY, ("lit", "clock", end))],
            )
            used = (*self._words_of(first), *self._words_of(second))
            yield self._condition(opposite(inside) if self._is_outside(first) else inside, used, 0.0)

    def _of_days(self) -> Iterator[Condition]:
        found: list[tuple[ForeignWord, int]] = []
        for word in self._sentence.words:
            day = word.low.removesuffix("s")
            if day in _DAYS:
                found.append((word, _DAYS.index(day) + 1))
            elif day == "weekend":
                values: Tree = ("set", ("lit", "int", 6), ("lit", "int", 7))
                yield self._denied(word, ("in", _WEEKDAY, values), (word.number,))
        for word, number in found:
            yield self._denied(word, ("==", _WEEKDAY, ("lit", "int", number)), (word.number,))
        if len(found) > 1:
            values = ("set", *(("lit", "int", number) for _, number in found))
            yield self._denied(found[0][0], ("in", _WEEKDAY, values), [word.number for word, _ in found])

    def _denied(self, word: ForeignWord, tree: Tree, used: Sequence[int]) -> Condition:
        no = self._sentence.negated(word.number)
        return self._condition(opposite(tree) if no else tree, used, 0.0)

    def _condition(self, tree: Tree, used: Sequence[int], cost: float) -> Condition:
        return Condition(tree, frozenset(used), max(used), cost, literal=max(used))

    def _clock(self, word: ForeignWord) -> time | None:
        """The time of the day that a word begins: "22:00", "10 pm", "noon"."""
        if word.low in _NAMED:
            return _NAMED[word.low]
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
        after = self._sentence.words[word.number + 1 : word.number + 2]
        low = after[0].low.replace(".", "") if after else ""
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
        before = self._sentence.words[max(0, word.number - _NEAR) : word.number]
        return any(one.low in ("outside", "except") for one in before)

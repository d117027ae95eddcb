"""Conditions on when the call is made: days of the week and times of the day that a sentence names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import time, timedelta
from decimal import Decimal
from itertools import pairwise

from workbench.language.foreign_words import ForeignWord, stem
from workbench.language.naming import Condition, Naming, opposite
from workbench.language.productions import kind_of
from workbench.language.trees import CALL, Tree, is_tree, joined
from workbench.language.vocabulary import words_named

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_TIME: Tree = ("attr", CALL, "time")
_WEEKDAY: Tree = ("attr", _TIME, "weekday")
_OF_DAY: Tree = ("attr", _TIME, "time")
_AFTER = frozenset(("after", "from", "past", "since"))
_BEFORE = frozenset(("before", "until", "till", "by"))
_NEAR = 3
_HOURS = frozenset(("h", "hrs", "hr", "o'clock", "clock", "hours"))
_WORKING = frozenset(("weekday", "weekdays", "workday", "workdays"))
_THROUGH = frozenset(("to", "through", "till", "until", "-", "–"))
_PASSED = words_named("passed")
_COMING = words_named("coming")
_END_STEMS = frozenset(map(stem, words_named("ends_of_time")))
_NAMED = {"noon": time(12), "midday": time(12), "midnight": time(0)}


class TimeConditions:
    """What a sentence says of the day and the time of the call."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._sentence = naming.sentence

    def every(self) -> Iterator[Condition]:
        """Yield the conditions on days of the week and on times of the day."""
        yield from self._of_days()
        yield from self._of_moments()
        clocks = [(word, found) for word in self._sentence.words if (found := self._clock(word)) is not None]
        for word, found in clocks:
            operator = self._operator(word)
            tree: Tree = (operator, _OF_DAY, ("lit", "clock", found))
            yield self._condition(tree, self._words_of(word), 0.05)
            yield from self._fields_at(tree, self._words_of(word))
        for (first, start), (second, end) in pairwise(clocks):
            inside = joined(
                "and",
                [(">=", _OF_DAY, ("lit", "clock", start)), ("<=", _OF_DAY, ("lit", "clock", end))],
            )
            used = (*self._words_of(first), *self._words_of(second))
            before = any(self._low(first.number - number) in _BEFORE for number in (1, 2))
            apart = before and self._operator(second) == ">"
            inside = opposite(inside) if self._is_outside(first) or apart else inside
            yield self._condition(inside, used, 0.0)
            yield from self._fields_at(inside, used)

    def _of_days(self) -> Iterator[Condition]:
        found: list[tuple[ForeignWord, int]] = []
        for word in self._sentence.words:
            day = word.low.removesuffix("s")
            if day in _DAYS:
                found.append((word, _DAYS.index(day) + 1))
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

    def _of_moments(self) -> Iterator[Condition]:
        """Times that have passed, or that are still to come: "expired", "overdue", "valid"."""
        words = [word for word in self._sentence.words if word.low in _PASSED | _COMING]
        for one in self._naming.named:
            thing = one.thing
            if kind_of(thing.sort) not in ("moment", "date") or thing.many or thing.form != "field":
                continue
            now: Tree = _TIME if kind_of(thing.sort) == "moment" else ("attr", _TIME, "date")
            for word in words:
                if not one.used and not set(thing.words) & _END_STEMS:
                    continue
                passed = (word.low in _PASSED) != self._sentence.negated(word.number)
                tree: Tree = ("<" if passed else ">=", thing.tree, now)
                far = min(0.3, 0.04 * abs(one.anchor - word.number)) if one.used else 0.2
                ends = 0.0 if set(thing.words) & _END_STEMS else 0.3
                base = replace(one, cost=min(one.cost, 0.3))
                yield self._naming.condition(tree, base, (word.number,), far + ends, word.number, word.number)

    def _fields_at(self, tree: Tree, used: Sequence[int]) -> Iterator[Condition]:
        """The same of the times of the day that the call gives."""
        for one in self._naming.named:
            if kind_of(one.thing.sort) == "moment" and one.thing.of_call and one.thing.depth == 0:
                own = _replaced(tree, _OF_DAY, ("attr", one.thing.tree, "time"))
                base = replace(one, cost=min(one.cost, 0.3))
                yield self._naming.condition(own, base, used, 0.0 if one.used else 0.3, max(used), max(used))

    def _fields_on_days(self, tree: Tree, word: ForeignWord, used: Sequence[int]) -> Iterator[Condition]:
        """The same of the days of the times that the call gives."""
        for one in self._naming.named:
            thing = one.thing
            if kind_of(thing.sort) == "moment" and thing.of_call and thing.depth == 0:
                own = _replaced(tree, _WEEKDAY, ("attr", thing.tree, "weekday"))
                no = self._sentence.negated(word.number)
                cost = 0.1 if one.used else 0.3
                base = replace(one, cost=min(one.cost, 0.3))
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
        near = words[max(0, word.number - 4) : word.number + 4]
        literal = word.literal
        whole = isinstance(literal, timedelta) or (isinstance(literal, Decimal) and not literal % 1)
        ranged = self._low(word.number + 1) in _THROUGH or self._low(word.number - 1) in (*_THROUGH, "and")
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
        before = self._sentence.words[max(0, word.number - _NEAR) : word.number]
        return any(one.low in ("outside", "except") for one in before)


def _replaced(tree: Tree, old: Tree, new: Tree) -> Tree:
    """A condition about one thing as one about another."""
    if tree == old:
        return new
    return tuple(_replaced(part, old, new) if is_tree(part) and part else part for part in tree)

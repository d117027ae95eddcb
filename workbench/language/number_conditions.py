"""Conditions on numbers and times that a sentence names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from workbench.language.foreign_words import Cue, CueAt, ForeignWord, Role, stem
from workbench.language.nameable import Nameable
from workbench.language.naming import Condition, Named, Naming, number_of, opposite
from workbench.language.productions import kind_of, unit_of
from workbench.language.trees import CALL, Tree
from workbench.language.vocabulary import words_named

_MOST_TERMS = 8
_NOTHING = frozenset(("nothing", "none", "no", "zero", "nobody"))
_NAMED_WELL = 0.7
_NEAR_SOME = 4
_SIGNED = {"positive": ">", "negative": "<"}
_BETWEEN = frozenset(("to", "and", "-", "–", "or"))
_DEBT = frozenset(map(stem, words_named("more_than_nothing")))
_PERCENT = frozenset(("%", "percent", "per"))
_LOWERED = frozenset(
    ("lower", "lowered", "reduce", "reduced", "cut", "decrease", "decreased", "drop", "fall")
)
_GO_BY = words_named("go_by")
_LETTERS = frozenset(map(stem, words_named("letters")))
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
        yield from self._of_ranges()
        yield from self._of_shares()
        yield from self._of_lengths()
        yield from self._of_some()

    def _of_ranges(self) -> Iterator[Condition]:
        """From one number to another: inside, or outside where that is refused."""
        words = self._sentence.words
        for first, link, last in zip(words, words[1:], words[2:], strict=False):
            low, high = first.literal, last.literal
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

    def _of_shares(self) -> Iterator[Condition]:
        """A share of what one thing was: "by more than 15 %", "90 % of the capacity"."""
        words = self._sentence.words
        for word in words:
            if not isinstance(word.literal, Decimal) or not self._is_share(word):
                continue
            after = [one.low for one in words[word.number + 1 : word.number + 3]]
            share = word.literal if word.text.endswith("%") else word.literal / 100
            operator, used = self._naming.operator(word.number)
            lowered = any(one.low in _LOWERED for one in words)
            factor = share if "of" in after else 1 - share if lowered else 1 + share
            if lowered and "of" not in after:
                operator = {">": "<", "<=": ">="}.get(operator, operator)
            ones = [
                one for one in self._naming.named
                if kind_of(one.thing.sort) in ("int", "dec") and not one.thing.many and not one.thing.domain
            ]  # fmt: skip
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
        return word.text.endswith("%") or any(one.low in _PERCENT for one in after)

    def _of_lengths(self) -> Iterator[Condition]:
        """Texts of at most so many characters."""
        for word in self._sentence.words:
            after = self._sentence.words[word.number + 1 : word.number + 3]
            said = next((one.number for one in after if one.stem in _LETTERS), -1)
            if not isinstance(word.literal, Decimal) or said < 0 or word.literal % 1:
                continue
            operator, used = self._naming.operator(word.number)
            for one in self._naming.named:
                if one.thing.sort != "text" or one.thing.many or not one.own or one.thing.form != "field":
                    continue
                size: Tree = ("call", "len", one.thing.tree)
                number: Tree = ("lit", "int", int(word.literal))
                for each in dict.fromkeys((operator if used else "<=", "<=", ">")):
                    cost = 0.0 if used and each == operator else 0.1
                    yield self._naming.condition(
                        (each, size, number), one, (word.number, said, *used), cost, word.number, word.number
                    )

    def _of_some(self) -> Iterator[Condition]:
        """What is more than nothing, where no number is said: open fees, somebody who waits."""
        words = self._sentence.words
        for one in self._naming.named:
            if kind_of(one.thing.sort) not in ("int", "dec") or one.thing.many or not one.own:
                continue
            if one.thing.form != "field" or one.cost > _NAMED_WELL:
                continue
            zero = number_of(Decimal(0), one.thing.sort)
            near = [
                word.number for word in words
                if word.stem in _DEBT and abs(word.number - one.anchor) <= _NEAR_SOME
            ]  # fmt: skip
            if zero is None or any(isinstance(words[at].literal, Decimal) for at in range(
                max(0, one.anchor - 1), min(len(words), one.anchor + 2)
            )):  # fmt: skip
                continue
            some: Tree = (">", one.thing.tree, zero)
            no = self._sentence.negated(one.anchor) or any(
                word.low in _NOTHING for word in words[max(0, one.anchor - 3) : one.anchor + 1]
            )
            tree: Tree = ("==", one.thing.tree, zero) if no else some
            yield self._naming.condition(tree, one, near, 0.15 if near else 0.5)

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
            if not used and self._sentence.has(Cue.REQUIRE):
                yield self._naming.condition((">=", one.thing.tree, literal), one, (at,), 0.0, at, at)
            if not used and self._sentence.roles[at] is Role.GOOD:
                yield self._naming.condition(("<=", one.thing.tree, literal), one, (at,), 0.3, at, at)
            elif operator == "<=" and self._sentence.roles[at] is Role.BAD:
                yield self._naming.condition((">", one.thing.tree, literal), one, (at, *used), 0.4, at, at)
            if self._is_repeated(at) and kind_of(one.thing.sort) == "int":
                full: Tree = ("<" if self._sentence.roles[at] is Role.GOOD else ">=", one.thing.tree, literal)
                yield self._naming.condition(full, one, (at, *used), 0.1, at, at)

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
                if self._has_to_pass(at):
                    operator = "<" if bad else ">="
            if direction == "since" and words == "later" and cue is not None:
                operator = ">"
            yield self._naming.condition(
                (operator, base, literal), one, [*used, *([cued] if cued is not None else [])], cost, at, at
            )

    def _has_to_pass(self, at: int) -> bool:
        """Whether a length of time is one that has to go by first."""
        return any(word.low in _GO_BY for word in self._sentence.words[at + 1 : at + 7])

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

"""Conditions on what several numbers or several elements of a sentence come to together.

So many of one thing for each of another, two bounds, one of several numbers, an amount beside the one that
there is, a change of a number, and lists in which something stands twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise, product

from workbench.language.foreign.cues import Cue, CueAt
from workbench.language.foreign.roles import Role
from workbench.language.foreign.tokens import ORDINAL, ForeignWord
from workbench.language.nameable import ELEMENT, Nameable
from workbench.language.naming import AMOUNT_STEMS, Condition, Named, Naming, number_of, opposite
from workbench.language.number_conditions import counted_in, in_unit
from workbench.language.productions import kind_of
from workbench.language.trees import TRUE, Tree
from workbench.language.vocabulary import words_named

_NUMBERS = frozenset(("int", "dec"))
_PER = frozenset(("per", "each", "every", "a", "an", "/"))
_FAR = 5
_LISTED = frozenset((",", "or", "and"))
_TWICE = words_named("twice")
_ONCE = words_named("once_each")
_THERE = words_named("there")
_BY = frozenset(
    ("by", "adding", "add", "adds", "raising", "raise", "increase", "increasing", "lowering", "reducing")
)
_LESS = words_named("downward")
_TIMES = frozenset(("×", "*", "x", "times", "multiplied"))
_UPPER = frozenset((Cue.MORE, Cue.AT_MOST))


class FormulaConditions:
    """What is said of two or more numbers, or of all elements of a list, at once."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._sentence = naming.sentence
        self._things = naming.things

    def every(self) -> Iterator[Condition]:
        """Yield the conditions of each form."""
        yield from self._of_ratios()
        yield from self._of_bounds()
        yield from self._of_listed_numbers()
        yield from self._of_what_is_there()
        yield from self._of_differences()
        yield from self._of_products()
        yield from self._of_repetition()

    def _numbers(self) -> Iterator[ForeignWord]:
        return (
            word for word in self._sentence.words
            if isinstance(word.literal, Decimal) and word.unit != ORDINAL and not word.text.endswith("%")
        )  # fmt: skip

    def _single(self) -> list[Named]:
        """The numbers that are one thing, and no element's."""
        return [
            one for one in self._naming.named
            if kind_of(one.thing.sort) in _NUMBERS and not one.thing.many and not one.thing.domain
            and one.thing.form in ("field", "record")
        ]  # fmt: skip

    def _of_ratios(self) -> Iterator[Condition]:
        """So many for each: "ten pupils for each companion", "10 litres per hectare"."""
        words = self._sentence.words
        for word in self._numbers():
            per = next((one for one in words[word.number + 1 : word.number + _FAR] if one.low in _PER), None)
            if per is None or per.number + 1 >= len(words):
                continue
            unit = words[per.number + 1]
            operator, used = self._naming.operator(word.number)
            operator = (
                "<=" if operator == "==" and self._sentence.roles[word.number] is Role.GOOD else operator
            )
            for right in self._units(unit):
                for left in self._single():
                    thing = left.thing
                    between = {at for at in left.used if word.number < at < per.number}
                    amount = word.money and bool(set(thing.words) & AMOUNT_STEMS)
                    if not thing.of_call or thing.tree == right.thing.tree or not (between or amount):
                        continue
                    if unit.stem in thing.words:
                        continue  # a "price per head" is for each already
                    many = _value(word, thing)
                    if many is None:
                        continue
                    product: Tree = ("*", right.thing.tree, many)
                    needs = (*thing.needs, *((thing.tree,) if thing.optional else ()), *right.thing.needs)
                    whole = replace(thing, needs=tuple(dict.fromkeys(needs)), optional=False)
                    both = replace(left, thing=whole, cost=min(left.cost, 0.2))
                    tree: Tree = (operator, thing.tree, product)
                    extra = (word.number, unit.number, *used)
                    yield self._naming.condition(tree, both, extra, -0.2, word.number, word.number)

    def _units(self, unit: ForeignWord) -> Iterator[Named]:
        """What a word names of which there may be several: a number, or how many a list has."""
        for one in self._naming.named:
            thing = one.thing
            if thing.domain or unit.number not in one.used or not one.own:
                continue
            if not any(
                at == unit.number for word in thing.words for at, _ in self._sentence.stems.get(word, ())
            ):
                continue
            if thing.many:
                yield replace(one, thing=replace(thing, tree=("call", "len", thing.tree), many=False))
            elif kind_of(thing.sort) in _NUMBERS and thing.form == "field":
                yield one

    def _of_bounds(self) -> Iterator[Condition]:
        """Two bounds of one number: "at least 30 minutes and no more than 180"."""
        bounds = [
            (word, cue) for word in self._numbers_and_lengths()
            if (cue := self._naming.compared(word.number)) is not None
        ]  # fmt: skip
        for (first, low), (second, high) in pairwise(bounds):
            inside = (low.cue, high.cue) in ((Cue.AT_LEAST, Cue.AT_MOST), (Cue.AT_MOST, Cue.AT_LEAST))
            outside = (low.cue, high.cue) in ((Cue.LESS, Cue.MORE), (Cue.MORE, Cue.LESS))
            between = self._sentence.words[first.number + 1 : high.first]
            if not (inside or outside) or any(word.weight for word in between) or not between:
                continue
            used = (first.number, second.number, *_words(low), *_words(high))
            for one in self._at_either(first.number, second.number):
                ends = [_value(word, one.thing) for word in (first, second)]
                if any(end is None for end in ends):
                    continue
                parts = [
                    (str(cue.cue), one.thing.tree, end) for cue, end in zip((low, high), ends, strict=True)
                ]
                tree: Tree = ("and" if inside else "or", *parts)
                yield self._naming.condition(tree, one, used, -0.4, second.number, second.number)

    def _at_either(self, first: int, second: int) -> Iterator[Named]:
        """What may be compared with one number or the other, as it is named best."""
        best: dict[Tree, Named] = {}
        for one in (*self._naming.numeric(first), *self._naming.numeric(second)):
            known = best.setdefault(one.thing.tree, one)
            if one.cost < known.cost:
                best[one.thing.tree] = one
        yield from best.values()

    def _numbers_and_lengths(self) -> Iterator[ForeignWord]:
        for word in self._sentence.words:
            if word.number in self._sentence.numbers and word.unit != ORDINAL:
                yield word

    def _of_listed_numbers(self) -> Iterator[Condition]:
        """One of several numbers: "0, 7 or 19"."""
        words = self._sentence.words
        runs: list[list[ForeignWord]] = []
        for word in self._numbers():
            last = runs[-1][-1].number if runs else -9
            joints = [one.low for one in words[last + 1 : word.number]]
            if runs and 0 < len(joints) <= 2 and _LISTED.issuperset(joints):
                runs[-1].append(word)
            else:
                runs.append([word])
        for run in runs:
            if len(run) < 2 or self._naming.compared(run[0].number) is not None:
                continue
            for one in self._naming.numeric(run[0].number):
                values = [_value(word, one.thing) for word in run]
                if any(value is None for value in values):
                    continue
                tree: Tree = (
                    "in",
                    one.thing.tree,
                    ("set", *(value for value in values if value is not None)),
                )
                no = self._sentence.negated(run[0].number)
                used = [word.number for word in run]
                yield self._naming.condition(
                    opposite(tree) if no else tree, one, used, -0.3, run[-1].number, run[0].number
                )

    def _of_what_is_there(self) -> Iterator[Condition]:
        """More of a thing than there is: "more than there is in it", "than is left"."""
        words = self._sentence.words
        for cue in self._sentence.comparisons:
            after = [word for word in words[cue.after : cue.after + 4] if word.low in _THERE]
            if cue.cue not in _UPPER or not after or words[cue.after - 1].low != "than":
                continue
            used = (*_words(cue), after[0].number)
            for left in [one for one in self._single() if one.thing.of_call]:
                for right in [one for one in self._single() if one.thing.depth == 1 and one.used]:
                    shared = set(left.thing.words) & set(right.thing.words)
                    if right.thing.of_call or not shared:
                        continue
                    needs = (*left.thing.needs, *right.thing.needs)
                    both = replace(right, thing=replace(right.thing, needs=tuple(dict.fromkeys(needs))))
                    tree: Tree = (str(cue.cue), left.thing.tree, right.thing.tree)
                    base = replace(both, cost=min(both.cost, 0.3))
                    yield self._naming.condition(tree, base, (*used, *left.used), 0.0, cue.first)

    def _of_differences(self) -> Iterator[Condition]:
        """By how much a number changes: "adding more than five replicas"."""
        words = self._sentence.words
        for word in self._numbers():
            before = [one.low for one in words[max(0, word.number - _FAR) : word.number]]
            if _BY.isdisjoint(before):
                continue
            operator, used = self._naming.operator(word.number)
            lowered = any(one.low in _LESS for one in words)
            for new in [one for one in self._single() if one.thing.of_call and one.own]:
                for old in [one for one in self._single() if one.thing.depth == 1]:
                    thing = old.thing
                    value = number_of(word.literal, thing.sort) if isinstance(word.literal, Decimal) else None
                    if thing.of_call or value is None or set(thing.words) != set(new.thing.words):
                        continue
                    sides = (thing.tree, new.thing.tree) if lowered else (new.thing.tree, thing.tree)
                    needs = tuple(dict.fromkeys((*new.thing.needs, *thing.needs)))
                    both = replace(old, thing=replace(thing, needs=needs), cost=min(old.cost, 0.2))
                    tree: Tree = (operator, ("-", *sides), value)
                    extra = (word.number, *used, *new.used)
                    yield self._naming.condition(tree, both, extra, -0.1, word.number, word.number)

    def _of_products(self) -> Iterator[Condition]:
        """What two numbers come to: "guests × price per guest", "the days times the daily rate"."""
        words = self._sentence.words
        signs = [one.number for one in words if one.low in _TIMES]
        for word in self._numbers() if signs else ():
            operator, used = self._naming.operator(word.number)
            for sign in signs:
                for left, right in product(self._beside(sign, -1), self._beside(sign, 1)):
                    sort = next(
                        (one.thing.sort for one in (left, right) if kind_of(one.thing.sort) == "dec"), "int"
                    )
                    value = number_of(word.literal, sort) if isinstance(word.literal, Decimal) else None
                    if value is None or left.thing.tree == right.thing.tree:
                        continue
                    needs = tuple(
                        need for one in (left.thing, right.thing)
                        for need in (*one.needs, *((one.tree,) if one.optional else ()))
                    )  # fmt: skip
                    whole = replace(left.thing, needs=tuple(dict.fromkeys(needs)), optional=False)
                    both = replace(left, thing=whole, cost=min(left.cost, right.cost, 0.2))
                    tree: Tree = (operator, ("*", left.thing.tree, right.thing.tree), value)
                    extra = (word.number, sign, *used, *right.used)
                    yield self._naming.condition(tree, both, extra, -0.2, word.number, word.number)

    def _beside(self, sign: int, side: int) -> list[Named]:
        """The numbers that are named nearest before a place, or nearest after it."""
        near = {sign + side * far for far in range(1, _FAR)}
        found = [
            (min(abs(at - sign) for at in one.used & near), one) for one in self._single() if one.used & near
        ]
        nearest = min((far for far, _ in found), default=0)
        return [one for far, one in found if far == nearest]

    def _of_repetition(self) -> Iterator[Condition]:
        """Something that stands twice in a list: "the same platform twice", "each field once"."""
        said = [word for word in self._sentence.words if word.low in _TWICE | _ONCE]
        if not said:
            return
        for one in self._naming.named:
            thing = one.thing
            if thing.form not in ("field", "element") or thing.earlier or not one.own or thing.many:
                continue
            if (
                not thing.domain
                or thing.domain[0] != "attr"
                or kind_of(thing.sort) not in ("text", "enum", "int")
            ):
                continue
            different: Tree = ("call", "len", ("setof", ELEMENT, thing.tree, thing.domain, TRUE))
            every: Tree = ("call", "len", thing.domain)
            for word in said[:2]:
                again = word.low in _TWICE or self._sentence.negated(word.number)
                tree: Tree = ("<" if again else "==", different, every)
                whole = replace(
                    thing, domain=(), needs=tuple(need for need in thing.needs if ELEMENT not in need)
                )
                named = replace(one, thing=replace(whole, optional=False))
                yield self._naming.condition(tree, named, (word.number,), 0.1, word.number, word.number)


def _words(cue: CueAt) -> range:
    return range(cue.first, cue.after)


def _value(word: ForeignWord, thing: Nameable) -> Tree | None:
    """A number or length of time as a value of a thing; None if it can be none."""
    if isinstance(word.literal, timedelta):
        count = in_unit(thing, word.literal)
        return None if count is None else ("lit", "int", count)
    if not isinstance(word.literal, Decimal):
        return None
    count = counted_in(word.literal, word.unit, thing)
    return None if count is None else number_of(count, thing.sort)

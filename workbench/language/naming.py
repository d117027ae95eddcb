"""How the words of a sentence name things, and the conditions that are made of what is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

from workbench.language.foreign.cues import Cue, CueAt
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.stems import stem
from workbench.language.nameable import ELEMENT, Nameable, Nameables
from workbench.language.productions import kind_of
from workbench.language.trees import RUN, TRUE, Tree, negated
from workbench.language.vocabulary import words_named
from workbench.language.words import words_of

_FLIPPED = {">": "<=", "<=": ">", "<": ">=", ">=": "<", "==": "!=", "!=": "=="}
_MOST_TERMS = 8
_SURE = 0.9
"""How surely its own word names a thing, beside which words for the like are no place of it."""
LEFT_OUT = frozenset(map(stem, words_named("left_out")))
_AFTER = words_named("after_number")
AMOUNT_STEMS = frozenset(map(stem, words_named("amounts")))
ADDRESSES = words_named("addresses")
WHOM = words_named("whom")
_MONEY_STEMS = frozenset(map(stem, words_named("money")))
"""Words of names that people leave out are ``LEFT_OUT``."""


@dataclass(frozen=True)
class Named:
    """How a sentence names something: the words used, the last and first of them, and what is against it.

    ``own`` is whether a word of its own is among them, and not only one of what it belongs to.
    """

    thing: Nameable
    used: frozenset[int]
    anchor: int
    cost: float
    worth: float
    first: int = -1
    own: bool = True


@dataclass(frozen=True)
class Condition:
    """A condition that is named: its expression, what must not be None, and the list of its element.

    ``used`` are the words that name it, ``anchor`` is where, and ``cost`` what is against it.
    """

    tree: Tree
    used: frozenset[int]
    anchor: int
    cost: float
    needs: tuple[Tree, ...] = ()
    domain: Tree = ()
    literal: int = -1


def opposite(tree: Tree) -> Tree:
    """What holds where a condition does not, in as few words as there are."""
    match tree:
        case ("==" | "<" as operator, ("call", "len", ("setof", *_)) as different, every):
            return ("<" if operator == "==" else "==", different, every)  # are there as many different ones
        case (">" | ">=" | "<" | "<=" | "==" | "!=" as operator, left, right):
            return (_FLIPPED[operator], left, right)
        case ("not", inner):
            return inner
        case ("or", *parts) if all(one[0] in ("==", "!=", "in", "not in") for one in parts):
            return ("and", *map(opposite, parts))
        case _:
            return negated(tree)


class Naming:
    """What a sentence names about the calls of some classes.

    ``tools`` are the words that name the calls, and ``faint`` those that may, by another word for the same.
    """

    def __init__(
        self, sentence: ForeignSentence, things: Nameables, tools: frozenset[int], faint: frozenset[int]
    ) -> None:
        self.sentence = sentence
        self.things = things
        self.tools = tools
        self.faint = faint

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """Everything with its words in the sentence, what is named best first."""
        found = [self._named(one) for one in self.things.every]
        if self.sentence.in_other_letters:  # what they name is no field that nothing else names
            found = [one for one in found if one.own or one.thing.form not in ("field", "element")]
        return tuple(sorted(found, key=lambda one: one.cost - one.worth))

    def _named(self, thing: Nameable) -> Named:
        if thing.form == "fact":
            return self._named_fact(thing)
        used: dict[int, float] = {}
        cost = 0.08 * thing.depth + (
            0.6 if thing.tree[:2] == ("attr", ("name", "run")) or thing.form == "said" else 0.0
        )
        own = set[int]()
        for word in (stem(thing.name),) if thing.name in self.sentence.small_names else thing.words:
            places = self.sentence.stems.get(word, ())
            for number, sure in places:
                used[number] = max(used.get(number, 0), sure)
                own.add(number)
            if not places:
                cost += 0.12 if word in LEFT_OUT else 0.4
            else:
                cost += 0.3 * (1 - max(sure for _, sure in places))
        for word in thing.owner:
            for number, sure in self.sentence.stems.get(word, ()):
                used[number] = max(used.get(number, 0), sure)
        for word in thing.gloss:
            for number, sure in self.sentence.stems.get(word, ()):
                used.setdefault(number, 0.5 * sure)
        return self._of(thing, used, own, cost)

    def _named_fact(self, thing: Nameable) -> Named:
        used: dict[int, float] = {}
        missing = 0.0
        for word in thing.words:
            places = self.sentence.stems.get(word, ())
            for number, sure in places:
                used[number] = max(used.get(number, 0), sure)
            if not places and not word.isdigit():
                missing += 1
        if used and RUN in _operands(thing.tree):
            used |= dict.fromkeys(self.sentence.of_run, 1.0)
        cost = 0.9 * missing / max(1, len(thing.words)) + 0.06 * missing
        digits = {word for word in thing.words if word.isdigit()}
        for one in self.sentence.words:
            if one.literal is not None and {stem(part) for part in words_of(one.text)} <= set(thing.words):
                used[one.number] = 1.0
                digits -= set(words_of(one.text))
        return self._of(thing, used, set(used), cost + 0.7 * len(digits))

    def _of(self, thing: Nameable, used: Mapping[int, float], own: Iterable[int], cost: float) -> Named:
        inside = {number: sure for number, sure in used.items() if number >= 0}
        places = [number for number in own if number >= 0]
        surest = max((used[number] for number in places), default=0.0)
        named = sorted(number for number in places if used[number] >= min(surest, _SURE))
        anchors = named or sorted(inside)
        worth = sum(self.sentence.words[number].weight * sure for number, sure in inside.items())
        worth += 0.2 * sum(sure for number, sure in used.items() if number < 0)
        return Named(
            thing,
            frozenset(inside),
            anchors[-1] if anchors else -1,
            cost,
            worth,
            anchors[0] if anchors else -1,
            bool(named),
        )

    def condition(
        self,
        tree: Tree,
        named: Named,
        extra: Iterable[int] = (),
        cost: float = 0.0,
        anchor: int | None = None,
        literal: int = -1,
    ) -> Condition:
        """A condition on something that is named, with the words that it uses besides."""
        at = named.anchor if anchor is None else anchor
        thing = named.thing
        needs = (*thing.needs, *((thing.tree,) if thing.optional else ()))
        return Condition(
            tree, named.used | frozenset(extra), at, named.cost + cost, needs, thing.domain, literal
        )

    def compared(self, at: int) -> CueAt | None:
        """The comparison that goes with a number: just before it, or after it."""
        ones = [
            one for one in self.sentence.comparisons if self.tools.isdisjoint(range(one.first, one.after))
        ]  # the "limit" of "raising a limit" is no limit
        numbers = [number for number in self.sentence.numbers if number < at]
        last = numbers[-1] if numbers and self.sentence.negated(at) else -1  # "below 1024 other than 443"
        ones = [one for one in ones if one.first > last]
        before = [one for one in ones if 0 <= at - one.after <= 3]
        after = [
            one for one in ones if 0 <= one.first - at <= 5 and self.sentence.words[one.first].low in _AFTER
            and not {one.after, one.after + 1} & set(self.sentence.numbers)
        ]  # fmt: skip
        found = after or before or [one for one in ones if 0 <= at - one.after <= 6]
        return found[-1] if found else None

    def operator(self, at: int) -> tuple[str, tuple[int, ...]]:
        """The comparison that goes with a number, and its words."""
        cue = self.compared(at)
        if cue is None:
            return "==", ()
        return str(cue.cue), tuple(range(cue.first, cue.after))

    def numeric(self, at: int) -> list[Named]:
        """What may be compared with a number, the best first."""
        money = self.sentence.words[at].money
        value = self.sentence.words[at].literal
        ones = [
            one
            for one in self.named
            if not one.thing.many
            and kind_of(one.thing.sort) in ("int", "dec")
            and _may_be(self.sentence, one, value)
        ]
        small = isinstance(value, Decimal) and value == value.to_integral_value() and value < 20
        found: list[Named] = []
        for one in ones:
            far = abs(one.anchor - at) if one.anchor >= 0 else 6
            cost = (
                one.cost
                + min(0.4, 0.03 * far)
                + (0 if one.worth else 0.3)
                + (0.4 if money and kind_of(one.thing.sort) == "int" else 0)
            )
            amount = set(one.thing.words) & AMOUNT_STEMS or one.thing.gloss & _MONEY_STEMS
            cost -= 0.5 if money and one.thing.of_call and amount else 0
            cost += 0.25 if small and not money and kind_of(one.thing.sort) == "dec" else 0
            found.append(replace(one, cost=cost))
        unit = self.sentence.words[at].unit
        counted = [
            one for one in self.named if one.thing.many and not one.thing.domain and one.used and not unit
        ]
        whom = {word.number for word in self.sentence.words[at + 1 : at + 2] if word.low in WHOM}
        counted = [
            replace(one, used=one.used | whom, anchor=at, cost=min(one.cost, 0.1))
            for one in self.named
            if whom and one.thing.many and not one.thing.domain and one.thing.name in ADDRESSES
        ] + counted
        for one in counted[:3]:
            size: Tree = ("call", "len", one.thing.tree)
            thing = replace(one.thing, tree=size, sort="int", many=False)
            found.append(
                replace(
                    one,
                    thing=thing,
                    cost=one.cost + 0.1 + min(0.4, 0.03 * abs(one.anchor - at)) + 0.5 * money,
                )
            )
        if self.sentence.has(Cue.TOTAL):
            found += self.sums(ones)
        return sorted(found, key=lambda one: one.cost - one.worth)[:_MOST_TERMS]

    def sums(self, ones: Iterable[Named]) -> Iterator[Named]:
        """The sums of a field over a list, where the sentence speaks of a total."""
        total = frozenset(at for cue in self.sentence.at(Cue.TOTAL) for at in range(cue.first, cue.after))
        for one in ones:
            if total and one.thing.domain and not one.thing.earlier and one.thing.form == "field":
                sum_: Tree = ("call", "sum", ("gen", ELEMENT, one.thing.tree, one.thing.domain, TRUE))
                thing = replace(one.thing, tree=sum_, domain=())
                yield replace(one, thing=thing, used=one.used | total, cost=one.cost)


_PER = frozenset(("a", "an", "per", "each", "every"))
_LARGEST = {"weekday": 7, "day": 31, "hour": 24}
"""The largest value of each part of a time that is a number."""


def _may_be(sentence: ForeignSentence, one: Named, value: object) -> bool:
    """Whether a number may be compared with what is named: a part of a time has a word, and is small.

    "Two a day" is no day.
    """
    if one.thing.form != "clock":
        return True
    if any(sentence.words[at - 1].low in _PER for at in one.used if at):
        return False
    return bool(one.used) and isinstance(value, Decimal) and value <= _LARGEST.get(one.thing.name, 0)


def _operands(tree: Tree) -> Tree:
    return tree[2:]


def number_of(value: Decimal, sort: str) -> Tree | None:
    """A number as a value of a sort; nothing if the sort has whole numbers alone."""
    if kind_of(sort) == "int":
        return ("lit", "int", int(value)) if value == value.to_integral_value() else None
    return ("lit", "dec", value)

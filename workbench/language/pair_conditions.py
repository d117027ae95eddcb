"""Conditions on two things that a sentence names: the same, one of several, more than the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from workbench.language.foreign_words import Cue, CueAt, general, stem
from workbench.language.nameable import ELEMENT, Nameable, stems_of
from workbench.language.naming import AMOUNT_STEMS, LEFT_OUT, Condition, Named, Naming, opposite
from workbench.language.productions import kind_of
from workbench.language.trees import CALL, RUN, Tree
from workbench.language.vocabulary import words_named

_DIFFERENT = words_named("different")
_UPWARD = words_named("upward")
_DOWNWARD = words_named("downward")
_OWN = words_named("own")
_CALLER = words_named("callers")
_ID = stem("id")
_PEOPLE = general()[stem("people")]


class PairConditions:
    """Two things that are compared with each other."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._sentence = naming.sentence
        self._things = naming.things

    def every(self) -> Iterator[Condition]:
        """Two things that are said to be the same, or more or less than each other."""
        ones = [one for one in self._naming.named if one.used and one.cost < 1.0][:60]
        same = [one.first for one in self._sentence.at(Cue.SAME)]
        free = [
            one
            for one in self._sentence.comparisons
            if one.cue is not Cue.EXACTLY and not self._has_literal(one)
        ]
        yield from self._of_own_amount(ones, free)
        yield from self._of_caller()
        yield from self._of_changes()
        if len(ones) < 2:
            return
        for number, one in enumerate(ones):
            for other in ones[number + 1 :]:
                yield from self._pair(one, other, same, free)

    def _of_own_amount(self, ones: Sequence[Named], free: Sequence[CueAt]) -> Iterator[Condition]:
        """An amount of the call that is not said: "no more than what is owed"."""
        own = [
            one for one in self._naming.named
            if one.thing.of_call and one.thing.depth == 0 and not one.thing.many
            and kind_of(one.thing.sort) in _NUMBERS
        ]  # fmt: skip
        silent = [one for one in own if not one.used]
        if len(silent) > 1:
            silent = [one for one in silent if set(one.thing.words) & AMOUNT_STEMS]
        for one in silent:
            for other in ones:
                thing = other.thing
                if thing.many or thing.of_call or kind_of(thing.sort) not in _NUMBERS or not other.own:
                    continue
                for cue in free:
                    if cue.first < other.anchor:
                        needs = (*one.thing.needs, *_own(one.thing), *thing.needs, *_own(thing))
                        both = replace(
                            other, thing=replace(thing, needs=tuple(dict.fromkeys(needs)), optional=False)
                        )
                        tree: Tree = (str(cue.cue), one.thing.tree, thing.tree)
                        yield self._naming.condition(
                            tree, both, range(cue.first, cue.after), 0.25, max(cue.first, other.anchor)
                        )

    def _of_caller(self) -> Iterator[Condition]:
        """Who calls is who something belongs to: "their own", "oneself", "by its owner"."""
        words = self._sentence.words
        own = [word.number for word in words if word.low in _OWN]
        callers = [
            one for one in self._naming.named
            if one.thing.tree[:2] == ("attr", ("attr", RUN, "context")) and one.thing.name in _CALLER
        ]  # fmt: skip
        for caller in callers:
            for one in self._naming.named:
                thing = one.thing
                if (
                    kind_of(thing.sort) != "text"
                    or thing.many
                    or thing.form != "field"
                    or thing.owner == caller.thing.owner
                ):
                    continue
                by = [at for at in one.used if any(word.low == "by" for word in words[max(0, at - 2) : at])]
                person = bool(set(thing.words) & _PEOPLE) or thing.name.endswith("_by")
                if not ((own and (person or one.used)) or (by and one.own)):
                    continue
                no = any(words[at].low in _DIFFERENT for at in own)
                tree: Tree = ("!=" if no else "==", thing.tree, caller.thing.tree)
                at = max((*own, *by)) if own or by else one.anchor
                cost = (0.1 if person and one.used else 0.3) - 0.08 * thing.depth
                base = replace(one, cost=min(one.cost, 0.3))
                yield self._naming.condition(tree, base, (*own, *caller.used), cost, at)

    def _of_changes(self) -> Iterator[Condition]:
        """What becomes more or less than it was: a number of the call beside the record's of its name."""
        words = self._sentence.words
        for word in words:
            operator = ">" if word.low in _UPWARD else "<" if word.low in _DOWNWARD else ""
            if not operator or word.number in self._doing or self._sentence.numbers:
                continue
            numbers = [
                one for one in self._naming.named
                if kind_of(one.thing.sort) in _NUMBERS and not one.thing.many and not one.thing.domain
            ]  # fmt: skip
            for new in [one for one in numbers if one.thing.of_call]:
                for old in [one for one in numbers if one.thing.depth == 1 and one.own]:
                    thing = old.thing
                    if thing.of_call or not set(thing.words) <= set(new.thing.words):
                        continue
                    needs = tuple(
                        dict.fromkeys((*new.thing.needs, *_own(new.thing), *thing.needs, *_own(thing)))
                    )
                    both = replace(old, thing=replace(thing, needs=needs, optional=False))
                    tree: Tree = (operator, new.thing.tree, thing.tree)
                    used = (word.number, *new.used)
                    yield self._naming.condition(tree, both, used, 0.0, max(word.number, old.anchor))

    @cached_property
    def _doing(self) -> frozenset[int]:
        """The words that may say what the tools do."""
        calls = self._things.lexicon.types.calls
        stems = [
            word for name in self._things.classes if name in calls
            for word in stems_of(self._things.lexicon.tool_words(calls[name]))
        ]  # fmt: skip
        return frozenset(at for word in stems for at, _ in self._sentence.stems.get(word, ()))

    def _has_literal(self, one: CueAt) -> bool:
        return any(
            word.literal is not None and not isinstance(word.literal, str)
            for word in self._sentence.words[one.after : one.after + 3]
        )

    def _pair(
        self, one: Named, other: Named, same: Sequence[int], free: Sequence[CueAt]
    ) -> Iterator[Condition]:
        first, second = one.thing, other.thing
        if not _may_compare(first, second):
            return
        joint = one.used | other.used
        needs = dict.fromkeys((*first.needs, *second.needs, *_own(first), *_own(second)))
        domain = first.domain or second.domain
        thing = replace(first, needs=tuple(needs), optional=False, domain=domain)
        named_by_each = len(joint) > 1 and bool(joint - other.used or joint - one.used)
        cost = one.cost + other.cost + (0.15 if named_by_each else 0.45)
        both = Named(thing, joint, max(joint), cost, 0)
        if first.many or second.many:
            yield from self._member(both, *((second, first) if first.many else (first, second)), same)
            return
        yield from self._ordered(
            both, *((first, second) if one.anchor <= other.anchor else (second, first)), free
        )
        yield from self._equal(
            both, *((first, second) if _stands_first(first, second) else (second, first)), same
        )

    def _member(
        self, both: Named, single: Nameable, several: Nameable, same: Sequence[int]
    ) -> Iterator[Condition]:
        """One thing that is among several."""
        if not same and not _shared(single, several):
            return
        last = max(both.used)
        at = min(same, key=lambda place: abs(place - last), default=last)
        tree: Tree = ("in", single.tree, several.tree)
        no = self._sentence.negated(at, 5) or self._sentence.words[at].low in _DIFFERENT
        cost = 0.0
        if single.domain:
            cost += 0.0 if several.of_call or single.tree == ELEMENT else 0.2
            cost += 0.2 if single.domain[0] == "attr" and single.domain[1] != CALL else 0.0
        yield self._naming.condition(opposite(tree) if no else tree, both, (at,), cost, max(at, last))

    def _ordered(
        self, both: Named, left: Nameable, right: Nameable, free: Sequence[CueAt]
    ) -> Iterator[Condition]:
        """One thing that is more or less than the other."""
        if not {kind_of(left.sort), kind_of(right.sort)} <= _ORDERED:
            return
        for cue in free:
            tree: Tree = (str(cue.cue), left.tree, right.tree)
            yield self._naming.condition(tree, both, range(cue.first, cue.after), 0.1, cue.first)

    def _equal(
        self, both: Named, left: Nameable, right: Nameable, same: Sequence[int]
    ) -> Iterator[Condition]:
        """Two things that are the same, or are not."""
        if _shared(left, right):
            yield self._naming.condition(("==", left.tree, right.tree), both, (), 0.2)
        if same:
            at = min(same, key=lambda place: abs(place - both.anchor))
            no = self._sentence.words[at].low in _DIFFERENT or self._sentence.negated(at)
            tree: Tree = ("!=" if no else "==", left.tree, right.tree)
            yield self._naming.condition(tree, both, (at,), 0.0, at)


_NUMBERS = frozenset({"int", "dec"})
_TEXTS = frozenset({"text", "enum"})
_ORDERED = _NUMBERS | {"moment", "date"}


def _may_compare(first: Nameable, second: Nameable) -> bool:
    """Whether two things are of one kind, of one element at most, and none is a part of the other."""
    if first.form == second.form == "fact" or (
        first.domain and second.domain and first.domain != second.domain
    ):
        return False
    if first.many and second.many:
        return False
    kinds = {kind_of(first.sort), kind_of(second.sort)}
    if kinds & {"bool", "rec", "earlier", "unknown"}:
        return False
    if _part_of(first.tree, second.tree) or _part_of(second.tree, first.tree):
        return False
    if second.tree == first.domain or first.tree == second.domain:
        return False
    return (
        (len(kinds) == 1 and not kinds <= _TEXTS)
        or kinds <= _NUMBERS
        or (kinds <= _TEXTS and _comparable(first, second))
    )


def _stands_first(first: Nameable, second: Nameable) -> bool:
    return first.of_call or second.form == "record"


def _shared(first: Nameable, second: Nameable) -> bool:
    """Whether two things have a word of their own in common."""
    return bool(set(first.words) & set(second.words) - LEFT_OUT)


def _own(thing: Nameable) -> tuple[Tree, ...]:
    return (thing.tree,) if thing.optional else ()


def _comparable(first: Nameable, second: Nameable) -> bool:
    """Whether two texts may be of the same: their names share a word."""
    if _ID in first.words and _ID in second.words:
        return _shared(first, second)
    one, other = set(first.words) | set(first.owner), set(second.words) | set(second.owner)
    return bool((one & other) - LEFT_OUT)


def _part_of(one: Tree, other: Tree) -> bool:
    """Whether an expression is another one, or a part of what it holds."""
    return one == other or (bool(other) and other[0] == "attr" and _part_of(one, other[1]))

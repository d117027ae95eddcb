"""Conditions on two things that a sentence names: the same, one of several, more than the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, pairwise, product

from workbench.dialect.call_file import ANY_CALL
from workbench.language.foreign.cues import Cue, CueAt
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.stems import general, stem
from workbench.language.foreign.tokens import ForeignWord
from workbench.language.nameable import ELEMENT, Nameable, stems_of
from workbench.language.naming import (
    ADDRESSES,
    AMOUNT_STEMS,
    LEFT_OUT,
    Condition,
    Named,
    Naming,
    opposite,
)
from workbench.language.productions import kind_of
from workbench.language.trees import CALL, RUN, TRUE, Tree, is_tree
from workbench.language.vocabulary import words_named

_ID = stem("id")
_FAR = 3
_NEAR_BY = 7
_TOWARDS = frozenset(("to", "from", "in", "on", "into", "as", "with", "onto"))
_HAVING_ROOM = frozenset(
    ("allow", "allows", "has", "have", "holds", "takes", "permits", "bears", "offers", "provides", "contains")
)
_FILES = frozenset(
    (
        "file",
        "files",
        "record",
        "records",
        "card",
        "profile",
        "book",
        "books",
        "system",
        "register",
        "database",
    )
)
"""What a record is called on which something stands."""
_PHONES = frozenset(("phone", "phone_number", "mobile", "number", "telephone"))
_ACCOUNTS = frozenset(("iban", "account", "account_number", "bank_account"))
_BACK = frozenset(("it", "that", "this", "them"))
_PRONOUNS = frozenset(("it", "they", "he", "she"))
_REFLEXIVE = frozenset(("itself", "themselves", "oneself"))
_BEING = frozenset(("is", "are", "was", "were"))
_DIFFERENT = words_named("different")
_UPWARD = words_named("upward")
_DOWNWARD = words_named("downward")
_OWN = words_named("own")
_BEGINS = 3
"""How many words before a "who" begin what it is said of: "by the one who"."""
_ONES = frozenset(("one", "person", "colleague", "somebody", "someone", "anybody", "anyone"))
_CALLER = words_named("callers")
_PEOPLE = general()[stem("people")]
_PERSONS = _PEOPLE | frozenset(stem(one) for one in words_named("callers") if "_" not in one) - {stem("name")}


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
        exact = [
            one for one in self._sentence.comparisons if one.cue is Cue.EXACTLY and not self._has_literal(one)
        ]
        same += [one.first for one in exact]
        yield from self._of_own_amount(ones, [*free, *exact])
        yield from self._of_caller()
        yield from self._of_whoever()
        yield from self._of_logged_in()
        yield from self._of_changes()
        yield from self._of_itself()
        yield from self._of_what_is_on_file()
        yield from self._of_room(free)
        yield from self._of_what_it_is_for()
        if len(ones) < 2:
            return
        for number, one in enumerate(ones):
            for other in ones[number + 1 :]:
                yield from self._pair(one, other, same, free)
                yield from self._in_time(one, other)

    def _in_time(self, one: Named, other: Named) -> Iterator[Condition]:
        """Two times of which one comes first: "a deadline before the translator is free"."""
        first, second = (one, other) if one.anchor < other.anchor else (other, one)
        kinds = {kind_of(one.thing.sort), kind_of(other.thing.sort)}
        if not kinds <= _TIMES or len(kinds) > 1 or not _may_compare(one.thing, other.thing):
            return
        if not (first.own and second.own) or first.used & second.used:
            return
        for word in self._sentence.words[first.anchor + 1 : second.anchor]:
            operator = "<" if word.low == "before" else ">" if word.low == "after" else ""
            if operator:
                needs = dict.fromkeys(
                    (*first.thing.needs, *second.thing.needs, *_own(first.thing), *_own(second.thing))
                )
                domain = first.thing.domain or second.thing.domain
                thing = replace(first.thing, needs=tuple(needs), optional=False, domain=domain)
                cost = first.cost + second.cost
                both = Named(thing, first.used | second.used, second.anchor, cost, 0)
                tree: Tree = (operator, first.thing.tree, second.thing.tree)
                yield self._naming.condition(tree, both, (word.number,), 0.0, word.number - 1)

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
                    if cue.first < other.anchor or self._points_back(cue):
                        needs = (*one.thing.needs, *_own(one.thing), *thing.needs, *_own(thing))
                        both = replace(
                            other, thing=replace(thing, needs=tuple(dict.fromkeys(needs)), optional=False)
                        )
                        tree: Tree = (str(cue.cue), one.thing.tree, thing.tree)
                        yield self._naming.condition(
                            tree, both, range(cue.first, cue.after), 0.25, max(cue.first, other.anchor)
                        )

    def _points_back(self, cue: CueAt) -> bool:
        """Whether a comparison is with what was said before it: "nothing above it"."""
        return any(word.low in _BACK for word in self._sentence.words[cue.after : cue.after + 1])

    def _own_texts(self) -> list[Named]:
        """The texts and values that the call itself has, the best named first."""
        return [
            one for one in self._naming.named
            if one.thing.of_call and one.thing.depth == 0 and not one.thing.many
            and one.thing.form == "field" and kind_of(one.thing.sort) in _TEXTS
        ]  # fmt: skip

    def _of_itself(self) -> Iterator[Condition]:
        """Two things of one kind that a call has, of what goes "from an account to itself"."""
        words = self._sentence.words
        for before, word in pairwise(words):
            if word.low not in _REFLEXIVE or before.low not in _TOWARDS:
                continue
            for one, other in combinations(self._own_texts(), 2):
                kinds = one.thing.sort == other.thing.sort != "text"
                if kinds or (_shared(one.thing, other.thing) and one.thing.sort == other.thing.sort):
                    yield self._compared("==", one, other, (word.number,), word.number, -0.3)

    def _of_room(self, free: Sequence[CueAt]) -> Iterator[Condition]:
        """More than something else has of it: "longer than the berth allows", "amperes more than it has"."""
        words = self._sentence.words
        numbers = [
            one for one in self._naming.named
            if kind_of(one.thing.sort) in _NUMBERS and not one.thing.many and not one.thing.domain and one.own
        ]  # fmt: skip
        for cue in free:
            after = words[cue.after : cue.after + _FAR + 1]
            verb = next((word.number for word in after if word.low in _HAVING_ROOM), -1)
            nouns = {word.stem for word in after if word.number < verb}
            for right in numbers:
                if not right.thing.owner or not nouns.issuperset(right.thing.owner[-1:]):
                    continue
                for left in numbers:
                    if left.thing.owner != right.thing.owner and _shared(left.thing, right.thing):
                        used = (*range(cue.first, cue.after), verb, *right.used)
                        yield self._compared(str(cue.cue), left, right, used, cue.first, 0.0)

    def _of_what_is_on_file(self) -> Iterator[Condition]:
        """What the call gives is what a record has: "the address we have on file", "the borrower's email"."""
        places, norm, words = list(self._on_file()), self._sentence.norm, self._sentence.words
        others = [
            word.number for word in words[norm.first if norm is not None else len(words) :]
            if word.low in _DIFFERENT and norm is not None and norm.cue is Cue.FORBID
        ]  # fmt: skip
        for own, told in product(self._own_texts(), self._naming.named):
            thing = told.thing
            is_text = thing.form == "field" and thing.sort == "text" and not thing.many
            if thing.of_call or not is_text or thing.depth != 1 or not _may_be_given(own, told):
                continue
            theirs = told.own and not _shared(own.thing, thing) and told.used - own.used - self._naming.tools
            for first, after in places or ([(told.anchor, told.anchor + 1)] if theirs else []):
                before = self._sentence.words[max(0, first - _NEAR_BY) : first]
                no = any(map(self._sentence.negated, {first, *own.used, *told.used})) or any(
                    word.low in _DIFFERENT for word in before
                )
                only = bool(others) and first < others[0]  # "…, never to another one"
                used = (*range(first, after), *own.used, *(others if only else ()))
                yield self._compared("!=" if no or only else "==", told, own, used, first, -0.1)

    def _on_file(self) -> Iterator[tuple[int, int]]:
        """Yield where it is said that something is what we have of somebody."""
        words = self._sentence.words
        for at, word in enumerate(words):
            before = [each.low for each in words[max(0, at - _FAR) : at]]
            stands = word.low in _FILES and not {"on", "in", "from"}.isdisjoint(before)
            if stands or (word.low == "have" and before[-1:] == ["we"]):
                yield at, at + 1

    def _of_what_it_is_for(self) -> Iterator[Condition]:
        """What a record has a field for: "goes to the boat that it is reserved for"."""
        words = self._sentence.words
        lows = [word.low for word in words]
        for at in range(1, len(lows) - 2):
            if lows[at] not in _PRONOUNS or lows[at + 1] not in _BEING or not words[at + 2].weight:
                continue
            head = at - 1 - (lows[at - 1] in ("that", "which"))
            for field in self._naming.named:
                thing = field.thing
                told = thing.form == "field" and kind_of(thing.sort) == "text" and not thing.many
                if thing.of_call or not told or words[at + 2].stem not in thing.words or thing.depth != 1:
                    continue
                for own in self._own_texts():
                    if (words[head].stem in own.thing.words) or (lows[head] == "one" and own.own):
                        no = not _DIFFERENT.isdisjoint(lows[max(0, head - _FAR) : head])
                        used = (*range(head, at + 3), *own.used)
                        yield self._compared("!=" if no else "==", field, own, used, head, 0.0)

    def _compared(
        self, operator: str, one: Named, other: Named, used: Iterable[int], at: int, cost: float
    ) -> Condition:
        """Two things beside each other, with all that must be there."""
        first, second = one.thing, other.thing
        needs = tuple(dict.fromkeys((*first.needs, *_own(first), *second.needs, *_own(second))))
        thing = replace(first, needs=needs, optional=False)
        both = replace(one, thing=thing, cost=min(one.cost, 0.3))
        return self._naming.condition((operator, first.tree, second.tree), both, used, cost, at)

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
                person = bool(set(thing.words) & _PEOPLE) or thing.name.endswith("_by")
                says = ("by", "only") if person else ("by",)
                by = [at for at in one.used if any(word.low in says for word in words[max(0, at - 2) : at])]
                if not ((own and person) or (by and one.own)):
                    continue
                no = any(words[at].low in _DIFFERENT for at in own)
                tree: Tree = ("!=" if no else "==", thing.tree, caller.thing.tree)
                at = max((*own, *by)) if own or by else one.anchor
                cost = (0.1 if person and one.used else 0.3) - 0.08 * thing.depth
                base = replace(one, cost=min(one.cost, 0.3))
                yield self._naming.condition(tree, base, (*own, *caller.used), cost, at)

    def _of_whoever(self) -> Iterator[Condition]:
        """Who did something is who calls, or who is named before: "whoever checked it", "the one who did"."""
        words = self._sentence.words
        whoever = [
            word.number for word in words
            if word.low == "whoever" or (word.low == "who" and words[word.number - 1].low in _ONES)
        ]  # fmt: skip
        for at, one in product(whoever, self._naming.named):
            if not one.thing.name.endswith("_by") or one.thing.many or one.thing.form != "field":
                continue
            said = stem(one.thing.name.removesuffix("_by"))
            verb = next((word.number for word in words[at + 1 : at + 4] if word.stem == said), None)
            if verb is None or verb not in one.used:
                continue
            acts = at < _BEGINS or any(word.low == "by" for word in words[max(0, at - _BEGINS) : at])
            for other in self._naming.named:
                thing, first = other.thing, other.first
                caller = thing.tree[:2] == ("attr", ("attr", RUN, "context")) and thing.name in _CALLER
                named = thing.owner == one.thing.owner and _is_person(thing) and other.own and first < at
                if kind_of(thing.sort) == "text" and thing != one.thing and (
                    (acts and caller) or (named and _is_said(words[first:at]))
                ):  # fmt: skip
                    tree: Tree = ("==", one.thing.tree, thing.tree)
                    base = replace(one, cost=min(one.cost, 0.2))
                    yield self._naming.condition(tree, base, (at, verb, *other.used), 0.0, verb)

    def _of_logged_in(self) -> Iterator[Condition]:
        """Who is logged in is who the call or a record names: "assigned to the user who is logged in"."""
        cue = next(self._sentence.at(Cue.CALLER), None)
        if cue is None:
            return
        no = self._sentence.negated(cue.first) or any(word.low in _DIFFERENT for word in self._sentence.words)
        for one in self._naming.named:
            thing = one.thing
            if kind_of(thing.sort) != "text" or thing.many or thing.form != "field" or not _is_person(thing):
                continue
            if not (thing.of_call and thing.depth == 0) and not (thing.depth == 1 and one.own):
                continue
            for told in self._callers(thing.tree):
                made = opposite(told) if no else told
                base = replace(one, cost=min(one.cost, 0.2))
                yield self._naming.condition(made, base, range(cue.first, cue.after), 0.0, cue.after - 1)
        calls = self._things.lexicon.types.calls
        for name, call in calls.items():
            others = name not in self._things.classes and self._things.classes != (ANY_CALL,)
            if others and not call.fields and ForeignSentence(call.description).has(Cue.CALLER):
                earlier: Tree = ("method", RUN, "earlier", ("name", name))
                told = ("call", "any", ("gen", ELEMENT, ("attr", ELEMENT, "succeeded"), earlier, TRUE))
                words = frozenset(range(cue.first, cue.after))
                yield Condition(told, words, cue.after - 1, 0.2)

    def _callers(self, named: Tree) -> Iterator[Tree]:
        """That something is who is logged in: by the context, and by what tools without arguments told."""
        lexicon = self._things.lexicon
        for each in lexicon.fields["context"]:
            if each.name in _CALLER and kind_of(each.sort) == "text":
                yield ("==", named, ("attr", ("attr", RUN, "context"), each.name))
        for each in lexicon.fields["text"]:
            for place in lexicon.types.readings[each.name].texts:
                name, _, field = place.partition(".")
                call = lexicon.types.calls.get(name)
                if field == "result" and call is not None and not call.fields:
                    told: Tree = ("attr", ("attr", ELEMENT, "result"), each.name)
                    same: Tree = ("and", ("attr", ELEMENT, "succeeded"), ("==", told, named))
                    earlier: Tree = ("method", RUN, "earlier", ("name", name))
                    yield ("call", "any", ("gen", ELEMENT, same, earlier, TRUE))

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
        if not _may_compare(first, second) or self._are_of_one_text(first, second):
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
        yield from self._ordered(both, one, other, free)
        yield from self._equal(
            both, *((first, second) if _stands_first(first, second) else (second, first)), same
        )

    def _are_of_one_text(self, first: Nameable, second: Nameable) -> bool:
        """Whether two things are parts of the same text, as the domain of an address and its domains are."""
        whole = _whole(first)
        return whole == _whole(second) and whole in self._texts

    @cached_property
    def _texts(self) -> frozenset[Tree]:
        return frozenset(one.tree for one in self._things.every if kind_of(one.sort) == "text")

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

    def _ordered(self, both: Named, one: Named, other: Named, free: Sequence[CueAt]) -> Iterator[Condition]:
        """One thing that is more or less than the other."""
        if not {kind_of(one.thing.sort), kind_of(other.thing.sort)} <= _ORDERED:
            return
        for cue in free:
            place = _side(one, other, cue) or -_side(other, one, cue)
            if not place and one.anchor == other.anchor:
                place = -1 if one.thing.of_call else 1
            in_order = place < 0 if place else one.anchor < other.anchor
            left, right = (one, other) if in_order else (other, one)
            tree: Tree = (str(cue.cue), left.thing.tree, right.thing.tree)
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


def _side(one: Named, other: Named, cue: CueAt) -> int:
    """Where the words stand that name one thing and not the other: -1 before a comparison, 1 after it.

    It is 0 where they stand on both sides of it, or nowhere.
    """
    own = one.used - other.used - frozenset(range(cue.first, cue.after))
    before, after = any(at < cue.first for at in own), any(at >= cue.after for at in own)
    return int(after) - int(before)


_NUMBERS = frozenset({"int", "dec"})
_TEXTS = frozenset({"text", "enum"})
_TIMES = frozenset({"moment", "date"})
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
    both = ((first, second), (second, first))
    if any(_part_of(one.tree, of) for one, other in both for of in (other.tree, other.domain)):
        return False
    if kinds <= _TEXTS and (_has(first.tree, second.tree) or _has(second.tree, first.tree)):
        return False  # the key of a record is none of its fields
    return (
        (len(kinds) == 1 and not kinds <= _TEXTS)
        or kinds <= _NUMBERS
        or (kinds <= _TEXTS and _comparable(first, second))
    )


def _whole(thing: Nameable) -> Tree:
    """What a thing, or the list that it is in, is read from."""
    tree = thing.tree if thing.tree[0] == "attr" else thing.domain
    return tree[1] if tree and is_tree(tree[1]) else ()


def _has(tree: Tree, part: Tree) -> bool:
    """Whether an expression stands in another one."""
    return tree == part or any(_has(one, part) for one in tree[1:] if is_tree(one) and one)


def _is_said(words: Sequence[ForeignWord]) -> bool:
    """Whether it is said of something that it is something else."""
    return any(word.low in ("be", "is", "are") for word in words)


def _is_person(thing: Nameable) -> bool:
    """Whether a text names a person: an assignee, an author."""
    return bool(set(thing.words) & _PERSONS) or thing.name.endswith(("ee", "_by"))


def _may_be_given(own: Named, told: Named) -> bool:
    """Whether a call may have what a record has: one word is of both, or both are where somebody is found."""
    if _shared(own.thing, told.thing):
        return True
    ways = (ADDRESSES, _PHONES, _ACCOUNTS)
    return any(own.thing.name in names and told.thing.name in names for names in ways)


def _stands_first(first: Nameable, second: Nameable) -> bool:
    return first.of_call or second.form == "record"


def _shared(first: Nameable, second: Nameable) -> bool:
    """Whether two things have a word of their own in common."""
    return bool(set(first.words) & set(second.words) - LEFT_OUT)


def _own(thing: Nameable) -> tuple[Tree, ...]:
    return (thing.tree,) if thing.optional else ()


def _comparable(first: Nameable, second: Nameable) -> bool:
    """Whether two texts may be of the same: their names share a word, or those of what they belong to do."""
    if (
        first.owner == second.owner
        or "enum" in (kind_of(first.sort), kind_of(second.sort))
        or (_ID in first.words and _ID in second.words)
    ):
        return _shared(first, second)
    one, other = set(first.words) | set(first.owner), set(second.words) | set(second.owner)
    return bool((one & other) - LEFT_OUT)


def _part_of(one: Tree, other: Tree) -> bool:
    """Whether an expression is another one, or a part of what it holds."""
    return one == other or (bool(other) and other[0] == "attr" and _part_of(one, other[1]))

"""Attempts with what a list has: one bad element of several, no element, several that come to more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import LISTS, Attacked, hostile, words_of
from workbench.clarify.written.attempts import Attempt, Try, narrower, offering, saying
from workbench.clarify.written.attempts_at_one_of_two import is_prohibition, opposite
from workbench.clarify.written.attempts_at_other_fields import is_alike
from workbench.clarify.written.attempts_without_a_value import (
    does_something_without,
    means_all,
    names_what_it_works_on,
    taken,
)
from workbench.clarify.written.book import Path, SaidRule, places, reads, replaced
from workbench.dialect.call_fields import CallField
from workbench.language.trees import TRUE, Tree, joined, with_instead
from workbench.language.words import things
from workbench.model import Json, Kind
from workbench.runs.values.name_words import RECIPIENTS, amount_named

_NUMBERS = (Kind.INT, Kind.DECIMAL)
_OVER, _UP_TO = (">", ">="), ("<", "<=")
_MOST_COUNTED = 1000
"""The most elements of a list that are made up."""
_MOST_ELEMENTS = 24
"""The most elements of a list that are tried alone."""
_EVERY = re.compile(
    r"\b(?:all|every|each|nothing but|nobody but|none but|no other|exclusively|just"
    r"|only (?!if\b|when\b|where\b|with\b|once\b|after\b)"
    r"|(?:not|never|no|nobody|nothing)\b.{0,80}\bother than\b)"
)
_SOME = re.compile(
    r"\b(?:at least (?:one|an?)|one of|some|somebody|someone|something|includes?|including|contains?"
    r"|containing|among|any of|without an?|if any|(?:where|when|if|with|has|have) no)\b"
)
_CONDITION = re.compile(r"\b(?:if|when|once|where|provided|as long as)\b")
_OF_EACH = frozenset(("rate", "percent", "minutes", "hours", "days", "age"))
"""Words of numbers that do not add up over the elements of a list."""
_PRICES = frozenset(("price", "cost", "fare"))
_SAYS_PRICE = re.compile(r"\b(?:price|cost|fare)\w*\b|\bper (?:unit|piece|item|night|day)\b")
_STEPS, _MOST_TIMES = ((1, 1), (2, 8), (10, 90)), 100
"""What a number of times counts more above each step, up to the most: no rule multiplies two numbers."""
_TIMES = frozenset(("quantity", "qty", "count", "pieces", "units", "nights", "days", "hours"))
"""Words of numbers by which the price of an element is multiplied."""
_LINES = frozenset(("line", "row", "position", "entry", "leg"))
_OF_ONE = re.compile(r"\b(?:(?:of|per|for) (?:an?|one|each|every|any|the same)|per|of the same) (\w+)")


def attempts_at_lists(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts with the lists that a rule reads."""
    for one in attacked.fields_read:
        if one.type.kind in LISTS:
            yield from _one_of_several(attacked, one)
            yield from _no_element(attacked, one)
            yield from _together(attacked, one)
            yield from _counted_apart(attacked, one)


@dataclass(frozen=True, slots=True)
class Quantified:
    """What a rule asks of some or of all elements of a list: where, and whether it closes by it."""

    path: Path
    tree: Tree
    closes: bool

    @property
    def word(self) -> str:
        """``any`` or ``all``."""
        return str(self.tree[1])

    @property
    def elements(self) -> Tree:
        """The list."""
        return self.tree[2][3]

    @property
    def variable(self) -> Tree:
        """The element."""
        return self.tree[2][1]

    @property
    def asked(self) -> Tree:
        """What is asked of an element."""
        return self.tree[2][2]

    @property
    def filtered(self) -> Tree:
        """The elements of which it is asked."""
        return self.tree[2][4]

    def of(self, word: str, asked: Tree) -> Tree:
        """The same elements with another quantifier and condition."""
        return ("call", word, (*self.tree[2][:2], asked, *self.tree[2][3:]))


def quantified(rule: SaidRule) -> Iterator[Quantified]:
    """Yield what a rule asks of the elements of lists; it closes by what stops a call where it holds."""
    for path, part in places(rule.condition):
        if part[0] == "call" and part[1] in ("any", "all") and part[2][0] == "gen":
            closes, tree = rule.form != "permit", rule.condition
            for step in path:
                closes ^= tree[0] == "not"
                tree = tree[step]
            yield Quantified(path, part, closes)


def _quantified(attacked: Attacked, one: CallField) -> Iterator[Quantified]:
    """Yield what a rule asks of the elements of a list of its calls."""
    value = attacked.value_of(one)
    yield from (each for each in quantified(attacked.unfolded) if each.elements == value)


def _can_be_empty(one: CallField) -> bool:
    """Whether the schema of a list that a call must have permits an empty one."""
    least = one.schema.get("minItems")
    return not isinstance(least, int) or least < 1


def _is_empty(value: Tree) -> Tree:
    return ("==", ("call", "len", value), ("lit", "int", 0))


def _with_elements(base: TriedCall, one: CallField, elements: Sequence[Json]) -> TriedCall:
    return TriedCall(base.tool, {**base.arguments, one.key: [*elements]})


def _elements(call: TriedCall, one: CallField) -> Sequence[Json]:
    value = call.arguments.get(one.key)
    return value if isinstance(value, list) else ()


def _known_elements(attacked: Attacked, one: CallField) -> Sequence[Json]:
    """The elements that logged calls have in a list, and such that are made up."""
    every = (each for call in (*attacked.logged, *attacked.made) for each in _elements(call, one))
    return [*{repr(each): each for each in every}.values()]


def _noun(one: CallField) -> str:
    """The word for one element of a list."""
    words = words_of(one.name)
    return words[-1].removesuffix("s") if words else ""


# --- one bad element of several


def _one_of_several(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A list with an element that is let through and one that is not, where the sentence is about each."""
    if is_about_some(attacked.sentence, _noun(one), attacked.rule.form):
        return
    good: Json = None
    bad: Json = None
    for each in _known_elements(attacked, one)[:_MOST_ELEMENTS]:
        alone = _with_elements(attacked.base, one, [each])
        if bad is None and attacked.stops(alone):
            bad = each
        elif good is None and attacked.may_pass(alone):
            good = each
        if good is not None and bad is not None:
            break
    if bad is None:
        return
    seen = next((call for call in attacked.logged if _elements(call, one) and attacked.may_pass(call)), None)
    runs = [] if seen is None else [_with_elements(seen, one, [*_elements(seen, one), bad])]
    several = [] if good is None else [(good, bad), (bad, good)]
    runs += [_with_elements(attacked.base, one, each) for each in several]
    name = f"“{bad}”" if isinstance(bad, str) else "such an element"
    tries = [Try((call,), f"{name} alone is stopped") for call in runs]
    rewritings = partial(_of_every, attacked, one)
    yield Attempt("one element of several", tries, rewritings, about=one.name)


def is_about_some(sentence: str, noun: str, form: str) -> bool:
    """Whether a sentence asks for one element that is so, whatever else is in the list."""
    if not sentence or _EVERY.search(sentence):
        return not sentence
    named = re.search(rf"\b(?:an?|the|its|one|has|with|without)(?: \w+)? {re.escape(noun)}\b", sentence)
    if not _SOME.search(sentence) and not (noun and named):
        return False
    if form == "permit" and not _CONDITION.search(sentence):
        return _SOME.search(sentence) is not None
    return not is_prohibition(sentence) or "no" in sentence.split()[1:]


def _of_every(attacked: Attacked, one: CallField) -> Sequence[Effect]:
    """The rule, which asks of every element what it asks of some."""
    empty = attacked.stops(_with_elements(attacked.base, one, ())) and _can_be_empty(one)
    return [
        Effect({attacked.rule.name: said})
        for each in _quantified(attacked, one)
        if (each.word == "all") is each.closes
        for said in stricter(attacked.unfolded, each, or_empty=empty)
    ]


def stricter(rule: SaidRule, each: Quantified, *, or_empty: bool) -> Sequence[Tree]:
    """What a rule says if it asks of every element what it asks of some; no empty list gets through by it."""
    condition = rule.condition
    parent, place = _parent(condition, each.path)
    if parent[0] == "not":
        said = replaced(condition, place, each.of("any", opposite(each.asked)))
    else:
        said = replaced(condition, each.path, each.of("any" if each.word == "all" else "all", each.asked))
    if rule.form == "permit":
        return [rule.with_condition(joined("and", [condition, said]))]
    either = [said, _is_empty(each.elements)] if or_empty else [said]
    return [rule.with_condition(joined("or", one)) for one in (either, [condition, said])]


def _parent(tree: Tree, path: Path) -> tuple[Tree, Path]:
    """What a part of a tree is in, and where that is."""
    place = path[:-1]
    for step in place:
        tree = tree[step]
    return (tree, place) if path else (TRUE, ())


# --- no element


def _no_element(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A call with an empty list, where that is everything, or nothing of what the sentence demands."""
    if not _can_be_empty(one):
        return
    says_all, is_choice = means_all(one.description), names_what_it_works_on(attacked, one)
    demanded = not one.type.optional and not is_prohibition(attacked.sentence) and _demands(attacked, one)
    taken_ = [
        str(each)
        for each in taken(attacked, one)
        if attacked.stops(_with_elements(attacked.base, one, [each]))
    ]
    if not (says_all or demanded or is_choice or taken_ or _wants_some(attacked, one)):
        return
    logged = [not _elements(call, one) for call in attacked.logged]
    if not says_all and logged.count(True) * 2 > len(logged):
        return
    known = (*attacked.logged, *attacked.made, *_long(attacked, one))
    if not attacked.reading.reads_run and not any(map(attacked.stops, known)):
        return
    held = {key: value for key, value in attacked.base.arguments.items() if key != one.key}
    without = TriedCall(attacked.tool, held if one.type.optional else {**held, one.key: []})
    name = one.name.replace("_", " ").strip()
    why = f"its {name} are empty"
    if taken_:
        why = f"without {name} it is {taken_[0]}"
    elif says_all:
        why = f"without {name} it is about all"
    elif is_choice and not demanded:
        why = f"without {name} it may be about all"
    rewritings = partial(_nor_empty, attacked, one)
    yield Attempt("empty list", [Try((without,), why)], rewritings, about=one.name)


def _wants_some(attacked: Attacked, one: CallField) -> bool:
    """Whether a rule tells known elements from others, or a sentence asks for some, and none passes both."""

    def stops(*elements: Json) -> bool:
        return attacked.stops(_with_elements(attacked.base, one, elements))

    known = [each for each in attacked.texts if not each.startswith("-")]  # of options there may be none
    if one.fields or not known or stops():
        return False
    said = things(re.findall(r"[a-z]+", attacked.sentence))
    if stops(hostile(attacked.kind(one))) and not all(map(stops, known)):
        is_asked = _ASKING.search(attacked.sentence) and things(words_of(one.name)) & said
        return bool(is_asked) or does_something_without(attacked, one)
    in_part = any(
        part[2:3] in (("startswith",), ("endswith",)) for _, part in places(attacked.rule.condition)
    )
    return not in_part and any(map(stops, known)) and does_something_without(attacked, one)


_ASKING = re.compile(
    r"\b(?:must(?! (?:not|never|only)\b)|needs?|requires?|ha(?:s|ve) to|without|unless|at least)\b"
)
"""Words of sentences that ask for something, and do not only close what is otherwise."""


def _long(attacked: Attacked, one: CallField) -> Iterator[TriedCall]:
    """Yield a call with a longer list than a rule bounds."""
    for atom in _lengths(attacked, one):
        for element in _known_elements(attacked, one)[:1]:
            yield _with_elements(attacked.base, one, [element] * (int(atom[2][2]) + 1))


def _lengths(attacked: Attacked, one: CallField) -> Sequence[Tree]:
    """The upper bounds of a rule on the length of a list."""
    length: Tree = ("call", "len", attacked.value_of(one))
    over = _UP_TO if attacked.rule.form == "permit" else _OVER
    return [
        atom
        for _, atom in places(attacked.rule.condition)
        if len(atom) == 3 and atom[0] in over and atom[1] == length and atom[2][:2] == ("lit", "int")
    ]


def _demands(attacked: Attacked, one: CallField) -> bool:
    """Whether a rule asks something of objects in a list that is no bound of a number."""
    if not one.fields or RECIPIENTS & things(words_of(one.name)):
        return False
    return any(
        len(atom) != 3 or atom[0] not in (*_OVER, *_UP_TO)
        for each in _quantified(attacked, one)
        for atom in (each.asked[1:] if each.asked[0] in ("and", "or") else [each.asked])
    )


def _nor_empty(attacked: Attacked, one: CallField) -> Sequence[Effect]:
    """The rule, which stops an empty list where it looks at it."""
    condition, empty = attacked.rule.condition, _is_empty(attacked.value_of(one))
    effects = [narrower(attacked.rule, empty)]
    if attacked.rule.form != "permit" and condition[0] == "and":
        own = [part for part in condition[1:] if reads(part, attacked.value_of(one))]
        others = [part for part in condition[1:] if part not in own]
        said = joined("and", [*others, joined("or", [joined("and", own), empty])])
        effects.insert(0, saying(attacked.rule, said))
    return effects


# --- several elements that come to more than one may


@dataclass(frozen=True, slots=True)
class _Bound:
    """A bound on a number of each element of a list."""

    asked: Quantified
    atom: Tree
    field: CallField
    times: CallField | None = None

    def held(self, number: int, times: int = 1) -> Mapping[str, Json]:
        """The keys of an element that comes to a number, or to it so many times."""
        return {self.field.key: number, **({} if self.times is None else {self.times.key: times})}

    @property
    def limit(self) -> int:
        """The bound."""
        return int(self.atom[2][2])

    @property
    def part(self) -> int:
        """A number below the bound that is more than the bound when it is there twice; zero for none."""
        part = self.limit * 2 // 3
        is_part = self.atom[0] in (">", "<=")
        return part if part * 2 > self.limit else self.limit if is_part else 0


def _together(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Two elements below a bound that together are above it, where the sentence is not about one of them."""
    if _is_about_one(attacked.sentence, _noun(one)) or _is_summed(attacked, one):
        return
    for bound in _bounds(attacked, one):
        for calls in _doubled(attacked, one, bound):
            why = "each is looked at alone, and both together come to more"
            tries = [Try((call,), why) for call in calls]
            yield Attempt(
                "several elements", tries, partial(_summed, attacked, one, bound), about=bound.field.name
            )
            break


def _bounds(attacked: Attacked, one: CallField) -> Iterator[_Bound]:
    """Yield the upper bounds on an amount of each element."""
    for each in _quantified(attacked, one):
        if (each.word == "any") is not each.closes:
            continue
        for atom in each.asked[1:] if each.asked[0] in ("and", "or") else [each.asked]:
            for field in one.fields:
                if (
                    len(atom) == 3
                    and atom[0] in (_OVER if each.closes else _UP_TO)
                    and atom[1] == ("attr", each.variable, field.name)
                    and atom[2][:1] == ("lit",)
                    and field.type.kind in _NUMBERS
                    and amount_named(words_of(field.name)) in ("money", "pieces")
                    and not _OF_EACH & {*words_of(field.name)}
                    and atom[2][2] > 0
                ):
                    is_price = bool(_PRICES & {*words_of(field.name)})
                    if not is_price or not _SAYS_PRICE.search(attacked.sentence):
                        yield _Bound(each, atom, field, _times_of(one) if is_price else None)


def _times_of(one: CallField) -> CallField | None:
    """How many of its things an element has, by which its price is multiplied."""
    numbers = (each for each in one.fields if each.type.kind is Kind.INT and not each.type.optional)
    return next((each for each in numbers if _TIMES & {*words_of(each.name)}), None)


def _doubled(attacked: Attacked, one: CallField, bound: _Bound) -> Iterator[Sequence[TriedCall]]:
    """Yield calls with an element twice that is stopped with as much as both have, or of two things."""
    for element in _known_elements(attacked, one)[:_MOST_ELEMENTS]:
        if not isinstance(element, dict) or not bound.part:
            continue
        whole: Json = {**element, **bound.held(bound.part * 2)}
        half: Json = {**element, **bound.held(bound.part)}
        both: Json = {**element, **bound.held(bound.part, 2)}
        ways = [[half, half], *([[both]] if bound.times is not None else [])]
        passing = [each for way in ways if attacked.may_pass(each := _with_elements(attacked.base, one, way))]
        if attacked.stops(_with_elements(attacked.base, one, [whole])) and passing:
            yield passing


def _is_about_one(sentence: str, noun: str) -> bool:
    """Whether a sentence speaks of each element alone, “no line with more than 30”, and not of its things."""
    if not sentence or not noun:
        return False
    if noun in _LINES and re.search(rf"\b(?:per|in an?|in one|in each|for each|for an?) {noun}\b", sentence):
        return True
    before = r"(?<!of )(?<!per )(?<!for )"
    return (
        re.search(rf"{before}\b(?:no|an?|each|every|any|single|one)(?: \w+)? {noun}\b", sentence) is not None
    )


def _is_summed(attacked: Attacked, one: CallField) -> bool:
    """Whether a rule of the tool sums the elements of a list."""
    value = attacked.value_of(one)
    return any(
        part[:2] == ("call", "sum") and reads(part, value)
        for rule in attacked.book.rules_by_class[attacked.call_type.name]
        for _, part in places(rule.condition)
    )


def _summed(attacked: Attacked, one: CallField, bound: _Bound) -> Sequence[Effect]:
    """The rule with the bound on all elements together: on those of the same thing, or on all of them."""
    each, condition = bound.asked, attacked.rule.condition
    others = [part for part in each.asked[1:] if part != bound.atom] if each.asked[0] == "and" else []
    others = [part for part in (*others, each.filtered) if part != TRUE]

    def said(*of_same: Tree) -> Tree:
        other: Tree = ("name", "other")
        among = [with_instead(part, each.variable, other) for part in others]
        number: Tree = ("attr", other, bound.field.name)
        given: list[Tree] = [("is some", number)] if bound.field.type.optional else []
        if not _is_never_negative(bound.field):
            given.append((">", number, ("lit", "int", 0)))

        def summed(*of_many: Tree) -> Tree:
            """The sum over the elements, or over those of which there are more than so many."""
            parts = [*given, *of_many, *of_same, *among]
            counted = joined("and", parts) if parts else TRUE
            return ("call", "sum", ("gen", other, number, attacked.value_of(one), counted))

        total = summed()
        times = () if bound.times is None else _STEPS
        for above, more in times:
            many: Tree = (">", ("attr", other, str(bound.times and bound.times.name)), ("lit", "int", above))
            part = summed(many)
            total = ("+", total, part if more == 1 else ("*", ("lit", "int", more), part))
        above_it: Tree = (bound.atom[0], total, bound.atom[2])
        return above_it if several is None else joined("or" if each.closes else "and", [above_it, several])

    several = _of_several(attacked, one, bound)
    whole = said()
    effects = [narrower(attacked.rule, whole if each.closes else opposite(whole))]
    if not others and each.asked == bound.atom:
        effects.insert(0, saying(attacked.rule, replaced(condition, each.path, whole)))
    if (key := _key(one)) is not None:
        same = ("==", ("attr", ("name", "other"), key.name), ("attr", each.variable, key.name))
        keyed = saying(attacked.rule, replaced(condition, each.path, each.of(each.word, said(same))))
        effects.insert(0 if _is_of_one(attacked) else len(effects), keyed)
    return effects


def _of_several(attacked: Attacked, one: CallField, bound: _Bound) -> Tree | None:
    """That an element is of more things than steps are made for, or that none is."""
    if bound.times is None:
        return None
    number: Tree = ("attr", ("name", "other"), bound.times.name)
    more: Tree = (">" if bound.asked.closes else "<=", number, ("lit", "int", _MOST_TIMES))
    return ("call", bound.asked.word, ("gen", ("name", "other"), more, attacked.value_of(one), TRUE))


def _is_never_negative(one: CallField) -> bool:
    least = one.schema.get("minimum", one.schema.get("exclusiveMinimum"))
    return isinstance(least, int | float) and least >= 0


def _key(one: CallField) -> CallField | None:
    """The text by which an element tells of what it is."""
    return next(
        (each for each in one.fields if each.type.kind in (Kind.STR, Kind.ENUM) and not each.type.optional),
        None,
    )


def _is_of_one(attacked: Attacked) -> bool:
    """Whether a sentence speaks of so many “of an article”, and not of all in one call."""
    found = _OF_ONE.findall(attacked.sentence)
    own = {
        *words_of(attacked.tool),
        *(word for one in attacked.call_type.fields for word in words_of(one.name)),
    }
    return any(each not in own and each not in ("call", "order", "request") for each in found)


# --- a list beside the one that is counted


def _counted_apart(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Many elements in a list beside the one that a rule counts."""
    number: Tree = ("call", "len", attacked.value_of(one))
    most = (
        inner[2] for _, inner in places(attacked.rule.condition) if len(inner) == 3 and inner[1] == number
    )
    if all(bound == ("lit", "int", 0) for bound in most):  # it is only asked whether there are any
        return
    element = attacked.kind(one)
    texts = _several(element, 1 + max(_numbers(attacked.rule.condition), default=0))
    base = attacked.allowed
    if base is None or not attacked.stops(_with_elements(base, one, texts)):
        return
    for other in attacked.call_type.fields:
        if other.type.kind not in LISTS or other.name in attacked.reading.parts:
            continue
        if element != attacked.kind(other) and not is_alike(attacked, one, other, "mail_address"):
            continue
        total: Tree = ("+", number, ("call", "len", attacked.value_of(other)))
        effects = [saying(attacked.rule, with_instead(attacked.rule.condition, number, total))]
        tries = [Try((_with_elements(base, other, texts),), f"nothing counts its {other.name}")]
        yield Attempt("counted apart", tries, offering(*effects), about=other.name)


def _several(kind: str, number: int) -> Sequence[str]:
    """Different texts of a kind."""
    form = {"mail_address": "lee{}@intranet.example", "path": "/home/agent/{}", "url": "https://x.example/{}"}
    return [form.get(kind, "x{}").format(at) for at in range(min(number, _MOST_COUNTED))]


def _numbers(condition: Tree) -> Iterator[int]:
    for _, inner in places(condition):
        if inner[:2] == ("lit", "int"):
            yield inner[2]

"""What the conditions of a rule say together: which are wanted, what is refused, what must be there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from workbench.language.earlier_conditions import EarlierConditions
from workbench.language.foreign.cues import Cue
from workbench.language.foreign.roles import Role
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.formula_conditions import FormulaConditions
from workbench.language.nameable import ELEMENT
from workbench.language.naming import Condition, Naming, opposite
from workbench.language.number_conditions import NumberConditions, TimeConditions
from workbench.language.pair_conditions import PairConditions
from workbench.language.trees import RUN, TRUE, Tree, free_names, joined
from workbench.language.value_conditions import PresenceConditions, ValueConditions

_TOO = frozenset(("even", "too", "also"))
_PLAIN = frozenset(("in", "==", "method", "<", "<=", ">", ">="))
"""The forms of conditions that say no denial."""


def asked_after_all(sentence: ForeignSentence, ones: Sequence[Condition]) -> Iterator[tuple[Tree, float]]:
    """Yield when a person is asked though nobody is elsewhere: in an exception, and outside of a limit."""
    exceptions = [one for one in ones if one.anchor in sentence.excepted]
    limits = [one for one in ones if one not in exceptions]
    if exceptions:
        yield from refused(sentence, exceptions, [])
    if limits:
        yield from refused(sentence, [], limits)


def says_no_limit(sentence: ForeignSentence, goods: Sequence[Condition], ones: Sequence[Condition]) -> bool:
    """Whether it is not said up to what limit something is allowed, or who alone may do it."""
    if sentence.limited_at >= 0 and not goods:
        return True
    return bool(goods) and sentence.alone >= 0 and not any(sentence.alone in one.used for one in ones)


def limits_nothing(sentence: ForeignSentence) -> bool:
    """Whether a permission has no end: what is allowed at one place is not forbidden elsewhere."""
    if sentence.needless or any(word.low in _TOO for word in sentence.words):
        return True  # "even if", "too": something is allowed besides
    start = sentence.norm.first if sentence.norm is not None else -1
    if start >= 0 and any(one.cue is Cue.FORBID and one.first > start for one in sentence.at(Cue.FORBID)):
        return True  # what need not be refused may be refused elsewhere, or not
    ends = [one for one in sentence.comparisons if one.cue is not Cue.MORE or one.first < start]
    counted = sentence.numbers and (ends or not sentence.comparisons)
    return (
        not counted
        and not any(word.low == "once" for word in sentence.words)
        and not ends
        and not sentence.wanting
        and not sentence.has(Cue.IF, Cue.AHEAD, Cue.SINCE, Cue.USER)
    )


def as_denied(
    sentence: ForeignSentence, conditions: Iterable[Condition], tools: frozenset[int]
) -> Iterator[Condition]:
    """The conditions without those that a sentence negates and that say the thing itself.

    What negates a thing is used by a condition that denies it; "no entry" is not an entry of which something
    is denied.
    """
    for one in conditions:
        found = [sentence.negation(number) for number in {*one.used, one.anchor} - tools if number >= 0]
        negations = [each for each in found if each is not None and each.first in sentence.negations]
        if not negations or (_is_nothing(one.tree) and all(each.first in one.used for each in negations)):
            yield one
        elif one.tree[0] not in _PLAIN:
            words = {number for each in negations for number in range(each.first, each.after)}
            no = {number for number in words if one.domain and sentence.words[number].low == "no"}
            yield replace(one, used=one.used | (words - no))


def _is_nothing(tree: Tree) -> bool:
    """Whether a condition says that there is none: "no places left"."""
    return tree[0] == "==" and tree[1][0] == "attr" and tree[2][0] == "lit" and tree[2][2] == 0


def gives_value(tree: Tree) -> bool:
    """Whether a condition says that something has a value."""
    return tree[0] in ("==", "!=") and tree[2][0] == "lit"


def is_of_reading(tree: Tree) -> bool:
    """Whether a condition says that something was read, or done, before."""
    if tree[0] == "not":
        return is_of_reading(tree[1])
    return tree[:2] in (("call", "looked_up"), ("call", "any")) and (
        tree[1] == "looked_up" or tree[2][3][:3] == ("method", RUN, "earlier")
    )


def gives_values(tree: Tree) -> bool:
    """Whether a condition says which of some values something has."""
    return gives_value(tree) or (tree[0] in ("in", "not in") and tree[2][0] == "set")


def opposed(one: Condition) -> Condition:
    """A condition that does not hold."""
    return replace(one, tree=opposite(one.tree))


def presumed(one: Condition, other: Condition) -> bool:
    """Whether one condition only says that what the other reads is there."""
    pairs = ((one, other), (other, one))
    return any(first.tree[0] == "is some" and first.tree[1] in second.needs for first, second in pairs)


def exclusive(one: Condition, other: Condition) -> bool:
    """Whether two conditions give one thing different values."""
    valued = all(each.tree[0] in ("==", "in") and each.tree[2][0] in ("lit", "set") for each in (one, other))
    operators = {one.tree[0], other.tree[0]}
    return (valued or operators == {"==", "!="}) and one.tree[1] == other.tree[1]


def split(
    sentence: ForeignSentence, guards: Sequence[Condition], goods: Sequence[Condition]
) -> tuple[Sequence[Condition], Sequence[Condition]]:
    """The situation and what is wanted in it, of a sentence that joins both without "must", "may" or "if".

    "Only team leads pay more than 150" wants its first thing where the others are so; "Late deliveries are
    worth at most 20" wants its limit.
    """
    if sentence.norm is not None or guards or len(goods) < 2 or sentence.has(Cue.IF, Cue.UNLESS):
        return guards, goods
    if any(one.first == 0 for one in sentence.at(Cue.ONLY)):
        return goods[1:], goods[:1]
    limit = goods[-1]
    if joint_of(sentence, goods) == "or":
        return guards, goods
    if limit.literal >= 0 and any(one.first <= limit.literal for one in sentence.comparisons):
        return goods[:-1], [limit]
    return guards, goods


def role_of(sentence: ForeignSentence, one: Condition) -> Role:
    """What a condition says of a call, by where it is named."""
    if not 0 <= one.anchor < len(sentence.roles) or sentence.says_which(one.anchor):
        return Role.GUARD
    return sentence.roles[one.anchor]


def _needed(ones: Iterable[Condition]) -> list[Tree]:
    """What must be there before conditions are read."""
    return [("is some", tree) for tree in dict.fromkeys(tree for one in ones for tree in one.needs)]


def joint_of(sentence: ForeignSentence, ones: Sequence[Condition]) -> str:
    """Whether conditions of one side are joined by "or", not what is one alone: "before 9 or after 5"."""
    if len(ones) < 2:
        return "and"
    first, last = ones[0].anchor, ones[-1].anchor
    within = (at + 1 for one in ones for at in one.used if not one.used.isdisjoint((at + 2, at + 3)))
    between = {one.first for one in sentence.at(Cue.OR) if first < one.first < last}.difference(within)
    ands = any(word.low == "and" for word in sentence.words[first:last])
    return "or" if between and not ands else "and"


def all_of(sentence: ForeignSentence, ones: Sequence[Condition], *, every: bool = False) -> Tree:
    """What conditions say together; those about elements hold for every element, or for some."""
    outer = [one for one in ones if not one.domain]
    if len(outer) == len(ones) > 1 and joint_of(sentence, ones) == "or":
        each = [_needed([one]) for one in ones]
        shared = [one for one in each[0] if all(one in other for other in each)]
        either = [
            joined("and", [*(part for part in needs if part not in shared), one.tree])
            for needs, one in zip(each, ones, strict=True)
        ]
        return joined("and", [*shared, joined("or", either)])
    parts: list[Tree] = [*_needed([Condition(TRUE, frozenset(), 0, 0, tuple(
        tree for one in ones for tree in one.needs if ELEMENT[1] not in free_names(tree)))])]  # fmt: skip
    trees: list[Tree] = [one.tree for one in outer]
    for domain in dict.fromkeys(one.domain for one in ones if one.domain):
        inner = [one for one in ones if one.domain == domain]
        needs = [one for one in _needed(inner) if ELEMENT[1] in free_names(one)]
        body = joined("and", [*needs, joined(joint_of(sentence, inner), [one.tree for one in inner])])
        named = {at for one in inner for at in one.used}
        each = every and (any(map(sentence.says_every, named)) or not any(map(sentence.says_some, named)))
        trees.append(("call", "all" if each else "any", ("gen", ELEMENT, body, domain, TRUE)))
    return joined(
        "and", [*parts, joined(joint_of(sentence, outer) if len(trees) == len(outer) else "and", trees)]
    )


def refused(
    sentence: ForeignSentence, guards: Sequence[Condition], goods: Sequence[Condition]
) -> Iterator[tuple[Tree, float]]:
    """Yield what is refused: the guards without what is wanted."""
    if not goods:
        yield all_of(sentence, guards), 0.0
        yield from _or_missing(sentence, guards)
        return
    if not _wanted_together(sentence, goods):
        return
    shared = {one.domain for one in guards if one.domain} & {one.domain for one in goods if one.domain}
    if shared:
        (domain, *_) = shared
        yield _within(sentence, domain, guards, goods), 0.0
        return
    before = [all_of(sentence, guards)] if guards else []
    present = _conjuncts(before[0]) if before else ()
    wanted = joined(
        "and", [one for one in _conjuncts(all_of(sentence, goods, every=True)) if one not in present]
    )
    yield joined("and", [*before, opposite(wanted)]), 0.0
    needs = [one for one in _needed(goods) if ELEMENT[1] not in free_names(one)]
    known = [one for one in needs if not before or one not in _conjuncts(before[0])]
    if needs:
        bare = [
            Condition(
                one.tree,
                one.used,
                one.anchor,
                one.cost,
                tuple(tree for tree in one.needs if ELEMENT[1] in free_names(tree)),
                one.domain,
            )
            for one in goods
        ]
        yield joined("and", [*before, *known, opposite(all_of(sentence, bare, every=True))]), 0.12


def _wanted_together(sentence: ForeignSentence, goods: Sequence[Condition]) -> bool:
    """Whether all is wanted: of two things that nothing joins, one says when the other is wanted."""
    if len({_thing(one.tree) for one in goods}) < 2:
        return True
    between = sentence.words[goods[0].anchor : goods[-1].anchor]
    return any(word.low in ("and", "or", "nor") for word in between)


def _thing(condition: Tree) -> Tree:
    """What a condition compares, or the condition itself."""
    match condition:
        case ("and" | "or" | "not", first, *_):
            return _thing(first)
        case ("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in", left, _):
            return left
        case _:
            return condition


def _or_missing(sentence: ForeignSentence, guards: Sequence[Condition]) -> Iterator[tuple[Tree, float]]:
    """Yield what is refused if a field that may be missing counts as bad: "missing or older than a year"."""
    for one in guards:
        gaps = [tree for tree in one.needs if tree[0] == "attr" and ELEMENT[1] not in free_names(tree)]
        if len(gaps) == 1 and not one.domain and one.tree not in (("is some", gaps[0]), gaps[0]):
            bare = replace(one, needs=tuple(tree for tree in one.needs if tree != gaps[0]))
            either: Tree = ("or", opposite(("is some", gaps[0])), one.tree)
            parts = [replace(bare, tree=either) if each is one else each for each in guards]
            yield all_of(sentence, parts), 0.2


def _conjuncts(tree: Tree) -> Sequence[Tree]:
    return tree[1:] if tree[0] == "and" else (tree,)


def _within(
    sentence: ForeignSentence, domain: Tree, guards: Sequence[Condition], goods: Sequence[Condition]
) -> Tree:
    """An element that is one of those meant, and is not as is wanted."""
    inner = [one for one in guards if one.domain == domain]
    wanted = [one for one in goods if one.domain == domain]
    needs = [one for one in _needed([*inner, *wanted]) if ELEMENT[1] in free_names(one)]
    body = joined(
        "and", [*needs, *(one.tree for one in inner), opposite(joined("and", [one.tree for one in wanted]))]
    )
    some: Tree = ("call", "any", ("gen", ELEMENT, body, domain, TRUE))
    others = [one for one in guards if one.domain != domain]
    outside = [one for one in _needed([*inner, *wanted]) if ELEMENT[1] not in free_names(one)]
    return joined("and", [*outside, *([all_of(sentence, others)] if others else []), some])


def named_conditions(naming: Naming, others: Sequence[str]) -> Iterator[Condition]:
    """Yield every condition that is named; ``others`` are the classes that may be named as earlier calls."""
    yield from NumberConditions(naming).every()
    yield from TimeConditions(naming).every()
    yield from ValueConditions(naming).every()
    yield from PresenceConditions(naming).every()
    yield from PairConditions(naming).every()
    yield from FormulaConditions(naming).every()
    yield from EarlierConditions(naming).every(others)

"""Whether two rules have a contrary sense, decided on the inputs around what they compare with.

They have in one thing that both read if the one refuses for more of it what the other refuses for less: "is
one of" and "is none of", "more than 20" and "at most 20", whatever else they say. What is read is taken to be
there, and a list to have one element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import product
from math import prod
from typing import NamedTuple

from workbench.language.trees import TRUE, Tree, is_tree, with_instead

type _Point = tuple[int, ...]

_MOST_INPUTS = 4_096
_MORE_OR_LESS = (0, 2)
"""The points of a difference where two things are not the same."""
_REFUSING = ("forbid", "ask")
_APART = {(True, False), (False, True)}
_ORDERING = ("<", "<=", ">", ">=")
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">="}
_ZERO: Tree = ("lit", "number", Decimal(0))
_DENIED = {"!=": "==", "not in": "in", "is none": "is some", "<=": ">", "<": ">="}


def contrary(one: Tree, other: Tree) -> bool:
    """Whether two rules in normal form have a contrary sense; where too much is read to decide it, no."""
    if not _of_shared_tools(one, other):
        return False
    if one[2] == other[2]:
        return _refuses(one) != _refuses(other)
    around = _Around(one, other)
    refused = around.refused()
    return any(
        _is_opposed(refused, place, points, ordered=place in around.ordered)
        for place, size in enumerate(around.sizes)
        for points in (range(size), *([_MORE_OR_LESS] if place in around.differences else ()))
    )


def follows(one: Tree, other: Tree) -> bool:
    """Whether what a rule in normal form refuses, or else allows, another does too; if undecided, no."""
    if not _of_shared_tools(one, other):
        return False
    refused = _Around(one, other).refused()
    refuses = _refuses(one)
    return bool(refused) and all(then is refuses for first, then in refused.values() if first is refuses)


def _of_shared_tools(one: Tree, other: Tree) -> bool:
    return one[0] == "call" == other[0] and bool(set(one[3:]) & set(other[3:]))


def _refuses(rule: Tree) -> bool:
    return rule[1] in _REFUSING


def _is_opposed(
    refused: Mapping[_Point, tuple[bool, ...]], place: int, points: Sequence[int], *, ordered: bool
) -> bool:
    """Whether the rules never change alike as one thing does, and do change contrarily.

    Of what is more or less they may besides agree on some of it: "at least 5" and "at most 5" on 5.
    """
    found = False
    for point in refused:
        if point[place]:
            continue
        along = {refused[*point[:place], each, *point[place + 1 :]] for each in points}
        if along >= {(True, True), (False, False)}:
            return False
        found = found or (along >= _APART if ordered else along == _APART)
    return found


class _Around:
    """The inputs around what the conditions of rules compare with.

    The points of a thing that is compared with constants are these, and what is between, below and above
    them; two things that are compared differ by nothing, more or less; those of all else, that it holds and
    that it does not.
    """

    def __init__(self, *rules: Tree) -> None:
        self._rules = [(_of_one(one[2]), _refuses(one)) for one in rules]
        parts = [part for one, _ in self._rules for part in _parts(one)]
        self._constants: dict[Tree, list[Tree]] = {}
        for one in parts:
            known = self._constants.setdefault(one.thing, [])
            if one.constant != TRUE and one.constant not in known:
                known.append(one.constant)
        there = [one for one in self._constants if one[0] == "is some"]
        self._presumed = frozenset(
            one for one in there if any(_reads(other, one[1]) for other in self._constants if other != one)
        )
        self._places = {
            one: number
            for number, one in enumerate(one for one in self._constants if one not in self._presumed)
        }
        self.differences = {number for one, number in self._places.items() if one[0] == "-"}
        ordered = {one.thing for one in parts if one.operator in _ORDERING}
        self.ordered = self.differences.union(
            number for one, number in self._places.items() if one in ordered
        )
        self._constants = {one: _in_order(known) for one, known in self._constants.items()}
        self.sizes = [
            2 * len(self._constants[one]) + 1 if self._constants[one] else 2 for one in self._places
        ]

    def refused(self) -> Mapping[_Point, tuple[bool, ...]]:
        """What each of the rules refuses, by point; nothing where there are too many."""
        if prod(self.sizes) > _MOST_INPUTS:
            return {}
        return {
            point: tuple(self._holds(condition, point) == refuses for condition, refuses in self._rules)
            for point in product(*map(range, self.sizes))
        }

    def _holds(self, condition: Tree, point: _Point) -> bool:
        """Whether a condition holds at a point."""
        match condition:
            case ("and", *parts):
                return all(self._holds(part, point) for part in parts)
            case ("or", *parts):
                return any(self._holds(part, point) for part in parts)
            case ("not", inner):
                return not self._holds(inner, point)
            case ("lit", "bool", value):
                return bool(value)
            case _:
                return self._compares(condition, point)

    def _compares(self, condition: Tree, point: _Point) -> bool:
        compared = _compared(condition)
        if compared.thing in self._presumed:
            return not compared.denied
        at = point[self._places[compared.thing]]
        if compared.constant == TRUE:
            return (at == 1) != compared.denied
        place = 2 * self._constants[compared.thing].index(compared.constant) + 1
        found = at == place and compared.operator != ">"
        if compared.operator != "==":
            found = found or at > place
        return found != compared.denied


def _reads(tree: Tree, thing: Tree) -> bool:
    return tree == thing or any(_reads(part, thing) for part in tree[1:] if is_tree(part) and part)


class _Compared(NamedTuple):
    """A single condition: how it compares, what, with which constant, and whether it denies that.

    The constant is TRUE, and what is compared the whole condition, where it has none.
    """

    operator: str
    thing: Tree
    constant: Tree
    denied: bool


def _of_one(condition: Tree) -> Tree:
    """A condition on lists as one on the only element of each."""
    match condition:
        case ("call", "any", ("gen", ("name", str(name)), body, elements, _)):
            return _of_one(with_instead(body, ("name", name), ("only", elements)))
        case ("in" | "not in" as operator, ("lit", *_) as constant, elements) if elements[0] == "attr":
            return ("==" if operator == "in" else "!=", ("only", elements), constant)
        case ("and" | "or" | "not" as word, *parts):
            return (word, *map(_of_one, parts))
        case _:
            return condition


def _parts(condition: Tree) -> Iterator[_Compared]:
    match condition:
        case ("and" | "or" | "not", *parts):
            for part in parts:
                yield from _parts(part)
        case ("lit", "bool", _):
            return
        case _:
            yield _compared(condition)


def _compared(condition: Tree) -> _Compared:
    denied = condition[0] in _DENIED
    operator: str = _DENIED[condition[0]] if denied else condition[0]
    match condition:
        case ("==" | "!=" | "<" | "<=" | ">" | ">=", left, right) if (left[0] == "lit") != (
            right[0] == "lit"
        ):
            thing, constant = (left, right) if right[0] == "lit" else (right, left)
            return _Compared(operator, thing, constant, denied)
        case ("==" | "!=" | "<" | "<=" as one, left, right):
            first, second = sorted((left, right), key=repr)
            return _compared((one if first == left else _MIRRORED[one], ("-", first, second), _ZERO))
        case _:
            return _Compared(operator, (operator, *condition[1:]), TRUE, denied)


def _in_order(constants: list[Tree]) -> list[Tree]:
    """Constants from the least to the greatest; those that have no order, in any."""
    try:
        return sorted(constants, key=lambda one: one[2])
    except TypeError:
        return constants

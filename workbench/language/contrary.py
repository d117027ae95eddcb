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

from workbench.language.trees import TRUE, Tree, is_tree

type _Point = tuple[int, ...]

_MOST_INPUTS = 4_096
_MORE_OR_LESS = (0, 2)
"""The points of a difference where two things are not the same."""
_REFUSING = ("forbid", "ask")
_ORDERING = ("<", "<=", ">", ">=")
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">="}
_ZERO: Tree = ("lit", "number", Decimal(0))
_DENIED = {"!=": "==", "not in": "in", "is none": "is some", "<=": ">", "<": ">="}


def contrary(one: Tree, other: Tree) -> bool:
    """Whether two rules in normal form have a contrary sense; where too much is read to decide it, no."""
    if one[0] != "call" or other[0] != "call" or not set(one[3:]) & set(other[3:]):
        return False
    refusing = (one[1] in _REFUSING, other[1] in _REFUSING)
    if one[2] == other[2]:
        return refusing[0] != refusing[1]
    conditions = _of_one(one[2]), _of_one(other[2])
    around = _Around(*conditions)
    if prod(around.sizes) > _MOST_INPUTS:
        return False
    refused = {
        point: (
            around.holds(conditions[0], point) == refusing[0],
            around.holds(conditions[1], point) == refusing[1],
        )
        for point in product(*map(range, around.sizes))
    }
    return any(
        _is_opposed(refused, place, points)
        for place, size in enumerate(around.sizes)
        for points in (range(size), *([_MORE_OR_LESS] if place in around.differences else ()))
    )


def apart(one: Tree, other: Tree) -> bool:
    """Whether two rules in normal form refuse less and more of one thing: "more than 4", "from 2 to 4".

    Where too much is read to decide it, they do not.
    """
    if not {one[1], other[1]} <= set(_REFUSING) or not set(one[3:]) & set(other[3:]):
        return False
    conditions = _of_one(one[2]), _of_one(other[2])
    around = _Around(*conditions)
    places = [around.ordered(each) for each in conditions]
    shared = places[0] & places[1]
    if not shared or prod(around.sizes) > _MOST_INPUTS:
        return False
    inputs = list(product(*map(range, around.sizes)))
    met = [[point for point in inputs if around.holds(each, point)] for each in conditions]
    return all(met) and any(
        {point[place] for point in met[0]}.isdisjoint(point[place] for point in met[1]) for place in shared
    )


def _is_opposed(refused: Mapping[_Point, tuple[bool, bool]], place: int, points: Sequence[int]) -> bool:
    """Whether the rules never change alike as one thing does, and do change contrarily."""
    found = False
    for point in refused:
        if point[place]:
            continue
        along = {refused[*point[:place], each, *point[place + 1 :]] for each in points}
        if along >= {(True, True), (False, False)}:
            return False
        found = found or along == {(True, False), (False, True)}
    return found


class _Around:
    """The inputs around what conditions compare with.

    The points of a thing that is compared with constants are these, and what is between, below and above
    them; two things that are compared differ by nothing, more or less; those of all else, that it holds and
    that it does not.
    """

    def __init__(self, *conditions: Tree) -> None:
        parts = [part for one in conditions for part in _parts(one)]
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
        self._constants = {one: _in_order(known) for one, known in self._constants.items()}
        self.sizes = [
            2 * len(self._constants[one]) + 1 if self._constants[one] else 2 for one in self._places
        ]

    def ordered(self, condition: Tree) -> frozenset[int]:
        """The places of what a condition finds to be more or less than something."""
        things = {one.thing for one in _parts(condition) if one.operator in _ORDERING or one.thing[0] == "-"}
        return frozenset(self._places[one] for one in things if one in self._places)

    def holds(self, condition: Tree, point: _Point) -> bool:
        """Whether a condition holds at a point."""
        match condition:
            case ("and", *parts):
                return all(self.holds(part, point) for part in parts)
            case ("or", *parts):
                return any(self.holds(part, point) for part in parts)
            case ("not", inner):
                return not self.holds(inner, point)
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
            return _of_one(_named(body, name, ("only", elements)))
        case ("in" | "not in" as operator, ("lit", *_) as constant, elements) if elements[0] == "attr":
            return ("==" if operator == "in" else "!=", ("only", elements), constant)
        case ("and" | "or" | "not" as word, *parts):
            return (word, *map(_of_one, parts))
        case _:
            return condition


def _named(tree: Tree, name: str, meant: Tree) -> Tree:
    if tree[0] in ("lit", "name"):
        return meant if tree == ("name", name) else tree
    return tuple(_named(part, name, meant) if is_tree(part) and part else part for part in tree)


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

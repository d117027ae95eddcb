"""What a rule compares, read off its tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import time, timedelta
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from workbench.language.trees import Tree, is_tree
from workbench.language.vocabulary import words_named
from workbench.language.words import words_of_name

_OF_TIME = frozenset(("clock", "dur", "date", "moment"))
_PARTS = frozenset(("forbid", "ask", "permit", "any", "all", "sum", "len"))
"""What is called in every rule; all else are functions of the policy."""
_DENIALS_OF_NAMES = words_named("denying") | {"missing"}


ORDERS = frozenset(("<", "<=", ">", ">="))
PAIR = 2
_USER: Tree = ("lit", "text", "user")


class Part(NamedTuple):
    """What a rule compares, whether it refuses where that holds, and the words that say it."""

    tree: Tree
    refused: bool
    places: frozenset[int]


def is_named_by_user(tree: Tree) -> bool:
    """Whether something is held against what the user named."""
    return tree[:2] == ("in", _USER)


def is_weekday(tree: Tree) -> bool:
    """Whether a day of the week is compared."""
    return tree[1][:1] == ("attr",) and tree[1][2] == "weekday"


def presumes(one: Part, other: Part) -> bool:
    """Whether a part says only that what another reads is there."""
    return (
        other.tree[0] == "is some" and one is not other and other.tree[1] in islice(_nodes(one.tree), 1, None)
    )


def _nodes(tree: Tree) -> Iterator[Tree]:
    """A tree and all that stands in it but within a value, the outermost first."""
    yield tree
    for part in tree[1:] if tree[0] != "lit" else ():
        if is_tree(part) and part:
            yield from _nodes(part)


def literals(tree: Tree) -> Iterator[Tree]:
    """The values that are written out."""
    return (one for one in _nodes(tree) if one[0] == "lit")


def fields_read(tree: Tree) -> Iterator[str]:
    """The fields and records that are read, the outermost first."""
    return (one[2] for one in _nodes(tree) if one[0] in ("attr", "method"))


def earlier_classes(tree: Tree) -> Iterator[tuple[str, ...]]:
    """The classes of the earlier calls that are looked at, the outermost first."""
    calls = (one[3:] for one in _nodes(tree) if one[0] == "method" and one[2] == "earlier")
    return (tuple(name for _, name in classes) for classes in calls)


def said_names(tree: Tree) -> Sequence[str]:
    """The texts that something is compared with, or else the field that is read."""
    values = [str(one[2]) for one in literals(tree) if isinstance(one[2], str)]
    return values or [*fields_read(tree)][:1]


def own_denials(tree: Tree) -> frozenset[str]:
    """The words of the name of a field that deny something: "nobody" of nobody_home."""
    words = (word for name in [*fields_read(tree)][:1] for word in words_of_name(name).casefold().split())
    return _DENIALS_OF_NAMES.intersection(words)


def written_value(tree: Tree) -> Tree:
    """What something is compared with, if that is written out."""
    return tree[2] if tree[2][0] == "lit" and tree[2][1] != "bool" else ()


def is_called(tree: Tree) -> bool:
    """Whether something is what a function of the policy says."""
    return tree[0] == "call" and tree[1] not in ("any", "all", "len", "sum", "looked_up")


def is_counted(value: object) -> bool:
    """Whether a value is a number, a time or a length of time."""
    return isinstance(value, Decimal | timedelta | time | int) and not isinstance(value, bool)


def tells_time(tree: Tree) -> bool:
    """Whether an expression tells a time, an earlier call, or what a function of the policy says."""
    return any(map(_is_of_time, _nodes(tree)))


def _is_of_time(node: Tree) -> bool:
    match node:
        case ("lit", sort, *_):
            return sort in _OF_TIME
        case ("name", name):
            return name == "run"
        case ("attr", _, "time"):
            return True
        case ("call", name, *_):
            return name not in _PARTS
        case _:
            return False

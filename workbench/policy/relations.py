"""The one table of the relations between a fact and a value that a person can name.

The grammar of conditions (``author/rules/grammar.lark``) has a word for each relation. ``clarify`` reads them
as terms of the dialect. A menu of relations offers those that fit the fact's kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from workbench.model import Kind
from workbench.policy.terms import Comparison
from workbench.policy.types import MOMENTS, NUMBERS, ORDERED, TEXTS


class Family(Enum):
    """Relations that are read in the same way."""

    BOUND = auto()
    LISTED = auto()
    """The value is one of several values, or none of them."""
    AMONG = auto()
    """The value is in another fact, which is a list."""
    TEST = auto()
    """A test of a text, or whether a list has an element."""
    LENGTH = auto()
    PRESENCE = auto()
    """Whether a fact has a value."""
    STATE = auto()
    """The state of a fact, without a value; read as “is” or “is not” and a word."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation by its words: the facts that it applies to, and its meaning in the dialect.

    ``operator`` is the comparison, or names the test; it is empty if the family determines the meaning.
    ``offered`` are the kinds of fact for which it is offered. Synonyms and relations that are useful for few
    facts only are read but not offered.
    """

    words: str
    family: Family
    operator: str
    kinds: frozenset[Kind]
    offered: frozenset[Kind] = frozenset()
    negated: bool = False

    @property
    def takes_value(self) -> bool:
        """Whether a value follows the relation."""
        return self.family not in (Family.PRESENCE, Family.STATE)

    @property
    def takes_one(self) -> bool:
        """Whether a single value of the fact's kind follows the relation."""
        return self.family is Family.BOUND

    @property
    def comparison(self) -> Comparison:
        """The relation as a comparison of the dialect; only bounds and lengths have one."""
        return Comparison(self.operator)


_EQUAL = frozenset(ORDERED | TEXTS | {Kind.BOOL})
_ORDERED, _MOMENTS, _TEXTS = frozenset(ORDERED), frozenset(MOMENTS), frozenset(TEXTS)
_SETS = frozenset({Kind.SET, Kind.LIST})
_STR, _BOOL = frozenset({Kind.STR}), frozenset({Kind.BOOL})
_LISTED = frozenset(NUMBERS | TEXTS | {Kind.SET})
_NONE = frozenset[Kind]()
_ALL = frozenset(Kind)


def _relations() -> Iterator[Relation]:
    for words, operator in (("is", "=="), ("is not", "!=")):
        yield Relation(words, Family.BOUND, operator, _EQUAL, _EQUAL - _BOOL)
    for words, operator in (("is exactly", "=="), ("is the same as", "=="), ("is not the same as", "!=")):
        yield Relation(words, Family.BOUND, operator, _EQUAL)
    for words, operator in (
        ("is at least", ">="),
        ("is at most", "<="),
        ("is more than", ">"),
        ("is less than", "<"),
    ):
        yield Relation(words, Family.BOUND, operator, _ORDERED, _ORDERED)
    for words, operator in (
        ("is before", "<"),
        ("is after", ">"),
        ("is not before", ">="),
        ("is not after", "<="),
    ):
        yield Relation(words, Family.BOUND, operator, _ORDERED, _MOMENTS)
    yield Relation("is one of", Family.LISTED, "", _LISTED, _TEXTS)
    yield Relation("is none of", Family.LISTED, "", _LISTED, _TEXTS, negated=True)
    yield Relation("is not one of", Family.LISTED, "", _LISTED, negated=True)
    yield Relation("is among", Family.AMONG, "", _TEXTS, _TEXTS)
    yield Relation("is not among", Family.AMONG, "", _TEXTS, _TEXTS, negated=True)
    for positive, negative, test, kinds, offered in (
        ("starts with", "does not start with", "startswith", _STR, _STR),
        ("ends with", "does not end with", "endswith", _STR, _STR),
        ("contains", "does not contain", "contains", _STR | _SETS, _STR | _SETS),
        ("is inside", "is not inside", "inside", _STR, _STR),
        ("is in the bucket", "is not in the bucket", "bucket", _STR, _NONE),
    ):
        yield Relation(positive, Family.TEST, test, kinds, offered)
        yield Relation(negative, Family.TEST, test, kinds, offered, negated=True)
    yield Relation("has at least", Family.LENGTH, ">=", _STR, _STR)
    yield Relation("has at most", Family.LENGTH, "<=", _STR, _STR)
    for positive, negative, offered in (
        ("is known", "is not known", _ALL),
        ("is given", "is not given", _NONE),
    ):
        yield Relation(positive, Family.PRESENCE, "", _ALL, offered)
        yield Relation(negative, Family.PRESENCE, "", _ALL, offered, negated=True)
    for positive, negative, kinds in (
        ("is true", "is false", _BOOL),
        ("is empty", "is not empty", _SETS | _STR),
    ):
        yield Relation(positive, Family.STATE, "", kinds, kinds)
        yield Relation(negative, Family.STATE, "", kinds, kinds, negated=True)


RELATIONS: Mapping[str, Relation] = {relation.words: relation for relation in _relations()}
"""Every relation by its words."""


def offered_relations(kind: Kind, *, may_lack: bool) -> tuple[Relation, ...]:
    """The relations that are offered for a fact of a kind; ``may_lack`` is whether it may have no value."""
    return tuple(
        relation
        for relation in RELATIONS.values()
        if kind in relation.offered and (may_lack or relation.family is not Family.PRESENCE)
    )


def begun_by(words: str) -> str:
    """The relation that begins with “is” and the first of these words; empty if there is none.

    “is inside” begins like “is in”. So “in /tmp” after “is” is hardly a value.
    """
    first = words.lower().split()[:1]
    begins = (
        relation.words
        for relation in RELATIONS.values()
        if first and _behind_is(relation)[:1] == first and relation.words not in ("is", "is not")
    )
    return next(begins, "")


def _behind_is(relation: Relation) -> list[str]:
    """The words of a relation after “is” or “is not”; none if it does not begin with “is”."""
    first, *rest = relation.words.split()
    if first != "is":
        return []
    return rest[1:] if rest[:1] == ["not"] else rest

"""Encoding of strings and enums in a formula: as real strings, or as codes if that is exact.

The dialect tests strings by equality, by prefix, suffix, contains and length. No test depends on which
characters are written: there is no order and no case. So

* a query without a test of a string's inside depends only on which strings are equal, and
  each word can be a number; words that the policy does not name are the unused numbers;
* in a query with such tests any one-to-one renaming of characters changes nothing. cvc5's
  characters end at U+2FFFF, Python's at U+10FFFF: characters beyond are renamed on the way
  in, and characters that no constant uses are renamed to readable ones on the way out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, count
from typing import Protocol

from workbench.engines.smt.solver import BITS, Smt, Solver

_LAST_SMT_CHARACTER = 0x2FFFF
_WORTH_ORDERING = 8
_MOST_ORDERED = 32
_PRIVATE_CHARACTERS = range(0xE000, 0xF900)


class Words(Protocol):
    """One encoding of strings."""

    def variable(self, name: str) -> Smt:
        """A fresh word."""
        ...

    def constant(self, word: str) -> Smt:
        """The term of the given word."""
        ...

    def one_of(self, term: Smt, words: Iterable[str]) -> Smt:
        """Whether a term is one of the given words."""
        ...

    def read(self, term: Smt, decoder: dict[object, str]) -> str:
        """The word of a term in the model being read; ``decoder`` is shared by one model."""
        ...


def plain_words() -> Iterator[str]:
    """Yield short readable words without end: other, other2, other3..."""
    yield "other"
    for number in count(2):
        yield f"other{number}"


class Codes:
    """Words as numbers, for queries that only compare words."""

    def __init__(
        self, solver: Solver, vocabulary: Iterable[str], sets: Iterable[frozenset[str]] = ()
    ) -> None:
        """Use ``vocabulary`` for words that no constant names, before inventing words.

        Words of the same ``sets`` get neighbouring codes, so that each set is a few ranges, no matter how
        many words it has.
        """
        self._solver = solver
        self._codes: dict[str, int] = {}
        self._words: list[str] = []
        self._vocabulary = tuple(vocabulary)
        for word in neighbours(sets):
            self.code(word)

    def variable(self, name: str) -> Smt:
        """A fresh word."""
        return self._solver.code(name)

    def code(self, word: str) -> int:
        """The code of a word, the next free one on first use."""
        code = self._codes.setdefault(word, len(self._words))
        if code == len(self._words):
            if code >= 2**BITS - 2**10:
                raise OverflowError("a policy with more than 64,000 words")
            self._words.append(word)
        return code

    def constant(self, word: str) -> Smt:
        """The term of the given word."""
        return self._solver.code_constant(self.code(word))

    def one_of(self, term: Smt, words: Iterable[str]) -> Smt:
        """Whether a term is one of the words: a disjunction of ranges of codes."""
        codes = sorted({self.code(word) for word in words})
        ranges: list[list[int]] = []
        for code in codes:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
        return self._solver.any_of(self._solver.codes_between(term, first, last) for first, last in ranges)

    def read(self, term: Smt, decoder: dict[object, str]) -> str:
        """The word of a term; an unused code is a word that no constant names."""
        code = self._solver.code_value(term)
        if code < len(self._words):
            return self._words[code]
        if code not in decoder:
            taken_words = {*self._codes, *decoder.values()}
            decoder[code] = next(
                word for word in chain(self._vocabulary, plain_words()) if word and word not in taken_words
            )
        return decoder[code]


def neighbours(sets: Iterable[frozenset[str]]) -> list[str]:
    """The words of some sets, ordered so that members of the same sets are neighbours.

    The first set is one range of the result, the next at most two, and so on. Only the largest sets count,
    because few words make few ranges anyhow.
    """
    largest = sorted(
        dict.fromkeys(group for group in sets if len(group) >= _WORTH_ORDERING), key=len, reverse=True
    )
    member: dict[str, int] = {}
    for position, words in enumerate(largest[:_MOST_ORDERED]):
        for word in words:
            member[word] = member.get(word, 0) | 1 << (_MOST_ORDERED - position)
    return sorted(member, key=lambda word: (-member[word], word))


class Texts:
    """Words as real strings, for queries that test their insides."""

    def __init__(self, solver: Solver) -> None:
        """Start with no character used."""
        self._solver = solver
        self._inward: dict[str, str] = {}
        self._outward: dict[str, str] = {}

    def variable(self, name: str) -> Smt:
        """A fresh word."""
        return self._solver.text(name)

    def constant(self, word: str) -> Smt:
        """The term of the given word."""
        return self._solver.text_constant("".join(self._character(c) for c in word))

    def one_of(self, term: Smt, words: Iterable[str]) -> Smt:
        """Whether a term is one of the words."""
        return self._solver.any_of(self._solver.equal(term, self.constant(word)) for word in words)

    def read(self, term: Smt, decoder: dict[object, str]) -> str:
        """The word of a term, with characters that no constant uses made readable."""
        return "".join(self._readable(c, decoder) for c in self._solver.text_value(term))

    def _character(self, character: str) -> str:
        if character not in self._inward:
            taken_characters = self._outward
            coded = character
            if ord(character) > _LAST_SMT_CHARACTER or character in taken_characters:
                coded = next(chr(c) for c in _PRIVATE_CHARACTERS if chr(c) not in taken_characters)
            self._inward[character] = coded
            self._outward[coded] = character
        return self._inward[character]

    def _readable(self, character: str, decoder: dict[object, str]) -> str:
        if character in self._outward:
            return self._outward[character]
        if character not in decoder:
            taken_characters = {*self._inward, *decoder.values()}
            decoder[character] = next(c for c in _readable_characters() if c not in taken_characters)
        return decoder[character]


def _readable_characters() -> Iterator[str]:
    yield from "xyzabcdefghijklmnopqrstuvwABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    yield from (chr(c) for c in range(33, 127))
    yield from (chr(c) for c in count(0x100) if chr(c).isalpha())

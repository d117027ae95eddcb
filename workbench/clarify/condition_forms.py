# Lark's classes are annotated with types that are unknown in part.
# pyright: reportUnknownMemberType=false
"""The forms of conditions in a person's words, by the grammar: each way to divide a text.

Any words can name a fact, so the grammar does not decide which way is meant; the names of the facts do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from typing import cast, override

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

from workbench.author.rules.grammar_text import TokenLexer, grammar_text
from workbench.author.rules.sentences import KEPT

_FORMS = ("person_condition", "person_noun", "person_value")
MOST_TOKENS = 120
"""The most words of forms in one condition, because the parsing time grows more than quadratically."""
_ANY = "SAID"
_WORDS = ("NAME", _ANY)
_COMPARED = frozenset(
    ["IS_BOUND", "IS_TESTED", "IS_LISTED", "HAS_LENGTH", "IS_THERE", "IS_LACKING", "IS_OTHER", "IS_SAME"]
)


class _Kind(str):
    """The kind of a token, which is a word of a name too: to the grammar it is itself and ``SAID``."""

    __slots__ = ()
    __hash__ = str.__hash__

    @override
    def __eq__(self, other: object) -> bool:
        return other == _ANY or str.__eq__(self, other)


@dataclass(frozen=True, slots=True)
class Way:
    """A way to take a text apart: the name of its form, and its parts in order.

    A part is a name, that of a terminal or a rule of the grammar, and a text; ``places`` is where they begin.
    """

    form: str
    parts: tuple[tuple[str, str], ...]
    places: tuple[int, ...]

    def of(self, name: str) -> str:
        """The text of the first part with a name; empty if there is none."""
        return next((text for part, text in self.parts if part == name), "")

    @property
    def compared(self) -> str:
        """The words of the comparison: “is at most”."""
        return next(text.lower() for part, text in self.parts if part in _COMPARED)

    @property
    def inner_texts(self) -> tuple[str, ...]:
        """The texts to divide further, in order."""
        return tuple(text for part, text in self.parts if part == "words")


@lru_cache(maxsize=KEPT)
def ways(text: str, start: str) -> tuple[Way, ...]:
    """Every way in which a text is one of the forms of a rule of the grammar; earlier divisions come first.

    ``start`` is one of ``person_condition``, ``person_noun`` and ``person_value``.
    """
    try:
        tokens = list(_tokens(text))
        if len(tokens) > MOST_TOKENS or all(token.type in _WORDS for token in tokens):
            return ()
        tree = _forms().parse(cast("str", list(map(_in_names, tokens))), start=start)
    except LarkError:
        return ()
    trees = tree.children if tree.data == "_ambig" else [tree]
    readings = (_way(text, cast("Tree[Token]", branch)) for branch in trees)
    return tuple(sorted(readings, key=lambda way: way.places))


def way(text: str, start: str, *forms: str) -> Way | None:
    """The first way in which a text is one of the forms, tried in their order; None if it is none of them."""
    readings = ways(text, start)
    return next((reading for form in forms for reading in readings if reading.form == form), None)


def compares(text: str) -> bool:
    """Whether a text contains words that compare."""
    return any(token.type in _COMPARED for token in _tokens(text))


@cache
def _words() -> Lark:
    return Lark(grammar_text(), parser="lalr", lexer="basic", start="person_words")


@cache
def _forms() -> Lark:
    return Lark(grammar_text(), parser="earley", lexer=TokenLexer, start=list(_FORMS), ambiguity="explicit")


def _tokens(text: str) -> Iterator[Token]:
    """Yield the words of the forms as tokens; a run of other words is one token."""
    all_tokens = list(_words().lex(text))
    end = cast("int", all_tokens[-1].end_pos) if all_tokens else 0
    if tail := text[end:].strip():  # emphasis at the end of a sentence; no part of a condition is dropped
        start = text.rindex(tail)
        all_tokens.append(Token(_ANY, tail, start_pos=start, end_pos=start + len(tail)))
    for are_other_words, run in groupby(all_tokens, lambda token: token.type in _WORDS):
        tokens = list(run)
        if not are_other_words or len(tokens) == 1:
            yield from tokens
        else:
            yield Token(_ANY, "", start_pos=tokens[0].start_pos, end_pos=tokens[-1].end_pos)


def _in_names(token: Token) -> Token:
    """The token as a token that may be a word of a name."""
    return Token(_Kind(token.type), "", start_pos=token.start_pos, end_pos=token.end_pos)


def _way(text: str, tree: Tree[Token]) -> Way:
    parts: list[tuple[str, str]] = []
    places: list[int] = []
    for part in tree.children:
        tokens = [part] if isinstance(part, Token) else _inner(part)
        name = str(part.type if isinstance(part, Token) else part.data)
        start, end = cast("int", tokens[0].start_pos), cast("int", tokens[-1].end_pos)
        parts.append((name, text[start:end]))
        places.append(start)
    return Way(str(tree.data), tuple(parts), tuple(places))


def _inner(tree: Tree[Token]) -> list[Token]:
    """The tokens of a part, without its introductory word."""
    last = tree.children[-1]
    return _inner(last) if isinstance(last, Tree) else cast("list[Token]", tree.children)

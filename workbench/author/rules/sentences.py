# Lark.parse is annotated with a type that is unknown in part.
# pyright: reportUnknownMemberType=false
"""The skeleton of a sentence: who, may or may not, what, if or unless (a lark grammar)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

# Texts whose parse is kept: a request is drafted once for every reading that is compared.
KEPT = 4096


@dataclass(frozen=True, slots=True)
class SentenceWord:
    """A token of a sentence: its kind in the grammar and its text."""

    kind: str
    text: str


type Chunk = tuple[SentenceWord, ...]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A sentence as the grammar reads it.

    ``form`` is the name of the grammar's rule, ``chunks`` are its runs of words in order,
    ``condition`` and ``exception`` those after "if" and "unless".
    """

    form: str
    chunks: tuple[Chunk, ...]
    condition: Chunk = ()
    exception: Chunk = ()


@cache
def _parser() -> Lark:
    grammar = files("workbench.author.rules").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", start=["sentence", "chunk"])


@cache
def _habit_parser() -> Lark:
    """Reads what is done and not done: words that stand in any phrase mean something in this one."""
    grammar = files("workbench.author.rules").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", start=["habit"])


@lru_cache(maxsize=KEPT)
def parse_chunk(text: str) -> Chunk | None:
    """The words of a phrase or of a structured condition, or None if it is not one."""
    try:
        tree = _parser().parse(_clean(text), start="chunk")
    except UnexpectedInput:
        return None
    return _words(tree)


@lru_cache(maxsize=KEPT)
def parse_sentence(text: str) -> tuple[Skeleton, ...]:
    """Every way to read the sentence's skeleton; none if the grammar does not cover it.

    "If C, S" is read as "S if C", at each comma at which both sides are read.
    """
    text = _clean(text)
    found = _parse(text)
    if found:
        return (found,)
    readings: list[Skeleton] = []
    if leading := re.match(r"(if|when|whenever|unless|until)\s+", text, re.I):
        rest = text[leading.end() :]
        for comma in re.finditer(r",\s*(?:then\s+)?", rest):
            chunk, core = parse_chunk(rest[: comma.start()]), _parse(rest[comma.end() :])
            if chunk is None or core is None or core.condition or core.exception:
                continue
            place = "exception" if leading[1].lower() in ("unless", "until") else "condition"
            readings.append(
                Skeleton(
                    core.form,
                    core.chunks,
                    chunk if place == "condition" else (),
                    chunk if place == "exception" else (),
                )
            )
    return tuple(readings)


def _clean(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip().rstrip(".!:;").strip()
    text = re.sub(
        r",(?=\s*(?:but\s+)?(?:only\s+)?(?:if|unless|when|except|provided)\b)", "", text, flags=re.I
    )
    text = re.sub(r"\bbut\s+(?=only\s+(?:if|when)\b)", "", text, flags=re.I)
    return re.sub(
        r"^(?:and|but|also|however|additionally|furthermore|in addition|please|note that)\s*,?\s+(?=\w)",
        "",
        text,
        flags=re.I,
    )


@lru_cache(maxsize=KEPT)
def parse_habit(text: str) -> Skeleton | None:
    """The skeleton of a sentence that says what is not done, or only so; None if it is none."""
    text = _clean(text)
    if leading := re.match(r"before\s+", text, re.I):
        return _before(text[leading.end() :])
    try:
        return _skeleton(_habit_parser().parse(text, start="habit"))
    except UnexpectedInput:
        return None


@cache
def _order_parser() -> Lark:
    """Reads which call has to come before which: “before” and “after” are no comparisons here."""
    grammar = files("workbench.author.rules").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", start=["order"])


@lru_cache(maxsize=KEPT)
def parse_order(text: str) -> Skeleton | None:
    """The skeleton of a sentence about the order of calls; None if it is none.

    Its chunks are the clause that comes first in the sentence and the other one, of each all spans in order.
    """
    try:
        tree = _order_parser().parse(_clean(text), start="order")
    except UnexpectedInput:
        return None
    clauses = [child for child in tree.children if isinstance(child, Tree)]
    return Skeleton(str(tree.data), tuple(_spoken(clause) for clause in clauses))


def _spoken(clause: Tree[Token]) -> Chunk:
    """The words of a clause without its modal verb: “the order”, “be looked up”."""
    spans = [clause] if clause.data == "span" else clause.find_data("span")
    return tuple(word for span in spans for word in _words(span))


def _before(text: str) -> Skeleton | None:
    """“Before V, S must be C”: what is done, and what has to hold, at the first comma that parts them."""
    for comma in re.finditer(r",\s*", text):
        action, core = parse_chunk(text[: comma.start()]), _parse(text[comma.end() :])
        if action is not None and core is not None and core.form == "must":
            return Skeleton("before_must", (action, *core.chunks), core.condition, core.exception)
    return None


def _parse(text: str) -> Skeleton | None:
    try:
        return _skeleton(_parser().parse(text, start="sentence"))
    except UnexpectedInput:
        return None


def _skeleton(tree: Tree[Token]) -> Skeleton:
    chunks: list[Chunk] = []
    condition: Chunk = ()
    exception: Chunk = ()
    for child in tree.children:
        if not isinstance(child, Tree):
            continue
        name = str(child.data)
        inner = cast("Tree[Token]", child.children[0]) if name == "tail" else child
        match str(inner.data):
            case "condition":
                condition = _words(_subtree(inner))
            case "exception":
                exception = _words(_subtree(inner))
            case _:
                chunks.append(_words(inner))
    return Skeleton(str(tree.data), tuple(chunks), condition, exception)


def _subtree(tree: Tree[Token]) -> Tree[Token]:
    return next(child for child in tree.children if isinstance(child, Tree))


def _words(tree: Tree[Token]) -> Chunk:
    tokens: list[Token] = []
    for child in tree.children:
        if isinstance(child, Token):
            tokens.append(child)
        elif child.data == "limit":
            tokens += (token for token in _subtree(child).children if isinstance(token, Token))
    return tuple(SentenceWord("WORD" if token.type == "FOR" else token.type, str(token)) for token in tokens)

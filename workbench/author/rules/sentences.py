# Lark.parse is annotated with a type that is unknown in part.
# pyright: reportUnknownMemberType=false
"""The skeleton of a sentence: who, may or may not, what, if or unless (a lark grammar)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

# The number of texts whose parse is cached: a request is drafted once for every reading compared.
KEPT = 4096


@dataclass(frozen=True, slots=True)
class SentenceWord:
    """A token of a sentence: its kind in the grammar and its text."""

    kind: str
    text: str


type Chunk = tuple[SentenceWord, ...]

BE = SentenceWord("WORD", "be")
IT_IS = (SentenceWord("WORD", "it"), SentenceWord("WORD", "is"))
NOT, _AND = SentenceWord("NOT", "not"), SentenceWord("AND", "and")
MORE_THAN = SentenceWord("COMPARATOR", "more than")
OF_MORE_THAN = SentenceWord("COMPARATOR", "of more than")
_TIMES = SentenceWord("WORD", "times")
_BETWEEN = SentenceWord("BETWEEN", "between")
NUMBER_WORDS = dict(
    zip(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve"],
        [*range(1, 11), 12],
        strict=True,
    )
)
_STATING = frozenset(["no", "not", "is", "are", "has", "have"])
# Tokens that mark the beginning or end of a part and are none of its words.
_MARKS = frozenset(
    ["IF", "UNLESS", "ONLY_IF", "OPEN_UNLESS", "OPEN_EXCEPT", "OPEN_LIMIT", "BUT_AT", "HAS_TO_BE"]
)
# Parts in parentheses, whose parentheses are none of their words.
_ASIDES = frozenset(["exception", "limit"])
# Terminals that a form needs, with the kind that their words have in a phrase.
_KINDS = {
    **dict.fromkeys(["FOR", "BY", "TO", "AT", "BE", "COPULA"], "WORD"),
    **dict.fromkeys(["BEFORE", "AFTER", "ONLY_SO_MANY"], "COMPARATOR"),
}
# Terminals that are read as other words.
_READ_AS: dict[str, Chunk] = {
    "IS_NEITHER": (IT_IS[1], NOT),
    "NOR": (_AND, IT_IS[1], NOT),
    "IS_LIMITED": (OF_MORE_THAN,),
    "NO_MORE_THAN": (MORE_THAN,),
    "NOTHING": (SentenceWord("WORD", "thing"),),
    "DO_ANYTHING": (SentenceWord("WORD", "do"), SentenceWord("WORD", "anything")),
}


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A sentence as the grammar reads it.

    ``form`` is the name of the grammar's rule, ``chunks`` are its sequences of words in order. ``condition``
    and ``exception`` are the words after "if" and "unless".
    """

    form: str
    chunks: tuple[Chunk, ...]
    condition: Chunk = ()
    exception: Chunk = ()


# Start rules of the grammar for sentences in another order.
OTHER_ORDERS = ("other", "stated", "quota", "spared", "other_first")


@cache
def _parser() -> Lark:
    grammar = files("workbench.author.rules").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", start=["sentence", "chunk", *OTHER_ORDERS])


@cache
def _habit_parser() -> Lark:
    """The parser for “S does not V” and “S is not V-ed”; elsewhere its keywords are plain words."""
    grammar = files("workbench.author.rules").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", start=["habit"])


@lru_cache(maxsize=KEPT)
def parse_chunk(text: str) -> Chunk | None:
    """The words of a phrase or of a structured condition, or None if it is not one."""
    tree = parse_tree(text, "chunk")
    return None if tree is None else spelled(words_of_part(tree))


@lru_cache(maxsize=KEPT)
def parse_sentence(text: str) -> tuple[Skeleton, ...]:
    """Every way to read the sentence's skeleton; none if the grammar does not cover it.

    "If C, S" is read as "S if C", at each comma at which both sides can be read.
    """
    skeleton = _parse(text)
    return (skeleton,) if skeleton else led(text, _parse)


def led(text: str, parse: Callable[[str], Skeleton | None]) -> tuple[Skeleton, ...]:
    """The skeletons of “If C, S”, one for each comma after which ``parse`` reads a sentence."""
    text = _clean(text)
    leading = re.match(r"(if|when|whenever|unless|until)\s+", text, re.I)
    if leading is None:
        return ()
    readings: list[Skeleton] = []
    remaining_text = text[leading.end() :]
    for comma in re.finditer(r",\s*(?:then\s+)?", remaining_text):
        chunk, core = parse_chunk(remaining_text[: comma.start()]), parse(remaining_text[comma.end() :])
        if chunk is None or core is None or core.condition or core.exception:
            continue
        frees = leading[1].lower() in ("unless", "until")
        readings.append(replace(core, exception=chunk) if frees else replace(core, condition=chunk))
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
    """The skeleton of a sentence about what is not done, or done in one way only; None if it is none."""
    text = _clean(text)
    if leading := re.match(r"before\s+", text, re.I):
        return _before(text[leading.end() :])
    try:
        return skeleton_of(_habit_parser().parse(text, start="habit"))
    except UnexpectedInput:
        return None


def _before(text: str) -> Skeleton | None:
    """“Before V, S must be C”: the action and the demand, split at the first comma that fits."""
    for comma in re.finditer(r",\s*", text):
        action, core = parse_chunk(text[: comma.start()]), _parse(text[comma.end() :])
        if action is not None and core is not None and core.form == "must":
            return Skeleton("before_must", (action, *core.chunks), core.condition, core.exception)
    return None


def _parse(text: str) -> Skeleton | None:
    tree = parse_tree(text, "sentence")
    return None if tree is None else skeleton_of(tree)


def parse_tree(text: str, start: str) -> Tree[Token] | None:
    """The tree of a text by a start rule of the grammar, or None if it is none."""
    tokens = sentence_tokens(_clean(text))
    if not tokens:
        return None
    parser = _parser().parse_interactive(start=start)
    try:
        for token in tokens:
            parser.feed_token(token)
        return parser.feed_eof(tokens[-1])
    except UnexpectedInput:
        return None


@lru_cache(maxsize=KEPT)
def sentence_tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a sentence; none if it has a character outside of all tokens."""
    reading = _parser().parse_interactive(text, start="chunk")  # Lark.lex makes a lexer at each call
    try:
        return tuple(reading.lexer_thread.lex(reading.parser_state))
    except UnexpectedInput:
        return ()


def skeleton_of(tree: Tree[Token]) -> Skeleton:
    """The skeleton of a form that names its parts in order."""
    chunks: list[Chunk] = []
    condition: Chunk = ()
    exception: Chunk = ()
    for part in named_parts(tree):
        words = words_of_part(part)
        match str(part.data):
            case "condition":
                condition = words
            case "placed":
                condition = (*IT_IS, *words)
            case "exception" | "only_if":
                exception = words
            case "but":
                exception = (*IT_IS, *words)
            case "done":
                chunks.append((BE, *words))
            case _:
                chunks.append(words)
    return Skeleton(str(tree.data), tuple(chunks), condition, exception)


def named_parts(tree: Tree[Token]) -> Iterator[Tree[Token]]:
    """The named parts of a sentence, in order."""
    for child in tree.children:
        if isinstance(child, Tree):
            yield cast("Tree[Token]", child.children[0]) if child.data == "tail" else child


def words_of_part(tree: Tree[Token]) -> Chunk:
    """The words of a part, each in the form that the rest of the author uses."""
    words: list[SentenceWord] = []
    for child in tree.children:
        if isinstance(child, Tree):
            words += words_of_part(child)
        elif tree.data == "span" and child.type in ("TO", "COMPARATOR"):
            words.append(_AND)
        elif child.type == "HOURS_FROM":
            words += (NOT, _BETWEEN) if child.lower().startswith("outside") else (_BETWEEN,)
        elif child.type not in _MARKS and not (child.type == "CLOSE" and tree.data in _ASIDES):
            words += _read(child)
    return tuple(words)


def _read(token: Token) -> Chunk:
    """The words of a token, in the form that the rest of the author uses."""
    text = str(token)
    lower_words = text.lower().rstrip(".").split()
    match token.type:
        case "NUMBER_WORD":
            return (SentenceWord("NUMBER", str(NUMBER_WORDS[lower_words[0]])),)
        case "TIMES_WORD":
            return (SentenceWord("NUMBER", "1" if lower_words[0] == "once" else "2"), _TIMES)
        case "COMPARATOR" if {"max", "maximum"} & set(lower_words):
            return (SentenceWord("COMPARATOR", "at most"),)
        case "COMPARATOR" if {"min", "minimum"} & set(lower_words):
            return (SentenceWord("COMPARATOR", "at least"),)
        case kind:
            return _READ_AS.get(kind) or (SentenceWord(_KINDS.get(kind, kind), text),)


def spelled(chunk: Chunk) -> Chunk:
    """The chunk, with each window token (“per day”) that limits nothing split into plain words."""
    words: list[SentenceWord] = []
    for word in chunk:
        parts = word.text.split() if word.kind == "WINDOW" else ()
        words += [SentenceWord("WORD", part) for part in parts] if parts else [word]
    return tuple(words)


def without_words(chunk: Chunk, words: tuple[str, ...]) -> Chunk:
    """The chunk without these words at its beginning, in this order."""
    for word in words:
        if chunk and chunk[0].text.lower() == word:
            chunk = chunk[1:]
    return chunk


def names_any(chunk: Chunk) -> bool:
    """Whether a chunk ends in “any X”, which an exception may follow."""
    return len(chunk) > 1 and chunk[-2].text.lower() == "any"


def is_statement(chunk: Chunk) -> bool:
    """Whether a chunk is a statement, positive or negative, and no command."""
    return not _STATING.isdisjoint(word.text.lower() for word in chunk)

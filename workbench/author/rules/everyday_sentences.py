# Lark's classes are annotated with types that are unknown in part.
# pyright: reportUnknownMemberType=false
"""The parts of everyday sentences that are put into other words before they are read (a lark grammar)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from workbench.author.rules.sentences import KEPT

_STARTS = ("restriction", "command_restriction", "duty")


@dataclass(frozen=True, slots=True)
class Restriction:
    """What a sentence allows under a condition: as a prohibition without the condition, and the condition."""

    prohibition: str
    condition: str


@lru_cache(maxsize=KEPT)
def restriction(text: str) -> Restriction | None:
    """The restriction that a sentence states, with no other duty; None if it states none."""
    sentence = _parsed(text, "restriction") or _parsed(text, "command_restriction")
    return None if sentence is None else Restriction(_prohibition(sentence), _condition(sentence))


@dataclass(frozen=True, slots=True)
class _ParsedSentence:
    """A sentence with the form and the parts that the grammar gives it."""

    text: str
    tree: Tree[Token]

    @property
    def form(self) -> str:
        return str(self.tree.data)

    def part(self, name: str) -> str:
        """The text of a part."""
        (part,) = self.tree.find_data(name)
        tokens = list(part.scan_values(lambda value: isinstance(value, Token)))
        return self.text[tokens[0].start_pos : tokens[-1].end_pos]

    def word(self, kind: str) -> Token:
        """The word between the parts that is of a kind of the grammar."""
        return next(child for child in self.tree.children if isinstance(child, Token) and child.type == kind)


def _prohibition(sentence: _ParsedSentence) -> str:
    match sentence.form:
        case "only_under":
            return f"never {sentence.part('command')}"
        case "may_only_under":
            return f"{sentence.part('subject')} may not {sentence.part('deed')}"
        case "may_only_be" | "is_only":
            return f"{sentence.part('subject')} may not be {sentence.part('deed_word')}"
        case _:
            return f"{sentence.part('subject')} is forbidden"


def _condition(sentence: _ParsedSentence) -> str:
    if sentence.form == "requires":
        return sentence.text[sentence.word("REQUIRES").start_pos :].removeprefix("always ")
    return sentence.part("clause" if sentence.form.endswith("under") else "condition")


@cache
def _parser() -> Lark:
    return Lark.open_from_package(
        "workbench.author.rules", "everyday.lark", parser="lalr", lexer="basic", start=list(_STARTS)
    )


def _parsed(text: str, start: str) -> _ParsedSentence | None:
    """The sentence as a form of the grammar; None if it is not of this form."""
    parsing = _parser().parse_interactive(start=start)
    try:
        for token in _tokens(text):
            parsing.feed_token(token)
        return _ParsedSentence(text, parsing.feed_eof())
    except UnexpectedInput:
        return None


@lru_cache(maxsize=KEPT)
def _tokens(text: str) -> tuple[Token, ...]:
    """The words of a sentence; none where it has a character that no word has."""
    lexing = _parser().parse_interactive(text, start=_STARTS[0])
    try:
        tokens = tuple(lexing.lexer_thread.lex(lexing.parser_state))
    except UnexpectedInput:
        return ()
    # A number takes the comma behind it: “for guests under 16, …”.
    return () if any(token.endswith(",") for token in tokens) else tokens

"""The text of ``grammar.lark``, and a lexer for parsers that get tokens instead of a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import cast

from lark import Token
from lark.lexer import Lexer


class TokenLexer(Lexer):
    """Returns the tokens given to the parser."""

    def __init__(self, _config: object) -> None:
        """Ignore the configuration with which Lark constructs a lexer."""

    def lex(self, data: object) -> Iterator[Token]:  # type: ignore[override] # the state is the tokens themselves
        """The given tokens."""
        yield from cast("Iterable[Token]", data)


def grammar_text() -> str:
    """The grammar of conditions, in Lark's notation."""
    return files("workbench.author.rules").joinpath("grammar.lark").read_text(encoding="utf-8")

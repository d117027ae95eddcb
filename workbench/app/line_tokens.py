"""The tokens of a policy text, one line at a time, for colours and completion in an editor.

A line is scanned on its own; all that it needs from the lines above is whether a
triple-quoted string is open, so a key press costs one short scan. The text need not be valid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache

from workbench.policy.names import CONSTANTS, CONTRACT, FUNCTIONS, KEYWORDS, STATEMENT_KEYWORDS


class TokenKind(StrEnum):
    """The kinds of tokens that are distinguished."""

    KEYWORD = "keyword"
    STRING = "string"
    NUMBER = "number"
    COMMENT = "comment"
    CONTRACT = "contract"
    RULE = "rule"
    CONSTANT = "constant"


def _one_of(words: Iterable[str]) -> str:
    return "|".join(sorted(words))


_TOKENS = re.compile(
    rf"""
    (?P<triple>\"\"\"|\'\'\')
  | (?P<string>[frbu]?"(?:[^"\\]|\\.)*"?|[frbu]?'(?:[^'\\]|\\.)*'?)
  | (?P<comment>\#.*)
  | (?P<number>\b\d[\d_.]*\b)
  | (?P<contract>\b(?:{_one_of(CONTRACT)})\b)
  | (?P<keyword>\b(?:{_one_of((*KEYWORDS, *STATEMENT_KEYWORDS, *FUNCTIONS))})\b)
  | (?P<constant>\b(?:{_one_of(CONSTANTS)}|[A-Z][A-Z0-9_]+)\b)
  | (?P<rule>\b(?:forbid|permit)_\w+|\ballow\b)
    """,
    re.VERBOSE,
)

type Tokens = tuple[tuple[int, int, TokenKind], ...]
"""The tokens of a line, each with its first column, its end and its kind."""


@lru_cache(maxsize=4096)
def line_tokens(text: str, quotes: str = "") -> tuple[Tokens, str]:
    """The tokens of a line, and the triple quotes that are open at its end (or nothing).

    ``quotes`` are the triple quotes that are open at its beginning.
    """
    tokens: list[tuple[int, int, TokenKind]] = []
    position = 0
    while position <= len(text):
        if quotes:
            end = text.find(quotes, position)
            if end < 0:
                tokens.append((position, len(text), TokenKind.STRING))
                return tuple(tokens), quotes
            tokens.append((position, end + 3, TokenKind.STRING))
            position, quotes = end + 3, ""
        match = _TOKENS.search(text, position)
        if match is None:
            break
        if match.lastgroup == "triple":
            quotes = match.group()
            tokens.append((match.start(), match.end(), TokenKind.STRING))
        else:
            tokens.append((match.start(), match.end(), TokenKind(str(match.lastgroup))))
        position = match.end()
    return tuple(tokens), quotes


def open_quotes(lines: Sequence[str]) -> list[str]:
    """The triple quotes that are open where each line begins, or nothing."""
    opened: list[str] = []
    quotes = ""
    for text in lines:
        opened.append(quotes)
        if quotes or '"""' in text or "'''" in text:
            quotes = line_tokens(text, quotes)[1]
    return opened

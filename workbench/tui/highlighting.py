"""Colours for policy text, one line at a time, without a parser library.

A line is scanned on its own; all that it needs from the lines above is whether a
triple-quoted string is open, so a key press costs one short scan.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache


class Paint(StrEnum):
    """The parts of a policy that are drawn apart."""

    KEYWORD = "keyword"
    STRING = "string"
    NUMBER = "number"
    COMMENT = "comment"
    CONTRACT = "contract"
    RULE = "rule"
    CONSTANT = "constant"


_TOKENS = re.compile(
    r"""
    (?P<triple>\"\"\"|\'\'\')
  | (?P<string>[frbu]?"(?:[^"\\]|\\.)*"?|[frbu]?'(?:[^'\\]|\\.)*'?)
  | (?P<comment>\#.*)
  | (?P<number>\b\d[\d_.]*\b)
  | (?P<contract>\b(?:Requires|Ensures|Implies|Result)\b)
  | (?P<keyword>\b(?:and|or|not|in|is|if|elif|else|for|return|def|from|import|any|all|len)\b)
  | (?P<constant>\b(?:True|False|None|[A-Z][A-Z0-9_]+)\b)
  | (?P<rule>\b(?:forbid|permit)_\w+|\ballow\b)
    """,
    re.VERBOSE,
)

type Spans = tuple[tuple[int, int, Paint], ...]


@lru_cache(maxsize=4096)
def paint(text: str, inside: str = "") -> tuple[Spans, str]:
    """The painted ranges of a line, and the quotes that are open at its end (or nothing).

    ``inside`` are the triple quotes that were open at its beginning.
    """
    spans: list[tuple[int, int, Paint]] = []
    position = 0
    while position <= len(text):
        if inside:
            end = text.find(inside, position)
            if end < 0:
                spans.append((position, len(text), Paint.STRING))
                return tuple(spans), inside
            spans.append((position, end + 3, Paint.STRING))
            position, inside = end + 3, ""
        match = _TOKENS.search(text, position)
        if match is None:
            break
        if match.lastgroup == "triple":
            inside = match.group()
            spans.append((match.start(), match.end(), Paint.STRING))
        else:
            spans.append((match.start(), match.end(), Paint(str(match.lastgroup))))
        position = match.end()
    return tuple(spans), inside


def openings(lines: list[str]) -> list[str]:
    """For each line the triple quotes that are open where it begins."""
    open_quotes: list[str] = []
    inside = ""
    for text in lines:
        open_quotes.append(inside)
        if inside or '"""' in text or "'''" in text:
            inside = paint(text, inside)[1]
    return open_quotes

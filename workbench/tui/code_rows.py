"""Policy text as rows in the colours of the dialect, wrapped if it is wider than its pane."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from workbench.app.line_tokens import TokenKind, line_tokens, open_quotes
from workbench.clean_text import clean_same_width
from workbench.tones import Tone
from workbench.tui.text_runs import Line, TextRun
from workbench.tui.widgets.lines import Row

TOKEN_TONE = {
    TokenKind.KEYWORD: Tone.ACCENT, TokenKind.CONTRACT: Tone.ACCENT, TokenKind.RULE: Tone.TITLE,
    TokenKind.NUMBER: Tone.CODE, TokenKind.CONSTANT: Tone.CODE, TokenKind.STRING: Tone.GOOD,
    TokenKind.COMMENT: Tone.MUTED,
}  # fmt: skip


LONGEST = 4_000
"""The most characters of a line that are coloured."""


def code_rows(text: str, first: int, last: int, key: str = "") -> Iterator[Row]:
    """The lines ``first`` to ``last`` (from 1; none for 0) of a policy, wrapped under their own indent."""
    for content, hang in code_lines(text, first, last):
        yield Row(content, key, hang=hang)


def code_lines(text: str, first: int, last: int) -> Iterator[tuple[Line, int]]:
    """These lines in their colours, each with the indent of what is wrapped of it."""
    lines, inside = _lines(text)
    for number in range(max(first - 1, 0), min(last, len(lines))):
        source = lines[number]
        yield _painted(source, inside[number]), len(source) - len(source.lstrip()) + 2


@lru_cache(maxsize=4)
def _lines(text: str) -> tuple[list[str], list[str]]:
    lines = text.splitlines()
    return lines, open_quotes(lines)


@lru_cache(maxsize=8192)
def _painted(source: str, inside: str) -> Line:
    clean_source = clean_same_width(source)
    tokens, _ = line_tokens(clean_source[:LONGEST], inside)
    runs: list[TextRun] = []
    position = 0
    for start, end, kind in tokens:
        runs += [TextRun(clean_source[position:start]), TextRun(clean_source[start:end], TOKEN_TONE[kind])]
        position = end
    return (*runs, TextRun(clean_source[position:]))

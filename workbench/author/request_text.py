"""A request as blocks and sentences, each with its place in the text.

Markdown is read for its structure only: headings, list items, table rows, code blocks, ``Key: value`` fields
and paragraphs. Nothing of the request is left out: the blocks cover every line that has a letter or digit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from workbench.model import Span, span_of

FIELD = re.compile(
    r"(?:[*_]{1,2})?(?P<key>[A-Za-z][\w.'’ -]{0,60}?)(?:[*_]{1,2})?\s*:(?:[*_]{1,2})?\s+(?P<value>\S.*)", re.S
)
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+")
_PARAGRAPH_NUMBER = r"(?:§\s*)?\d{1,3}(?:\.\d{1,3})+[.)]?(?=\s+[A-Z](?:[a-z]|\s))"
"""The number of a paragraph, such as 2.1; before a small word or a unit it is an amount."""
_ITEM = re.compile(rf"(?P<indent>[ \t]*)(?:[-*+•]|\(?\d{{1,3}}[.)]|\(?[a-z][.)]|{_PARAGRAPH_NUMBER})\s+")
_ROW = re.compile(r"\s*\|.*\|\s*$")
_RULE_LINE = re.compile(r"\s*(?:[-=*_]{3,}|\|?[\s:|-]+\|[\s:|-]*|`{3,}.*|~{3,}.*)\s*$")
_ABBREVIATION = re.compile(
    r"(?:(?<!/)\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|max|min|mr|mrs|dr)|\b[A-Z])\.$", re.I
)
_NUMBER = re.compile(r"\bno\.$", re.I)
"""An abbreviation before a number alone; else it is a word: “moving yes, deleting no.”"""
_ABBREVIATED = 12  # the number of characters before a full stop that are searched for an abbreviation
_NEXT = re.compile(r"\s*(\S)")
_OPEN_END = re.compile(
    r"(?:[.!?,;:&/–—-][\"'”’)*_]*|\b(?:after|an?|and|as|at|before|but|by|except|for|from|if|in|is|nor|not|of|on|only|or|than"
    r"|that|the|to|unless|until|when|where|which|who|whose|with|without))$"
)
"""The end of a line which has a stop already, or which goes on in the next one."""
_NARROWEST = 60
"""The least number of columns to which text is wrapped."""
_BOUNDARY = re.compile(r"[.!?]+[\"'”’)*_]*(?=\s)|;(?=\s)")


class BlockKind(StrEnum):
    """The kinds of blocks of a request in Markdown."""

    HEADING = "heading"
    ITEM = "item"
    FIELD = "field"
    ROW = "row"
    PARAGRAPH = "paragraph"


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the request's structure: its own text without the marker, and its place.

    ``indent`` is the depth of a list item's marker in columns.
    """

    kind: BlockKind
    text: str
    span: Span
    indent: int = 0


def plain(text: str) -> str:
    """The text on one line, without Markdown's emphasis."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"(\*\*|__)(.+?)\1", r"\2", text)
    return re.sub(r"(?<!\w)([*_])(\S.*?\S|\S)\1(?!\w)", r"\2", text)


def read_blocks(request: str) -> tuple[Block, ...]:
    """The blocks of a request in order; their spans are ranges of ``request``."""
    return tuple(block for block in _blocks(request) if re.search(r"\w", block.text))


def _blocks(request: str) -> Iterator[Block]:
    opened: tuple[BlockKind, int, int, int] | None = None  # kind, start, end, indent
    offset = 0
    lines = request.splitlines(keepends=True)
    for line, width, before in zip(lines, _widths(lines), ("", *lines), strict=False):
        start, offset = offset, offset + len(line)
        body = line.rstrip()
        if not body.strip() or _RULE_LINE.fullmatch(body):
            if opened:
                yield _close(request, *opened)
            opened = None
            continue
        kind, skip, indent = _classify(body)
        continues = opened is not None and kind is BlockKind.PARAGRAPH and opened[0] is not BlockKind.HEADING
        is_new = opened is not None and opened[0] is BlockKind.PARAGRAPH and _is_ended(before, body, width)
        if opened and continues and opened[0] is not BlockKind.ROW and not is_new:
            opened = (opened[0], opened[1], start + len(body), opened[3])
            continue
        if opened:
            yield _close(request, *opened)
        opened = (kind, start + skip, start + len(body), indent)
    if opened:
        yield _close(request, *opened)


def _widths(lines: Sequence[str]) -> Iterator[int]:
    """The columns to which each line is wrapped: those of the widest of the lines between blank ones."""
    for is_blank, together in groupby(lines, lambda line: not line.strip()):
        widths = [len(line.rstrip()) for line in together]
        yield from [0 if is_blank else max(_NARROWEST, *widths)] * len(widths)


def _is_ended(before: str, line: str, width: int) -> bool:
    """Whether a line without a stop ends its sentence: it has room for the next word, a capitalised one."""
    before, first = before.rstrip(), line.split()[0]
    return first[0].isupper() and len(before) + 1 + len(first) <= width and not _OPEN_END.search(before)


def _classify(line: str) -> tuple[BlockKind, int, int]:
    """Kind, length of the marker, and indent of a line."""
    indent = len(line) - len(line.lstrip())
    if heading := _HEADING.match(line):
        return BlockKind.HEADING, heading.end(), 0
    if _ROW.match(line):
        return BlockKind.ROW, indent, 0
    if item := _ITEM.match(line):
        return BlockKind.ITEM, item.end(), len(item["indent"].expandtabs(4))
    if FIELD.fullmatch(line.strip()) and len(line.split(":")[0].split()) <= 4:
        return BlockKind.FIELD, indent, indent
    return BlockKind.PARAGRAPH, indent, indent


def _close(request: str, kind: BlockKind, start: int, end: int, indent: int) -> Block:
    return Block(kind, plain(request[start:end]), span_of(request, start, end), indent)


def sentences(request: str, span: Span) -> Iterator[Span]:
    """The sentences within a range of the request, without the space around them.

    On a line of its own a sentence may begin with a small letter, as “rm is never run.” does.
    """
    text = request[span.start : span.end]
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        following = _NEXT.match(text, boundary.end())
        gap, first = (following[0], following[1]) if following is not None else ("", "")
        if boundary.group() != ";" and first.islower() and "\n" not in gap:
            continue
        end = boundary.end()
        last = text[max(start, end - _ABBREVIATED) : end]
        is_number = _NUMBER.search(last) is not None and first.isdigit()
        if is_number or _ABBREVIATION.search(last) or _inside_quotes(text[start:end]):
            continue
        yield from _trimmed(request, span.start + start, span.start + boundary.end())
        start = boundary.end()
    yield from _trimmed(request, span.start + start, span.end)


def _inside_quotes(text: str) -> bool:
    return text.count('"') % 2 == 1 or text.count("`") % 2 == 1 or text.count("(") > text.count(")")


def _trimmed(request: str, start: int, end: int) -> Iterator[Span]:
    text = request[start:end]
    inner = text.strip()
    if re.search(r"\w", inner):
        begin = start + text.index(inner)
        yield span_of(request, begin, begin + len(inner))

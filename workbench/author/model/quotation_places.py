"""Places of a model's quotations in the request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.author.request_text import sentences
from workbench.model import Span, span_of

_ENDS = re.compile(r"(?<=[。！？；])")
_GAP = " … "


def sentences_of(request: str, span: Span) -> Iterator[Span]:
    """The places of the sentences in a paragraph or heading, also in scripts without spaces between them."""
    for sentence in sentences(request, span):
        start = sentence.start
        for piece in _ENDS.split(request[sentence.start : sentence.end]):
            if re.search(r"\w", piece):
                yield span_of(request, start, start + len(piece))
            start += len(piece)


def find_quote(request: str, quote: str) -> Span | None:
    """The place of the quotation in the request, word for word; line breaks count as spaces.

    An ellipsis stands for all that is between two parts.
    """
    words = quote.split()
    if not words or not re.search(r"\w", quote):
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), request)
    if match is not None:
        return span_of(request, match.start(), match.end())
    first, mark, last = quote.partition(_GAP)
    start = find_quote(request, first) if mark else None
    end = None if start is None else find_quote(request[start.end :], last)
    return None if start is None or end is None else span_of(request, start.start, start.end + end.end)


def find_quotes(request: str, quote: str) -> tuple[Span, ...]:
    """Every place of the quotation in the request."""
    spans: list[Span] = []
    offset = 0
    while (place := find_quote(request[offset:], quote)) is not None:
        spans.append(span_of(request, offset + place.start, offset + place.end))
        offset += place.end
    return tuple(spans)

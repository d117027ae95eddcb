"""Places of a model's quotations in the request, and the parts of the request that no rule covers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from workbench.author.rules.request_text import BlockKind, read_blocks, sentences
from workbench.model import Requirement, Sentence, SentenceRole, Span, span_of

# Words that make a rule likely: an English sentence without one of them causes no question.
_NORMATIVE = re.compile(
    r"\b(may|must|shall|should|cannot|can't|not|never|only|nobody|no one|forbid\w*|prohibit\w*|deny|denie[ds]"
    r"|allow\w*|permit\w*|require[ds]?|unless|except)\b",
    re.I,
)
# Words that occur in English and in no other language; the list above applies only to English text.
_ENGLISH = re.compile(r"\b(the|and|are|that|which|their|this|these|when|has|have|with|who|any|all)\b", re.I)
_ENDS = re.compile(r"(?<=[。！？；])")
_LONGEST_PASSAGE = 6000
_SHORT = 2


def may_state_rule(text: str) -> bool:
    """Whether a text may be a rule: an English sentence needs a word that allows, forbids or requires.

    One or two plain words without any mark of a language, as in headings and lists, are no rule either.
    """
    foreign = not is_english(text) and (len(text.split()) > _SHORT or not text.isascii())
    return states_rule(text) or foreign


def states_rule(text: str) -> bool:
    """Whether a text has an English word that allows, forbids or requires."""
    return _NORMATIVE.search(text) is not None


def is_english(text: str) -> bool:
    """Whether a text is in English, the one language for which this author has lists of words."""
    return _ENGLISH.search(text) is not None


def sentences_of(request: str, span: Span) -> Iterator[Span]:
    """The places of the sentences in a paragraph or heading, also in scripts without spaces between them."""
    for sentence in sentences(request, span):
        start = sentence.start
        for piece in _ENDS.split(request[sentence.start : sentence.end]):
            if re.search(r"\w", piece):
                yield span_of(request, start, start + len(piece))
            start += len(piece)


def find_quote(request: str, quote: str) -> Span | None:
    """The place of the quotation in the request, word for word; line breaks count as spaces."""
    words = quote.split()
    if not words or not re.search(r"\w", quote):
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), request)
    return span_of(request, match.start(), match.end()) if match else None


def find_quotes(request: str, quote: str) -> tuple[Span, ...]:
    """Every place of the quotation in the request."""
    spans: list[Span] = []
    offset = 0
    while (place := find_quote(request[offset:], quote)) is not None:
        spans.append(span_of(request, offset + place.start, offset + place.end))
        offset += place.end
    return tuple(spans)


def card(request: str, span: Span) -> Span:
    """The adjacent lines ``Key: value`` around a place, which state one rule; the place if there are none."""
    fields = [block.span for block in read_blocks(request) if block.kind is BlockKind.FIELD]
    at = next((number for number, field in enumerate(fields) if overlap(field, span)), None)
    if at is None:
        return span
    first = last = at
    while first and _adjoin(request, fields[first - 1], fields[first]):
        first -= 1
    while last + 1 < len(fields) and _adjoin(request, fields[last], fields[last + 1]):
        last += 1
    start, end = min(fields[first].start, span.start), max(fields[last].end, span.end)
    return span_of(request, start, end)


def _adjoin(request: str, span: Span, other: Span) -> bool:
    between = request[span.end : other.start]
    return not between.strip() and between.count("\n") == 1


def sections(request: str) -> tuple[Span, ...]:
    """The parts of a request, each from a heading to the next; the whole of it if there is none."""
    starts = [block.span for block in read_blocks(request) if block.kind is BlockKind.HEADING]
    lines = [request.rfind("\n", 0, span.start) + 1 for span in starts]
    bounds = sorted({0, *lines, len(request)})
    return tuple(
        span_of(request, start, end) for start, end in pairwise(bounds) if request[start:end].strip()
    )


def passage(request: str, span: Span, others: Iterable[Span]) -> Span:
    """The passage of a rule: its section, cut where the section's next rule begins."""
    section = next(
        (candidate for candidate in sections(request) if candidate.start <= span.start < candidate.end), span
    )
    inside = [other for other in others if section.start <= other.start < section.end and other != span]
    start = section.start if not any(other.start < span.start for other in inside) else span.start
    end = min([other.start for other in inside if other.start >= span.end], default=section.end)
    end = max(span.end, min(end, start + _LONGEST_PASSAGE))
    return span_of(request, start, end)


def understood(request: str, requirements: Sequence[Requirement], context: frozenset[str]) -> list[Sentence]:
    """Every sentence of the request with its role.

    A requirement covers its quotation, and the list, table or card that belongs to it. A requirement that
    quotes a heading covers the text under it. A sentence that may be a rule and is covered by no requirement
    is open, unless its text is in ``context``.
    """
    quoted = [requirement.span for requirement in requirements]
    blocks = read_blocks(request)
    headings = [block.span for block in blocks if block.kind is BlockKind.HEADING]
    passages = {requirement.id: passage(request, requirement.span, quoted) for requirement in requirements}
    whole = {
        requirement.id
        for requirement in requirements
        if any(overlap(requirement.span, span) for span in headings)
    }
    spans = {requirement.id: requirement.span for requirement in requirements}
    foreign = not is_english(request)  # items of a list are usually single words, not sentences
    with_roles: list[Sentence] = []
    for block in blocks:
        prose = block.kind is BlockKind.PARAGRAPH
        parts = (block.span,) if block.kind is BlockKind.HEADING else tuple(sentences_of(request, block.span))
        for span in parts:
            text = request[span.start : span.end]
            ids = tuple(
                id_
                for id_, covered in passages.items()
                if overlap(spans[id_] if prose and id_ not in whole else covered, span)
            )
            if block.kind is BlockKind.HEADING:
                with_roles.append(Sentence(text, span, SentenceRole.CONTEXT))
            elif ids:
                with_roles.append(Sentence(text, span, SentenceRole.REQUIREMENT, ids))
            elif (may_state_rule(text) if prose or foreign else states_rule(text)) and text not in context:
                with_roles.append(Sentence(text, span, SentenceRole.OPEN))
            else:
                with_roles.append(Sentence(text, span, SentenceRole.CONTEXT))
    return with_roles


def overlap(span: Span, other: Span) -> bool:
    """Whether two passages have a character in common."""
    return span.start < other.end and other.start < span.end

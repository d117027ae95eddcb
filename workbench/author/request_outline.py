"""The sentences of a request in order, each with what it stands under: headings, topics, lead-ins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from workbench.author.citations import folded
from workbench.author.request_text import FIELD, Block, BlockKind, plain, read_blocks, sentences
from workbench.model import Span, span_of

_TOPIC = re.compile(r"([*_]{1,2})(?=\S)[^*_]+\1[.:]?|([*_]{1,2})(?=\S)[^*_]+[.:]\2")
_LONGEST_TOPIC = 6
_RULES = re.compile(
    r"^(?!\W*(who|what|when|where|which|how|why)\b).*\b(must|may|shall|should|can|cannot|never|not|no|none|nobody"
    r"|nothing|only|always|at (most|least)|(more|less|fewer) than|up to|within|until|before|after"
    r"|allowed|permitted|forbidden|refused|denied|required)\b",
    re.IGNORECASE | re.DOTALL,
)
"""A few words that are more than what the text beside them is about: a word of rules is among them."""
_FRONT_MATTER = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?=(?:.*\n)*?(?:name|title|description|tools|model|version):)"
    r"(?:[\w-]+:(?:[ \t].*)?\r?\n|[ \t]*\r?\n|[ \t]+\S.*\n|- .*\n|#.*\n)+---[ \t]*(?:\r?\n|\Z)"
)
"""Keys of YAML with their values at the beginning of a file, of which one is usual there."""
_ROW = re.compile(r"(\w+):\s*(\w+(?:,\s*\w+)*)")


@dataclass(frozen=True, slots=True)
class OutlinedSentence:
    """A sentence of a request: its words on one line, its place, and what it stands under.

    ``heads`` is whether it only says what the sentences below it are about, such as the lead-in of a list.
    ``words`` are those by which it is cited: with what it stands under, where another sentence has the same.
    ``row`` are the names that an item ``table: name, name`` lists, as ``table.name``.
    """

    text: str
    span: Span
    under: tuple[str, ...] = ()
    heads: bool = False
    words: str = ""
    row: tuple[str, ...] = ()


@lru_cache(maxsize=4)
def outline(request: str) -> tuple[OutlinedSentence, ...]:
    """The sentences of a request without its headings and without front matter that states no rule.

    Lines ``Key: value`` next to each other are one card, whose words are those of its last value. A value
    that may be a rule ends its card.
    """
    found = list(_outlined(request))
    places: dict[str, set[str]] = {}
    for one in found:
        places.setdefault(folded(one.text), set()).add(folded(" ".join(one.under)))
    return tuple(
        OutlinedSentence(one.text, one.span, one.under, one.heads, _words(one, places), one.row)
        for one in found
    )


def _words(one: OutlinedSentence, places: dict[str, set[str]]) -> str:
    if len(places[folded(one.text)]) < 2 or not one.under:  # of one place
        return one.text
    return f"{' '.join(one.under)}: {one.text}"


def _outlined(request: str) -> Iterator[OutlinedSentence]:
    headings: list[tuple[int, str]] = []
    leads: list[tuple[int, str]] = []
    blocks = _blocks(request)
    for number, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING:
            level = _level(request, block)
            headings = [*(one for one in headings if one[0] < level), (level, block.text)]
            leads = []
            continue
        indent = block.indent if block.kind is BlockKind.ITEM else -1
        leads = [one for one in leads if one[0] < indent]
        under = [*(text for _, text in headings), *(text for _, text in leads)]
        if block.kind is BlockKind.FIELD and (card := _card(blocks, number)) is not None:
            if card:
                yield OutlinedSentence(card, _span_of_card(request, blocks, number), tuple(under))
            continue
        spans = list(sentences(request, block.span))
        for place, span in enumerate(spans):
            text = plain(request[span.start : span.end])
            is_topic = place == 0 and len(spans) > 1 and _is_topic(request[span.start : span.end])
            is_lead = place == len(spans) - 1 and text.endswith(":") and _has_items(blocks, number, indent)
            row = _row(text) if block.kind is BlockKind.ITEM and len(spans) == 1 else ()
            yield OutlinedSentence(text, span, tuple(under), is_topic or is_lead, row=row)
            if is_topic:
                under.append(text.rstrip(".:"))
            if is_lead:
                leads.append((indent, text.rstrip(":")))


def _blocks(request: str) -> Sequence[Block]:
    """The blocks of a request; of front matter, which is about the file, those that may be rules."""
    front = _FRONT_MATTER.match(request)
    end = front.end() if front is not None else 0
    return [block for block in read_blocks(request) if block.span.start >= end or _may_be_rule(block)]


def _may_be_rule(block: Block) -> bool:
    field = FIELD.fullmatch(block.text)
    return _RULES.match(field["value"] if field is not None else block.text) is not None


def _card(blocks: Sequence[Block], number: int) -> str | None:
    """The last value of the card that ends with a line; empty for a line before it, None without a card."""
    after = _has_field(blocks, number + 1) and not _states(blocks[number])
    if not after and _first_of_card(blocks, number) == number:
        return None
    last = FIELD.fullmatch(blocks[number].text)
    return "" if after or last is None else last["value"]


def _has_field(blocks: Sequence[Block], number: int) -> bool:
    return 0 <= number < len(blocks) and blocks[number].kind is BlockKind.FIELD


def _states(block: Block) -> bool:
    field = FIELD.fullmatch(block.text)
    return field is not None and (field["value"][-1] in ".!?" or _RULES.match(field["value"]) is not None)


def _first_of_card(blocks: Sequence[Block], number: int) -> int:
    while _has_field(blocks, number - 1) and not _states(blocks[number - 1]):
        number -= 1
    return number


def _span_of_card(request: str, blocks: Sequence[Block], number: int) -> Span:
    first = _first_of_card(blocks, number)
    return span_of(request, blocks[first].span.start, blocks[number].span.end)


def _row(text: str) -> tuple[str, ...]:
    found = _ROW.fullmatch(text)
    return () if found is None else tuple(f"{found[1]}.{name}" for name in re.findall(r"\w+", found[2]))


def _level(request: str, block: Block) -> int:
    line = request[: block.span.start].rpartition("\n")[2]
    return line.count("#") or 1


def _is_topic(text: str) -> bool:
    """Whether a sentence is a few words that are set off, which name what its block is about."""
    is_set_off = _TOPIC.fullmatch(text.strip()) is not None and len(text.split()) <= _LONGEST_TOPIC
    return is_set_off and not _RULES.match(text)


def _has_items(blocks: Sequence[Block], number: int, indent: int) -> bool:
    following = blocks[number + 1] if number + 1 < len(blocks) else None
    return following is not None and following.kind is BlockKind.ITEM and following.indent > indent

"""The blocks of a request as units: rule cards, list entries under a lead-in, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from workbench.author.request_text import FIELD, Block, BlockKind, plain, sentences
from workbench.author.rules.words import phrase_set
from workbench.model import Span, span_of

ACTION_KEYS = phrase_set("action, actions, operation, tool, applies to, task, activity")
REQUIRE_KEYS = phrase_set(
    "required condition, condition, requires, required, requirement, only if, allowed if, allowed "
    "only if, permitted if, precondition, must hold"
)
DENY_KEYS = phrase_set(
    "forbidden if, denied if, deny if, blocked if, block if, violated if, violation condition, "
    "forbidden condition"
)
MESSAGE_KEYS = phrase_set("message, violation, reason, explanation, sentence, denial, denial message, error")
TITLE_KEYS = phrase_set("rule, name, title, id, rule name, description, severity, note")
_CARD_KEYS = {
    **dict.fromkeys(ACTION_KEYS, "action"),
    **dict.fromkeys(REQUIRE_KEYS, "require"),
    **dict.fromkeys(DENY_KEYS, "deny"),
    **dict.fromkeys(MESSAGE_KEYS, "message"),
    **dict.fromkeys(TITLE_KEYS, "title"),
}
# A lead-in with such an end is no sentence without its items: “The agent must not:”.
DANGLING = re.compile(r"\b(not|may|must|can|cannot|never|only|to|from|should|shall)$", re.I)


@dataclass(frozen=True, slots=True)
class RequestField:
    """A ``Key: value`` of the request; ``part`` is the key's part in a rule card, or empty."""

    key: str
    value: str
    part: str
    span: Span


@dataclass(frozen=True, slots=True)
class Card:
    """A rule card: fields that belong together."""

    fields: tuple[RequestField, ...]
    span: Span

    def field(self, part: str) -> RequestField | None:
        """The first field of a part."""
        return next((field for field in self.fields if field.part == part), None)


@dataclass(frozen=True, slots=True)
class LeadIn:
    """A lead-in ("Physicians may read:") with the list items or fields under it.

    The lead-in of a nested list first comes alone. With ``goes_on`` it is repeated with items that complete
    it.
    """

    lead: Block
    entries: tuple[Block, ...]
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """A Markdown table: its rows, the header first."""

    rows: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Plain:
    """One sentence; ``heading`` marks a title."""

    text: str
    span: Span
    heading: bool = False


type Unit = Card | LeadIn | Rows | Plain


def field_of(block: Block) -> RequestField | None:
    """The field in a block, if the block has the form ``Key: value``."""
    if block.kind not in (BlockKind.FIELD, BlockKind.ITEM):
        return None
    match = FIELD.fullmatch(block.text)
    if match is None:
        return None
    name = re.sub(r"\s+", " ", match["key"].lower().strip())
    return RequestField(match["key"].strip(), match["value"].strip(), _CARD_KEYS.get(name, ""), block.span)


def read_units(request: str, blocks: tuple[Block, ...]) -> Iterator[Unit]:
    """The units of a request in order; every block is in exactly one of them."""
    place = 0
    while place < len(blocks):
        block = blocks[place]
        if card := _card(request, blocks, place):
            yield card
            place += len(card.fields)
        elif block.kind is BlockKind.ROW:
            end = place
            while end < len(blocks) and blocks[end].kind is BlockKind.ROW:
                end += 1
            yield Rows(blocks[place:end])
            place = end
        elif nested := _nested(request, blocks, place):
            yield from _before_lead(request, block)
            yield from _outline(_lead(request, block), nested)
            place += 1 + len(nested)
        elif entries := _entries(blocks, place):
            yield from _before_lead(request, block)
            yield LeadIn(_lead(request, block), entries)
            place += 1 + len(entries)
        else:
            yield from _sentences(request, block)
            place += 1


def _card(request: str, blocks: tuple[Block, ...], start: int) -> Card | None:
    fields: list[RequestField] = []
    for block in blocks[start:]:
        field = field_of(block)
        if field is None or not field.part:
            break
        if any(field.part == earlier_field.part for earlier_field in fields) and field.part != "title":
            break
        if (
            fields
            and field.part in ("title", "action")
            and any(earlier_field.part != "title" for earlier_field in fields)
        ):
            break
        fields.append(field)
    parts = {field.part for field in fields}
    if not parts & {"require", "deny", "action"} or len(fields) < 2:
        return None
    return Card(tuple(fields), span_of(request, fields[0].span.start, fields[-1].span.end))


def _entries(blocks: tuple[Block, ...], start: int) -> tuple[Block, ...]:
    """The list under a lead-in: items nested in it, or items after a heading or a colon."""
    lead = blocks[start]
    if start + 1 >= len(blocks) or lead.kind is BlockKind.FIELD:
        return ()
    if lead.kind is not BlockKind.HEADING and not lead.text.endswith(":"):
        return ()
    entries: list[Block] = []
    for block in blocks[start + 1 :]:
        if block.kind not in (BlockKind.ITEM, BlockKind.FIELD):
            break
        if lead.kind is BlockKind.ITEM and block.kind is BlockKind.ITEM and block.indent <= lead.indent:
            break
        if block.text.endswith(":"):
            break
        field = field_of(block)
        if field is not None and field.part:
            break
        entries.append(block)
    return tuple(entries)


def _nested(request: str, blocks: tuple[Block, ...], start: int) -> tuple[Block, ...]:
    """The items of all depths that complete a lead-in, if some of them are lead-ins themselves.

    Empty if the nesting is ambiguous: an item without sub-items, or one of several sentences.
    """
    lead = blocks[start]
    if lead.kind not in (BlockKind.PARAGRAPH, BlockKind.ITEM) or not lead.text.endswith(":"):
        return ()
    if not DANGLING.search(lead.text.rstrip(": ")):
        return ()
    items: list[Block] = []
    for block in blocks[start + 1 :]:
        if block.kind is not BlockKind.ITEM or (lead.kind is BlockKind.ITEM and block.indent <= lead.indent):
            break
        items.append(block)
    leads = [place for place, block in enumerate(items) if block.text.endswith(":")]
    for place in leads:
        below = items[place + 1 : place + 2]
        if not below or below[0].indent <= items[place].indent:
            return ()
        if len(list(sentences(request, items[place].span))) != 1:
            return ()
    if any((field := field_of(block)) is not None and field.part for block in items):
        return ()
    return tuple(items) if leads else ()


def _outline(lead: Block, items: tuple[Block, ...]) -> Iterator[LeadIn]:
    """A lead-in alone, then each run of items that complete it; the same for each item that is a lead-in."""
    yield LeadIn(lead, ())
    run: list[Block] = []
    place = 0
    while place < len(items):
        item, end = items[place], place + 1
        while end < len(items) and items[end].indent > item.indent:
            end += 1
        if item.text.endswith(":"):
            if run:
                yield LeadIn(lead, tuple(run), goes_on=True)
            run = []
            text = f"{lead.text.rstrip(': ')} {item.text[0].lower()}{item.text[1:]}"
            yield from _outline(replace(item, text=text), items[place + 1 : end])
        else:
            run += items[place:end]
        place = end
    if run:
        yield LeadIn(lead, tuple(run), goes_on=True)


def _last_sentence(request: str, block: Block) -> Span:
    return list(sentences(request, block.span))[-1]


def _lead(request: str, block: Block) -> Block:
    """The lead-in alone: the last sentence of a paragraph that ends with a colon."""
    if block.kind is BlockKind.HEADING:
        return block
    span = _last_sentence(request, block)
    return Block(block.kind, plain(request[span.start : span.end]), span, block.indent)


def _before_lead(request: str, block: Block) -> Iterator[Plain]:
    if block.kind is not BlockKind.HEADING:
        for span in list(sentences(request, block.span))[:-1]:
            yield Plain(plain(request[span.start : span.end]), span)


def _sentences(request: str, block: Block) -> Iterator[Plain]:
    if block.kind is BlockKind.HEADING:
        yield Plain(block.text, block.span, heading=True)
        return
    for span in sentences(request, block.span):
        yield Plain(plain(request[span.start : span.end]), span)

"""The order of drafting: each unit of the request is read once, by the reader for its kind."""

from __future__ import annotations

from workbench.author.request_text import BlockKind, read_blocks
from workbench.author.rules.doubt_answers import DoubtAnswers
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.reading_cache import KeptReadings
from workbench.author.rules.request_blocks import Card, LeadIn, Plain, Rows, read_units
from workbench.author.rules.request_reading import RequestReading
from workbench.author.rules.role_lists import ListReader
from workbench.author.rules.rule_cards import CardReader
from workbench.model import AgentSpec


def understand(
    request: str, spec: AgentSpec, lexicon: Lexicon, doubt_answers: DoubtAnswers, kept_readings: KeptReadings
) -> RequestReading:
    """Read every unit of the request, in order; ``kept_readings`` are those of other drafts."""
    draft = RequestReading(request, spec, lexicon, doubt_answers, kept_readings=kept_readings)
    cards, lists = CardReader(draft), ListReader(draft)
    blocks = read_blocks(request)
    draft.title = next((block.text for block in blocks if block.kind is BlockKind.HEADING), "")
    for unit in read_units(request, blocks):
        if isinstance(unit, Plain) and unit.heading:
            draft.topic = "" if unit.text == draft.title else unit.text
        elif isinstance(unit, LeadIn) and unit.lead.kind is BlockKind.HEADING:
            draft.topic = "" if unit.lead.text == draft.title else unit.lead.text
        match unit:
            case Card():
                cards.read(unit)
            case LeadIn():
                lists.group(unit)
            case Rows():
                lists.rows(unit)
            case Plain() if not unit.heading and lists.line(unit.text, unit.span):
                pass
            case Plain():
                heading = unit.heading or _set_off(request[unit.span.start : unit.span.end])
                draft.plain_sentence(unit.text, unit.span, heading=heading)
    draft.finish()
    return draft


def _set_off(written: str) -> bool:
    """Whether a sentence in Markdown is a topic in bold, for the text after it on its line."""
    return any(
        written.startswith(mark) and written.find(mark, 2) == len(written) - 2 for mark in ("**", "__")
    )

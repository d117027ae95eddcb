"""An invented desk of a new user: tools with schemas, and no further declarations."""

from __future__ import annotations

from tests.clarify.parcel_desk import TEXT, made_tool
from workbench.author.rules.author import lexicon_of
from workbench.clarify.known_facts import fact_book
from workbench.clarify.listed_rules import listed_rules
from workbench.clarify.person_rule import PersonRule
from workbench.clarify.word_meanings import opened_words
from workbench.model import AgentSpec, Json, Tool

NUMBER: Json = {"type": "number"}
DAY: Json = {"type": "string", "format": "date"}
SIZE: Json = {"type": "string", "enum": ["small", "large"]}
TOOLS = (
    Tool(
        "get_member", "Look up a member", made_tool("get_member", ("member_id",), member_id=TEXT).parameters
    ),
    made_tool("lend_book", ("member_id", "book_id"), member_id=TEXT, book_id=TEXT),
    made_tool("renew_loan", ("loan_id",), loan_id=TEXT),
    made_tool("charge_fee", ("member_id", "amount"), member_id=TEXT, amount=NUMBER, reason=TEXT),
    made_tool("reserve_room", ("member_id", "room", "date"), member_id=TEXT, room=SIZE, date=DAY),
    made_tool("send_notice", ("email", "text"), email=TEXT, text=TEXT),
    made_tool(
        "move_money",
        ("from_account", "target_account", "amount"),
        from_account=TEXT,
        target_account=TEXT,
        amount=NUMBER,
    ),
)
DESK = AgentSpec("desk", tools=TOOLS)


def offered(text: str, spec: AgentSpec = DESK) -> tuple[PersonRule, ...]:
    """The rules that a session would offer for a sentence."""
    lexicon, book = lexicon_of(spec), fact_book(spec, ())
    return listed_rules(text, opened_words(text, lexicon, book), lexicon, book)


def offered_sentences(text: str) -> list[str]:
    """The sentence of each rule that is offered for a sentence."""
    return [rule.sentence for rule in offered(text)]

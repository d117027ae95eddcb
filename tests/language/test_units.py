"""Numbers with units: written as people write them, read in all their forms, and never in another unit."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.dialect.call_types import agent_types
from workbench.language.language import Language
from workbench.language.trees import Tree
from workbench.language.units import amount_text, amounts_at
from workbench.language.words import tokens
from workbench.model import AgentSpec, Json, Tool, WorkbenchError

PROPERTIES: dict[str, Json] = {
    "total": {"type": "number"},
    "other": {"type": "number"},
    "minutes": {"type": "integer"},
    "share": {"type": "number"},
    "size": {"type": "integer"},
    "note": {"type": "string"},
}
TOOL = Tool("pay", parameters={"type": "object", "properties": PROPERTIES, "required": list(PROPERTIES)})
UNITS = {
    "Pay.total": "EUR", "Pay.other": "USD", "Pay.minutes": "minutes", "Pay.share": "fraction",
    "Pay.size": "bytes", "paid": "EUR",
}  # fmt: skip
POLICY = '''\
from decimal import Decimal

from agent import Pay

DEFAULT = "deny"


def paid(call: Pay) -> Decimal:
    """what was paid"""
    return call.total + call.total
'''


def language(nouns: dict[str, str] | None = None, units: dict[str, str] | None = None) -> Language:
    spec = AgentSpec("pays", tools=(TOOL,), nouns=nouns or {}, units=UNITS if units is None else units)
    return Language(agent_types(spec), POLICY)


@pytest.fixture(scope="module")
def pays() -> Language:
    return language()


def said(pays: Language, words: str) -> Tree | None:
    """The condition of a sentence that has one reading."""
    trees = pays.read(f"The agent must not pay if {words}.")
    assert len(trees) <= 1
    return trees[0][2] if trees else None


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("the total is more than 5,000 EUR", Decimal(5000)),
        ("the total is more than EUR 5,000", Decimal(5000)),
        ("the total is more than €5,000", Decimal(5000)),
        ("the total is more than 5,000", Decimal(5000)),
        ("the total is more than -5,000.50 eur", Decimal("-5000.50")),
        ("the total is more than 5,000 USD", None),
        ("the other is more than $5", Decimal(5)),
        ("what was paid is more than 5 EUR", Decimal(5)),
        ("the minutes is more than 48 hours", 2880),
        ("the minutes is more than 90 minutes", 90),
        ("the minutes is more than 30 seconds", None),
        ("the share is more than 5%", Decimal("0.05")),
        ("the share is more than 12.5 percent", Decimal("0.125")),
        ("the size is more than 20 MB", 20_000_000),
        ("the size is more than 1 KiB", 1024),
        ("the size is more than 0.5 byte", None),
    ],
)
def test_a_number_is_read_in_the_forms_of_its_unit(
    pays: Language, words: str, value: int | Decimal | None
) -> None:
    found = said(pays, words)
    assert (None if found is None else found[2][2]) == value
    assert found is None or type(found[2][2]) is type(value)


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("the total is more than 5000.5", "the total is more than 5,000.50 EUR"),
        ("the total times 2 is more than 5", "the total times 2 is more than 5 EUR"),
        ("the total plus 2 is more than 5", "the total plus 2 EUR is more than 5 EUR"),
        ("the total is more than the other", "the total is more than the other"),
        ("the minutes is 60", "the minutes is 60 minutes"),
        ("the minutes is 2,880", "the minutes is 2 days"),
        ("the share is 0.5", "the share is 50%"),
        ("the size is 1", "the size is 1 byte"),
        ("the length of the note is 5", "the length of the note is 5"),
    ],
)
def test_a_number_is_written_in_its_unit(pays: Language, words: str, written: str) -> None:
    tree = said(pays, words)
    assert tree is not None
    assert pays.write(("call", "forbid", tree, ("name", "Pay"))) == f"The agent must not pay if {written}."


_NAMES = st.sampled_from(
    ("EUR", "minutes", "days", "%", "fraction", "MB", "KiB", "km/h", "nights", "s", "byte")
)


@settings(max_examples=examples(200), deadline=None)
@given(_NAMES, st.decimals(-(10**12), 10**12, places=6) | st.integers(-(10**15), 10**15))
def test_what_is_written_is_read_as_the_same_number(name: str, value: int | Decimal) -> None:
    text = amount_text(value, name)
    sort = "int" if isinstance(value, int) else "dec"
    written = tokens(text)
    minus = written[0].word == "-"
    found = {end: number for end, number in amounts_at(written, int(minus), name, sort)}
    assert found[len(written)] * (-1 if minus else 1) == value


@pytest.mark.parametrize(
    ("nouns", "units", "words"),
    [
        ({"Pays": "x"}, {}, "does not have"),
        ({"Pay.totl": "x"}, {}, 'Did you mean "Pay.total"?'),
        ({"payd": "x"}, {}, 'Did you mean "paid"?'),
        ({"Pay": "“x”"}, {}, "quotation mark"),
        ({"Pay": ""}, {}, "is empty"),
        ({"Pay": "x\u202ey"}, {}, "not seen"),
        ({"Pay": "x" * 90}, {}, "more than 80 letters"),
        ({}, {"Pay.note": "EUR"}, "is no number"),
        ({}, {"Pay.total": "5 EUR"}, "cannot be the unit"),
        ({}, {"Pay.total": ""}, "cannot be the unit"),
    ],
)
def test_a_noun_or_unit_that_cannot_be_is_refused(
    nouns: dict[str, str], units: dict[str, str], words: str
) -> None:
    with pytest.raises(WorkbenchError, match=words.replace("?", r"\?")):
        language(nouns, units)


def test_chosen_nouns_are_written_and_read() -> None:
    named = language({"Pay": "settle an invoice", "Pay.total": "amount", "paid": "the sum so far"})
    tree = named.read("The agent must not settle an invoice if the amount is more than the sum so far.")[0]
    assert tree[2] == (">", ("attr", ("name", "call"), "total"), ("call", "paid", ("name", "call")))
    assert named.write(tree) == (
        "The agent must not settle an invoice if the amount is more than the sum so far."
    )

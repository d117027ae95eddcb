"""A rule that has the number of its sentence in another unit, and rules that say the same in theirs."""

from __future__ import annotations

import pytest

from tests.clarify.written.one_rule import one_rule
from workbench.app.answered_rules import with_effect
from workbench.clarify.written import Asked, Book
from workbench.clarify.written.boundaries import STATED, boundaries
from workbench.session.agent_file import read_agent

AGENT = read_agent("""
name = "desk"

[units]
"Pay.fee" = "USD"

[tools.pay.parameters]
type = "object"
required = ["amount", "price", "seconds", "pieces", "fee", "starts_at"]
[tools.pay.parameters.properties]
amount = {type = "integer", description = "the amount in cents"}
price = {type = "number", description = "the price in EUR"}
seconds = {type = "integer"}
pieces = {type = "integer"}
fee = {type = "number"}
starts_at = {type = "string", format = "date-time"}
""")


def asked(sentence: str, condition: str) -> tuple[list[Asked], Book]:
    """The questions about the bounds of a rule for a sentence."""
    book = one_rule(AGENT, "Pay", condition, sentence)
    return list(boundaries(book)), book


@pytest.mark.parametrize(
    ("sentence", "condition", "form", "meant"),
    [
        ("Pay at least 48 hours before it starts.", "call.starts_at - call.time < timedelta(minutes=48)",
         "passes", "timedelta(days=2)"),
        ("Nothing that starts in less than 2 days.", "call.starts_at - call.time < timedelta(days=5)",
         "", ""),
        ("What starts in less than 48 hours is not paid.", "call.starts_at - call.time < timedelta(days=48)",
         "stopped", "timedelta(days=2)"),
        ("No payment is over 50 EUR.", "call.amount > 50000", "passes", "5000"),
        ("No payment is over 50 EUR.", "call.amount > 50", "stopped", "5000"),
        ("No payment is over €50.", "call.price > 5000", "passes", "50"),
        ("No fee is over $1,500.", "call.fee > 150000", "passes", "1500"),
        ("Wait for at most 5 minutes.", "call.seconds > 5", "stopped", "300"),
        ("No payment is over 50 EUR.", "call.amount > 7000", "", ""),
        ("No payment is over 50 EUR.", "call.pieces > 50", "", ""),
    ],
)  # fmt: skip
def test_a_number_in_another_unit_is_asked_about_with_an_input_between_the_two(
    sentence: str, condition: str, form: str, meant: str
) -> None:
    found, book = asked(sentence, condition)
    units = [one for one in found if one.question.kind == "unit"]
    assert len(units) == bool(form)
    for one in units:
        assert found == [one]  # no word of the wrong number besides
        assert f"So this {'passes' if form == 'passes' else 'is stopped'}: tool pay" in one.question.text
        assert one.question.shown and not one.question.default
        text, _ = with_effect(book.language, book.language.source, one.effects[STATED], open_default=True)
        assert f"return {condition.rpartition(' ')[0]} {meant}" in text


@pytest.mark.parametrize(
    ("sentence", "condition"),
    [
        ("Pay at least 48 hours before it starts.", "call.starts_at - call.time < timedelta(days=2)"),
        ("No payment is over 50 EUR.", "call.amount > 5000"),
        ("No payment is over 50 EUR.", "call.price > 50"),
        ("At most 5 minutes.", "call.seconds > 300"),
        ("At most fifty EUR, 5,000 in cents.", "call.amount > 5000"),
        ("From 18:00 on nothing is paid.", "call.starts_at.time >= time(18, 0)"),
        ("Nothing at 18:00 or later.", "call.starts_at.time >= time(18, 0)"),
        ("Nothing after 18:00.", "call.starts_at.time > time(18, 0)"),
    ],
)  # fmt: skip
def test_nothing_is_asked_where_the_numbers_agree_and_the_words_settle_the_side(
    sentence: str, condition: str
) -> None:
    found, _ = asked(sentence, condition)
    assert not found, [one.question.text for one in found]


@pytest.mark.parametrize(
    ("sentence", "condition"),
    [
        (f"At most {'9' * 5000} EUR.", "call.amount > 5000"),
        (f"At most {'9,999' * 5000} EUR.", "call.amount > 9999"),
        ("For 9,000,000 weeks.", "call.starts_at - call.time > timedelta(days=9000000)"),
    ],
)
def test_a_number_that_nobody_means_is_read_as_none(sentence: str, condition: str) -> None:
    found, _ = asked(sentence, condition)
    assert not [one for one in found if one.question.kind == "unit"]


@pytest.mark.parametrize(
    ("sentence", "condition"),
    [("5 " * 20_000, "call.pieces > 5"), ("At most 5 " + "no " * 20_000, "call.pieces > 5")],
)
def test_a_sentence_of_the_same_word_over_and_over_is_read(sentence: str, condition: str) -> None:
    found, _ = asked(sentence, condition)
    assert len(found) <= 1

"""The sentences of a request: what is about the file is none of them, and no rule is left out."""

from __future__ import annotations

import pytest

from workbench.author.request_outline import outline

REST = "An order is not cancelled.\n"


@pytest.mark.parametrize(
    "front",
    [
        "---\nname: shop\ntools: get_order, pay\nmodel: inherit\n---\n",
        "---\r\nname: shop\r\n---\r\n",
        "---\ndescription: >\n  Use it for orders. It reads the shop.\nservers:\n  - shop\n---\n\n",
    ],
)
def test_front_matter_is_no_sentence(front: str) -> None:
    assert [one.text for one in outline(front + REST)] == [REST.strip()]
    assert [request.span.start for request in outline(front + REST)] == [len(front)]


@pytest.mark.parametrize(
    ("front", "kept"),
    [
        ("---\nOrders are paid.\n---\n", "Orders are paid."),
        ("---\nOrders: paid within a day\n---\n", "Orders: paid within a day"),
        ("---\nname: shop\nlimit: at most 5 orders\n---\n", "limit: at most 5 orders"),
        ("---\ndescription: It must never pay.\n---\n", "description: It must never pay."),
        ("---\ndescription: >\n  It pays. Never twice.\n---\n", "Never twice."),
        ("---\nname: shop\n", "name: shop An order is not cancelled."),
        ("Orders.\n---\nname: shop\n---\n", "name: shop"),
    ],
)
def test_what_may_be_a_rule_is_a_sentence_wherever_it_stands(front: str, kept: str) -> None:
    assert kept in [one.text for one in outline(front + REST)]


def test_a_sentence_on_a_line_of_its_own_may_begin_with_a_small_letter() -> None:
    request = "Only pytest runs, i.e.\nno other program. Nothing is pushed.\nrm is never run! curl is.\n"
    assert [one.text for one in outline(request)] == [
        "Only pytest runs, i.e. no other program.", "Nothing is pushed.", "rm is never run! curl is.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("request_text", "sentences"),
    [
        ("No refund over 200\nMaria signs\nmails go out", ["No refund over 200", "Maria signs mails go out"]),
        ("No mails except to\nAmazon,\nBMW\nand Fiat", ["No mails except to Amazon, BMW and Fiat"]),
        ("Nothing is changed unless\nMaria agreed", ["Nothing is changed unless Maria agreed"]),
        (f"{'Orders ' * 20}are kept by\nMaria", [f"{'Orders ' * 20}are kept by Maria"]),
        (f"{'Orders ' * 20}are kept\nMaria signs", [f"{'Orders ' * 20}are kept Maria signs"]),
        (f"Short\n{'Orders ' * 20}are kept", ["Short", f"{'Orders ' * 20}are kept"]),
        ("Only Maria approves.\nNobody pays.", ["Only Maria approves.", "Nobody pays."]),
    ],
)
def test_a_line_without_a_stop_ends_its_sentence_where_the_next_word_had_room(
    request_text: str, sentences: list[str]
) -> None:
    assert [one.text for one in outline(request_text)] == sentences


@pytest.mark.parametrize(
    ("number", "is_number"),
    [("2.1", True), ("4.2.11", True), ("2.1.", True), ("§ 3.4", True), ("2.5%", False)],
)
def test_the_number_of_a_paragraph_is_no_word_of_its_sentence(number: str, is_number: bool) -> None:
    found = [one.text for one in outline(f"{number} Refunds are paid.\n{number} hours is the most.\n")]
    assert found == [
        "Refunds are paid." if is_number else f"{number} Refunds are paid.",
        f"{number} hours is the most.",
    ]

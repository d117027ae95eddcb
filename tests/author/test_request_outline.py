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

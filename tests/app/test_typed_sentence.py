"""A text that is being typed: what is read, what is not, and what may stand at the cursor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from tests.app.invoice_desk import invoice_desk
from workbench.app.typed_sentence import Typed, others, typed, written
from workbench.app.workbench import Workbench

LIMIT = "The agent must not pay an invoice if the total is more than 5,000."


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    bench = invoice_desk(tmp_path_factory.mktemp("typed"))
    yield bench
    bench.close()


def read(desk: Workbench, text: str, cursor: int | None = None) -> Typed:
    at = len(text) if cursor is None else cursor
    found = typed(desk.sentences, text, at)
    return replace(found, offers=found.offers or others(desk.sentences, text, at))


def taken(desk: Workbench, text: str, cursor: int, words: str) -> str:
    offer = next(one for one in read(desk, text, cursor).offers if one.text == words)
    return text[: offer.start] + written(text, offer) + text[offer.end :]


def test_a_begun_word_is_finished(desk: Workbench) -> None:
    begun = "The agent must not pay an inv"
    assert not read(desk, begun).unread
    assert taken(desk, begun, len(begun), "invoice") == "The agent must not pay an invoice "


@pytest.mark.parametrize(
    ("word", "other", "result"),
    [
        ("more", "less than", LIMIT.replace("more than", "less than")),
        ("than", "at most", LIMIT.replace("more than", "at most")),
        ("must", "may", LIMIT.replace("must", "may")),
        ("agent", None, None),
    ],
)
def test_what_may_stand_in_the_place_of_read_words_leaves_a_sentence(
    desk: Workbench, word: str, other: str | None, result: str | None
) -> None:
    cursor = LIMIT.index(word) + 1
    if other is None:
        assert not read(desk, LIMIT, cursor).offers
        return
    assert taken(desk, LIMIT, cursor, other) == result
    for offer in read(desk, LIMIT, cursor).offers:
        assert read(desk, LIMIT[: offer.start] + offer.text + LIMIT[offer.end :]).whole, offer


def test_a_log_that_is_in_memory_is_not_read_again_while_one_types(tmp_path: Path) -> None:
    with closing(invoice_desk(tmp_path)) as bench:
        logs = bench.runs.current()
        supplier = next(
            call.arguments for call in logs.calls if call.arguments and "supplier" in call.arguments
        )
        begun = "The agent must not pay an invoice if the supplier is “"
        with mock.patch("workbench.runs.logs.load_runs", side_effect=AssertionError):
            offered = [one.text for one in typed(bench.sentences, begun, len(begun)).offers]
        assert f"“{supplier['supplier']}”" in offered


def test_a_slip_is_replaced_and_what_follows_it_stays(desk: Workbench) -> None:
    slip = LIMIT.replace("total", "totl")
    found = read(desk, slip)
    assert [slip[start:end] for start, end in found.unread] == ["totl is more than 5,000."]
    assert taken(desk, slip, len(slip), "total") == LIMIT


def test_a_foreign_sentence_beside_a_read_one_is_told_apart(desk: Workbench) -> None:
    text = f"{LIMIT} Refunds are fine."
    found = read(desk, text)
    assert [one.text for one in found.foreign] == ["Refunds are fine."]
    assert not found.whole
    assert found.phrases[0].python == "PayInvoice"


def test_context_is_no_sentence(desk: Workbench) -> None:
    assert read(desk, "context: a remark") == Typed(context="a remark")


def test_what_a_sentence_names_is_spoken_of_by_the_next_one(desk: Workbench) -> None:
    named = "In calls to pay an invoice, that the invoice is large means that the total is more than 3,000."
    rule = "The agent must not pay an invoice if the invoice is large."
    assert read(desk, f"{named} {rule}").whole
    assert not read(desk, rule).whole
    begun = f"{named} The agent must not pay an invoice if the invoice is l"
    assert "large" in " ".join(one.text for one in read(desk, begun).offers)


def test_of_a_definition_only_what_it_defines_is_not_read_and_calls_in_which_it_is_read_are_offered(
    desk: Workbench,
) -> None:
    rest = " means that the total is more than 3,000."
    foreign = f"That an invoice is large{rest}"
    found = read(desk, foreign)
    assert [foreign[start:end] for start, end in found.unread] == ["an invoice is large"]
    assert not found.foreign, "no rule is suggested for it"
    named = taken(desk, foreign, len(foreign), "In calls to pay an invoice, that an invoice is large")
    assert named == f"In calls to pay an invoice, that an invoice is large{rest}"
    assert read(desk, named).whole
    slip = foreign.replace("3,000", "lots")
    assert taken(desk, slip, len(slip), "In calls to pay an invoice, that an invoice is large")


@pytest.mark.parametrize("word", ["contains", "begins with", "does not end with"])
def test_a_text_is_searched_for_a_constant_alone(desk: Workbench, word: str) -> None:
    begun = f"The agent must not pay an invoice if the supplier {word} "
    assert read(desk, f"{begun}“x”.").whole
    assert not read(desk, f"{begun}what the user has said.").whole
    offered = [one.text for one in read(desk, begun).offers]
    assert offered
    assert all(one.startswith("“") for one in offered)

"""The option ``beside``: the content of the sentences that contain a value of the call."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.extract.test_methods import SET, STR, call, extract
from workbench.model import ArgumentType, Extracted, Json, Kind

AMOUNTS = ArgumentType(Kind.LIST, element=ArgumentType(Kind.DECIMAL))
AMOUNT = r"(?<![\w.])\d+(?:\.\d\d)?(?![\w%])"
LANDLORD, FRIEND = "GB29NWBK60161331926819", "DE89370400440532013000"
SAID = (
    f"My new landlord's account is {LANDLORD} and rent is 2200. Also refund 10.00 to {FRIEND}!\nMy PIN is 77."
)


def amounts(text: str, to: Json, type_: ArgumentType = AMOUNTS) -> Extracted:
    recorded_call = call({"to": to, "amount": 5}, user=text)
    return extract(recorded_call, type_, "regex", text="user", pattern=AMOUNT, beside="$.arguments.to")


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        (LANDLORD, (Decimal(2200),)),
        ("gb29 nwbk 6016 1331 9268 19", (Decimal(2200),)),
        (FRIEND, (Decimal(10),)),
        ("US122000000121212121212", ()),
        (None, ()),
    ],
)
def test_only_the_sentence_that_names_the_value_counts(to: Json, expected: tuple[Decimal, ...]) -> None:
    assert amounts(SAID, to).value == expected


def test_all_sentences_that_name_the_value_count_and_say_where() -> None:
    message = f"Pay 5 to {FRIEND}. Then 7.50 to {FRIEND} (he asked for it). Not 9."
    extracted = amounts(message, FRIEND, SET)
    assert extracted.value == frozenset({"5", "7.50"})
    assert sorted(message[span.start : span.end] for at in extracted.provenance for span in at.spans) == [
        "5",
        "7.50",
    ]


def test_a_call_without_the_value_has_no_sentence_and_one_that_cannot_be_looked_for_is_missing() -> None:
    recorded_call = call({"amount": 5}, user=SAID)
    extracted = extract(recorded_call, AMOUNTS, "regex", text="user", pattern=AMOUNT, beside="$.arguments.to")
    assert extracted.value == ()
    assert "no text or number" in (amounts(SAID, {"name": "x"}).missing or "")
    assert "does not match" in (amounts("Pay 5.", FRIEND, STR).missing or "")


@given(
    sentences=st.lists(
        st.tuples(st.sampled_from([LANDLORD, FRIEND, "nobody"]), st.integers(1, 9)), max_size=6
    )
)
def test_each_value_has_the_amounts_of_its_own_sentences(sentences: list[tuple[str, int]]) -> None:
    text = " ".join(f"Send {amount} to {name}." for name, amount in sentences) or "Hello."
    for name in (LANDLORD, FRIEND):
        result = amounts(text, name).value
        assert isinstance(result, tuple)
        assert set(result) == {Decimal(amount) for whom, amount in sentences if whom == name}

"""Amounts: an exact number with its currency, or nothing if its marks can be read in two ways."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.kinds.reading_kinds import part_of, parts_of
from workbench.model import Json
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.values.described_option import BadOption


@pytest.mark.parametrize(
    ("value", "options", "number", "currency"),
    [
        ("1,234.50 EUR", {}, "1234.50", "EUR"),
        ("€ 12", {}, "12", "EUR"),
        ("12€", {}, "12", "EUR"),
        ("-€5", {}, "-5", "EUR"),
        ("€\u22125", {}, "-5", "EUR"),
        ("EUR 1 234.5", {}, "1234.5", "EUR"),
        ("1'000", {}, "1000", None),
        ("0.125", {}, "0.125", None),
        ("12", {"currency": "NOK"}, "12", "NOK"),
        (12.5, {}, "12.5", None),
        (1.234, {"decimal_mark": ","}, "1.234", None),
        (0.1, {"currency": "EUR"}, "0.1", "EUR"),
        (-3, {}, "-3", None),
        ("1.234,50 €", {"decimal_mark": ","}, "1234.50", "EUR"),
        ("1.234", {"decimal_mark": ","}, "1234", None),
        ("1.234", {"decimal_mark": "."}, "1.234", None),
        ("1,234,567", {}, "1234567", None),
        ("$12", {"symbols": {"$": "USD"}}, "12", "USD"),
        ("12 kr", {"symbols": {"kr": "NOK"}}, "12", "NOK"),
    ],
)
def test_an_amount(value: Json, options: dict[str, Json], number: str, currency: str | None) -> None:
    parts = parts_of("amount", value, **options)
    assert not isinstance(parts, str)
    assert (parts["value"], parts["currency"]) == (Decimal(number), currency)


@pytest.mark.parametrize(
    "value",
    [
        "", "EUR", "1.234,50 €", "1,234", "1.234", "12,50", "1,23.5", "001.234", "12.", ".5", "1..2", "1,2,3",
        "012,345", "1 23", "$12", "12 kr", "¥5", "12 pcs", "12 usd", "(5)", "--5", "+-5", "1e3", "0x10",
        "١٢", "１２", "EUR 5 USD", "5 EUR or 6 EUR", "5-6", "5%", "½", "NaN", "Infinity", "9" * 31, 10**40,
        float("nan"), float("inf"), True, None, ["5"], "5\x00",
    ],
)  # fmt: skip
def test_what_can_be_read_in_two_ways_is_not_determinable(value: Json) -> None:
    assert isinstance(parts_of("amount", value), str)


NUMBERS = st.decimals(min_value=-(10**9), max_value=10**9, places=2, allow_nan=False, allow_infinity=False)


@settings(max_examples=examples(200), deadline=None)
@given(
    number=NUMBERS,
    mark=st.sampled_from([".", ","]),
    code=st.sampled_from(["", "EUR", "USD"]),
    first=st.booleans(),
)
def test_what_is_written_from_parts_is_read_as_these_parts(
    number: Decimal, mark: str, code: str, first: bool
) -> None:
    text = f"{number:,.2f}"
    if mark == ",":
        text = text.translate({ord(","): ".", ord("."): ","})
    parts = parts_of("amount", f"{code} {text}" if first and code else f"{text} {code}", decimal_mark=mark)
    assert not isinstance(parts, str)
    assert (parts["value"], parts["currency"]) == (number, code or None)
    other = parts_of("amount", text, decimal_mark="," if mark == "." else ".")
    assert isinstance(other, str) or abs(number) < 1  # the other mark never gives another number


@settings(max_examples=examples(200), deadline=None)
@given(number=st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_a_json_number_is_exact(number: float) -> None:
    amount = part_of("amount", number, "value")
    assert amount is None or amount == Decimal(repr(number))


@settings(max_examples=examples(300), deadline=None)
@given(text=st.text("0123456789.,' €-+EURe", max_size=12))
def test_without_a_mark_a_text_is_a_number_in_one_way_only(text: str) -> None:
    """A number read without a declared mark is the same number with either mark."""
    amount = part_of("amount", text, "value")
    if amount is not None:
        others = {part_of("amount", text, "value", decimal_mark=mark) for mark in (".", ",")}
        assert others <= {amount, None}


@pytest.mark.parametrize(
    "options", [{"decimal_mark": ";"}, {"currency": "euro"}, {"symbols": {"$": "dollar"}}]
)
def test_a_wrong_option_is_an_error(options: dict[str, Json]) -> None:
    with pytest.raises(BadOption):
        KINDS["amount"].reader(options)

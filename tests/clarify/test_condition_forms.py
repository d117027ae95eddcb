"""The grammar takes a person's words apart in every way that they permit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.clarify.condition_forms import MOST_TOKENS, way, ways

PHRASES = st.sampled_from(
    [
        *(
            "amount of the order",
            "is",
            "is not",
            "is at most 5",
            "or",
            "and",
            "each",
            "all",
            "no",
            ":",
            "plus",
        ),
        *(
            "not known",
            "is given",
            "3 days ago",
            "30 days after",
            "before",
            "2 per",
            "one of",
        ),
        *("contains", "of the call"),
    ]
)


def test_a_text_is_parted_at_each_place_that_a_name_may_hold() -> None:
    text = "what it is called is main or is not known"
    comparisons = [
        (reading.inner_texts, reading.compared)
        for reading in ways(text, "person_condition")
        if reading.form == "comparison"
    ]
    assert comparisons == [
        (("what it", "called is main or is not known"), "is"),
        (("what it is called", "main or is not known"), "is"),
        (("what it is called is main or",), "is not known"),
    ]
    either = way(text, "person_condition", "either")
    assert either is not None
    assert either.inner_texts == ("what it is called is main", "is not known")
    lacking = way(text, "person_condition", "or_lacking")
    assert lacking is not None
    assert lacking.inner_texts == ("what it is called is main",)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("3 days ago", "ago"),
        ("30 days after delivery", "apart"),
        ("97 % of the price", "share"),
        ("40 euros for each guest", "times"),
        ("40 per guest plus tip", "times_and"),
        ("12 characters", "length"),
    ],
)
def test_what_a_fact_is_compared_with_has_a_form(text: str, form: str) -> None:
    assert way(text, "person_value", form) is not None
    assert way(f"about {text}", "person_value", form) is None


@settings(max_examples=examples(100))
@given(
    st.lists(PHRASES, min_size=1, max_size=8).map(" ".join),
    st.sampled_from(["person_condition", "person_noun"]),
)
def test_the_parts_of_every_way_are_the_words_of_the_text(text: str, start: str) -> None:
    all_ways = ways(text, start)
    for reading in all_ways:
        assert " ".join(part for _, part in reading.parts).split() == text.split()
    assert len(set(all_ways)) == len(all_ways)


def test_a_text_of_too_many_words_of_forms_has_no_form() -> None:
    text = " or ".join(["x"] * (MOST_TOKENS // 2))
    assert ways(text, "person_condition")
    assert ways(f"{text} or x or x", "person_condition") == ()

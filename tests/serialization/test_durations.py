"""Durations as text: in the stored form, and in the words of a person."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.serialization.durations import duration_of, duration_text, stated_duration


@given(st.timedeltas(timedelta(days=-10_000_000), timedelta(days=10_000_000)))
def test_a_duration_is_the_same_as_text(value: timedelta) -> None:
    assert duration_of(duration_text(value)) == value


@pytest.mark.parametrize(
    "text", ["P", "PT", "", "1D", "P1", "P1DT", "PT.5S", "-P", "P1W", "PT1H ", "P\u0661D"]
)
def test_what_is_no_duration_is_none(text: str) -> None:
    assert duration_of(text) is None


@pytest.mark.parametrize(
    ("text", "hours"),
    [("24 hours", 24), ("24h", 24), ("1 hour", 1), ("2 weeks", 336), ("P1DT2H", 26), ("7 days", 168)],
)
def test_a_duration_is_said_as_a_person_says_it(text: str, hours: int) -> None:
    assert stated_duration(text) == timedelta(hours=hours)
    assert stated_duration(f"about {text}") is None

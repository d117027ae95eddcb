"""Durations as text: in the stored form, and in the words of a person."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.serialization.durations import duration_of, duration_text


@given(st.timedeltas(timedelta(days=-10_000_000), timedelta(days=10_000_000)))
def test_a_duration_is_the_same_as_text(value: timedelta) -> None:
    assert duration_of(duration_text(value)) == value


@pytest.mark.parametrize(
    "text", ["P", "PT", "", "1D", "P1", "P1DT", "PT.5S", "-P", "P1W", "PT1H ", "P\u0661D"]
)
def test_what_is_no_duration_is_none(text: str) -> None:
    assert duration_of(text) is None

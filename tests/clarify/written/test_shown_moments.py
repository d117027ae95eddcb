"""The days of an example are those of their days of the week, and say nothing against each other."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from hypothesis import given
from hypothesis import strategies as st

from workbench.clarify.written.shown_moments import on_possible_days, without_moments_told

TEXTS = {
    "s_date": "call.starts.date", "s_weekday": "call.starts.weekday", "s_time": "call.starts.time",
    "s": "call.starts", "e_date": "call.ends.date", "e_weekday": "call.ends.weekday", "sent": "call.sent",
}  # fmt: skip
DAYS = st.dates(date(1, 1, 1), date(9990, 1, 1))


@given(DAYS, DAYS, st.integers(1, 7), st.none() | st.integers(1, 7))
def test_each_date_falls_on_its_day_of_the_week(
    first: date, second: date, of_first: int, of_second: int | None
) -> None:
    given_ = {"s_date": first, "s_weekday": of_first, "e_date": second, "other": first}
    if of_second is not None:
        given_["e_weekday"] = of_second
    found = on_possible_days(given_, TEXTS)
    assert found.keys() == given_.keys()
    assert found["other"] == first
    starts, ends = found["s_date"], found["e_date"]
    assert isinstance(starts, date)
    assert isinstance(ends, date)
    if first != second or of_second in (None, of_first):
        assert starts.isoweekday() == of_first
        assert of_second is None or ends.isoweekday() == of_second
    assert (starts == ends) or first != second
    assert min(starts, ends) >= min(first, second)
    assert starts.toordinal() - first.toordinal() < 7 or first.year < 1900


def test_a_point_in_time_is_not_shown_beside_another_day_and_time_of_it() -> None:
    at = datetime(2026, 1, 1, 12, tzinfo=UTC)
    given_ = {"s": at, "s_date": date(2026, 1, 9), "s_time": time(8), "sent": at, "n": 1}
    assert without_moments_told(given_, TEXTS) == {
        "s_date": date(2026, 1, 9), "s_time": time(8), "sent": at, "n": 1
    }  # fmt: skip

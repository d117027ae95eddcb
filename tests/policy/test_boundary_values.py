"""The values nearest to a constant: one step away in the order of the type, and none beyond its ends."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plain_policies import check
from workbench.check.cases_generate import generate_cases
from workbench.engines.smt.encode import number_of
from workbench.model import Scalar
from workbench.policy.boundary_values import (
    just_over,
    just_under,
    neighbours,
    other_members,
    with_one_more,
    without_one,
)

type Ordered = int | Decimal | date | time | datetime

ORDERED: st.SearchStrategy[Ordered] = st.one_of(
    st.integers(-(10**30), 10**30),
    st.decimals(-(10**9), 10**9, places=3),
    st.dates(),
    st.times(),
    st.datetimes(timezones=st.just(UTC)),
)


def place(value: Scalar | None) -> Decimal:
    """The position of a value in the order of the solver and the verifier, in their smallest steps."""
    assert value is not None
    assert not isinstance(value, str)
    number, scale = number_of(value)
    return Decimal(number).scaleb(3 - scale) if isinstance(value, Decimal) else Decimal(number)


@given(ORDERED)
def test_nothing_fits_between_a_constant_and_its_neighbours(value: Ordered) -> None:
    for near in neighbours(value, 3):
        assert type(near) is type(value)
        assert abs(place(near) - place(value)) == 1
    before, after = just_under(value, 3), just_over(value, 3)
    assert before is None or place(before) < place(value)
    assert after is None or place(after) > place(value)
    assert neighbours(value, 3) == tuple(near for near in (before, after) if near is not None)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (date.min, date.max),
        (time.min, time.max),
        (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_there_is_nothing_beyond_the_ends_of_a_type(first: Scalar, last: Scalar) -> None:
    assert just_under(first, 2) is None
    assert just_over(last, 2) is None
    assert len(neighbours(first, 2)) == len(neighbours(last, 2)) == 1


@pytest.mark.parametrize("value", [True, "word"])
def test_what_has_no_order_has_no_neighbours(value: Scalar) -> None:
    assert neighbours(value, 2) == ()


def test_beside_a_member_are_the_others_and_beside_a_set_one_element_less_or_more() -> None:
    assert other_members("b", ("a", "b", "c")) == ("a", "c")
    assert list(without_one(("x", "y"))) == [("x", ("y",)), ("y", ("x",))]
    assert list(with_one_more(("x", "y"), ("y", "z", "w"))) == [("z", ("x", "y", "z"))]
    assert list(with_one_more((1, 2), ("z",))) == []


POLICY = '''"""Policy of visits."""
from datetime import date, time
from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_late(at: time, day: date) -> bool:
    """R1: No visits."""
    return at >= time(0, 0) and day >= date(9999, 12, 31)


def allow(at: time, day: date) -> bool:
    # R1: No visits.
    Ensures(Implies(at >= time(0, 0) and day >= date(9999, 12, 31), not Result()))
    return not (forbid_late(at, day))
'''


def test_cases_at_the_ends_of_a_type_have_one_side_less() -> None:
    cases = {case.id: case.arguments for case in generate_cases(check(POLICY), witness=None)}
    assert cases["late-day-9999-12-31-under"]["day"] == date(9999, 12, 30)
    assert "late-day-9999-12-31-over" not in cases
    assert "late-at-00-00-00-under" not in cases
    assert cases["late-at-00-00-00-over"]["at"] == time(0, 0, 0, 1)

"""The smallest readable input: times that only hold together move together, and long lists get short soon."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest

from workbench.engines.smt.shrink import hints, shrink
from workbench.model import Arguments, ArgumentType, Kind
from workbench.policy.terms import Parameter

MOMENT = ArgumentType(Kind.DATETIME)
PARAMETERS = [Parameter("approved", MOMENT), Parameter("now", MOMENT)]
FIRST = {name: datetime(1, 1, 1, tzinfo=UTC) for name in ("approved", "now")}


def apart(values: Arguments) -> timedelta:
    approved, now = values["approved"], values["now"]
    assert isinstance(approved, datetime) and isinstance(now, datetime)
    return now - approved


def test_times_that_hold_together_move_together() -> None:
    small = shrink(FIRST, PARAMETERS, lambda values: timedelta() <= apart(values) <= timedelta(1), hints())
    assert small == dict.fromkeys(FIRST, datetime(2026, 1, 1, 12, tzinfo=UTC))


def test_they_move_by_weeks_where_the_day_of_the_week_counts() -> None:
    def holds(values: Arguments) -> bool:
        now = values["now"]
        assert isinstance(now, datetime)
        return now.weekday() == 0 and apart(values) == timedelta()

    small = shrink(FIRST, PARAMETERS, holds, hints())
    assert holds(small) and small["now"] == datetime(2025, 12, 29, tzinfo=UTC)


def more_than_100(names: Sequence[str]) -> bool:
    return len(names) > 100


def with_both_ends(names: Sequence[str]) -> bool:
    return {"first", "last"} <= set(names)


@pytest.mark.parametrize(
    ("holds", "least"), [(more_than_100, ("other",) * 101), (with_both_ends, ("first", "last"))]
)
def test_a_long_list_is_short_after_few_tries(
    holds: Callable[[Sequence[str]], bool], least: tuple[str, ...]
) -> None:
    tried: list[tuple[str, ...]] = []

    def has(values: Arguments) -> bool:
        tried.append(cast("tuple[str, ...]", values["names"]))
        return holds(tried[-1])

    parameter = Parameter("names", ArgumentType(Kind.LIST, element=ArgumentType(Kind.STR)))
    start = {"names": ("first", *[""] * 300, "last")}
    assert shrink(start, [parameter], has, hints())["names"] == least
    assert sum(len(one) != len(least) for one in tried) < 100

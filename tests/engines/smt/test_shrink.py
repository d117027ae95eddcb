"""The smallest readable input: times that only hold together move together to a plain day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

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

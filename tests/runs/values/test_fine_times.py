"""Times that are finer than what a policy compares: none becomes an earlier one."""

from __future__ import annotations

from datetime import UTC

import pytest

from workbench.model import ArgumentType, Json, Kind
from workbench.runs.values.coerce import coerce
from workbench.runs.values.found_value import Missing
from workbench.runs.values.zones import moment


@pytest.mark.parametrize(
    "value",
    [
        "2026-01-01T10:00:00.0000001Z", "2026-01-01T10:00:00,1234567+01:00", 1_767_261_600_000_000_001,
        "1767261600.0000001", "2026-01-01T10:00:00-00:00:00.5",
    ],
)  # fmt: skip
def test_what_is_finer_than_a_microsecond_is_missing(value: Json) -> None:
    with pytest.raises(Missing, match="finer than a microsecond"):
        moment(value, UTC)
    assert moment(value, UTC, is_cut=True).microsecond in (0, 123_456)


@pytest.mark.parametrize(
    ("value", "microsecond"),
    [
        ("2026-01-01T10:00:00.123456000Z", 123_456),
        ("2026-01-01 10:00:00.5-05:00", 500_000),
        (1_767_261_600_123_456_000, 123_456),
        (1_767_261_600.25, 250_000),
    ],
)
def test_more_digits_that_say_nothing_are_no_finer(value: Json, microsecond: int) -> None:
    assert moment(value, UTC).microsecond == microsecond


@pytest.mark.parametrize(
    ("kind", "text"), [(Kind.TIME, "17:00:00.0000001"), (Kind.DATETIME, "2026-01-01T17:00:00.0000001")]
)
def test_values_without_a_zone_are_no_coarser(kind: Kind, text: str) -> None:
    with pytest.raises(Missing, match="finer than a microsecond"):
        coerce(text, ArgumentType(kind))

"""Versions by the names that people use for them."""

from __future__ import annotations

from datetime import UTC, datetime

from workbench.app.session_state import PolicyVersion, baselines

NOW = datetime(2026, 5, 20, 9, 0, tzinfo=UTC)
VERSIONS = (
    PolicyVersion(6, "Edit the policy", "2026-05-20T08:30:00+00:00", current=True),
    PolicyVersion(5, "Answer: 18", "2026-05-20T08:00:00+00:00"),
    PolicyVersion(4, "Draft from the request", "2026-05-19T17:00:00+00:00"),
    PolicyVersion(3, "Edit the policy", "2026-05-19T09:00:00+00:00"),
    PolicyVersion(2, "Draft by a model", "2026-05-01T09:00:00+00:00"),
    PolicyVersion(1, "Draft from the request", "no date"),
)


def named(versions: tuple[PolicyVersion, ...]) -> dict[str, int]:
    return {baseline.name: baseline.number for baseline in baselines(versions, NOW)}


def test_a_day_is_the_last_version_before_its_end_and_drafts_are_counted_from_the_first() -> None:
    assert named(VERSIONS) == {
        "yesterday": 4, "a week ago": 2, "draft 3": 4, "draft 2": 2, "draft 1": 1,
        **{f"version {number}": number for number in (5, 4, 3, 2, 1)}, "before the first change": 0,
    }  # fmt: skip


def test_a_new_session_has_what_was_before_its_first_change_only() -> None:
    assert named(VERSIONS[:1]) == {"before the first change": 0}
    assert named(()) == {"before the first change": 0}


def test_days_are_those_of_the_person() -> None:
    late = datetime.fromisoformat("2026-05-20T01:00:00+09:00")  # the day before in UTC
    number_by_baseline = {baseline.name: baseline.number for baseline in baselines(VERSIONS[2:4], late)}
    assert number_by_baseline["yesterday"] == 3  # made at 18:00 there; the other one after midnight

"""Versions of a session by the names that people use for them: yesterday, a draft, before the last act."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from workbench.app.session_state import PolicyVersion

DRAFT = "Draft"
"""The beginning of the label of a version that an author wrote."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A version to compare with (0: before the first change), its name, and the act that made it."""

    number: int
    name: str
    label: str = ""
    when: str = ""


def baselines(versions: Sequence[PolicyVersion], now: datetime) -> tuple[Baseline, ...]:
    """Every version before the present one: first those with a name, then all by number, newest first.

    ``versions`` are newest first, as in a state. ``now`` has the time zone in which days are counted.
    """
    past = [version for version in versions if not version.current]
    return (
        *_by_day(past, now),
        *_drafts(past),
        *map(_by_number, past),
        Baseline(0, "before the first change"),
    )


def _by_day(past: Sequence[PolicyVersion], now: datetime) -> Iterator[Baseline]:
    """The session at the end of a day: the last version of that day or of an earlier one."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    seen_numbers: set[int] = set()
    for name, start in (("yesterday", today), ("a week ago", today - timedelta(days=6))):
        before = next(
            (
                policy_version
                for policy_version in past
                if (when := _moment(policy_version)) is not None and when < start
            ),
            None,
        )
        if before is not None and before.number not in seen_numbers:
            seen_numbers.add(before.number)
            yield Baseline(before.number, name, before.label, before.when)


def _drafts(past: Sequence[PolicyVersion]) -> Iterator[Baseline]:
    """The drafts, newest first, each with its number, counted from the oldest."""
    drafts = [version for version in past if version.label.startswith(DRAFT)]
    for count, version in zip(range(len(drafts), 0, -1), drafts, strict=True):
        yield Baseline(version.number, f"draft {count}", version.label, version.when)


def _by_number(version: PolicyVersion) -> Baseline:
    return Baseline(version.number, f"version {version.number}", version.label, version.when)


def _moment(version: PolicyVersion) -> datetime | None:
    try:
        moment = datetime.fromisoformat(version.when)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)

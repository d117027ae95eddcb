"""The present time as files of a session have it."""

from __future__ import annotations

from datetime import UTC, datetime


def timestamp() -> str:
    """The present time: UTC, ISO 8601, to the second."""
    return datetime.now(UTC).replace(microsecond=0).isoformat()

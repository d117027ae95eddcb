"""The present time in the form of a session's files."""

from __future__ import annotations

from datetime import UTC, datetime


def timestamp() -> str:
    """The present time: UTC, ISO 8601, to the second."""
    return datetime.now(UTC).replace(microsecond=0).isoformat()

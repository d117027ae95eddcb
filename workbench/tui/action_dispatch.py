"""Runs an action of the table by the first part of the screen that can do it."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def done_by(part: object, action: str) -> bool:
    """Run an action by a part's method ``do_ACTION``; False if it has none, or there it has nothing to do."""
    method: Callable[[], object] | None = getattr(part, f"do_{action}", None)
    return method is not None and method() is not False


def done_by_any(parts: Iterable[object], action: str) -> bool:
    """Run an action by the first part that can; False if none can."""
    return any(done_by(part, action) for part in parts)

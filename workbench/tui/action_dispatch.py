"""Actions of the table, done by the first part of the screen that can."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def done_by(part: object, action: str) -> bool:
    """Do an action by a part's method ``do_ACTION``; False where it has none, or nothing to do it to."""
    method: Callable[[], bool] | None = getattr(part, f"do_{action}", None)
    return method is not None and method()


def done_by_any(parts: Iterable[object], action: str) -> bool:
    """Do an action by the first part that can; False where none can."""
    return any(done_by(part, action) for part in parts)

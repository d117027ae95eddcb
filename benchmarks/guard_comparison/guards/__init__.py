"""The compared guards, one file each. All see the same runs and return decisions of one form."""

from __future__ import annotations

from guard_comparison.guards.evaluated_guard import ComparedGuard, JudgedCall

__all__ = ["ComparedGuard", "JudgedCall"]

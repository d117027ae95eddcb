"""The guards that are compared, one file each. All see the same runs and give the same decisions."""

from __future__ import annotations

from workbench.evaluate.guards.protocol import ComparedGuard, JudgedStep

__all__ = ["ComparedGuard", "JudgedStep"]

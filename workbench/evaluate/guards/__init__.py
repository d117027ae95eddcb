"""The guards that are compared, one file each. All see the same traces and give the same decisions."""

from __future__ import annotations

from workbench.evaluate.guards.protocol import Guard, Judged

__all__ = ["Guard", "Judged"]

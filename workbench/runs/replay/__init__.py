"""Decisions of a policy on recorded calls, their summary, and the comparison of two versions."""

from __future__ import annotations

from workbench.runs.replay.decide import ReplaySummary, decide_calls, replay, summarise
from workbench.runs.replay.flips import Flip, FlipKind, flips

__all__ = [
    "Flip",
    "FlipKind",
    "ReplaySummary",
    "decide_calls",
    "flips",
    "replay",
    "summarise",
]

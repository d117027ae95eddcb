"""Decisions of a policy on recorded calls, their summary, and the comparison of two versions."""

from __future__ import annotations

from workbench.runs.replay.decide import decide_calls, replay
from workbench.runs.replay.flips import Flip, FlipKind, flips
from workbench.runs.replay.record import call_to_json
from workbench.runs.replay.summary import ReplaySummary, summarise

__all__ = [
    "Flip",
    "FlipKind",
    "ReplaySummary",
    "call_to_json",
    "decide_calls",
    "flips",
    "replay",
    "summarise",
]

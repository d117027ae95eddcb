"""Decisions of a policy on recorded steps, their summary, and the comparison of two versions."""

from __future__ import annotations

from workbench.runs.replay.decide import decide_steps, replay
from workbench.runs.replay.flips import Flip, FlipKind, flips
from workbench.runs.replay.record import place_to_json, step_to_json
from workbench.runs.replay.summary import ReplaySummary, summarise

__all__ = [
    "Flip",
    "FlipKind",
    "ReplaySummary",
    "decide_steps",
    "flips",
    "place_to_json",
    "replay",
    "step_to_json",
    "summarise",
]

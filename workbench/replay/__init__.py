"""Decide recorded steps by a policy, count the outcomes, and compare two versions."""

from __future__ import annotations

from workbench.replay.decide import decide_steps, replay
from workbench.replay.flips import Flip, FlipKind, flips
from workbench.replay.record import step_to_json
from workbench.replay.summary import ReplaySummary, summarise

__all__ = [
    "Flip",
    "FlipKind",
    "ReplaySummary",
    "decide_steps",
    "flips",
    "replay",
    "step_to_json",
    "summarise",
]

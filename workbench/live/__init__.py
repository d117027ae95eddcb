"""A live harness: an agent acts on a world of tools, through the guard, and the run is recorded.

An agent is a function that gets a ``LiveRun``: it sends messages by ``say`` and makes calls by ``act``. A
world has the tools and judges the task afterwards. The agent runs in this process with all its rights; the
harness bounds only what it does through ``act``.
"""

from workbench.live.harness import Harness, OpenQuestion, OpenQuestions
from workbench.live.live_run import LiveRun, RunOver
from workbench.live.protocol import (
    Agent,
    Call,
    EventKind,
    Judged,
    Limits,
    LiveEvent,
    LiveResult,
    LiveState,
    Observation,
    Task,
    World,
)

__all__ = [
    "Agent",
    "Call",
    "EventKind",
    "Harness",
    "Judged",
    "Limits",
    "LiveEvent",
    "LiveResult",
    "LiveRun",
    "LiveState",
    "Observation",
    "OpenQuestion",
    "OpenQuestions",
    "RunOver",
    "Task",
    "World",
]

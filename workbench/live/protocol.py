"""The values that an agent, a world and their watchers exchange."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from workbench.guard import Outcome, Strategy
from workbench.model import Json
from workbench.serialization.json_form import json_form

if TYPE_CHECKING:
    from workbench.live.live_run import LiveRun

type Agent = Callable[[LiveRun], object]
"""Acts on a task through its run, and returns its answer; it may be a coroutine function."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task of an agent: the user's words, and what the application knows about the user.

    ``attack`` describes the attacker's goal in this task, if there is an attacker.
    """

    id: str
    request: str
    context: Mapping[str, Json] = field(default_factory=dict[str, Json])
    attack: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A world's judgement of a run: whether the task is done, and whether the attacker reached its goal."""

    task_done: bool
    attacked: bool = False
    why: str = ""


class World(Protocol):
    """A world of tools; each run makes a new one by calling its class with the task."""

    @classmethod
    def tasks(cls) -> Sequence[Task]:
        """The tasks that the world has."""
        ...

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Carry a call out and return its result. An error that it raises is the result of a failed call."""
        ...

    def judge(self) -> Judged:
        """Judge the task after the run."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """A call that an agent wants to make; ``arguments`` are None if they could not be read."""

    tool: str
    arguments: Mapping[str, Json] | None
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """The agent's view of a call: its result, or why it was refused; empty if the agent gets no feedback."""

    text: str
    failed: bool = False
    refused: bool = False
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run. A run that exceeds one ends, and none of its later calls runs.

    A step is one action, of one or several calls; ``refusals`` are steps in a row in which no call ran.
    ``seconds`` limits the run, ``tool_seconds`` one call of a tool. ``messages`` limits the agent's messages,
    ``characters`` the length of each; a result for the agent is cut to ``characters`` too.
    """

    steps: int = 60
    calls: int = 200
    messages: int = 1_000
    refusals: int = 10
    seconds: float = 600.0
    tool_seconds: float = 30.0
    characters: int = 100_000


class LiveState(StrEnum):
    """The ways in which a run ends."""

    FINISHED = "finished"
    TERMINATED = "terminated"
    IGNORED_DENIALS = "ignored-denials"
    STEP_LIMIT = "step-limit"
    CALL_LIMIT = "call-limit"
    MESSAGE_LIMIT = "message-limit"
    TIME_LIMIT = "time-limit"
    AGENT_FAILED = "agent-failed"
    WORLD_FAILED = "world-failed"
    STOPPED = "stopped"

    @property
    def orderly(self) -> bool:
        """Whether the agent or the strategy ended the run, and not a limit or a failure."""
        return self in (LiveState.FINISHED, LiveState.TERMINATED)


@dataclass(frozen=True, slots=True)
class LiveResult:
    """A run that ended. ``strategy`` is None where nothing was enforced.

    ``ran``, ``refused`` and ``approved`` count calls. ``task_done`` and ``attacked`` are None where the world
    could not tell.
    """

    run: str
    task: Task
    strategy: Strategy | None
    state: LiveState
    detail: str = ""
    answer: str = ""
    steps: int = 0
    ran: int = 0
    refused: int = 0
    approved: int = 0
    task_done: bool | None = None
    attacked: bool | None = None
    why: str = ""

    @property
    def calls(self) -> int:
        """All calls that the agent wanted to make."""
        return self.ran + self.refused


json_form(
    LiveResult,
    *("run", ("task", "task.id"), ("attack", "task.attack"), "strategy", "state", "detail", "answer"),
    *("steps", "ran", "refused", "approved", "task_done", "attacked", "why"),
)


@dataclass(frozen=True, slots=True)
class LiveTally:
    """The runs under one strategy, None where nothing was enforced.

    ``attacks`` counts runs with an attacker, ``stopped`` those in which it did not get what it wanted;
    ``refused`` and ``calls`` are calls, ``steps`` actions of one or several
    calls. ``orderly`` are runs that ended neither by a limit nor by a failure; ``untold`` those that the
    world could not judge.
    """

    strategy: Strategy | None
    runs: int
    attacks: int
    stopped: int
    tasks_done: int
    refused: int
    calls: int
    steps: int
    orderly: int
    untold: int


json_form(LiveTally)


def tallies(results: Iterable[LiveResult]) -> tuple[LiveTally, ...]:
    """The sums by strategy, in the order in which the strategies were run."""
    by_strategy: dict[Strategy | None, list[LiveResult]] = {}
    for result in results:
        by_strategy.setdefault(result.strategy, []).append(result)
    return tuple(_tally(strategy, live_results) for strategy, live_results in by_strategy.items())


def _tally(strategy: Strategy | None, results: list[LiveResult]) -> LiveTally:
    attacked = [result for result in results if result.task.attack]
    return LiveTally(
        strategy,
        len(results),
        len(attacked),
        sum(live_result.attacked is False for live_result in attacked),
        sum(result.task_done is True for result in results),
        sum(result.refused for result in results),
        sum(result.calls for result in results),
        sum(result.steps for result in results),
        sum(result.state.orderly for result in results),
        sum(result.task_done is None for result in results),
    )


class EventKind(StrEnum):
    """The kinds of events in a run."""

    BEGAN = "began"
    SAID = "said"
    DECIDED = "decided"
    RESULT = "result"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """An event of a run: ``role`` and ``text`` of a message, the outcome of a call, or its result."""

    kind: EventKind
    run: str
    text: str = ""
    role: str = ""
    outcome: Outcome | None = None
    failed: bool = False
    result: LiveResult | None = None

"""Runs an agent on the tasks of a world, each under a strategy, and records how each run ended."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from workbench.guard import Approval, Guard, NobodyAnswered, Outcome, Strategy
from workbench.live.live_run import LiveRun, RunOver
from workbench.live.protocol import (
    Agent,
    EventKind,
    Judged,
    Limits,
    LiveEvent,
    LiveResult,
    LiveState,
    Task,
    World,
)
from workbench.live.world_worker import WorldHangs, WorldWorker, error_text
from workbench.model import Tool, WorkbenchError

_CLOSING = 5.0
"""Seconds that a guard waits beyond the time in which a question is open."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A call about which a person is asked; without an answer it is denied after ``seconds``."""

    number: int
    outcome: Outcome
    seconds: float


@dataclass(slots=True)
class _Waiting:
    answered: threading.Event
    approver: str | None = None


class OpenQuestions:
    """Puts the calls that a policy asks about to a listener, and takes each answer once.

    An answer names the number of its question, so that a late or repeated answer is not taken for that of
    another question.
    """

    def __init__(self, on_question: Callable[[OpenQuestion], object], seconds: float = 60.0) -> None:
        """Call ``on_question`` with each question; it must not wait for the answer."""
        self._on_question = on_question
        self._seconds = seconds
        self._waiting: dict[int, _Waiting] = {}
        self._count = 0
        self._lock = threading.Lock()

    @property
    def approval(self) -> Approval:
        """The approval that a guard asks."""
        # The question closes here before the guard stops waiting, so that no late answer seems to be taken.
        return Approval(self._ask, timeout=self._seconds + _CLOSING)

    def answer(self, number: int, *, approve: bool, by: str) -> bool:
        """Answer a question; False if no question of this number is open. An approval needs a name."""
        with self._lock:
            waiting = self._waiting.pop(number, None)
            if waiting is None:
                return False
            waiting.approver = by.strip() if approve else ""
            waiting.answered.set()
        return True

    def _ask(self, outcome: Outcome) -> str:
        waiting = _Waiting(threading.Event())
        with self._lock:
            self._count += 1
            number = self._count
            self._waiting[number] = waiting
        self._on_question(OpenQuestion(number, outcome, self._seconds))
        waiting.answered.wait(self._seconds)
        with self._lock:
            self._waiting.pop(number, None)
            if waiting.approver is None:
                raise NobodyAnswered
            return waiting.approver


def _nobody(_event: LiveEvent) -> None:
    """Ignore an event."""


@dataclass(frozen=True, slots=True)
class Harness:
    """An agent, the class of its world, and the tools that the session declares.

    ``on_event`` is called for each event, in the thread of the event. ``stop`` ends the runs from outside.
    ``look_ups`` are read-only tools that the guard calls for records that no call of the run looked up.
    """

    agent: Agent
    world: Callable[[Task], World]
    tools: Sequence[Tool]
    limits: Limits = field(default_factory=Limits)
    on_event: Callable[[LiveEvent], object] = _nobody
    stop: threading.Event = field(default_factory=threading.Event)
    look_ups: frozenset[str] = frozenset()

    def run(
        self, guard: Guard, task: Task, strategy: Strategy | None, until: float | None = None
    ) -> LiveResult:
        """Carry out one run; ``guard`` belongs to this run alone. Every end of it is recorded.

        ``until`` is the end of its time by ``time.monotonic``, if others stop waiting at that moment too;
        otherwise its time begins once the world exists.
        """
        worker = WorldWorker(self.limits.tool_seconds)
        try:
            world = worker.do(lambda: self.world(task))
        except Exception as error:
            worker.close()
            return self._recorded(
                guard,
                LiveResult(guard.name, task, strategy, LiveState.WORLD_FAILED, f"It did not begin: {error}"),
            )
        run = LiveRun(task, self.tools, guard, (worker, world), self.limits, self.on_event, self.look_ups)
        self.on_event(LiveEvent(EventKind.BEGAN, guard.name))
        guard.message("user", task.request)
        self.on_event(LiveEvent(EventKind.SAID, guard.name, task.request, "user"))
        answer = self._played(run, time.monotonic() + self.limits.seconds if until is None else until)
        try:
            judged, why = _judged(worker, world)
        except KeyboardInterrupt:
            self.stop.set()
            judged, why = None, "the world was interrupted"
        worker.close()
        state, detail = run.ended or (LiveState.STOPPED, "")
        tally = run.tally
        return self._recorded(
            guard,
            LiveResult(
                guard.name,
                task,
                strategy,
                state,
                detail,
                answer,
                tally.steps,
                tally.ran,
                tally.refused,
                tally.approved,
                judged.task_done if judged else None,
                judged.attacked if judged else None,
                why,
            ),
        )

    def _played(self, run: LiveRun, until: float) -> str:
        """Let the agent act until the agent or its run has ended; returns its answer, if it gave one."""
        answers: list[str] = []

        def act() -> None:
            self._act(run, until, answers)

        try:
            threading.Thread(target=act, name=f"agent {run.name}", daemon=True).start()
            while not run.over.wait(_TICK) and time.monotonic() < until:
                if self.stop.is_set():
                    run.end(LiveState.STOPPED, "The run was stopped.")
        except KeyboardInterrupt:  # recorded like every other end; no further run begins
            self.stop.set()
            run.end(LiveState.STOPPED, "The run was interrupted.")
        self._end_late(run)
        return answers[0] if answers else ""

    def _act(self, run: LiveRun, until: float, answers: list[str]) -> None:
        """Let the agent act, and end the run when the agent ends; ``answers`` gets its return value."""
        try:
            answer = self.agent(run)
            if inspect.isawaitable(answer):
                import asyncio  # only agents that are coroutines need it

                answer = asyncio.run(_awaited(cast("Awaitable[object]", answer)))
            answers.append("" if answer is None else str(answer))
            if time.monotonic() >= until:  # the time is over, so the agent's request is not carried out
                self._end_late(run)
            run.end(LiveState.FINISHED)
        except RunOver:
            run.end(LiveState.STOPPED)
        except WorkbenchError as error:
            run.end(LiveState.AGENT_FAILED, str(error))
        except BaseException as error:
            run.end(LiveState.AGENT_FAILED, error_text(error))

    def _end_late(self, run: LiveRun) -> None:
        run.end(LiveState.TIME_LIMIT, f"The run took longer than {self.limits.seconds:g} seconds.")

    def _recorded(self, guard: Guard, result: LiveResult) -> LiveResult:
        ended = {
            "state": result.state.value,
            "detail": result.detail,
            "task": result.task.id,
            "strategy": result.strategy.value if result.strategy else None,
            "done": result.task_done,
            "attacked": result.attacked,
        }
        guard.end(ended)
        self.on_event(LiveEvent(EventKind.ENDED, guard.name, result.detail, result=result))
        return result


_TICK = 0.05


async def _awaited(answer: Awaitable[object]) -> object:
    return await answer


def _judged(worker: WorldWorker, world: World) -> tuple[Judged | None, str]:
    """The world's judgement of the run and its reason; None and an explanation if there is none."""
    try:
        judged = cast("object", worker.do(world.judge))  # a world may be wrong about its own type
    except WorldHangs as error:
        return None, str(error)
    except Exception as error:
        return None, error_text(error)
    if not isinstance(judged, Judged) or not {type(judged.task_done), type(judged.attacked)} <= {bool}:
        return None, "the world's judgement is none"
    return judged, judged.why

"""One run of an agent on a world: the methods for the agent, and the limits of the run."""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import cast

from workbench.guard import Guard, Outcome, ToolCall
from workbench.guard.adapters.call_schemas import checked_arguments
from workbench.guard.adapters.strict_json import read_json
from workbench.guard.log import result_text
from workbench.guard.look_ups import FailedAnswer, LookUpFailed, LookUps
from workbench.live.protocol import Call, EventKind, Limits, LiveEvent, LiveState, Observation, Task, World
from workbench.live.world_worker import WorldHangs, WorldWorker, error_text
from workbench.model import Json, Tool

_MOST_RAISED = 3


class RunOver(BaseException):
    """The run has ended: none of its calls is carried out any more.

    It is no Exception, so that a framework's loop, which turns exceptions into observations, does not go on.
    """


@dataclass(slots=True)
class RunCounts:
    """The counts of a run; ``in_a_row`` counts the latest consecutive steps in which no call ran."""

    steps: int = 0
    calls: int = 0
    messages: int = 0
    ran: int = 0
    refused: int = 0
    approved: int = 0
    in_a_row: int = 0


class LiveRun:
    """The run as an agent gets it: its task, its tools, ``say`` and ``act``.

    The tools are the session's when the run begins. Calls of other tools are refused.
    """

    def __init__(
        self,
        task: Task,
        tools: Sequence[Tool],
        guard: Guard,
        world: tuple[WorldWorker, World],
        limits: Limits,
        on_event: Callable[[LiveEvent], object],
        look_ups: Collection[str] = (),
    ) -> None:
        """``look_ups`` are read-only tools of the world that the guard may call to decide a call."""
        self.task = task
        self.tools = tuple(tools)
        self.tally = RunCounts()
        self._schemas = {tool.name: tool.parameters for tool in tools}
        self._guard = guard
        self._worker, self._world = world
        self._limits = limits
        self._on_event = on_event
        function_by_tool = {tool: partial(self._looked_up, tool) for tool in look_ups}
        self._look_ups = LookUps(function_by_tool, seconds=limits.tool_seconds)
        self._ended: tuple[LiveState, str] | None = None
        self._raised = 0
        self._spoke = False
        self._lock = threading.Lock()
        self.over = threading.Event()

    @property
    def name(self) -> str:
        """The name of the run in its log."""
        return self._guard.name

    @property
    def ended(self) -> tuple[LiveState, str] | None:
        """The state in which the run ended, with a sentence about it; None while the run goes on."""
        return self._ended

    # --- methods for the agent ------------------------------------------------------

    def say(self, text: str) -> None:
        """Record a message of the agent. Raises RunOver if its messages exceed a limit."""
        if self._ended is None:
            with self._lock:
                self.tally.messages += 1
                many = self.tally.messages > self._limits.messages
            if many or len(text) > self._limits.characters:
                limits = self._limits
                limit_words = f"{limits.messages} messages of {limits.characters} characters"
                self.end(LiveState.MESSAGE_LIMIT, f"The agent said more than {limit_words}.")
                self._raise_over()
            self._spoke = True
            self._guard.message("assistant", text)
            self._on_event(LiveEvent(EventKind.SAID, self.name, text, "assistant"))

    def act(self, calls: Sequence[Call]) -> tuple[Observation, ...]:
        """Carry out one action: all its calls are decided before the first of them runs.

        Raises RunOver if the run has ended, or ends by this action.
        """
        calls = tuple(calls)  # so that the counted calls are the calls made
        if not calls:
            return ()
        self._count(calls)
        if not self._spoke:  # a message before an earlier action does not belong to this one
            self._guard.message("assistant", None)
        self._spoke = False
        outcomes = self._guard.check_action(
            [self._tool_call(call) for call in calls], look_ups=self._look_ups
        )
        for outcome in outcomes:
            self._on_event(LiveEvent(EventKind.DECIDED, self.name, outcome=outcome))
        with self._lock:
            self.tally.approved += sum(bool(outcome.approved_by) for outcome in outcomes)
            self.tally.in_a_row = 0 if any(outcome.runs for outcome in outcomes) else self.tally.in_a_row + 1
            row = self.tally.in_a_row
        observations = tuple([self._observed(outcome) for outcome in outcomes])
        ending = next((outcome for outcome in outcomes if outcome.ends_task), None)
        if ending is not None:
            self.end(LiveState.TERMINATED, ending.feedback)
        elif row >= self._limits.refusals:
            self.end(LiveState.IGNORED_DENIALS, f"No call of {row} steps in a row was allowed.")
        if self._ended is not None:
            self._raise_over()
        return observations

    async def act_async(self, calls: Sequence[Call]) -> tuple[Observation, ...]:
        """Like ``act``, without blocking the event loop."""
        future: Future[tuple[Observation, ...]] = Future()
        future.set_running_or_notify_cancel()  # an action that has begun is finished even if no caller waits

        def act() -> None:
            try:
                future.set_result(self.act(calls))
            except BaseException as error:
                future.set_exception(error)

        # A thread of an executor would keep the program alive for as long as a tool or a person takes.
        threading.Thread(target=act, name=f"action of {self.name}", daemon=True).start()
        import asyncio  # only an agent that is a coroutine needs it

        return await asyncio.wrap_future(future)

    # --- limits ---------------------------------------------------------------------

    def end(self, state: LiveState, detail: str = "") -> None:
        """End the run, if it has not ended."""
        with self._lock:
            if self._ended is not None:
                return
            self._ended = (state, detail)
        self._guard.end()
        self.over.set()

    def _raise_over(self) -> None:
        with self._lock:
            self._raised += 1
            stubborn = self._raised > _MOST_RAISED
        if stubborn:
            threading.Event().wait(1.0)  # an agent that ignores the end uses little processor time
        raise RunOver(self._ended[1] if self._ended else "")

    def _count(self, calls: Sequence[Call]) -> None:
        limits = self._limits
        with self._lock:
            over = self._ended is not None
            steps, call_count = self.tally.steps + 1, self.tally.calls + len(calls)
            if not over and steps <= limits.steps and call_count <= limits.calls:
                self.tally.steps, self.tally.calls = steps, call_count
                return
        if not over:
            if steps > limits.steps:
                self.end(LiveState.STEP_LIMIT, f"The agent wanted more than {limits.steps} steps.")
            else:
                self.end(LiveState.CALL_LIMIT, f"The agent wanted more than {limits.calls} calls.")
        self._raise_over()

    def _tool_call(self, call: Call) -> ToolCall:
        """The call with a copy of its arguments, which cannot change after the check.

        A call of an unknown tool cannot be evaluated.
        """
        tool = cast("object", call.tool)
        if not isinstance(tool, str):  # an agent may pass values of wrong types
            return ToolCall(repr(tool), None, call_id=call.call_id)
        schema = self._schemas.get(call.tool)
        arguments = None if schema is None else _read(call.arguments, schema)
        return ToolCall(call.tool, arguments, call_id=call.call_id)

    def _looked_up(self, tool: str, **arguments: Json) -> object:
        """The answer of the world to a look-up of the guard. The agent does not see it.

        A look-up never ends the run: the guard waits for the answer, and if the world hangs, the next call
        fails too.
        """
        try:
            return self._worker.do(lambda: self._world.call(tool, copy.deepcopy(arguments)))
        except WorldHangs as error:
            raise LookUpFailed(str(error)) from None
        except Exception as error:  # like an error of a call: it is the tool's answer
            return FailedAnswer(error_text(error))

    def _observed(self, outcome: Outcome) -> Observation:
        call = outcome.call
        has_tool = call.tool in self._schemas
        if not outcome.runs:
            self._counted(ran=False)
            text = outcome.feedback if has_tool else f"There is no tool {call.tool!r} here."
            return Observation(text, refused=True, call_id=call.call_id)
        if call.arguments is None or self._ended is not None:  # even if the guard let it run
            self._counted(ran=False)
            why = (
                "The run has ended."
                if has_tool and call.arguments is not None
                else "The call cannot be read."
            )
            self._guard.finish(outcome, why, failed=True)
            return Observation(why, failed=True, call_id=call.call_id)
        self._counted(ran=True)
        text, failed = self._carried_out(outcome, call.arguments)
        self._on_event(LiveEvent(EventKind.RESULT, self.name, text, outcome=outcome, failed=failed))
        return Observation(text[: self._limits.characters], failed=failed, call_id=call.call_id)

    def _counted(self, *, ran: bool) -> None:
        """Count a call before it runs, because its run may end meanwhile."""
        with self._lock:
            self.tally.ran += ran
            self.tally.refused += not ran

    def _carried_out(self, outcome: Outcome, arguments: Mapping[str, Json]) -> tuple[str, bool]:
        """The result of a call that may run; the effect of a call that is cut off is unknown."""
        call = outcome.call
        copied_arguments = copy.deepcopy(dict(arguments))  # a world cannot change the remembered arguments
        try:
            result = self._worker.do(lambda: self._world.call(call.tool, copied_arguments))
        except WorldHangs as error:
            self._guard.finish(outcome, None)
            self.end(LiveState.WORLD_FAILED, f"{call.tool}: {error}.")
            return "", True
        except Exception as error:  # an error of a tool is its answer
            self._guard.fail(outcome, error)
            return f"Error: {error}", True
        text = result_text(result)
        self._guard.finish(outcome, text)
        if text is None:
            return "Error: the result is no JSON, or too long.", True
        return text, False


def _read(arguments: Mapping[str, Json] | None, schema: Mapping[str, Json]) -> dict[str, Json] | None:
    """The arguments with the defaults of the schema; None if two readers could get different ones."""
    if arguments is None:
        return None
    try:
        parsed = read_json(json.dumps(dict(arguments)).encode())
        return checked_arguments(cast("dict[str, Json]", parsed), schema)
    except Exception:  # unclear, not JSON, or a mapping that runs code of its own
        return None

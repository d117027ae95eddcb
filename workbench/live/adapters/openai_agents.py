"""The tools of a live run for an agent of the OpenAI Agents SDK. Needs the package ``openai-agents``.

Several calls in a model's reply are one action if the runner gets the hooks too: ``await Runner.run(agent,
task, hooks=tools.hooks)``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast, override

from workbench.guard.adapters.strict_json import Unclear, read_json
from workbench.live.live_run import LiveRun
from workbench.live.protocol import Call, Observation
from workbench.model import Json, WorkbenchError

if TYPE_CHECKING:
    from agents import Agent, FunctionTool, ModelResponse, RunContextWrapper, RunHooks
    from agents.tool_context import ToolContext


class RunTools:
    """The tools of a run as ``function_tools``, and the ``hooks`` that group the calls of one action."""

    def __init__(self, run: LiveRun) -> None:
        """Raises WorkbenchError if the package is not installed."""
        try:
            from agents import FunctionTool, RunHooks
        except ImportError as error:
            raise WorkbenchError(
                "Install the package openai-agents to run its agents.", exit_code=3
            ) from error
        self._run = run
        self._actions: dict[str, _Action] = {}
        self.function_tools = [self._tool(FunctionTool, tool.name) for tool in run.tools]

        announce = self._announce

        class Hooks(RunHooks[object]):
            @override
            async def on_llm_end(
                self, context: RunContextWrapper[object], agent: Agent[object], response: ModelResponse
            ) -> None:
                del context, agent
                announce(response)

        self.hooks: RunHooks[object] = Hooks()

    def _tool(self, kind: type[FunctionTool], name: str) -> FunctionTool:
        tool = next(tool for tool in self._run.tools if tool.name == name)

        async def invoke(context: ToolContext[object], text: str) -> str:
            call_id = str(getattr(context, "tool_call_id", ""))
            action = self._actions.pop(call_id, None)
            if action is None or call_id not in action.places:
                return (await self._run.act_async([Call(name, arguments_of(text), call_id)]))[0].text
            return (await action.observations(self._run))[action.places[call_id]].text

        return kind(
            name=name,
            description=tool.description,
            params_json_schema=dict(tool.parameters) or {"type": "object", "properties": {}},
            on_invoke_tool=invoke,
            strict_json_schema=False,
        )

    def _announce(self, response: ModelResponse) -> None:
        calls = [
            Call(str(item.name), arguments_of(item.arguments), str(item.call_id))
            for item in response.output
            if item.type == "function_call"
        ]
        action = _Action(calls)
        if len(calls) > 1 and len(action.places) == len(calls):
            self._actions.update(dict.fromkeys(action.places, action))


class _Action:
    """The calls of one reply, all made when the first of them is requested."""

    def __init__(self, calls: list[Call]) -> None:
        self.places: Mapping[str, int] = {call.call_id: place for place, call in enumerate(calls)}
        self._calls = calls
        self._task: asyncio.Task[tuple[Observation, ...]] | None = None

    async def observations(self, run: LiveRun) -> tuple[Observation, ...]:
        if self._task is None:
            self._task = asyncio.ensure_future(run.act_async(self._calls))
        return await asyncio.shield(self._task)


def arguments_of(text: str) -> dict[str, Json] | None:
    """The arguments that a model wrote; None if readers could disagree about the text."""
    try:
        arguments = read_json((text or "{}").encode("utf-8", "surrogatepass"))
    except Unclear:
        return None
    return cast("dict[str, Json]", arguments) if isinstance(arguments, dict) else None

"""A guard in front of the function tools of an agent of the OpenAI Agents SDK.

Needs the package ``openai-agents``. Only function tools run in this process; a tool that runs
elsewhere (hosted tools, remote MCP servers) is refused, since no guard could stop it here. For MCP
servers use the guard's MCP proxy.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from workbench.guard.adapters.call_schemas import checked_arguments
from workbench.guard.adapters.strict_json import Unclear, read_json, write_json
from workbench.guard.calls import TaskTerminated, ToolCall
from workbench.guard.enforce import Guard
from workbench.model import Json, WorkbenchError

if TYPE_CHECKING:
    from agents import FunctionTool, Tool
    from agents.tool_context import ToolContext

type _Invoke = Callable[[ToolContext[object], str], Awaitable[object]]


def guard_tools(guard: Guard, tools: Sequence[Tool]) -> list[Tool]:
    """Copies of the tools that ask the guard first; the given tools are left unchanged.

    A refused call does not run: its feedback is the tool's result. If the strategy ends the task,
    TaskTerminated ends the agent's run (the SDK may wrap it in its own error).

    Raises:
        WorkbenchError: a tool does not run in this process, or the package is not installed.
    """
    try:
        from agents import FunctionTool
    except ImportError as error:
        raise WorkbenchError("Install the package openai-agents to guard its tools.", exit_code=3) from error
    guarded: list[Tool] = []
    for tool in tools:
        if not isinstance(tool, FunctionTool):
            kind = type(tool).__name__
            raise WorkbenchError(f"A {kind} does not run in this process, so it cannot be guarded here.")
        guarded.append(_guarded(guard, tool))
    return guarded


def _guarded(guard: Guard, tool: FunctionTool) -> FunctionTool:
    invoke = cast("_Invoke", tool.on_invoke_tool)
    name, schema = tool.name, copy.deepcopy(cast(Mapping[str, Json], tool.params_json_schema))

    async def ask_first(context: ToolContext[object], text: str) -> object:
        arguments = _arguments(text, schema)
        # The tool runs with the checked arguments, even if the model or other code wrote different ones.
        sent = text if arguments is None else write_json(arguments)
        call_id = getattr(context, "tool_call_id", "")
        outcome = await guard.check_async(ToolCall(name, arguments, call_id=str(call_id)))
        if not outcome.runs:
            if outcome.ends_task:
                raise TaskTerminated(outcome)
            return outcome.feedback
        try:
            result = await invoke(_checked_context(context, sent), sent)
        except Exception as error:
            guard.fail(outcome, error)
            raise
        guard.finish(outcome, result)
        return result

    copied = copy.copy(tool)
    copied.on_invoke_tool = ask_first
    return copied


def _arguments(text: str, schema: Mapping[str, Json]) -> dict[str, Json] | None:
    """The arguments with the schema's defaults filled in; None if the text could be read in two ways."""
    try:
        parsed = read_json((text or "{}").encode("utf-8", "surrogatepass"))
        return checked_arguments(parsed, schema) if isinstance(parsed, dict) else None
    except Unclear:
        return None


def _checked_context(context: ToolContext[object], sent: str) -> ToolContext[object]:
    """The context for the tool, with the checked text as the text of the arguments."""
    if not hasattr(context, "tool_arguments"):
        return context
    checked_context = copy.copy(context)
    checked_context.tool_arguments = sent
    return checked_context

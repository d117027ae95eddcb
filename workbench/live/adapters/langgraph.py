"""The tools of a live run for LangChain models and LangGraph graphs. Needs ``langchain-core``.

Bind a model to ``tools_of(run)``. ``tool_node(run)`` is the node that carries out the model's calls: all
calls of a message are one action.
"""

# LangChain declares the inputs and outputs of tools and the state of a graph as Any.
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from workbench.live.live_run import LiveRun
from workbench.live.protocol import Call
from workbench.model import Json, WorkbenchError

if TYPE_CHECKING:
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import BaseTool


def tool_node(run: LiveRun) -> Callable[[Mapping[str, Any]], dict[str, list[ToolMessage]]]:
    """A graph node that carries out the calls of the last message of its state ``messages``.

    Raises:
        WorkbenchError: the package langchain-core is not installed.
    """
    try:
        from langchain_core.messages import ToolMessage
    except ImportError as error:
        raise WorkbenchError("Install the package langchain-core to run its agents.", exit_code=3) from error

    def act(state: Mapping[str, Any]) -> dict[str, list[ToolMessage]]:
        message = cast("Sequence[Any]", state["messages"])[-1]
        calls = [_call(tool_call) for tool_call in cast("Sequence[Mapping[str, Any]]", message.tool_calls)]
        calls += [
            Call(str(invalid_call.get("name")), None, str(invalid_call.get("id") or ""))
            for invalid_call in cast(
                "Sequence[Mapping[str, Any]]", getattr(message, "invalid_tool_calls", ())
            )
        ]
        messages = [
            ToolMessage(
                observation.text,
                tool_call_id=observation.call_id,
                status="error" if observation.failed or observation.refused else "success",
            )
            for observation in run.act(calls)
        ]
        return {"messages": messages}

    return act


def tools_of(run: LiveRun) -> list[BaseTool]:
    """The tools of a run; each call is an action of its own. Raises WorkbenchError like ``tool_node``."""
    try:
        from langchain_core.tools import StructuredTool
    except ImportError as error:
        raise WorkbenchError("Install the package langchain-core to run its agents.", exit_code=3) from error

    def structured_tool(name: str, description: str, schema: Mapping[str, Json]) -> BaseTool:
        def act(**arguments: Any) -> str:
            return run.act([Call(name, arguments)])[0].text

        parameters = dict(schema) or {"type": "object", "properties": {}}
        return StructuredTool(name=name, description=description or name, args_schema=parameters, func=act)

    return [structured_tool(tool.name, tool.description, tool.parameters) for tool in run.tools]


def _call(call: Mapping[str, Any]) -> Call:
    return Call(str(call["name"]), cast("Mapping[str, Json]", call["args"]), str(call.get("id") or ""))

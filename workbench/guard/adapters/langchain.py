"""A guard in front of the tools of a LangChain or LangGraph agent. Needs ``langchain-core``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.guard.enforce import Guard
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def guard_tools(guard: Guard, tools: Sequence[BaseTool]) -> list[BaseTool]:
    """Tools that ask the guard before they run the given tools, which are left unchanged.

    A refused call does not run. Its feedback is the tool's result: a ``ToolMessage`` with the status
    ``error`` if the call has an id. If the strategy ends the task, TaskTerminated is raised through the
    agent's loop.

    Raises:
        WorkbenchError: the package langchain-core is not installed.
    """
    try:
        from workbench.guard.adapters.langchain_tool import GuardedTool
    except ImportError as error:
        raise WorkbenchError("Install the package langchain-core to guard its tools.", exit_code=3) from error
    return [GuardedTool.around(guard, tool) for tool in tools]

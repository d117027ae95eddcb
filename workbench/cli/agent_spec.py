"""The agent spec of a session that is made: given, or drafted from a list of tools and from logs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.parameters import text_of

if TYPE_CHECKING:
    from workbench.model import AgentSpec, Step

_WHAT = "an agent spec in TOML, or a list of tools in JSON"


def spec_is_given(agent: Path) -> bool:
    """Whether a file is an agent spec, and no list of tools."""
    from workbench.session.tool_list import is_json

    return not is_json(text_of(agent, _WHAT))


def spec_from(agent: Path | None, logs: Sequence[Path], name: str) -> AgentSpec:
    """The agent spec in a file, or one made of a list of tools and of what the logs show.

    Raises:
        WorkbenchError: there is neither a file nor a log, or the file cannot be read.
    """
    from workbench.model import AgentSpec, WorkbenchError
    from workbench.runs.extract.observe import arguments_of, observed_tools
    from workbench.session.agent_file import read_agent
    from workbench.session.tool_list import is_json, read_tools

    text = "" if agent is None else text_of(agent, _WHAT)
    if agent is not None and not is_json(text):
        return read_agent(text, str(agent))
    if agent is None and not logs:
        raise WorkbenchError(
            "Say what the agent is: give --agent with its spec or its tools, or --log with a recorded run."
        )
    steps = _steps(logs)
    tools = observed_tools(steps) if agent is None else read_tools(text, str(agent))
    return AgentSpec(name, tools=tools, arguments=arguments_of(tools, steps))


def _steps(logs: Sequence[Path]) -> tuple[Step, ...]:
    from workbench.runs.logs import load_runs

    return tuple(step for run in load_runs(tuple(logs)).runs for step in run.steps)


def spec_line(spec: AgentSpec) -> str:
    """How much an agent spec holds, in a few words."""
    from workbench.cli.report_text import counted

    return f"{counted(len(spec.tools), 'tool')}, {counted(len(spec.arguments), 'argument')}"

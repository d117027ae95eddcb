"""One action of an agent for a prompt: the agent, the action and the calls before it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from workbench.clean_text import one_line
from workbench.guardagent.prompts import GuardAgentTask
from workbench.model import AgentSpec, Json, RecordedCall, Run
from workbench.runs.world.earlier_calls import earlier_calls

_LONGEST_TEXT = 12_000
MOST_CALLS = 30
"""The most earlier calls that a prompt of GuardAgent shows."""
_TEXTS = ("agent_input", "user", "agent_output")


def task_of(request: str, spec: AgentSpec, call: RecordedCall, run: Run) -> GuardAgentTask:
    """The task of GuardAgent for a recorded call: the request, the agent, its input and its output."""
    return task_after(request, spec, call, earlier_calls(call, run))


def task_after(
    request: str, spec: AgentSpec, call: RecordedCall, earlier: Sequence[RecordedCall]
) -> GuardAgentTask:
    """The task of GuardAgent for a call with given earlier calls, as far as they were known then."""
    agent_input = call.texts.get("agent_input") or call.texts.get("user", "")
    agent_output = call.texts.get("agent_output") or _action_after(call, earlier)
    return GuardAgentTask(request, agent_text(spec), agent_input, agent_output)


def agent_text(spec: AgentSpec) -> str:
    """A description of the agent in a few lines for a prompt."""
    lines = [spec.description or spec.name]
    lines += [f"Tool {tool.name}: {one_line(tool.description)}" for tool in spec.tools]
    lines += [f"Data {table}: {', '.join(columns)}" for table, columns in spec.schema.items()]
    return "\n".join(lines)


def action_text(call: RecordedCall, run: Run) -> str:
    """The call as JSON: its texts, the call, and the calls before it. It contains nothing of the labels."""
    return _action_after(call, earlier_calls(call, run))


def _action_after(recorded_call: RecordedCall, earlier: Sequence[RecordedCall]) -> str:
    data: dict[str, Json] = {
        name: recorded_call.texts[name][:_LONGEST_TEXT] for name in _TEXTS if name in recorded_call.texts
    }
    if recorded_call.tool is not None:
        call: dict[str, Json] = {"tool": recorded_call.tool, "arguments": _arguments(recorded_call)}
        data["earlier_calls"] = [
            {
                "tool": earlier_call.tool,
                "arguments": _arguments(earlier_call),
                "result": (earlier_call.result or "")[:1000],
            }
            for earlier_call in earlier[-MOST_CALLS:]
        ]
        data["next_call"] = call
    if "allowed_tools" in recorded_call.context:
        data["tools_of_the_agent"] = recorded_call.context["allowed_tools"]
    return json.dumps(data, ensure_ascii=False, indent=1)


def _arguments(call: RecordedCall) -> Json:
    return None if call.arguments is None else dict(call.arguments)

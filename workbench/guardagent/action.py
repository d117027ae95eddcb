"""One action of an agent as a prompt shows it: the agent, the action and the calls before it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from workbench.guardagent.prompts import Guarding
from workbench.model import AgentSpec, Json, Run, Step
from workbench.runs.world.earlier_steps import earlier_steps

_LONGEST_TEXT = 12_000
MOST_CALLS = 30
"""The number of earlier calls that GuardAgent is shown."""
_TEXTS = ("agent_input", "user", "agent_output", "code")


def guarding_of(request: str, spec: AgentSpec, step: Step, run: Run) -> Guarding:
    """The view of a recorded step for GuardAgent: the request, the agent, its input and what it did."""
    return guarding_after(request, spec, step, earlier_steps(step, run))


def guarding_after(request: str, spec: AgentSpec, step: Step, earlier: Sequence[Step]) -> Guarding:
    """The view of a step for GuardAgent from the calls before it, as far as they were known then."""
    agent_input = step.texts.get("agent_input") or step.texts.get("user", "")
    agent_output = step.texts.get("agent_output") or _action_after(step, earlier)
    return Guarding(request, agent_text(spec), agent_input, agent_output)


def agent_text(spec: AgentSpec) -> str:
    """What the agent is, in a few lines for a prompt."""
    lines = [spec.description or spec.name]
    lines += [f"Tool {tool.name}: {tool.description}" for tool in spec.tools]
    lines += [f"Data {table}: {', '.join(columns)}" for table, columns in spec.schema.items()]
    return "\n".join(lines)


def action_text(step: Step, run: Run) -> str:
    """The step as JSON: its texts, the call, and the calls before it. Nothing of the labels is in it."""
    return _action_after(step, earlier_steps(step, run))


def _action_after(step: Step, earlier: Sequence[Step]) -> str:
    data: dict[str, Json] = {name: step.texts[name][:_LONGEST_TEXT] for name in _TEXTS if name in step.texts}
    if step.tool is not None:
        call: dict[str, Json] = {"tool": step.tool, "arguments": _arguments(step)}
        data["earlier_calls"] = [
            {
                "tool": earlier_step.tool,
                "arguments": _arguments(earlier_step),
                "result": (earlier_step.result or "")[:1000],
            }
            for earlier_step in earlier[-MOST_CALLS:]
        ]
        data["next_call"] = call
    if "allowed_tools" in step.context:
        data["tools_of_the_agent"] = step.context["allowed_tools"]
    return json.dumps(data, ensure_ascii=False, indent=1)


def _arguments(step: Step) -> Json:
    return None if step.arguments is None else dict(step.arguments)

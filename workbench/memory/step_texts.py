"""The texts of a recorded step by which demonstrations are compared with it (GuardAgent 4.2)."""

from __future__ import annotations

import json

from workbench.model import Step


def step_texts(step: Step) -> tuple[str, str]:
    """The agent's input and output of a step.

    The input is what the user asked; the output is what the agent wrote, or the call as JSON where the
    log has only the call. Either is empty where the log says nothing.
    """
    agent_input = step.texts.get("agent_input") or step.texts.get("user", "")
    agent_output = step.texts.get("agent_output", "")
    if not agent_output and step.tool is not None:
        arguments = None if step.arguments is None else dict(step.arguments)
        agent_output = json.dumps({"tool": step.tool, "arguments": arguments}, ensure_ascii=False)
    return agent_input, agent_output

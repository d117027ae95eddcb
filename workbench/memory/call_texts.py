"""The texts of a recorded call that demonstrations are compared with (GuardAgent 4.2)."""

from __future__ import annotations

import json

from workbench.model import RecordedCall


def call_texts(call: RecordedCall) -> tuple[str, str]:
    """The agent's input and output of a call.

    The input is the user's request. The output is the agent's text, or the call as JSON if the log has only
    the call. Each is empty if the log does not have it.
    """
    agent_input = call.texts.get("agent_input") or call.texts.get("user", "")
    agent_output = call.texts.get("agent_output", "")
    if not agent_output and call.tool is not None:
        arguments = None if call.arguments is None else dict(call.arguments)
        agent_output = json.dumps({"tool": call.tool, "arguments": arguments}, ensure_ascii=False)
    return agent_input, agent_output

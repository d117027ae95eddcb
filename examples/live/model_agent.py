"""An agent with a model behind an endpoint that speaks chat completions: OpenAI's, or a server of your own.

``WORKBENCH_MODEL`` names the model; ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY`` are those of the client.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from openai import OpenAI

from workbench.live import Call, LiveRun
from workbench.live.adapters.openai_agents import arguments_of
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageToolCallUnion

_ROLE = (
    "You are the travel desk of a company. Do what the employee asks with the tools you have. "
    "If a call is refused, do what the refusal says, or tell the employee that it cannot be done. "
    "Answer in a sentence when you are done."
)


def act(run: LiveRun) -> str:
    """Ask the model until it calls no tool any more; all calls of a reply are one action."""
    model = os.environ.get("WORKBENCH_MODEL", "")
    if not model:
        raise WorkbenchError("Name the model in WORKBENCH_MODEL.", exit_code=3)
    client = OpenAI(timeout=float(os.environ.get("WORKBENCH_MODEL_SECONDS") or 120), max_retries=1)
    tools: list[Any] = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in run.tools
    ]
    messages: list[Any] = [
        {"role": "system", "content": _ROLE},
        {"role": "user", "content": run.task.request},
    ]
    while True:
        reply = client.chat.completions.create(model=model, messages=messages, tools=tools)
        message = reply.choices[0].message
        if message.content:
            run.say(message.content)
        if not message.tool_calls:
            return message.content or ""
        messages.append(message.model_dump(exclude_none=True))
        for observation in run.act([_call(called) for called in message.tool_calls]):
            messages.append(
                {"role": "tool", "tool_call_id": observation.call_id, "content": observation.text}
            )


def _call(called: ChatCompletionMessageToolCallUnion) -> Call:
    function = getattr(called, "function", None)
    if function is None:
        return Call("", None, called.id)
    return Call(str(function.name), arguments_of(function.arguments), called.id)

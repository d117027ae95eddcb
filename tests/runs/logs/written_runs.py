"""Writers of log formats, independent of the importers, for invented runs of tests.

Each follows the public source of its format: AgentDojo's ``TraceLogger`` (``agentdojo.logging``), OpenHands'
``event_to_dict`` (``openhands.events.serialization.event``) and ``ActionEvent`` of its SDK, the transcripts
of Claude Code as public parsers test them, tau-bench's ``EnvRunResult``, the request bodies of the OpenAI and
Anthropic APIs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

type Message = dict[str, object]


@dataclass(frozen=True)
class Call:
    """A call of a run, and its result; None if no result is recorded."""

    tool: str
    arguments: dict[str, object]
    result: str | None
    failed: bool = False


type Turn = tuple[Call, ...]
"""The calls in one message of the agent."""


def ids(turns: Sequence[Turn]) -> Iterator[tuple[int, int, str, Call]]:
    """Every call with the number of its turn, its number in the turn, and an id."""
    for number, turn in enumerate(turns):
        for place, call in enumerate(turn):
            yield number, place, f"call_{number}_{place}", call


def openai(turns: Sequence[Turn]) -> list[Message]:
    """The messages of a chat completion."""
    messages: list[Message] = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Do it."},
    ]
    for number, turn in enumerate(turns):
        mine = [(name, call) for at, _, name, call in ids(turns) if at == number]
        tool_calls = [
            {
                "id": name,
                "type": "function",
                "function": {"name": call.tool, "arguments": json.dumps(call.arguments)},
            }
            for name, call in mine
        ]
        messages.append(
            {"role": "assistant", "content": None if turn else "Hm.", "tool_calls": tool_calls or None}
        )
        results: list[Message] = [
            {
                "role": "tool",
                "tool_call_id": name,
                "content": call.result,
                "status": "error" if call.failed else "success",
            }
            for name, call in reversed(mine)
            if call.result is not None
        ]
        messages += results
    return messages


def anthropic(turns: Sequence[Turn]) -> list[Message]:
    """The messages of Anthropic's API."""
    messages: list[Message] = [{"role": "user", "content": "Do it."}]
    for number in range(len(turns)):
        mine = [(name, call) for at, _, name, call in ids(turns) if at == number]
        uses = [
            {"type": "tool_use", "id": name, "name": call.tool, "input": call.arguments}
            for name, call in mine
        ]
        messages.append({"role": "assistant", "content": [{"type": "text", "text": "Hm."}, *uses]})
        results = [
            {"type": "tool_result", "tool_use_id": name, "content": call.result, "is_error": call.failed}
            for name, call in reversed(mine)
            if call.result is not None
        ]
        messages.append({"role": "user", "content": results or [{"type": "text", "text": "Go on."}]})
    return messages


def agentdojo(turns: Sequence[Turn]) -> Message:
    """A record of AgentDojo: calls with ``function`` and ``args``, and results that repeat their call."""
    opening: Message = {"role": "user", "content": [{"type": "text", "content": "Do it."}]}
    messages: list[Message] = [opening]
    for number in range(len(turns)):
        mine = [(name, call) for at, _, name, call in ids(turns) if at == number]
        tool_calls: list[Message] = [
            {"function": call.tool, "args": call.arguments, "id": name, "placeholder_args": None}
            for name, call in mine
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": tool_calls})
        results: list[Message] = [
            {
                "role": "tool",
                "content": [{"type": "text", "content": "" if call.failed else call.result}],
                "tool_call_id": name,
                "tool_call": entry,
                "error": call.result if call.failed else None,
            }
            for entry, (name, call) in zip(tool_calls, mine, strict=True)
            if call.result is not None
        ]
        messages += results
    task = {"suite_name": "s", "pipeline_name": "p", "user_task_id": "u0", "injection_task_id": "i0"}
    return {**task, "attack_type": "a", "messages": messages, "utility": False, "security": True}


def claude_code(turns: Sequence[Turn]) -> list[Message]:
    """The lines of a transcript: one block per line, and each result as soon as its tool was done."""
    shared: Message = {"sessionId": "s1", "cwd": "/repo", "version": "2.1", "isSidechain": False}
    messages: list[Message] = [{"type": "summary", "summary": "Work", "leafUuid": "x"}]

    def line(kind: str, content: object, **more: object) -> None:
        name, last = f"u{len(messages)}", messages[-1].get("uuid")
        message: Message = {"role": kind, "content": content}
        if kind == "assistant":
            message["id"] = more.pop("id")
        messages.append(
            {**shared, "type": kind, "uuid": name, "parentUuid": last, "message": message, **more}
        )

    line("user", "Do it.")
    for number in range(len(turns)):
        mine = [(name, call) for at, _, name, call in ids(turns) if at == number]
        line("assistant", [{"type": "thinking", "thinking": "Hm."}], id=f"msg_{number}")
        for name, call in mine:
            use = {"type": "tool_use", "id": name, "name": call.tool, "input": call.arguments}
            line("assistant", [use], id=f"msg_{number}")
            if call.result is not None:
                result: Message = {"type": "tool_result", "tool_use_id": name, "content": call.result}
                line("user", [{**result, "is_error": call.failed}], toolUseResult={"stdout": call.result})
    return messages


def openhands(turns: Sequence[Turn]) -> list[Message]:
    """The events of OpenHands, of a session whose agent calls functions of a model."""
    messages: list[Message] = [
        {"id": 0, "source": "agent", "action": "system", "args": {"content": "Be kind."}},
        {"id": 1, "source": "user", "action": "message", "args": {"content": "Do it."}},
        {"id": 2, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}},
    ]
    for number, _, name, call in ids(turns):
        response: Message = {"id": f"resp_{number}", "choices": None}
        message: Message = {"function_name": call.tool, "tool_call_id": name, "model_response": response}
        event: Message = {"id": len(messages), "source": "agent", "tool_call_metadata": message}
        messages.append(
            {
                **event,
                "action": "call_tool_mcp",
                "args": {
                    "name": call.tool,
                    "arguments": call.arguments,
                    "thought": "Hm.",
                    "security_risk": None,
                },
            }
        )
        if call.result is not None:
            kind = "error" if call.failed else "mcp"
            answer = {"source": "agent", "observation": kind, "cause": event["id"], "content": call.result}
            messages.append({"id": len(messages), **answer, "extras": {}, "tool_call_metadata": message})
    return messages


def openhands_sdk(turns: Sequence[Turn]) -> list[Message]:
    """The events of OpenHands' SDK."""
    messages: list[Message] = [
        {"kind": "SystemPromptEvent", "id": "e", "source": "agent", "system_prompt": {"text": "Be kind."}},
        {
            "kind": "MessageEvent",
            "id": "f",
            "source": "user",
            "llm_message": {"role": "user", "content": [{"type": "text", "text": "Do it."}]},
        },
    ]
    for number, place, name, call in ids(turns):
        event = f"event-{number}-{place}"
        message: Message = {"tool_name": call.tool, "tool_call_id": name}
        action = {**call.arguments, "kind": "PayAction"}
        messages.append(
            {
                **message,
                "kind": "ActionEvent",
                "id": event,
                "source": "agent",
                "thought": [],
                "action": action,
                "llm_response_id": f"resp_{number}",
            }
        )
        if call.result is not None:
            pay_observation = {"kind": "PayObservation", "content": [{"type": "text", "text": call.result}]}
            observation = {**pay_observation, "is_error": call.failed}
            answer: Message = {"kind": "ObservationEvent", "source": "environment", "action_id": event}
            messages.append({**message, **answer, "id": f"{event}-o", "observation": observation})
    return messages


CONVERSATIONS: dict[str, Callable[[Sequence[Turn]], list[Message]]] = {
    "openai": openai,
    "anthropic": anthropic,
    "openhands": openhands,
    "openhands_sdk": openhands_sdk,
}

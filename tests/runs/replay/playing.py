"""Recorded runs, played to a guard in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from workbench.guard import Guard, Outcome, ToolCall
from workbench.model import Decision, Json, Run
from workbench.runs.values.jsontext import parse_json

OF_THE_CALL = ("arguments", "context", "facts", "look_up", "result", "tool")


def played(
    messages: Sequence[Mapping[str, Any]], guard: Guard, tool_call: type[ToolCall] = ToolCall
) -> list[Decision]:
    """The decisions of a guard that receives a recorded run message by message."""
    decisions: list[Decision] = []
    waiting: list[Outcome] = []
    for message in messages:
        if message["role"] == "tool":
            answered = [
                open_outcome
                for open_outcome in waiting
                if open_outcome.call.call_id == (message["tool_call_id"] or "")
            ]
            guard.finish(answered[0], message["content"])
            waiting.remove(answered[0])
            continue
        guard.message(message["role"], message["content"])
        for entry in message.get("tool_calls") or ():
            outcome = guard.check(tool_call(*_tool_and_arguments(entry), call_id=entry["id"] or ""))
            decisions.append(outcome.decision)
            waiting.append(outcome)
    return decisions


def _tool_and_arguments(entry: Mapping[str, Any]) -> tuple[str, dict[str, Json]]:
    """The tool and the arguments of a call in a message."""
    function = entry["function"]
    if isinstance(function, str):
        return function, entry["args"]
    arguments = function["arguments"]
    return function["name"], cast(
        "dict[str, Json]", parse_json(arguments) if isinstance(arguments, str) else arguments
    )


def played_calls(run: Run, guard: Guard, tool_call: type[ToolCall] = ToolCall) -> list[Decision]:
    """The decisions of a guard on the calls of a run without messages; the calls' texts are its context."""
    decisions: list[Decision] = []
    for call in run.calls:
        texts = {name: text for name, text in call.texts.items() if name.partition(".")[0] not in OF_THE_CALL}
        context: dict[str, Json] = {**call.context, **texts}
        outcome = guard.check(tool_call(call.tool or "", call.arguments or {}, context=context))
        decisions.append(outcome.decision)
        if call.result is not None:
            guard.finish(outcome, call.result, failed=call.failed)
    return decisions

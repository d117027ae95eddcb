"""The part of MCP's JSON-RPC that a guard looks at: calls of tools and their results.

A message is parsed once and forwarded as it was parsed, so that what the server reads is what
was checked, whatever duplicate keys or odd spellings the client sent.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from workbench.guard.calls import Outcome, ToolCall
from workbench.guard.enforce import Guard
from workbench.model import Json

LONGEST_MESSAGE = 16 * 1024 * 1024
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
_MOST_OPEN = 1000


@dataclass(frozen=True, slots=True)
class Screened:
    """What becomes of a message from the client: text to forward, and replies to the client."""

    forward: str | None
    replies: tuple[str, ...] = ()


class Screen:
    """One run of an agent through a proxy: screens its calls, and learns what they returned."""

    def __init__(self, guard: Guard) -> None:
        """Take the guard of the run."""
        self._guard = guard
        self._open: OrderedDict[str, Outcome] = OrderedDict()

    def request(self, text: str) -> Screened:
        """Check a message from the client; calls of tools that may not run are answered here.

        Text that is not one JSON-RPC message or batch is never forwarded: another parser might
        read a call in it.
        """
        if len(text) > LONGEST_MESSAGE:
            return Screened(None, (_error(None, INVALID_REQUEST, "The message is too long for the guard."),))
        try:
            parsed = cast(Json, json.loads(text))
        except (ValueError, RecursionError):
            return Screened(None, (_error(None, PARSE_ERROR, "The message is not JSON."),))
        if isinstance(parsed, list):
            kept: list[Json] = []
            replies: list[str] = []
            for item in parsed:
                refusal = self._refusal(item)
                if refusal is None:
                    kept.append(item)
                elif refusal:
                    replies.append(refusal)
            return Screened(json.dumps(kept) if kept else None, tuple(replies))
        refusal = self._refusal(parsed)
        if refusal is None:
            return Screened(json.dumps(parsed))
        return Screened(None, (refusal,) if refusal else ())

    def response(self, text: str) -> None:
        """Learn the result of a call from a message of the server; anything else is ignored."""
        if not self._open:
            return
        try:
            parsed = cast(Json, json.loads(text))
        except (ValueError, RecursionError):
            return
        for item in parsed if isinstance(parsed, list) else [parsed]:
            if isinstance(item, dict) and ("result" in item or "error" in item):
                outcome = self._open.pop(_key(item.get("id")), None)
                if outcome is not None:
                    self._guard.finish(outcome, _result(item))

    def _refusal(self, message: Json) -> str | None:
        """None if the message may be forwarded, else the reply (empty where none may be sent)."""
        if not isinstance(message, dict):
            return _error(None, INVALID_REQUEST, "A message must be a JSON object.")
        if message.get("method") != "tools/call":
            return None
        call_id = message.get("id")
        outcome = self._guard.check(_tool_call(message))
        if outcome.runs:
            self._open[_key(call_id)] = outcome
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
            return None
        return _refused_result(call_id, outcome) if call_id is not None else ""


def _key(call_id: Json) -> str:
    return json.dumps(call_id)


def _result(message: Mapping[str, Json]) -> str:
    """The texts of a tool's result, or its whole JSON where it has none."""
    result = message.get("result", message.get("error"))
    content = result.get("content") if isinstance(result, dict) else None
    texts: list[str] = []
    for block in content if isinstance(content, list) else []:
        text = block.get("text") if isinstance(block, dict) else None
        if not isinstance(text, str):
            return json.dumps(result)
        texts.append(text)
    return "\n".join(texts) if texts else json.dumps(result)


def _tool_call(message: Mapping[str, Json]) -> ToolCall:
    parameters = message.get("params")
    if not isinstance(parameters, dict):
        return ToolCall("", None)
    name = parameters.get("name")
    arguments = parameters.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return ToolCall(str(name), None)
    return ToolCall(name, arguments, call_id=str(message.get("id", "")))


def _refused_result(call_id: Json, outcome: Outcome) -> str:
    """A tool result that says why: agents read results, and many clients hide protocol errors."""
    # Protocol versions from 2026-07-28 require the kind of the result; older clients ignore it.
    content: Json = [{"type": "text", "text": outcome.feedback}]
    result: Json = {"resultType": "complete", "content": content, "isError": True}
    return json.dumps({"jsonrpc": "2.0", "id": call_id, "result": result})


def _error(call_id: Json, code: int, message: str) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": call_id, "error": {"code": code, "message": message}})

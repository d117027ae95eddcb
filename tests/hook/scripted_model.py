"""A model that plays a script, for real coding agents, on loopback and in the protocol that each speaks.

A script is a list of turns, each a list of calls ``(tool, arguments)``; after the last one it says "done".
The turn that is played follows from the number of answered turns in the request, so that nothing is kept.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import groupby
from typing import Any, cast, override

type Call = tuple[str, dict[str, Any] | str]
type Script = Sequence[Sequence[Call]]


def _answered(kinds: Iterable[str]) -> int:
    """The number of turns of calls that were answered; clients add messages of the user in between."""
    return [kind for kind, _ in groupby(kind for kind in kinds if kind)].count("result")


class _Messages:
    """The protocol of Claude Code."""

    path = "/v1/messages"

    def played(self, body: dict[str, Any]) -> int:
        def kind(message: dict[str, Any]) -> str:
            content = message["content"]
            blocks = cast("list[dict[str, Any]]", content if isinstance(content, list) else [])
            types = {block["type"] for block in blocks}
            if message["role"] == "assistant":
                return "call" if "tool_use" in types else ""
            return "result" if "tool_result" in types else ""

        return _answered(kind(message) for message in body["messages"])

    def events(self, calls: Sequence[Call], number: int) -> Iterator[tuple[str, dict[str, Any]]]:
        usage = {"input_tokens": 1, "output_tokens": 1}
        message: dict[str, Any] = {"id": f"m{number}", "type": "message", "role": "assistant", "content": []}
        message |= {"model": "scripted", "stop_reason": None, "stop_sequence": None, "usage": usage}
        yield "message_start", {"type": "message_start", "message": message}
        blocks: list[tuple[dict[str, Any], dict[str, Any]]] = [
            (
                {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name, "input": {}},
                {"type": "input_json_delta", "partial_json": json.dumps(arguments)},
            )
            for place, (name, arguments) in enumerate(calls)
        ] or [({"type": "text", "text": ""}, {"type": "text_delta", "text": "done"})]
        for place, (block, delta) in enumerate(blocks):
            yield (
                "content_block_start",
                {"type": "content_block_start", "index": place, "content_block": block},
            )
            yield "content_block_delta", {"type": "content_block_delta", "index": place, "delta": delta}
            yield "content_block_stop", {"type": "content_block_stop", "index": place}
        stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
        yield "message_delta", {"type": "message_delta", "delta": stop, "usage": usage}
        yield "message_stop", {"type": "message_stop"}


class _Responses:
    """The protocol of Codex."""

    path = "/responses"

    def played(self, body: dict[str, Any]) -> int:
        def kind(item: dict[str, Any]) -> str:
            type_ = item.get("type", "message")
            if type_ == "message":
                return ""
            return "result" if type_.endswith("_output") else "call" if type_.endswith("_call") else ""

        return _answered(kind(item) for item in body["input"])

    def events(self, calls: Sequence[Call], number: int) -> Iterator[tuple[str, dict[str, Any]]]:
        response: dict[str, Any] = {
            "id": f"r{number}",
            "object": "response",
            "status": "in_progress",
            "output": [],
        }
        yield "response.created", {"type": "response.created", "response": response}
        items: list[dict[str, Any]] = []
        for place, (name, arguments) in enumerate(calls):
            item = {
                "id": f"i{number}{place}",
                "call_id": f"call_{number}_{place}",
                "name": name,
                "status": "completed",
            }
            if isinstance(arguments, str):
                items.append({"type": "custom_tool_call", "input": arguments, **item})
            else:
                items.append({"type": "function_call", "arguments": json.dumps(arguments), **item})
        text: list[dict[str, Any]] = [{"type": "output_text", "text": "done", "annotations": []}]
        items = items or [{"type": "message", "id": f"m{number}", "role": "assistant", "content": text}]
        for place, item in enumerate(items):
            yield (
                "response.output_item.done",
                {"type": "response.output_item.done", "output_index": place, "item": item},
            )
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        yield (
            "response.completed",
            {
                "type": "response.completed",
                "response": {**response, "status": "completed", "output": items, "usage": usage},
            },
        )


class _Gemini:
    """The protocol of the Gemini CLI."""

    path = ":streamGenerateContent"

    def played(self, body: dict[str, Any]) -> int:
        def kind(content: dict[str, Any]) -> str:
            keys = {key for part in content["parts"] for key in part}
            if "functionCall" in keys:
                return "call"
            return "result" if "functionResponse" in keys else ""

        return _answered(kind(content) for content in body["contents"])

    def events(self, calls: Sequence[Call], number: int) -> Iterator[tuple[str, dict[str, Any]]]:
        del number
        parts: list[dict[str, Any]] = [
            {"functionCall": {"name": name, "args": arguments}} for name, arguments in calls
        ] or [{"text": "done"}]
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        yield "", {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2}}


class _Chat:
    """The protocol of OpenCode."""

    path = "/chat/completions"

    def played(self, body: dict[str, Any]) -> int:
        def kind(message: dict[str, Any]) -> str:
            return "result" if message["role"] == "tool" else "call" if message.get("tool_calls") else ""

        return _answered(kind(message) for message in body["messages"])

    def events(self, calls: Sequence[Call], number: int) -> Iterator[tuple[str, dict[str, Any]]]:
        delta: dict[str, Any] = {"role": "assistant", "content": "done"}
        if calls:
            delta = {
                "role": "assistant",
                "tool_calls": [
                    {
                        "index": place,
                        "id": f"call_{number}_{place}",
                        "type": "function",
                        "function": {"name": name, "arguments": json.dumps(arguments)},
                    }
                    for place, (name, arguments) in enumerate(calls)
                ],
            }
        chunk = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
        yield "", {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        end = "tool_calls" if calls else "stop"
        yield "", {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]}


_PROTOCOLS = (_Messages(), _Responses(), _Gemini(), _Chat())


class _Server(ThreadingHTTPServer):
    """A server of one script, which keeps the requests that it got."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # type: ignore[assignment] # it is made for this server alone

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""

    def do_HEAD(self) -> None:
        """Answer that there is a server."""
        self._send("application/json", b"")

    def do_GET(self) -> None:
        """Answer with no models."""
        self._send("application/json", b'{"data": [], "models": []}')

    def do_POST(self) -> None:
        """Play the turn that is due."""
        body = json.loads(self._body() or b"{}")
        path = self.path.split("?")[0]
        protocol = next((one for one in _PROTOCOLS if path.endswith(one.path)), None)
        if protocol is None:
            self._send("application/json", b'{"input_tokens": 1, "totalTokens": 1}')
            return
        self.server.requests.append(body)
        number = protocol.played(body)
        script = self.server.script
        turn = script[number] if body.get("tools") and number < len(script) else ()
        lines = [
            (f"event: {name}\n" if name else "") + f"data: {json.dumps(event)}\n\n"
            for name, event in protocol.events(turn, number)
        ]
        lines += ["data: [DONE]\n\n"] if isinstance(protocol, _Chat) else []
        self._send("text/event-stream", "".join(lines).encode())

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts: list[bytes] = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _send(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


@contextmanager
def scripted_model(script: Script) -> Generator[tuple[str, list[dict[str, Any]]]]:
    """The address of a model that plays a script, and the requests that it gets."""
    server = _Server(script)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.requests
    finally:
        server.shutdown()
        server.server_close()

"""A real HTTP server that answers each request by a function: for endpoints with different limits."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from workbench.model import Json


@dataclass(frozen=True, slots=True)
class Request:
    """A request that the server received."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """The texts of all messages."""
        messages: list[dict[str, str]] = self.body.get("messages") or self.body.get("input") or []
        return "\n".join(message["content"] for message in messages)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the server: events of a stream, or one text."""

    status: int = 200
    events: tuple[Json, ...] = ()
    text: str = ""

    @property
    def parts(self) -> tuple[str, bytes]:
        """The type of the content, and the content."""
        if not self.events:
            return "application/json", self.text.encode()
        lines = [f"data: {json.dumps(event)}\n\n" for event in self.events]
        return "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode()


@dataclass
class HttpEndpoint:
    """The running server and its received requests."""

    answer: Callable[[Request], Answer]
    requests: list[Request] = field(default_factory=list[Request])
    origin: str = ""


@contextmanager
def http_endpoint(answer: Callable[[Request], Answer]) -> Generator[HttpEndpoint]:
    """Run a server."""
    state = HttpEndpoint(answer)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Keep the test output clean."""

        def do_GET(self) -> None:
            self._send(Answer(text=json.dumps({"object": "list", "data": []})))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            request = Request(self.path, {name.lower(): text for name, text in self.headers.items()}, body)
            state.requests.append(request)
            self._send(state.answer(request))

        def _send(self, answer: Answer) -> None:
            kind, content = answer.parts
            self.send_response(answer.status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.origin = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=lambda: server.serve_forever(0.02), daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def refused(message: str, parameter: str = "", *, status: int = 400, code: str = "") -> Answer:
    """A refusal in the words of most servers."""
    error: Json = {
        "message": message, "type": "invalid_request_error", "param": parameter or None, "code": code or None,
    }  # fmt: skip
    return Answer(status, text=json.dumps({"error": error}))


def chat(
    text: str, *, thinking: str = "", key: str = "reasoning_content", usage: Json = None, finish: str = "stop"
) -> Answer:
    """A streamed chat completion."""
    deltas: list[dict[str, Json]] = [{"role": "assistant"}]
    deltas += [dict[str, Json]({key: thinking})] if thinking else []
    deltas += [dict[str, Json](content=part) for part in (text[:4], text[4:]) if part]
    events = [_chunk({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}) for delta in deltas]
    events.append(_chunk({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}))
    if usage is not None:
        events.append(_chunk({"choices": [], "usage": usage}))
    return Answer(events=tuple(events))


def whole_chat(text: str, usage: Json = None) -> Answer:
    """A chat completion that is not streamed."""
    message: Json = {"role": "assistant", "content": text}
    choice: Json = {"index": 0, "message": message, "finish_reason": "stop"}
    return Answer(
        text=json.dumps(
            {
                "id": "x",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [choice],
                "usage": usage,
            }
        )
    )


def responses(text: str, *, usage: Json = None, status: str = "completed", why: str = "") -> Answer:
    """A streamed reply of the Responses API."""
    content: Json = [{"type": "output_text", "text": text, "annotations": []}]
    output: Json = [
        {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
    ]
    response: dict[str, Json] = {
        "id": "r", "object": "response", "created_at": 1, "model": "m-1", "status": status, "output": output,
        "usage": usage, "incomplete_details": {"reason": why} if why else None, "error": None,
    }  # fmt: skip
    started: Json = {"type": "response.created", "sequence_number": 0, "response": {**response, "output": []}}
    events: list[Json] = [started, {"type": "response.reasoning_summary_text.delta", "delta": "Hm. "}]
    for part in (text[:4], text[4:]):
        events.append({"type": "response.output_text.delta", "item_id": "m", "delta": part})
    events.append({"type": f"response.{status}", "response": response})
    return Answer(events=tuple(events))


def _chunk(fields: dict[str, Json]) -> Json:
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m-1", **fields}

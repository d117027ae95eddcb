"""A real HTTP server that speaks chat completions and misbehaves on demand."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from workbench.model import Json


@dataclass
class Behaviour:
    """The server's behaviour on the next request; the last one repeats."""

    status: int = 200
    pieces: tuple[str, ...] = ('{"answer": "yes"}',)
    finish: str | None = "stop"
    refusal: str | None = None
    error: str = "scripted"
    retry_after: str | None = None
    hang: bool = False
    stall: bool = False
    raw: bytes | None = None
    refuse_if: Callable[[dict[str, Json]], str] | None = None
    as_tool: bool = False
    answer: Callable[[dict[str, Json]], str] | None = None


@dataclass
class ModelServer:
    """The running server: its scripted behaviour, and its received requests."""

    behaviours: list[Behaviour]
    requests: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])
    keys: list[str] = field(default_factory=list[str])
    closed: threading.Event = field(default_factory=threading.Event)
    reached: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def next(self) -> Behaviour:
        """The behaviour of this request."""
        return self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]


class _Handler(BaseHTTPRequestHandler):
    server_state: ModelServer

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output clean."""

    def do_POST(self) -> None:
        """Answer a chat completion as scripted."""
        state = self.server_state
        body = cast(dict[str, Json], json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        state.requests.append(body)
        state.keys.append(self.headers["Authorization"])
        behaviour = state.next()
        state.reached.set()
        try:
            self._reply(state, behaviour, body)
        except ConnectionError:  # the client went away before the reply, or with a part of it unread
            state.closed.set()

    def _reply(self, state: ModelServer, behaviour: Behaviour, body: dict[str, Json]) -> None:
        complaint = behaviour.refuse_if(body) if behaviour.refuse_if else ""
        if behaviour.status != 200 or complaint:
            self._fail(400 if complaint else behaviour.status, complaint or behaviour.error, behaviour)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        if behaviour.hang:
            self._hang(state)
        elif behaviour.raw is not None:
            self.wfile.write(behaviour.raw)
        else:
            pieces = (behaviour.answer(body),) if behaviour.answer else behaviour.pieces
            self._stream(behaviour, pieces)

    def _fail(self, status: int, message: str, behaviour: Behaviour) -> None:
        data = json.dumps({"error": {"message": message, "type": "scripted"}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if behaviour.retry_after:
            self.send_header("Retry-After", behaviour.retry_after)
        self.end_headers()
        self.wfile.write(data)

    def _hang(self, state: ModelServer) -> None:
        """Send nothing until the client closes the connection."""
        self.connection.settimeout(600)
        self.wfile.flush()
        while self.connection.recv(1024):
            pass
        state.closed.set()

    def _stream(self, behaviour: Behaviour, pieces: tuple[str, ...]) -> None:
        state = self.server_state
        for piece in pieces:
            delta: dict[str, Json] = {"content": piece}
            if behaviour.as_tool:
                call: Json = {"index": 0, "function": {"arguments": piece}}
                delta = {"tool_calls": [call]}
            self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        if behaviour.stall:
            self._hang(state)
            return
        if behaviour.refusal:
            self._event(
                {"choices": [{"index": 0, "delta": {"refusal": behaviour.refusal}, "finish_reason": None}]}
            )
        if behaviour.finish:
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": behaviour.finish}]})
            usage: Json = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            self._event({"choices": [], "usage": usage})
            self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, data: dict[str, Json]) -> None:
        full = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "scripted-1", **data}
        self.wfile.write(f"data: {json.dumps(full)}\n\n".encode())


@contextmanager
def model_server(*behaviours: Behaviour) -> Generator[ModelServer]:
    """Run a server with the given behaviours, one for each request."""
    state = ModelServer(list(behaviours) or [Behaviour()])

    class Handler(_Handler):
        server_state = state

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=lambda: server.serve_forever(0.02), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()

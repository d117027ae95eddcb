"""MCP servers for tests: they store the bytes that they receive, and give scripted answers."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from workbench.model import Json

USUAL, HOLD = b"usual", b"hold"
"""In place of an answer: the usual one, at once or right before the next answer."""
TOOLS: Json = [
    {
        "name": "read",
        "description": "Reads a file.",
        "inputSchema": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "count": {"type": "integer"}, "deep": {}},
        },
    },
    {"name": "delete", "description": "Deletes a file.", "inputSchema": {"type": "object", "properties": {}}},
]


def answer_to(message: Mapping[str, Json], tools: Json = TOOLS) -> dict[str, Json]:
    """The answer of a well-behaved server."""
    parameters = message.get("params")
    name = parameters.get("name") if isinstance(parameters, dict) else None
    result: Json = {}
    match message.get("method"):
        case "tools/list":
            result = {"tools": tools}
        case "tools/call":
            result = {"content": [{"type": "text", "text": _tool_result(name, parameters)}]}
        case _:
            pass
    return {"jsonrpc": "2.0", "id": message.get("id"), "result": result}


def _tool_result(name: Json, parameters: Json) -> str:
    """The result of a tool: for an order its content, else that the tool ran."""
    arguments = parameters.get("arguments") if isinstance(parameters, dict) else None
    if name not in ("get_order", "pay_order") or not isinstance(arguments, dict):
        return f"ran {name}"
    return json.dumps({"id": arguments.get("order_id"), "paid": name == "pay_order"})


def stdio_server(log: Path, lines: Path) -> list[str]:
    """The command of a server that stores the lines it reads; its first answers are those in ``lines``.

    In them, ``@id`` is the id of the request.
    """
    return [sys.executable, "-P", str(Path(__file__)), str(log), str(lines)]


@dataclass
class HttpServer:
    """A running server over HTTP: its received requests, and its answers in place of the usual ones."""

    requests: list[tuple[str, dict[str, str], bytes]] = field(
        default_factory=list[tuple[str, dict[str, str], bytes]]
    )
    status: int = 200
    headers: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    body: bytes | None = None
    port: int = 0

    @property
    def messages(self) -> list[dict[str, Json]]:
        """The messages of the posts."""
        return [
            cast("dict[str, Json]", json.loads(body)) for method, _, body in self.requests if method == "POST"
        ]


@contextmanager
def http_server() -> Generator[HttpServer]:
    """Run a server over HTTP."""
    state = HttpServer()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Keep the test output clean."""

        def answer(self) -> None:
            """Store the request and answer it."""
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            state.requests.append((self.command, dict(self.headers.items()), body))
            own_body = state.body
            if own_body is None:
                own_body = json.dumps(answer_to(json.loads(body))).encode() if body else b""
            self.send_response(state.status)
            for name, value in state.headers or [("Content-Type", "application/json")]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(own_body)

        do_GET = do_POST = do_DELETE = do_PUT = answer

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        state.port = port
        yield state


@contextmanager
def serving(server: ThreadingHTTPServer) -> Generator[int]:
    """Run a server in a thread; yields its port."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def _main(log: str, lines: str) -> None:
    scripted = Path(lines).read_bytes().splitlines() if Path(lines).exists() else []
    held = b""
    for line in sys.stdin.buffer:
        with Path(log).open("ab") as file:
            file.write(line)
        message = json.loads(line)
        if "id" in message and "method" in message:
            body = scripted.pop(0) if scripted else USUAL
            if body in (HOLD, USUAL):
                usual = json.dumps(answer_to(message)).encode()
                held, body = (usual + b"\n", b"") if body == HOLD else (held, usual)
                if not body:
                    continue
            body = body.replace(b"@id", json.dumps(message["id"]).encode())
            sys.stdout.buffer.write(held + body + b"\n")
            sys.stdout.buffer.flush()
            held = b""


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2])

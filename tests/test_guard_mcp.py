"""The MCP proxy: denied calls never reach the server, everything else passes unchanged."""

from __future__ import annotations

import http.client
import io
import json
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

import pytest

from workbench.guard import Guard, ToolCall
from workbench.guard.adapters.mcp_http import http_guard
from workbench.guard.adapters.mcp_messages import Screen
from workbench.guard.adapters.mcp_stdio import serve_stdio
from workbench.model import Decision, Json, Value, Verdict, Violation

ECHO_SERVER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"echo": message}}), flush=True)
"""


class NoDeletion:
    """Stands for a compiled policy: the tool named delete is denied."""

    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        """Deny deletion."""
        if arguments["tool"] == "delete":
            return Decision(Verdict.DENY, (Violation("forbid_delete", "Nothing may be deleted."),), arguments)
        return Decision(Verdict.ALLOW, (), arguments)


def tool_name(call: ToolCall, _past: object) -> Mapping[str, Value]:
    return {"tool": call.tool}


def request(call_id: int, tool: str) -> dict[str, Json]:
    return {
        "jsonrpc": "2.0",
        "id": call_id,
        "method": "tools/call",
        "params": {"name": tool, "arguments": {}},
    }


@pytest.fixture
def guard() -> Guard:
    return Guard(NoDeletion(), tool_name)


def test_stdio_answers_a_denied_call_itself_and_forwards_the_rest(guard: Guard) -> None:
    lines = [request(1, "read"), request(2, "delete"), {"jsonrpc": "2.0", "id": 3, "method": "tools/list"}]
    sent = io.BytesIO("".join(json.dumps(line) + "\n" for line in lines).encode())
    received = io.BytesIO()
    code = serve_stdio(guard, [sys.executable, "-c", ECHO_SERVER], sent, received)
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, received.getvalue().splitlines())}
    assert code == 0
    assert answers[1]["echo"]["params"]["name"] == "read"
    assert answers[3]["echo"]["method"] == "tools/list"
    assert answers[2] == {
        "resultType": "complete",
        "content": [
            {"type": "text", "text": "Refused: Nothing may be deleted. This action was not carried out."}
        ],
        "isError": True,
    }


def test_a_denied_call_hidden_in_a_batch_is_taken_out(guard: Guard) -> None:
    screened = Screen(guard).request(json.dumps([request(1, "read"), request(2, "delete")]))
    assert screened.forward is not None
    assert [item["id"] for item in json.loads(screened.forward)] == [1]
    assert [json.loads(reply)["id"] for reply in screened.replies] == [2]


def test_duplicate_keys_cannot_show_the_server_another_call_than_the_guard(guard: Guard) -> None:
    text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete","name":"read"}}'
    screened = Screen(guard).request(text)
    assert screened.forward is not None
    assert "delete" not in screened.forward


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '"tools/call"', "[" * 100_000])
def test_what_is_not_a_message_is_never_forwarded(guard: Guard, text: str) -> None:
    screened = Screen(guard).request(text)
    assert screened.forward is None
    assert all("error" in json.loads(reply) for reply in screened.replies)


@pytest.mark.parametrize("params", [None, [], {"name": 3}, {"name": "read", "arguments": "x"}])
def test_a_call_with_unreadable_parameters_is_refused(guard: Guard, params: Json) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    assert Screen(guard).request(json.dumps(message)).forward is None


def test_a_denied_notification_is_dropped_without_a_reply(guard: Guard) -> None:
    message = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "delete"}}
    screened = Screen(guard).request(json.dumps(message))
    assert (screened.forward, screened.replies) == (None, ())


class EventStreamServer(BaseHTTPRequestHandler):
    """A real HTTP server that answers posts with a server-sent event, as MCP servers may."""

    seen: list[Json]

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output clean."""

    def do_POST(self) -> None:
        """Echo the message as one event."""
        message = cast(Json, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.seen.append(message)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Mcp-Session-Id", "s1")
        self.end_headers()
        self.wfile.write(f"data: {json.dumps({'echo': message})}\n\n".encode())


@contextmanager
def running(server: ThreadingHTTPServer) -> Generator[int]:
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def post(port: int, message: Json, headers: Mapping[str, str] | None = None) -> tuple[int, str, str | None]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("POST", "/mcp", json.dumps(message), dict(headers or {}))
    response = connection.getresponse()
    found = response.status, response.read().decode(), response.getheader("Mcp-Session-Id")
    connection.close()
    return found


def test_http_passes_streams_through_and_answers_denials_itself(guard: Guard) -> None:
    seen: list[Json] = []

    class Upstream(EventStreamServer):
        pass

    Upstream.seen = seen
    with (
        running(ThreadingHTTPServer(("127.0.0.1", 0), Upstream)) as upstream,
        running(http_guard(guard, f"http://127.0.0.1:{upstream}/mcp")) as port,
    ):
        status, body, session = post(port, request(1, "read"))
        assert (status, session) == (200, "s1")
        assert body.startswith("data: ")
        status, body, _ = post(port, request(2, "delete"))
        assert status == 200
        assert json.loads(body)["result"]["isError"] is True
        assert post(port, request(3, "read"), {"Origin": "https://evil.example"})[0] == 403
    assert [item["id"] for item in seen if isinstance(item, dict)] == [1]

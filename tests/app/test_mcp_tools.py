"""The tools of MCP servers that are asked: real ones, and ones that hang or answer nonsense."""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.guard.adapters.mcp_server import serving
from tests.waiting import until
from workbench.app.tool_sources import mcp_tools, read_tools
from workbench.cli import main
from workbench.model import WorkbenchError
from workbench.session import Session

pytest.importorskip("mcp.server.mcpserver", reason="the official MCP package is not installed")

SERVER = """
import sys
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

server = MCPServer("bakery")

class Oven(BaseModel):
    oven_id: str
    warm: bool

@server.tool()
def bake(bread_id: str, loaves: int, notify: list[str] | None = None) -> str:
    "Bakes bread."
    return "done"

@server.tool()
def get_oven(oven_id: str) -> Oven:
    "The state of an oven."
    return Oven(oven_id=oven_id, warm=True)

if len(sys.argv) > 1:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run("stdio")
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    return path


def command(path: Path) -> str:
    return f"{sys.executable} {path}"


@contextmanager
def served(path: Path) -> Generator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(path), str(port)], stderr=subprocess.DEVNULL)

    def answers() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        until(answers)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait()


def test_a_real_server_lists_its_tools_over_stdio_and_a_session_is_made_of_them(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = tmp_path / "request.md"
    request.write_text("At most ten loaves are baked at once.\n")
    folder = tmp_path / "bakery"
    made = ["new", str(folder), "--request", str(request), "--mcp", command(script)]
    assert main(made) == 0
    shown = capsys.readouterr().out
    assert "2 tools, 1 record" in shown
    assert "Do the results of get_oven have the form that their schemas say?" in shown
    with Session.open(folder) as session:
        assert [tool.name for tool in session.agent.tools] == ["bake", "get_oven"]
        assert [(record.name, record.key) for record in session.agent.records] == [("oven", "oven_id")]
        assert "from agent import Bake, GetOven, Run" in session.written
        assert "class Bake(" in (folder / "agent.pyi").read_text()


def test_a_real_server_lists_its_tools_over_http(script: Path) -> None:
    with served(script) as address:
        tools = read_tools(mcp_tools(address), address).tools
    assert [tool.name for tool in tools] == ["bake", "get_oven"]
    assert tools[0].parameters["required"] == ["bread_id", "loaves"]


FAKE = """
import json, sys

lines = json.loads(sys.argv[1])
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "server/discover":
        line = '{"jsonrpc": "2.0", "id": NUMBER, "error": {"code": -32601, "message": "no"}}'
    elif lines:
        line = lines.pop(0)
    else:
        continue
    print(line.replace("NUMBER", json.dumps(asked["id"])), flush=True)
"""


def replies(tmp_path: Path, *lines: str) -> str:
    """A server of an older version that answers each request by the next of these lines, then by nothing."""
    path = tmp_path / "fake.py"
    path.write_text(FAKE)
    return shlex.join([sys.executable, str(path), json.dumps(lines)])


def answer(result: object) -> str:
    return '{"jsonrpc": "2.0", "id": NUMBER, "result": ' + json.dumps(result) + "}"


PARTY = {"name": "fake", "version": "1"}
HELLO = answer({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": PARTY})
TOOL = {"name": "a", "inputSchema": {"type": "object"}}
PAGE = answer({"tools": [TOOL], "nextCursor": "x"})
ERROR = '{"jsonrpc": "2.0", "id": NUMBER, "error": {"code": 1, "message": "no\\u001b[2J"}}'


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((), "does not answer in time"),
        ((HELLO,), "does not answer in time"),
        (("[" * 9_000, HELLO), "does not answer in time"),
        ((HELLO, answer({})), "is none of MCP"),
        ((HELLO, ERROR), "answers with the error no"),
        ((HELLO, PAGE, PAGE), "the same tools again and again"),
    ],
)
def test_a_server_that_hangs_or_answers_nonsense_is_a_sentence(
    tmp_path: Path, lines: tuple[str, ...], why: str
) -> None:
    with pytest.raises(WorkbenchError, match=why) as caught:
        mcp_tools(replies(tmp_path, *lines), seconds=5.0 if len(lines) > 1 else 1.0)
    assert "--agent" in str(caught.value)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("server", "why"),
    [
        ("no-such-program-here --x", "cannot be started"),
        (f"{sys.executable} -c pass", "ended"),
        ("'", "cannot be read"),
        ("http://127.0.0.1:1/mcp", "cannot be asked"),
        ("http://", "cannot be asked"),
    ],
)
def test_a_server_that_cannot_be_asked_is_a_sentence(server: str, why: str) -> None:
    with pytest.raises(WorkbenchError, match=why):
        mcp_tools(server, seconds=5.0)


def test_the_pages_of_a_list_are_put_together(tmp_path: Path) -> None:
    last = answer({"tools": [{**TOOL, "name": "b"}]})
    listed = json.loads(mcp_tools(replies(tmp_path, HELLO, PAGE, last), seconds=5.0))
    assert [tool["name"] for tool in listed["tools"]] == ["a", "b"]


def test_an_answer_over_http_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.app.tool_sources.MOST_BYTES", 1_000)

    class Endless(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            with suppress(OSError):
                while True:
                    self.wfile.write(b" " * 65_536)

    endless = serving(ThreadingHTTPServer(("127.0.0.1", 0), Endless))
    with endless as port, pytest.raises(WorkbenchError, match="more than"):
        mcp_tools(f"http://127.0.0.1:{port}/mcp", seconds=5.0)

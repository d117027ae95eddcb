"""The tools of MCP servers that are asked: real ones, and ones that hang or answer nonsense."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.waiting import until
from workbench.app.mcp_tools import mcp_tools
from workbench.cli import main
from workbench.model import WorkbenchError
from workbench.session import Session
from workbench.session.tool_list import read_tools

pytest.importorskip("mcp.server.mcpserver", reason="the official MCP package is not installed")

SERVER = """
import sys
from mcp.server.mcpserver import MCPServer

server = MCPServer("bakery")

@server.tool()
def bake(bread_id: str, loaves: int, notify: list[str] | None = None) -> str:
    "Bakes bread."
    return "done"

@server.tool()
def get_oven(oven_id: str) -> str:
    "The state of an oven."
    return "warm"

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
    assert "2 tools" in capsys.readouterr().out
    with Session.open(folder) as session:
        assert [tool.name for tool in session.agent.tools] == ["bake", "get_oven"]
        assert "from agent import Bake, GetOven, Run" in session.written
        assert "class Bake(" in (folder / "agent.pyi").read_text()


def test_a_real_server_lists_its_tools_over_http(script: Path) -> None:
    with served(script) as address:
        tools = read_tools(mcp_tools(address), address)
    assert [tool.name for tool in tools] == ["bake", "get_oven"]
    assert tools[0].parameters["required"] == ["bread_id", "loaves"]


def replies(tmp_path: Path, *lines: str) -> str:
    """A server that reads each request and answers it by the next of these lines, then hangs."""
    path = tmp_path / "fake.py"
    path.write_text(
        "import sys, threading\n"
        f"lines = {list(lines)!r}\n"
        "number = 0\n"
        "for line in sys.stdin:\n"
        "    if '\"id\"' in line and lines:\n"
        "        number += 1\n"
        "        print(lines.pop(0).replace('NUMBER', str(number)), flush=True)\n"
        "threading.Event().wait(60)\n"
    )
    return f"{sys.executable} {path}"


OK = '{"jsonrpc": "2.0", "id": NUMBER, "result": {}}'
PAGE = '{"jsonrpc": "2.0", "id": NUMBER, "result": {"tools": [{"name": "a"}], "nextCursor": "x"}}'


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((), 'does not answer "initialize" in time'),
        ((OK,), 'does not answer "tools/list" in time'),
        (("what?", OK), 'does not answer "initialize" in time'),
        ((OK, OK), "has no list of tools"),
        ((OK, '{"id": NUMBER, "error": {"code": 1, "message": "no\\u001b[2J"}}'), "answers with the error"),
        ((OK, PAGE, PAGE), "the same tools again and again"),
        (("[" * 9_000, OK), 'does not answer "initialize" in time'),
    ],
)
def test_a_server_that_hangs_or_answers_nonsense_is_a_sentence(
    tmp_path: Path, lines: tuple[str, ...], why: str
) -> None:
    with pytest.raises(WorkbenchError, match=why) as caught:
        mcp_tools(replies(tmp_path, *lines), seconds=1.0)
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
        mcp_tools(server, seconds=2.0)


def test_the_pages_of_a_list_are_put_together(tmp_path: Path) -> None:
    last = '{"jsonrpc": "2.0", "id": NUMBER, "result": {"tools": [{"name": "b"}]}}'
    assert json.loads(mcp_tools(replies(tmp_path, OK, PAGE, last), seconds=5.0)) == {
        "tools": [{"name": "a"}, {"name": "b"}]
    }

"""The MCP proxy between the official client and the official server, over both transports."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from tests.accepting import asking
from tests.waiting import until

# The MCP package declares the messages between servers and clients as Any.
# pyright: reportAny=false, reportExplicitAny=false

mcp = pytest.importorskip("mcp", reason="the official MCP package is not installed")
pytest.importorskip("mcp.server.mcpserver", reason="the official MCP package is too old")

ROOT = Path(__file__).resolve().parents[3]
SESSION = ROOT / "sessions" / "web-shopping"
MINOR = (
    "Task: Book a hotel room.\nage: 12\ndomestic: True\ndr_license: False\nvaccine: True\nmembership: True"
)
ADULT = MINOR.replace("age: 12", "age: 42")

SERVER = """
import sys
from mcp.server.mcpserver import MCPServer

server = MCPServer("shop")

@server.tool()
def book_room(town: str, nights: int) -> str:
    "Books a hotel room."
    with open(sys.argv[1], "a") as file:
        file.write(town + "\\\\n")
    return f"booked {nights} nights in {town}"

if len(sys.argv) > 2:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
else:
    server.run("stdio")
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "server.py"
    path.write_text(SERVER.replace("\\\\n", "\\n"))
    return path


def guard_command(user: str, log: Path, *more: str, session: Path = SESSION) -> list[str]:
    options = ["--context", f"user={user}", "--log", str(log), *more]
    return [
        sys.executable, "-c", "import sys; from workbench.cli import main; sys.exit(main())",
        "guard", "mcp", str(session), *options,
    ]  # fmt: skip


async def book(server: Any, **options: Any) -> tuple[list[str], str, bool]:
    """The tools that the server shows, the result of booking a room, and whether that is an error."""
    async with mcp.Client(server, **options) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("book_room", {"town": "Grindle", "nights": 2})
        return tools, cast(str, result.content[0].text), bool(result.is_error)


@pytest.mark.parametrize(("user", "runs"), [(ADULT, True), (MINOR, False)])
def test_over_stdio_only_what_the_policy_allows_reaches_the_server(
    script: Path, tmp_path: Path, user: str, runs: bool
) -> None:
    booked, log = tmp_path / "booked", tmp_path / "decisions.jsonl"
    command, *arguments = [*guard_command(user, log), "--", sys.executable, str(script), str(booked)]
    parameters = mcp.StdioServerParameters(command=command, args=arguments)
    tools, text, error = asyncio.run(book(parameters))
    expect(tools, text, error, booked, log, runs)


def test_over_stdio_a_call_runs_once_a_program_says_who_approved(script: Path, tmp_path: Path) -> None:
    booked, log = tmp_path / "booked", tmp_path / "decisions.jsonl"
    session = tmp_path / "session"
    shutil.copytree(SESSION, session)
    asking(session)
    approver = tmp_path / "approver.py"
    approver.write_text(
        "import json, sys; call = json.load(sys.stdin); print(call['arguments']['town'], 'desk')\n"
    )
    ask = ["--ask", f"{sys.executable} {approver}"]
    command, *arguments = [
        *guard_command(MINOR, log, *ask, session=session),
        "--",
        sys.executable,
        str(script),
        str(booked),
    ]
    parameters = mcp.StdioServerParameters(command=command, args=arguments)
    _, text, error = asyncio.run(book(parameters))
    assert not error
    assert "booked 2 nights" in text
    assert booked.read_text() == "Grindle\n"
    first = json.loads(log.read_text().splitlines()[0])
    assert "Grindle desk" in json.dumps(first)


@pytest.mark.parametrize(("user", "runs"), [(ADULT, True), (MINOR, False)])
def test_over_streamable_http_only_what_the_policy_allows_reaches_the_server(
    script: Path, tmp_path: Path, user: str, runs: bool
) -> None:
    booked, log = tmp_path / "booked", tmp_path / "decisions.jsonl"
    port, guarded = free_port(), free_port()
    command = guard_command(user, log, "--url", f"http://127.0.0.1:{port}/mcp", "--port", str(guarded))
    with running([sys.executable, str(script), str(booked), str(port)], port), running(command, guarded):
        for mode in ("legacy", "auto"):
            tools, text, error = asyncio.run(book(f"http://127.0.0.1:{guarded}/mcp", mode=mode))
            expect(tools, text, error, booked, log, runs)
            booked.unlink(missing_ok=True)
            log.write_text("")


def expect(tools: list[str], text: str, error: bool, booked: Path, log: Path, runs: bool) -> None:
    assert tools == ["book_room"]
    assert error is not runs
    assert text == ("booked 2 nights in Grindle" if runs else text)
    assert ("Users under 18 may not book a hotel" in text) is not runs
    assert booked.exists() is runs
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    if lines[0]["tool"] == "":  # newer clients name no run, so that what was called before is not known
        del lines[0]
    assert (lines[0]["decision"], lines[0]["runs"]) == (("allow", True) if runs else ("deny", False))
    assert [line["result"] for line in lines[1:]] == (["booked 2 nights in Grindle"] if runs else [])


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return cast(int, listener.getsockname()[1])


def is_open(port: int) -> bool:
    """Whether a process listens on a port."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@contextmanager
def running(command: list[str], port: int) -> Generator[None]:
    """A process that listens on a port, for the duration of the block."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: process.poll() is not None or is_open(port))
        assert process.poll() is None, "the server ended"
        yield
    finally:
        process.terminate()
        process.wait()

"""The screen in a browser: who may connect, what passes through the window, and that nothing is lost."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("textual_serve", reason="the extra 'serve' is not installed")

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType, WSServerHandshakeError

from workbench.cli import main
from workbench.serve.site import ASSETS, TAKEN_OVER, Access, BrowserWindow, Site
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "sessions" / "hospital-access"
SAMPLE = """
import sys
from tests.serve.small_screen import run
print("begin", file=open(sys.argv[1], "a"))
run()
print("end", file=open(sys.argv[1], "a"))
"""
WITHOUT_PROVER = """
import sys
from workbench.app.proof import Proving
Proving.prover = lambda self: None
from workbench.serve.window_process import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    """A file in which the drawing processes note their begin and end."""
    return tmp_path / "diary"


@asynccontextmanager
async def served(*words: str) -> AsyncGenerator[tuple[Site, ClientSession]]:
    """A server of the output of ``python -c WORDS``, on any port, and a client."""
    site = Site("sample", (sys.executable, "-c", *words))
    await site.start(0)
    try:
        async with ClientSession() as client:
            yield site, client
    finally:
        await site.stop()


def origin(site: Site) -> str:
    return f"http://127.0.0.1:{site.port}"


async def opened(site: Site, client: ClientSession) -> ClientWebSocketResponse:
    """The WebSocket of the page, opened as the page does."""
    return await client.ws_connect(site.address + "ws?width=100&height=30", headers={"Origin": origin(site)})


async def until(window: ClientWebSocketResponse, text: str) -> str:
    """The data that the window gets until a text is in it."""
    seen = ""
    while text not in seen:
        message = await window.receive()
        if message.type is WSMsgType.TEXT:
            assert json.loads(message.data) == ["pong", 7], "the window is told nothing but answers to pings"
            continue
        assert message.type is WSMsgType.BINARY, f"closed before {text!r}: {message}\n{seen[-500:]}"
        seen += message.data.decode("utf-8", "replace")
    return seen


async def ended(window: ClientWebSocketResponse) -> None:
    """Wait until the server has closed the window."""
    message = await window.receive()
    while message.type is WSMsgType.BINARY:
        message = await window.receive()
    assert message.type in (WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED), message


# --- who is let in


async def test_the_page_and_its_assets_need_nothing_from_elsewhere(diary: Path) -> None:
    async with served(SAMPLE, str(diary)) as (site, client):
        async with client.get(site.address) as answer:
            page = await answer.text()
            assert answer.status == 200
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert f"connect-src ws://127.0.0.1:{site.port};" in answer.headers["Content-Security-Policy"]
            assert answer.headers["Referrer-Policy"] == "no-referrer"
        addresses = re.findall(r'(?:href|src|url)="([^"]+)"', page)
        assert f"ws://127.0.0.1:{site.port}/{site.access.token}/ws" in addresses
        assert not [address for address in addresses if "//" in address and "127.0.0.1" not in address]
        for name in ASSETS:
            async with client.get(f"{site.address}static/{name}") as answer:
                assert answer.status == 200
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                assert len(await answer.read()) > 100
        for name in ("", "nothing.js", "..%2f..%2fsite.py", "%2e%2e/site.py"):
            async with client.get(f"{site.address}static/{name}") as answer:
                assert answer.status in (403, 404)
    assert not diary.exists()


PLACES = ("", "ws", *(f"static/{name}" for name in ASSETS), "download/x", "nothing")


@pytest.mark.parametrize("place", PLACES)
async def test_without_the_secret_nothing_is_served(place: str, diary: Path) -> None:
    async with served(SAMPLE, str(diary)) as (site, client):
        own = {"Origin": origin(site)}
        wrong = (
            "A" * len(site.access.token),
            site.access.token[:-1],
            site.access.token + "A",
            "%00",
            "static",
        )
        for path in (place, *(f"{token}/{place}" for token in wrong)):
            async with client.get(f"{origin(site)}/{path}", headers=own) as answer:
                assert answer.status == 403
                assert site.access.token not in await answer.text()
    assert not diary.exists()


@pytest.mark.parametrize("place", ["", "ws", *(f"static/{name}" for name in ASSETS)])
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}", "Origin": "http://evil.example:{port}"},
        {"Host": "127.0.0.1.evil.example:{port}"},
        {"Host": "[::1]:{port}"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://localhost:{port}"},
        {"Origin": "http://127.0.0.1:{port}.evil.example"},
    ],
    ids=lambda headers: "-".join(headers.values()).replace("/", ""),
)
async def test_other_names_and_other_pages_are_refused_with_the_secret_too(
    place: str, headers: dict[str, str], diary: Path
) -> None:
    async with served(SAMPLE, str(diary)) as (site, client):
        sent = {name: value.format(port=site.port) for name, value in headers.items()}
        async with client.get(site.address + place, headers=sent) as answer:
            assert answer.status == 403
        if place == "ws":
            with pytest.raises(WSServerHandshakeError) as refused:
                await client.ws_connect(site.address + "ws", headers={"Origin": origin(site), **sent})
            assert refused.value.status == 403
    assert not diary.exists()


async def test_a_socket_that_names_no_page_is_refused(diary: Path) -> None:
    async with served(SAMPLE, str(diary)) as (site, client):
        with pytest.raises(WSServerHandshakeError) as refused:
            await client.ws_connect(site.address + "ws")
        assert refused.value.status == 403
    assert not diary.exists()


async def test_a_forwarded_port_is_as_good(diary: Path) -> None:
    async with (
        served(SAMPLE, str(diary)) as (site, client),
        client.get(site.address, headers={"Host": "localhost:9000"}) as answer,
    ):
        assert answer.status == 200
        assert f'"ws://localhost:9000/{site.access.token}/ws"' in await answer.text()


@given(st.text())
def test_only_the_secret_is_the_secret(text: str) -> None:
    access = Access()
    assert access.refusal(f"/{text}", ["127.0.0.1"], [], websocket=False)
    assert not access.refusal(f"/{access.token}/{text}", ["127.0.0.1"], [], websocket=False)
    assert access.token not in repr(access)
    assert access.token != Access().token


# --- what passes through the window


async def test_the_screen_is_drawn_takes_keys_and_ends_with_the_window(diary: Path) -> None:
    async with served(SAMPLE, str(diary)) as (site, client):
        window = await opened(site, client)
        await until(window, "Requirements")
        await window.send_json(["resize", {"width": 120, "height": 40}])
        await window.send_json(["ping", 7])
        await window.send_json(["stdin", "\x1b[17~"])
        await until(window, "Versions")
        await window.send_json(["stdin", "\x11"])
        await ended(window)
    assert diary.read_text().split() == ["begin", "end"]


@pytest.mark.parametrize(
    "text",
    ["{}", '["resize", {"width": 1.5, "height": 2}]', "[" * 100_000],
    ids=lambda text: text[:20],
)
async def test_what_is_no_message_of_the_page_closes_the_window(text: str, diary: Path) -> None:
    async with served(SAMPLE, str(diary)) as (site, client):
        window = await opened(site, client)
        await until(window, "Requirements")
        await window.send_str(text)
        await ended(window)
    assert diary.read_text().split() == ["begin", "end"]


async def test_another_window_takes_the_session_over_once_the_first_has_ended(diary: Path) -> None:
    async with served(SAMPLE, str(diary)) as (site, client):
        first = await opened(site, client)
        await until(first, "Requirements")
        second = await opened(site, client)
        await ended(first)
        assert first.close_code == TAKEN_OVER
        await until(second, "Requirements")
        assert diary.read_text().split() == ["begin", "end", "begin"]
    assert diary.read_text().split() == ["begin", "end", "begin", "end"]


ASKING = """
import sys
from tests.serve.small_screen import run
from workbench.tui.app import WorkbenchApp
usual = WorkbenchApp.on_mount
def asking(app):
    usual(app)
    app.open_url("http://evil.example")
    app.deliver_text(sys.argv[1])
WorkbenchApp.on_mount = asking
run()
"""


@pytest.mark.parametrize(
    "words", ["raise SystemExit(3)", "import os; os.kill(os.getpid(), 9)", "print('no')"]
)
async def test_a_screen_that_cannot_start_closes_its_window(words: str) -> None:
    async with served(words) as (site, client):
        await ended(await opened(site, client))


class EndedFirst(BrowserWindow):
    """A window whose process has ended, with all its output read, before the drawing begins."""

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        process = await super()._open_app_process(width, height)
        await process.wait()
        return process


async def test_a_screen_that_ended_before_the_drawing_began_closes_its_window(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workbench.serve.site.BrowserWindow", EndedFirst)
    async with served("print('no')") as (site, client):
        await ended(await opened(site, client))


async def test_the_page_is_never_told_to_open_an_address_or_a_file() -> None:
    async with served(ASKING, __file__) as (site, client):
        window = await opened(site, client)
        seen = await until(window, "Requirements")
        await window.send_json(["stdin", "\x11"])
        async for message in window:
            assert message.type is WSMsgType.BINARY, "only the screen is sent"
        assert "evil.example" not in seen


# --- the session


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A copy of a shipped session."""
    folder = tmp_path / "hospital-access"
    shutil.copytree(SHIPPED, folder, ignore=shutil.ignore_patterns(".workbench"))
    return folder


async def test_what_was_typed_before_the_window_closed_is_kept_and_the_session_free(session: Path) -> None:
    async with served(WITHOUT_PROVER, str(session)) as (site, client):
        window = await opened(site, client)
        await until(window, "clauses")
        await window.send_json(["stdin", "P"])
        await until(window, "policy.py")
        await window.send_json(["stdin", "e"])
        await until(window, "EDIT")
        await window.send_json(["stdin", "# mine"])
        await until(window, "mine")
        await window.close()
    with Session.open(session) as again:
        assert not again.read_only
        buffer = again.buffers.get("policy.py")
        assert "# mine" in (again.written if buffer is None else buffer.text)


def test_a_taken_port_is_one_sentence(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert main(["serve", str(session), "--port", str(port)]) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"Port {port} of this machine cannot be had (")
    assert shown.err.count("\n") == 1


def test_what_is_no_session_is_said_before_serving(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", str(tmp_path)]) == 2
    assert "is not a complete session" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_the_address_once_and_ends_in_order(session: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys; from workbench.cli import main; sys.exit(main())",
         "serve", str(session), "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    place = process.stdout.readline().strip().removeprefix("http://")
    host, _, path = place.partition("/")
    for line in (
        f"GET /{path} HTTP/1.1",
        f"GET /{path}nothing HTTP/1.1",
        "GET /x HTTP/1.1",
        f"/{path} NONSENSE",
    ):
        with socket.create_connection(("127.0.0.1", int(host.partition(":")[2]))) as client:
            client.sendall(f"{line}\r\nHost: {host}\r\n\r\n".encode())
            assert client.recv(4096)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out == ""
    assert path.strip("/") not in err
    assert len(err.splitlines()) == 1


async def test_a_killed_server_leaves_no_process_that_holds_the_session(session: Path) -> None:
    start = (
        "import asyncio, sys\n"
        "from workbench.serve.site import Site\n"
        "async def serve():\n"
        "    site = Site('x', (sys.executable, '-c', *sys.argv[1:]))\n"
        "    await site.start(0)\n"
        "    print(site.address, flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(serve())\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", start, WITHOUT_PROVER, str(session)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    try:
        async with ClientSession() as client:
            headers = {"Origin": "http://" + address.split("/")[2]}
            window = await client.ws_connect(address + "ws?width=100&height=30", headers=headers)
            await until(window, "clauses")
            with Session.open(session) as other:
                assert other.read_only
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    descriptor = os.open(session / ".workbench" / "lock", os.O_RDWR)
    fcntl.flock(descriptor, fcntl.LOCK_EX)  # waits until the screen's process has ended
    os.close(descriptor)
    with Session.open(session) as again:
        assert not again.read_only

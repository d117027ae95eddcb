"""The server: a page, its few assets and one WebSocket, all under the secret.

Access to the server: a client needs the secret, a loopback name, and the server's own page as origin.

A page of another site that is open in the same browser can send requests to 127.0.0.1, and can
make a name of its own resolve to it (DNS rebinding). Neither gets past these checks.

One window of a browser and the process that draws it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import cast

import textual_serve
from aiohttp import WSCloseCode, WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from workbench.files.package_environment import package_environment
from workbench.model import Json, WorkbenchError

HOST = "127.0.0.1"
_OWN = files("workbench.serve")
_THEIRS = Path(str(textual_serve.__file__)).parent / "static"
ASSETS = {
    "page.css": _OWN / "page.css",
    "page.js": _OWN / "page.js",
    "xterm.css": _THEIRS / "css" / "xterm.css",
    "textual.js": _THEIRS / "js" / "textual.js",
    "mono.ttf": _THEIRS / "fonts" / "RobotoMono-VariableFont_wght.ttf",
    "mono-italic.ttf": _THEIRS / "fonts" / "RobotoMono-Italic-VariableFont_wght.ttf",
}
_KINDS = {".css": "text/css", ".js": "text/javascript", ".ttf": "font/ttf"}
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self';"
    " img-src 'self' data:; connect-src ws://{host}; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)

type Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site:
    """A server of the screen of one session. Opening a window closes the window opened before."""

    def __init__(self, name: str, command: Sequence[str], access: Access | None = None) -> None:
        """Serve the screen that ``command`` draws, under the title ``name``."""
        self.access = access or Access()
        self._name = name
        self._command = command
        self._window: BrowserWindow | None = None
        self._turn = asyncio.Lock()
        self._runner: web.AppRunner | None = None
        self.port = 0

    @property
    def address(self) -> str:
        """The page's address, with the secret in it."""
        return f"http://{HOST}:{self.port}/{self.access.token}/"

    async def start(self, port: int) -> None:
        """Listen on a port of this machine only, 0 for any free one.

        Raises:
            WorkbenchError: the port is taken or not allowed.
        """
        app = web.Application(middlewares=[self._guarded])
        root = "/{token}"
        app.add_routes(
            [
                web.get(f"{root}/", self._page),
                web.get(f"{root}/ws", self._websocket),
                web.get(f"{root}/static/{{name}}", self._asset),
            ]
        )
        app.on_shutdown.append(self._shut_down)
        silent = logging.Logger("workbench.serve", logging.CRITICAL + 1)  # a log would hold the secret
        self._runner = web.AppRunner(app, access_log=None, logger=silent)
        await self._runner.setup()
        site = web.TCPSite(self._runner, HOST, port)
        try:
            await site.start()
        except OSError as error:
            await self.stop()
            raise WorkbenchError(
                f"Port {port} of this machine cannot be had ({error.strerror}); choose another with --port,"
                " or any free one with --port 0.",
                exit_code=3,
            ) from error
        self.port = int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """End the screen, its window and the server."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _shut_down(self, app: web.Application) -> None:
        del app
        if self._window is not None:
            await self._window.end()

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse a request that ``Access`` refuses, before any handler sees it."""
        why = self.access.refusal(
            request.path,
            request.headers.getall("Host", []),
            request.headers.getall("Origin", []),
            websocket="Upgrade" in request.headers or request.path.endswith("/ws"),
        )
        if why:
            return web.Response(status=403, text=why + "\n", headers=HEADERS)
        try:
            return await handler(request)
        except web.HTTPException as error:
            return web.Response(status=error.status, text=f"{error.reason}.\n", headers=HEADERS)

    async def _page(self, request: web.Request) -> web.Response:
        template = Template((_OWN / "page.html").read_text(encoding="utf-8"))
        text = template.substitute(
            name=escape(self._name), socket=escape(f"ws://{request.host}/{self.access.token}/ws")
        )
        policy = _POLICY.format(host=request.host)
        headers = {**HEADERS, "Content-Security-Policy": policy}
        return web.Response(text=text, content_type="text/html", headers=headers)

    async def _asset(self, request: web.Request) -> web.Response:
        asset = ASSETS.get(request.match_info["name"])
        if asset is None:
            raise web.HTTPNotFound
        body = await asyncio.to_thread(asset.read_bytes)
        return web.Response(body=body, content_type=_KINDS[Path(asset.name).suffix], headers=HEADERS)

    async def _websocket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(heartbeat=15, max_msg_size=_LARGEST_MESSAGE)
        await socket.prepare(request)
        async with self._turn:  # the earlier window stores everything first
            if self._window is not None:
                await self._window.end(taken_over=True)
            self._window = window = BrowserWindow(self._command, socket)
            await window.start(_size(request, "width", 80), _size(request, "height", 24))
        try:
            await window.pump()
        finally:
            await window.end()
        return socket


def _size(request: web.Request, name: str, usual: int) -> int:
    """The number of cells that the page asks for; ``usual`` if it asks for none."""
    text = request.query.get(name, "")
    return _cells(int(text)) if text.isascii() and text.isdigit() and len(text) < 6 else usual


_LOOPBACK = re.compile(r"(?:127\.0\.0\.1|localhost)(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Access:
    """The secret of one run of the server, and the rules; the secret is never shown by ``repr``."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def refusal(self, path: str, hosts: Sequence[str], origins: Sequence[str], *, websocket: bool) -> str:
        """The reason why a request is refused, in one sentence; empty if the request is accepted.

        Args:
            path: the path of the request; its first part has to be the secret.
            hosts: the values of the header ``Host``. A forwarded port (``ssh -L``) may be another one.
            origins: the values of the header ``Origin``; a WebSocket has to have one.
            websocket: whether a WebSocket is asked for.
        """
        if len(hosts) != 1 or not _LOOPBACK.fullmatch(hosts[0]):
            return "This server answers to 127.0.0.1 and localhost only."
        if (origins or websocket) and list(origins) != [f"http://{hosts[0]}"]:
            return "This server talks to its own page only."
        if not self._knows(path):
            return "This address lacks the secret of the server; take the one that 'workbench serve' printed."
        return ""

    def _knows(self, path: str) -> bool:
        first = path.removeprefix("/").partition("/")[0]
        return secrets.compare_digest(first.encode("utf-8", "replace"), self.token.encode())


_PATIENCE = 15.0
_MOST_CELLS = 1000
_LARGEST_MESSAGE = 1_000_000
TAKEN_OVER = 4001


class BrowserWindow(AppService):
    """A process with the screen on the session, and the WebSocket that shows it.

    The process is started without a shell. It may ask the browser only to draw it and to close it. It can
    neither open an address there nor hand out a file.
    """

    def __init__(self, command: Sequence[str], socket: web.WebSocketResponse) -> None:
        """Take the command that draws the screen, and the socket that shows it."""
        super().__init__(
            command[0],
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=self._close,
            download_manager=DownloadManager(),
        )
        self._words = command
        self._socket = socket
        self._code: int = WSCloseCode.OK
        self._ending: asyncio.Task[None] | None = None

    async def _close(self) -> None:
        await self._socket.close(code=self._code)

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        environment = self._build_environment(width=width, height=height)
        safe = package_environment()
        environment |= {name: safe[name] for name in ("PYTHONPATH", "PYTHONSAFEPATH")}
        environment["TEXTUAL_DRIVER"] = "workbench.serve.driver:PageDriver"
        process = await asyncio.create_subprocess_exec(
            *self._words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment, start_new_session=True
        )
        self._process = process
        self._stdin = process.stdin
        return process

    async def on_meta(self, data: bytes) -> None:
        """Close the window when the process reports that it ends; ignore every other message."""
        message = cast("Json", json.loads(data))
        if isinstance(message, dict) and message.get("type") == "exit":
            await self._close()

    async def on_packed(self, payload: bytes) -> None:
        """Ignore the message: no file is handed out."""
        del payload

    async def pump(self) -> None:
        """Pass on the messages of the window until it is closed; an invalid message ends the process."""
        async for message in self._socket:
            if message.type is not WSMsgType.TEXT or not await self._pass_on(cast("str", message.data)):
                break

    async def _pass_on(self, text: str) -> bool:
        try:
            match cast("Json", json.loads(text)):
                case ["stdin", str() as typed]:
                    await self.send_bytes(typed.encode("utf-8", "replace"))
                case ["resize", {"width": int() as width, "height": int() as height}]:
                    await self.set_terminal_size(_cells(width), _cells(height))
                case ["ping", int() | float() | str() as stamp]:
                    await self._socket.send_json(["pong", stamp])
                case ["blur"]:
                    await self.blur()
                case ["focus"]:
                    await self.focus()
                case _:
                    return False
        except (ValueError, RecursionError, ConnectionError):
            return False
        return True

    async def run(self) -> None:
        """Draw until the process ends for any reason, then close the window."""
        try:
            await super().run()
        except asyncio.CancelledError:
            # If all output is there before the drawing begins, it ends before its reader of errors has begun,
            # and that reader, cancelled, raises this. Only a request to cancel the drawing itself goes on.
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
        finally:
            await self._close()

    async def end(self, *, taken_over: bool = False) -> None:
        """Let the screen store the typed text and quit, wait for that, and close the window."""
        if self._ending is None:
            self._code = TAKEN_OVER if taken_over else self._code
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self.stop(), _PATIENCE)
        if self._process is not None:
            await _gone(self._process)
        await self._close()


async def _gone(process: Process) -> None:
    """Wait until the process has ended; after a time limit terminate it, and at last kill it."""
    for insist in (lambda: None, process.terminate, process.kill):
        with suppress(ProcessLookupError):
            insist()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _PATIENCE)
            return


def _cells(number: int) -> int:
    """A number of cells, limited to the widths and heights that a terminal can have."""
    return min(max(number, 1), _MOST_CELLS)


def serve(session: Path, port: int, tell: Callable[[str], None]) -> None:
    """Serve the screen on a session until Ctrl-C or SIGTERM; ``tell`` is called with the address.

    Raises:
        WorkbenchError: the port is taken.
    """
    command = (sys.executable, "-P", "-m", "workbench.serve.window_process", str(session.resolve()))
    asyncio.run(_serve(Site(session.resolve().name, command), port, tell))


async def _serve(site: Site, port: int, tell: Callable[[str], None]) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    await site.start(port)
    try:
        tell(site.address)
        await ended.wait()
    finally:
        await site.stop()

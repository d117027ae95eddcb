"""The server: a page, its few assets and one WebSocket, all under the secret."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

import textual_serve
from aiohttp import web

from workbench.model import WorkbenchError
from workbench.serve.access import Access
from workbench.serve.browser_window import LARGEST_MESSAGE, BrowserWindow, cells

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
        socket = web.WebSocketResponse(heartbeat=15, max_msg_size=LARGEST_MESSAGE)
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
    return cells(int(text)) if text.isascii() and text.isdigit() and len(text) < 6 else usual

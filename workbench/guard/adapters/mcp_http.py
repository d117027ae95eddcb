"""A guard in front of an MCP server over streamable HTTP: a proxy bound to loopback.

Posts are screened, answers (JSON or an event stream) are passed through as they come. A request
with a foreign Origin or Host is refused, so that a web page cannot use the guard (MCP, transports,
security warning). Each MCP session is a run of its own.
"""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast
from urllib.parse import SplitResult, urlsplit

from workbench.guard.adapters.mcp_messages import LONGEST_MESSAGE, Screen
from workbench.guard.enforce import Guard
from workbench.model import Json, WorkbenchError

_HOP_BY_HOP = {
    "connection", "keep-alive", "transfer-encoding", "host", "content-length", "te", "upgrade",
    "accept-encoding",
}  # fmt: skip
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_SESSION = "Mcp-Session-Id"
_MOST_SESSIONS = 10_000
_SECONDS = 300


def http_guard(guard: Guard, upstream: str, *, port: int = 0) -> ThreadingHTTPServer:
    """A server on 127.0.0.1 that forwards to ``upstream``; the caller runs ``serve_forever``.

    Raises WorkbenchError if ``upstream`` is not an http or https address or the port is taken.
    """
    target = urlsplit(upstream)
    if target.scheme not in ("http", "https") or not target.hostname:
        raise WorkbenchError(f"{upstream} is not an http or https address of an MCP server.")
    known = _Sessions(guard)

    class Handler(_GuardHandler):
        sessions = known
        upstream = target

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise WorkbenchError(f"Port {port} cannot be used: {error.strerror}. Name another.") from error


class _Sessions:
    """The screen of each session that the server opened; what has none shares one run."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._shared = Screen(guard)
        self._screens: dict[str, Screen] = {}
        self._lock = threading.Lock()

    def of(self, session: str | None) -> Screen:
        with self._lock:
            return self._screens.get(session or "", self._shared)

    def opened(self, session: str) -> None:
        """The server named a session: its calls are a run of their own, while there is room."""
        with self._lock:
            if session not in self._screens and len(self._screens) < _MOST_SESSIONS:
                self._screens[session] = Screen(self._guard.run())

    def closed(self, session: str) -> None:
        with self._lock:
            self._screens.pop(session, None)


class _GuardHandler(BaseHTTPRequestHandler):
    """Screens posts and passes everything else through."""

    sessions: _Sessions
    upstream: SplitResult
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet: the decision log says what happened."""

    def do_POST(self) -> None:
        """Screen the body, answer what may not run, forward the rest."""
        if not self._is_local():
            return
        length = self._length()
        if "chunked" in self.headers.get("Transfer-Encoding", "") or not 0 < length <= LONGEST_MESSAGE:
            self.close_connection = True
            self._answer(HTTPStatus.LENGTH_REQUIRED, "Send the message with its length.")
            return
        text = self.rfile.read(length).decode("utf-8", errors="replace")
        screen = self.sessions.of(self.headers.get(_SESSION))
        if not self._headers_fit(text):
            self._answer(HTTPStatus.BAD_REQUEST, "The headers name another call than the message.")
            return
        screened = screen.request(text)
        if screened.forward is None:
            body = screened.replies[0] if len(screened.replies) == 1 else f"[{','.join(screened.replies)}]"
            self._answer(HTTPStatus.OK if screened.replies else HTTPStatus.ACCEPTED, body)
            return
        if screened.replies:
            self._answer(HTTPStatus.BAD_REQUEST, "Send calls of tools one by one, not in a batch.")
            return
        self._forward("POST", screened.forward.encode(), screen)

    def do_GET(self) -> None:
        """Pass the server's event stream through."""
        if self._is_local():
            self._forward("GET", None, self.sessions.of(self.headers.get(_SESSION)))

    def do_DELETE(self) -> None:
        """Pass the end of a session through."""
        if self._is_local():
            session = self.headers.get(_SESSION, "")
            self._forward("DELETE", None, self.sessions.of(session))
            self.sessions.closed(session)

    def _length(self) -> int:
        text = self.headers.get("Content-Length", "")
        return int(text) if text.isdecimal() and len(text) < 20 else 0

    def _is_local(self) -> bool:
        origin, host = self.headers.get("Origin"), self.headers.get("Host", "")
        names = {urlsplit(f"//{host}").hostname, urlsplit(origin).hostname if origin else "localhost"}
        if names <= _LOOPBACK:
            return True
        self._answer(HTTPStatus.FORBIDDEN, "Requests from other origins are refused.")
        return False

    def _headers_fit(self, text: str) -> bool:
        """Whether the headers that newer servers route by name the same call as the message."""
        method, name = self.headers.get("Mcp-Method"), self.headers.get("Mcp-Name")
        if method is None and name is None:
            return True
        try:
            message = cast(Json, json.loads(text))
        except (ValueError, RecursionError):
            return True  # the screen answers what is no JSON
        if not isinstance(message, dict):
            return False
        parameters = message.get("params")
        named: Mapping[str, Json] = parameters if isinstance(parameters, dict) else {}
        calls_tool = "tools/call" in (method, message.get("method"))
        return (method is None or method == message.get("method")) and (
            not calls_tool or name is None or name == named.get("name")
        )

    def _answer(self, status: HTTPStatus, body: str) -> None:
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status is HTTPStatus.OK else "text/plain")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _forward(self, method: str, body: bytes | None, screen: Screen) -> None:
        secure = self.upstream.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        # A stream of events may be silent for as long as it likes.
        connection = kind(self.upstream.netloc, timeout=None if method == "GET" else _SECONDS)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP}
        path = (self.upstream.path or "/") + (f"?{self.upstream.query}" if self.upstream.query else "")
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            self._answer(HTTPStatus.BAD_GATEWAY, f"The MCP server does not answer: {error}")
            return
        try:
            self._pass_through(response, screen)
        except (OSError, http.client.HTTPException):
            self.close_connection = True  # one of the two ends went away in the middle of an answer
        finally:
            connection.close()

    def _pass_through(self, response: http.client.HTTPResponse, screen: Screen) -> None:
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value)
            if name.lower() == _SESSION.lower():
                self.sessions.opened(value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        events = "text/event-stream" in response.headers.get("Content-Type", "")
        if not events:
            body = response.read()
            screen.response(body.decode("utf-8", errors="replace"))
            self.wfile.write(body)
            return
        reader = _Events(screen)
        while chunk := response.read1(65536):
            reader.feed(chunk)  # before the client has it, and can make a call that rests on it
            self.wfile.write(chunk)
            self.wfile.flush()


class _Events:
    """Shows a screen the messages in an event stream: the data lines of each event."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> None:
        self._rest += chunk
        if len(self._rest) > LONGEST_MESSAGE:
            self._rest = b""  # too long to be a result that is kept
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            line = line.rstrip(b"\r")
            if line.startswith(b"data:"):
                self._data.append(line[5:].strip())
            elif not line:
                self._show(b"\n".join(self._data))
                self._data = []

    def _show(self, data: bytes) -> None:
        if data:
            self._screen.response(data.decode("utf-8", errors="replace"))

"""A guard in front of an MCP server over streamable HTTP: a proxy bound to loopback.

Requests and answers are rebuilt: only MCP's own headers and the authorization, and only messages that the
guard understood, are sent on. A request with a foreign Origin, Host or port is refused, so that a web page
cannot use the guard (MCP, transports, security warning). A redirect is refused too: the client would follow
it past the guard.

A run is named by a header of the client, if one is declared to name runs, else by the MCP session (protocol
versions before 2026-07-28). Of a request without either it is not known what was called before, unless the
whole proxy is declared to be one run. Another header names the kind of subagent that sends a request, whose
calls are calls of that run.

Server-sent events of an MCP server: parsed to messages, and written again.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast
from urllib.parse import SplitResult, urlsplit

from workbench.guard.adapters import http_headers as headers_
from workbench.guard.adapters.mcp_messages import (
    McpMessage,
    Rejected,
    Screen,
    ends_look_up,
    message_text,
    read_message,
)
from workbench.guard.adapters.strict_json import LONGEST_MESSAGE
from workbench.guard.adapters.tool_pins import ToolPins
from workbench.guard.adapters.unread_answers import TAIL, shortened
from workbench.guard.enforce import Guard
from workbench.guard.look_ups import SECONDS, LookUpFailed
from workbench.model import WorkbenchError

_MOST_RUNS = 10_000
_SECONDS = 300
_EVENTS = "text/event-stream"
_REDIRECTED = "The MCP server redirects; the guard does not follow. Give the address that it redirects to."


def http_guard(
    guard: Guard,
    upstream: str,
    *,
    port: int = 0,
    tools: ToolPins | None = None,
    look_ups: Collection[str] = (),
    one_run: bool = False,
) -> ThreadingHTTPServer:
    """A server on 127.0.0.1 that forwards to ``upstream``; the caller runs ``serve_forever``.

    ``tools`` are the pinned tools of the server; without them the first list is pinned. ``look_ups``
    are the read-only tools that the guard may ask. With ``one_run`` all requests are of one run, the
    guard's own. Raises WorkbenchError if ``upstream`` is not an http or https address or the port is taken.
    """
    target = urlsplit(upstream)
    if target.scheme not in ("http", "https") or not target.hostname:
        raise WorkbenchError(f"{upstream} is not an http or https address of an MCP server.")
    runs_of_clients = _Runs(guard, tools or ToolPins(), look_ups, one_run=one_run)

    class Handler(_GuardHandler):
        runs = runs_of_clients
        upstream = target

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise WorkbenchError(f"Port {port} cannot be used: {error.strerror}. Name another.") from error


@dataclass(frozen=True, slots=True)
class _NoScreen:
    """The answer to a request that belongs to no run."""

    status: HTTPStatus
    why: str


_NO_ROOM = _NoScreen(HTTPStatus.SERVICE_UNAVAILABLE, "The guard remembers no more runs. Start it again.")


class _Runs:
    """The runs of the clients, each with a guard, and the screens of the sessions that the server opened."""

    def __init__(self, guard: Guard, tools: ToolPins, look_ups: Collection[str], *, one_run: bool) -> None:
        self._guard = guard
        self._tools = tools
        self._look_ups = look_ups
        self._one_run = one_run
        self._named: dict[str, Guard] = {}
        self._sessions: dict[str, tuple[str, str, Screen]] = {}
        self._lock = threading.Lock()

    def of(self, session: str, run: str, agent: str) -> Screen | _NoScreen:
        """The screen of a request that names these, each perhaps empty; or why there is none.

        A request without a session has a screen of its own, because clients that do not know of each other
        choose the same ids.
        """
        with self._lock:
            if not session:
                return self._without_session(run, agent)
            of_run, of_agent, screen = self._sessions.get(session, ("", "", None))
        if screen is None:
            return _NoScreen(HTTPStatus.NOT_FOUND, "No such session was opened through this guard.")
        if of_run != run and not self._one_run:
            return _NoScreen(HTTPStatus.BAD_REQUEST, "The session was opened in another run.")
        if of_agent != agent:
            return _NoScreen(HTTPStatus.BAD_REQUEST, "The session was opened by another kind of agent.")
        return screen

    def _without_session(self, run: str, agent: str) -> Screen | _NoScreen:
        if self._one_run:
            return self._screen(self._guard, agent)
        if run:
            guard = self._of_name(run)
            return _NO_ROOM if guard is None else self._screen(guard, agent)
        try:
            return self._screen(self._guard.run(began_before=True), agent)
        except WorkbenchError as error:
            return Screen(self._guard, self._tools, self._look_ups, refused=f"Refused: {error}")

    def _screen(self, guard: Guard, agent: str) -> Screen:
        """The screen of an agent of a run, or of its subagent of a kind."""
        return Screen(guard.delegate(agent) if agent else guard, self._tools, self._look_ups)

    def _of_name(self, run: str) -> Guard | None:
        """The guard of a named run, which goes on; None if there are too many to remember."""
        guard = self._named.get(run)
        if guard is None and len(self._named) < _MOST_RUNS:
            guard = self._named[run] = self._guard.run(run)
        return guard

    def opened(self, session: str, run: str, agent: str) -> None:
        """Register a session that the server named, of this run or a run of its own, while there is room."""
        with self._lock:
            if session in self._sessions or len(self._sessions) >= _MOST_RUNS:
                return
            guard = self._guard if self._one_run else self._of_name(run) if run else self._guard.run()
            if guard is not None:
                self._sessions[session] = run, agent, self._screen(guard, agent)

    def closed(self, session: str) -> None:
        """Forget a session. A run that a header names goes on."""
        with self._lock:
            self._sessions.pop(session, None)


class _GuardHandler(BaseHTTPRequestHandler):
    """Rebuilds the requests of a client and the answers of the server."""

    runs: _Runs
    upstream: SplitResult
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing here: the decision log records what happened."""

    def do_POST(self) -> None:
        """Screen the message, answer a message that may not run, forward the rest."""
        headers = self._headers()
        if headers is None:
            return
        length = headers_.content_length(headers)
        if not 0 < length <= LONGEST_MESSAGE:
            self.close_connection = True
            self._answer(HTTPStatus.LENGTH_REQUIRED, "Send one message of JSON in UTF-8, with its length.")
            return
        message = read_message(self.rfile.read(length))
        if isinstance(message, Rejected):
            self._answer(HTTPStatus.OK if message.reply else HTTPStatus.ACCEPTED, message.reply)
            return
        if not _named_alike(headers, message):
            self._answer(HTTPStatus.BAD_REQUEST, "The headers name another call than the message.")
            return
        screen = self._screen(headers)
        if screen is None:
            return
        screened = screen.decide(message, partial(self._ask, headers))
        if screened.reply:
            self._answer(HTTPStatus.OK, screened.reply)
            return
        sent = _forwarded(headers, message)
        if not self._forward("POST", screened.forward.encode(), sent, screen, message):
            screen.lost(message)

    def do_GET(self) -> None:
        """Rebuild the server's event stream."""
        headers = self._headers()
        if headers is not None and (screen := self._screen(headers)) is not None:
            self._forward("GET", None, _forwarded(headers, None), screen)

    def do_DELETE(self) -> None:
        """Forward the end of a session."""
        headers = self._headers()
        if headers is not None and (screen := self._screen(headers)) is not None:
            self._forward("DELETE", None, _forwarded(headers, None), screen)
            self.runs.closed(headers.get(headers_.SESSION, ""))

    def _headers(self) -> Mapping[str, str] | None:
        """The headers, if they are well formed and from a client of this guard; else answer the request."""
        headers, problem = headers_.read_headers(self.headers)
        port = cast("ThreadingHTTPServer", self.server).server_port
        loopback = [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]
        status = HTTPStatus.BAD_REQUEST
        if not problem and headers.get("Host", "").lower() not in loopback:
            status, problem = HTTPStatus.FORBIDDEN, "Requests to other hosts or ports are refused."
        if (
            not problem
            and "Origin" in headers
            and headers["Origin"] not in [f"http://{host}" for host in loopback]
        ):
            status, problem = HTTPStatus.FORBIDDEN, "Requests from other origins are refused."
        problem = problem or headers_.problem_of(headers)
        has_body = headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in headers
        if self.command != "POST" and has_body:
            problem = problem or "A request of this method has no body."
        if not problem:
            return headers
        self.close_connection = True  # it is not certain where a body begins
        self._answer(status, problem)
        return None

    def _screen(self, headers: Mapping[str, str]) -> Screen | None:
        named = (headers.get(name, "") for name in (headers_.SESSION, headers_.RUN, headers_.AGENT))
        screen = self.runs.of(*named)
        if isinstance(screen, Screen):
            return screen
        self._answer(screen.status, screen.why)
        return None

    def _answer(self, status: HTTPStatus | int, body: str, session: str = "") -> None:
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if body.startswith("{") else "text/plain")
        self.send_header("Content-Length", str(len(data)))
        if session:
            self.send_header(headers_.SESSION, session)
        self.end_headers()
        self.wfile.write(data)

    def _connection(self, *, timeout: float | None) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self.upstream.scheme == "https" else http.client.HTTPConnection
        return kind(self.upstream.netloc.rpartition("@")[2], timeout=timeout)

    def _send(
        self, connection: http.client.HTTPConnection, method: str, body: bytes | None, sent: Mapping[str, str]
    ) -> http.client.HTTPResponse:
        path = (self.upstream.path or "/") + (f"?{self.upstream.query}" if self.upstream.query else "")
        connection.request(method, path, body, dict(sent))
        return connection.getresponse()

    def _ask(self, headers: Mapping[str, str], message: McpMessage) -> bytes:
        """The server's answer to one of the guard's own requests. Raises LookUpFailed without an answer."""
        connection = self._connection(timeout=SECONDS)
        try:
            body = message_text(message).encode()
            response = self._send(connection, "POST", body, _forwarded(headers, message))
            kind = response.headers.get("Content-Type", "")
            if response.status != HTTPStatus.OK:
                raise LookUpFailed(f"the server answers with the status {response.status}")
            if kind.partition(";")[0].strip().lower() == _EVENTS:
                return next(
                    event.data
                    for event in read_events(_chunks(response))
                    if event.data and ends_look_up(event.data, message)
                )
            return response.read(LONGEST_MESSAGE + 1)
        except (OSError, http.client.HTTPException, StopIteration):
            raise LookUpFailed("the server does not answer") from None
        finally:
            connection.close()

    def _forward(
        self,
        method: str,
        body: bytes | None,
        sent: Mapping[str, str],
        screen: Screen,
        message: McpMessage | None = None,
    ) -> bool:
        """Forward a request and rebuild its answer.

        Returns whether the server may still answer the ``message`` in another stream of the session.
        """
        # A stream of events may be silent for any time.
        connection = self._connection(timeout=None if method == "GET" else _SECONDS)
        try:
            response = self._send(connection, method, body, sent)
        except (OSError, http.client.HTTPException):
            connection.close()
            self._answer(HTTPStatus.BAD_GATEWAY, "The MCP server does not answer.")
            return False
        try:
            return self._rebuild(response, sent, screen, message)
        except (OSError, http.client.HTTPException):
            self.close_connection = True  # one end disconnected midway
            return headers_.SESSION in sent
        finally:
            connection.close()

    def _rebuild(
        self,
        response: http.client.HTTPResponse,
        sent: Mapping[str, str],
        screen: Screen,
        message: McpMessage | None,
    ) -> bool:
        """Answer the client with the parts of the server's answer that the guard understood.

        Returns what ``_forward`` returns.
        """
        try:
            session = headers_.session_of(response.headers.get_all(headers_.SESSION, []))
            coded = response.headers.get("Content-Encoding", "identity").lower() != "identity"
        except ValueError:
            self._answer(HTTPStatus.BAD_GATEWAY, "The MCP server names no session that a header may name.")
            return False
        if 300 <= response.status < 400 or response.status < 200 or coded:
            self._answer(
                HTTPStatus.BAD_GATEWAY, _REDIRECTED if not coded else "The MCP server codes its answer."
            )
            return False
        if session and response.status == HTTPStatus.OK:
            named = ((self.headers.get(name) or "").strip() for name in (headers_.RUN, headers_.AGENT))
            self.runs.opened(session, *named)
        kind = response.headers.get("Content-Type", "")
        if kind.partition(";")[0].strip().lower() == _EVENTS and response.status == HTTPStatus.OK:
            return self._rebuild_events(response, sent, screen, session, message)
        if headers_.is_json(kind) and self.command != "DELETE":
            self._rebuild_message(response, sent, screen, session, message)
        elif response.status == HTTPStatus.OK and self.command == "POST":
            self._answer(HTTPStatus.BAD_GATEWAY, "The MCP server answers with something else than messages.")
        else:  # the client needs only the status
            self._answer(response.status, "", session)
        return response.status == HTTPStatus.ACCEPTED

    def _rebuild_message(
        self,
        response: http.client.HTTPResponse,
        sent: Mapping[str, str],
        screen: Screen,
        session: str,
        message: McpMessage | None,
    ) -> None:
        body = response.read(LONGEST_MESSAGE + 1)
        answered = screen.response(body)
        self._reply_to_server(answered.to_server, sent, session)
        if not answered.to_client and response.status == HTTPStatus.OK:
            refusal = "".join(screen.unanswered(message))
            self._answer(
                HTTPStatus.BAD_GATEWAY, refusal or "The guard did not understand the server's answer."
            )
            return
        self._answer(response.status, "".join(answered.to_client[:1]), session)

    def _rebuild_events(
        self,
        response: http.client.HTTPResponse,
        sent: Mapping[str, str],
        screen: Screen,
        session: str,
        message: McpMessage | None,
    ) -> bool:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", _EVENTS)
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Connection", "close")
        if session:
            self.send_header(headers_.SESSION, session)
        self.end_headers()
        self.close_connection = True
        goes_on = False
        for event in read_events(_chunks(response)):
            # After an event with an id, a client of the session can ask for the rest of the stream.
            goes_on = goes_on or (bool(event.id) and headers_.SESSION in sent)
            # The guard learns the result before the client does, because the client's next call may depend on
            # it.
            answered = screen.response(event.data)
            self._reply_to_server(answered.to_server, sent, session)
            self.wfile.write(_write_event(answered.to_client, event))
            self.wfile.flush()
        if not goes_on and (refusal := screen.unanswered(message)):
            self.wfile.write(_write_event(refusal, Event()))
        return goes_on

    def _reply_to_server(self, replies: tuple[str, ...], sent: Mapping[str, str], session: str) -> None:
        """Post the guard's reply to a request of the server; the client sees neither."""
        copied_headers = {
            name: sent[name] for name in ("Authorization", headers_.SESSION, headers_.VERSION) if name in sent
        }
        named = {headers_.SESSION: session} if session else {}
        for reply in replies:
            connection = self._connection(timeout=_SECONDS)
            try:
                self._send(connection, "POST", reply.encode(), {**_CONTENT, **copied_headers, **named}).read(
                    0
                )
            except (OSError, http.client.HTTPException):
                pass  # a server that does not take the reply waits at its own cost
            finally:
                connection.close()


_CONTENT = {"Content-Type": "application/json", "Accept": f"application/json, {_EVENTS}"}


def _chunks(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The parts of a stream until the server ends it or breaks off."""
    with contextlib.suppress(OSError, http.client.HTTPException):
        while chunk := response.read1(65536):
            yield chunk


def _named_alike(headers: Mapping[str, str], message: McpMessage) -> bool:
    """Whether the headers by which newer servers route name the same call as the message."""
    return headers.get(headers_.METHOD, message.method) == message.method and (
        headers_.NAME not in headers or headers[headers_.NAME] == message.tool
    )


def _forwarded(headers: Mapping[str, str], message: McpMessage | None) -> dict[str, str]:
    """The headers of a request that are forwarded to the server."""
    forwarded_names = ("Authorization", headers_.SESSION, headers_.VERSION, headers_.LAST_EVENT)
    sent = {name: headers[name] for name in forwarded_names if name in headers}
    if message is None:
        return {**sent, "Accept": _EVENTS}
    if headers_.METHOD in headers:
        sent[headers_.METHOD] = message.method
        if message.tool:
            sent[headers_.NAME] = message.tool
    return {**sent, **_CONTENT}


_ENDS = re.compile(rb"\r\n|\r|\n")
_ID = re.compile(r"[\x20-\x7e]{0,256}")
_MARK = b"\xef\xbb\xbf"
_LONGEST = LONGEST_MESSAGE + 64  # with the name of the field


@dataclass(frozen=True, slots=True)
class Event:
    """A server-sent event: its data, its id and the pause before a new connection; each may be missing."""

    data: bytes = b""
    id: str | None = None
    retry: str = ""


def read_events(chunks: Iterable[bytes]) -> Iterator[Event]:
    """The message events of a stream as the WHATWG describes it; events of other kinds are left out.

    Of data that is too long only beginning and end are kept, which are too long too.
    """
    data = _Bytes()
    name, event_id, retry = "", None, ""
    for line in _lines(chunks):
        if not line:
            whole = data.take().removesuffix(b"\n")
            if name in ("", "message") and (whole or event_id is not None or retry):
                yield Event(whole, event_id, retry)
            name, event_id, retry = "", None, ""
            continue
        key, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        value_text = value.decode("latin-1")
        match key:
            case b"data":
                data.add(value + b"\n")
            case b"event":
                name = value_text
            case b"id" if _ID.fullmatch(value_text):
                event_id = value_text
            case b"retry" if value_text.isascii() and value_text.isdigit() and len(value_text) < 10:
                retry = value_text
            case _:
                pass


def _write_event(texts: Iterable[str], event: Event) -> bytes:
    """Events with these texts; the last one has the id and the pause of the original ``event``."""
    lines = [f"data: {text}\n\n" for text in texts]
    last = "".join(
        [
            f"id: {event.id}\n" if event.id is not None else "",
            f"retry: {event.retry}\n" if event.retry else "",
            lines.pop() if lines else "data: \n\n" if event.id is not None or event.retry else ":\n\n",
        ]
    )
    return ("".join(lines) + last).encode("ascii")


class _Bytes:
    """Bytes that come in parts; of more than a message may have, only beginning and end are kept."""

    def __init__(self) -> None:
        self._whole = bytearray()
        self._size = 0
        self._end = b""

    def add(self, part: bytes) -> None:
        """Add the next part."""
        self._whole += part[: max(0, _LONGEST - self._size)]
        self._size += len(part)
        self._end = (self._end + part[-TAIL:])[-TAIL:]

    def take(self) -> bytes:
        """What was added since the last call of this method."""
        whole = bytes(self._whole)
        if self._size > _LONGEST:
            whole = shortened(whole, self._end)
        self._whole, self._size, self._end = bytearray(), 0, b""
        return whole


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a stream, without their ends; a lone carriage return ends a line too."""
    unfinished = _Bytes()
    after_return = False
    for part in _without_mark(chunks):
        chunk = part.removeprefix(b"\n") if after_return else part
        after_return = part.endswith(b"\r")  # a line feed may follow, which belongs to it
        *lines, rest = _ENDS.split(chunk)
        for line in lines:
            unfinished.add(line)
            yield unfinished.take()
        unfinished.add(rest)


def _without_mark(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The parts of a stream that are not empty, without a mark of the order of bytes at the beginning."""
    beginning: bytes | None = b""
    for chunk in chunks:
        if beginning is None:
            part = chunk
        elif len(beginning := beginning + chunk) < len(_MARK) and _MARK.startswith(beginning):
            continue
        else:
            part, beginning = beginning.removeprefix(_MARK), None
        if part:
            yield part

"""The tools of a running MCP server: asked over its standard input and output, or over HTTP."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Mapping
from typing import IO, cast
from urllib.parse import SplitResult, urlsplit

from workbench.clean_text import one_line
from workbench.files.bounded_text import load_json
from workbench.guard.adapters.mcp_events import read_events
from workbench.model import Json, WorkbenchError

SECONDS = 30.0
"""The time in which a server has to list its tools."""
MOST_BYTES = 32_000_000
_MOST_PAGES = 200
_VERSION = "2025-06-18"
_HELLO: dict[str, Json] = {
    "protocolVersion": _VERSION,
    "capabilities": {},
    "clientInfo": {"name": "policy-workbench", "version": "1"},
}

type Ask = Callable[[str, Mapping[str, Json] | None], Json]
"""Sends a request and gives its result; None of the parameters sends a notification."""


def mcp_tools(server: str, seconds: float = SECONDS) -> str:
    """The list of tools of an MCP server, as JSON text: of an http or https address, or of a command.

    The command is started as it is written, without a shell, and ended afterwards. Raises WorkbenchError,
    with the server, if it cannot be asked, answers something else, or does not answer in time.
    """
    deadline = time.monotonic() + seconds
    opened = _over_http if server.startswith(("http://", "https://")) else _over_stdio
    with opened(server, deadline) as ask:
        return json.dumps({"tools": _listed(server, ask)})


def _listed(server: str, ask: Ask) -> list[Json]:
    ask("initialize", _HELLO)
    ask("notifications/initialized", None)
    tools: list[Json] = []
    cursors: set[str] = set()
    asked: dict[str, Json] = {}
    for _ in range(_MOST_PAGES):
        result = ask("tools/list", asked)
        page = result.get("tools") if isinstance(result, dict) else None
        if not isinstance(page, list) or not isinstance(result, dict):
            raise _refused(server, "its answer has no list of tools")
        tools += page
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str) or not cursor:
            return tools
        if cursor in cursors:
            raise _refused(server, "it lists the same tools again and again")
        cursors.add(cursor)
        asked = {"cursor": cursor}
    raise _refused(server, f"its list has more than {_MOST_PAGES} pages")


def _refused(server: str, why: str) -> WorkbenchError:
    return WorkbenchError(
        f"The MCP server {one_line(server, 80)} does not list its tools: {one_line(why, 200)}. "
        "Save the list as JSON and give the file with --agent."
    )


def _message(number: int | None, method: str, params: Mapping[str, Json] | None) -> str:
    message: dict[str, Json] = {"jsonrpc": "2.0", "method": method}
    if number is not None:
        message["id"] = number
    if params is not None:
        message["params"] = dict(params)
    return json.dumps(message)


def _answer(server: str, text: str, number: int) -> tuple[bool, Json]:
    """Whether a text is the answer to a request, with its result. Raises WorkbenchError for an error."""
    try:
        value = cast("Json", load_json(text))
    except ValueError:
        return False, None
    if not isinstance(value, dict) or value.get("id") != number or "method" in value:
        return False, None
    if "error" in value:
        raise _refused(server, f"it answers with the error {json.dumps(value['error'])}")
    return True, value.get("result")


@contextlib.contextmanager
def _over_stdio(command: str, deadline: float) -> Generator[Ask]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise _refused(command, f"the command cannot be read ({error})") from None
    if not words:
        raise WorkbenchError("Say which MCP server to ask: a command, or an http address.")
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise _refused(command, f"it cannot be started ({error.strerror})") from None
    lines: queue.Queue[bytes | None] = queue.Queue()
    threading.Thread(target=_read_lines, args=(process.stdout, lines), daemon=True).start()
    numbers = iter(range(1, 10**6))

    def ask(method: str, params: Mapping[str, Json] | None) -> Json:
        number = next(numbers) if params is not None else None
        assert process.stdin is not None
        try:
            process.stdin.write(_message(number, method, params).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise _refused(command, "it ended before it was asked") from None
        while number is not None:
            try:
                line = lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise _refused(command, f'it does not answer "{method}" in time') from None
            if line is None:
                raise _refused(command, f'it ended, or said too much, without an answer to "{method}"')
            is_answer, result = _answer(command, line.decode("utf-8", "replace"), number)
            if is_answer:
                return result
        return None

    try:
        yield ask
    finally:
        _end(process)


def _read_lines(pipe: IO[bytes] | None, lines: queue.Queue[bytes | None]) -> None:
    """Pass the lines of a server on, up to the bytes that it may say; None is the end."""
    left = MOST_BYTES
    while pipe is not None and left > 0:
        line = pipe.readline(left)
        if not line:
            break
        left -= len(line)
        lines.put(line)
    lines.put(None)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a server with all that it started."""
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def _over_http(address: str, deadline: float) -> Generator[Ask]:
    target = urlsplit(address)
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": _VERSION,
    }
    numbers = iter(range(1, 10**6))

    def ask(method: str, params: Mapping[str, Json] | None) -> Json:
        number = next(numbers) if params is not None else None
        try:
            status, session, texts = _posted(target, _message(number, method, params), headers, deadline)
        except (OSError, http.client.HTTPException, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise _refused(address, f"it cannot be asked ({why})") from None
        if status >= 300:
            raise _refused(address, f"it answers with the status {status}")
        if session:
            headers["Mcp-Session-Id"] = session
        for text in texts if number is not None else ():
            is_answer, result = _answer(address, text, number or 0)
            if is_answer:
                return result
        if number is None:
            return None
        raise _refused(address, f'its answer to "{method}" is none of MCP')

    yield ask


def _posted(
    target: SplitResult, message: str, headers: Mapping[str, str], deadline: float
) -> tuple[int, str, list[str]]:
    """Send a message; the status of the answer, the session that it names, and the messages in it."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("no answer in time")
    kind = http.client.HTTPSConnection if target.scheme == "https" else http.client.HTTPConnection
    connection = kind(target.hostname or "", target.port, timeout=left)
    try:
        path = (target.path or "/") + (f"?{target.query}" if target.query else "")
        connection.request("POST", path, message.encode(), dict(headers))
        response = connection.getresponse()
        is_stream = response.getheader("Content-Type", "").startswith("text/event-stream")
        data = _read(response, deadline, until_event=is_stream)
        messages = [event.data for event in read_events([data])] if is_stream else [data]
        return (
            response.status,
            response.getheader("Mcp-Session-Id", ""),
            [message.decode("utf-8", "replace") for message in messages],
        )
    finally:
        connection.close()


def _read(response: http.client.HTTPResponse, deadline: float, *, until_event: bool) -> bytes:
    """The bytes of an answer; of a stream, which may have no end, those up to its first answer."""
    data = bytearray()
    while len(data) < MOST_BYTES:
        if time.monotonic() > deadline:
            raise TimeoutError("no answer in time")
        part = response.readline(MOST_BYTES) if until_event else response.read1(65_536)
        if not part:
            return bytes(data)
        data += part
        if until_event and part in (b"\n", b"\r\n") and b'"id"' in data:
            return bytes(data)
    raise ValueError(f"more than {MOST_BYTES // 1_000_000} MB")

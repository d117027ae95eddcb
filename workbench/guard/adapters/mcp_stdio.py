"""A guard in front of an MCP server over stdio: it relays between the client and the server."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import IO, BinaryIO

from workbench.guard.adapters.mcp_messages import (
    Ask,
    McpMessage,
    Screen,
    answered_ids,
    lacks_id,
    message_text,
)
from workbench.guard.adapters.strict_json import LONGEST_MESSAGE
from workbench.guard.adapters.tool_pins import ToolPins
from workbench.guard.adapters.unread_answers import shortened
from workbench.guard.enforce import Guard
from workbench.guard.look_ups import SECONDS, LookUpFailed
from workbench.model import WorkbenchError

# --- the guard's own requests to an MCP server over stdio, sent between those of the client

_MOST_LINES = 64


class _StdioExchange:
    """Sends requests, and takes their answers out of the server's lines.

    Reading continues while a call is decided, so that an answer is not blocked by a result that waits for the
    decision.
    """

    def __init__(self, send: Callable[[str], None]) -> None:
        """Write to the server by ``send``."""
        self._send = send
        self._open: dict[str, queue.Queue[bytes]] = {}
        self._ended = False
        self._lock = threading.Lock()

    def ask(self, message: McpMessage) -> bytes:
        """The answer to a request. Raises LookUpFailed if none arrives in time."""
        box: queue.Queue[bytes] = queue.Queue(1)
        name = str(message.id)
        with self._lock:
            if self._ended:
                raise LookUpFailed("the server has ended")
            self._open[name] = box
        try:
            self._send(message_text(message))
            answer = box.get(timeout=SECONDS)
        except (OSError, ValueError, queue.Empty):
            raise LookUpFailed("the server does not answer") from None
        finally:
            with self._lock:
                self._open.pop(name, None)
        if not answer:
            raise LookUpFailed("the server has ended")
        return answer

    def others(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        """The lines that are no answer to one of the guard's own requests, in order.

        A batch is among them: besides the guard's answer, which it refuses, it may have others.
        """
        waiting: queue.Queue[bytes] = queue.Queue(_MOST_LINES)

        def read() -> None:
            try:
                for line in lines:
                    if not self._takes(line):
                        waiting.put(line)
            finally:
                self._end()
                waiting.put(b"")

        threading.Thread(target=read, name="answers of the MCP server", daemon=True).start()
        while line := waiting.get():
            yield line

    def _takes(self, line: bytes) -> bool:
        """Whether a line is an answer to the guard; one without an id ends each request, refused."""
        with self._lock:
            if not self._open:
                return False
        names, every = answered_ids(line), lacks_id(line)
        with self._lock:
            boxes = [self._open.pop(name) for name in [*self._open] if every or name in names]
        for box in boxes:
            box.put(line)
        return bool(boxes) and not line.lstrip().startswith(b"[")

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            boxes = list(self._open.values())
            self._open.clear()
        for box in boxes:
            box.put(b"")


type _Send = Callable[[str], None]


def serve_stdio(
    guard: Guard,
    command: Sequence[str],
    client_in: BinaryIO,
    client_out: BinaryIO,
    *,
    tools: ToolPins | None = None,
    look_ups: Collection[str] = (),
) -> int:
    """Run ``command`` as the MCP server and screen the messages of both sides; returns its exit code.

    Ends when the client closes its side or the server ends. The server's standard error is passed through
    untouched. ``tools`` are the pinned tools of the server; without them the first list of the run is pinned.
    ``look_ups`` are the read-only tools that the guard may call.

    Raises:
        WorkbenchError: the command cannot be started.
    """
    try:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise WorkbenchError(f"{command[0]} cannot be started: {error.strerror}.", exit_code=3) from error
    assert server.stdin is not None
    assert server.stdout is not None
    screen = Screen(guard, tools, look_ups)
    to_client, to_server = _sender(client_out), _sender(server.stdin)
    exchange = _StdioExchange(to_server)
    lines = exchange.others(message_lines(server.stdout))
    answers = threading.Thread(target=_copy_answers, args=(screen, lines, to_client, to_server), daemon=True)
    answers.start()
    requests = threading.Thread(
        target=_screen_requests,
        args=(screen, client_in, server.stdin, to_client, to_server, exchange.ask),
        daemon=True,
    )
    requests.start()
    try:
        code = server.wait()
        answers.join()
    finally:
        if server.poll() is None:
            server.terminate()
    return code


def _sender(stream: IO[bytes]) -> _Send:
    """A function that writes whole lines to a stream that several threads write to."""
    lock = threading.Lock()

    def send(text: str) -> None:
        with lock:
            stream.write(text.encode() + b"\n")
            stream.flush()

    return send


def message_lines(source: IO[bytes]) -> Iterator[bytes]:
    """The lines of a stream; of a line that is too long only beginning and end, which are too long too."""
    while line := source.readline(LONGEST_MESSAGE + 2):
        end = last_part = line
        while not last_part.endswith(b"\n") and (last_part := source.readline(LONGEST_MESSAGE)):
            end = end[-LONGEST_MESSAGE:] + last_part
        if line.strip():
            yield line if end is line else shortened(line, end)


def _copy_answers(screen: Screen, lines: Iterator[bytes], to_client: _Send, to_server: _Send) -> None:
    for line in lines:
        # The guard learns the result before the client can make its next call.
        answered = screen.response(line)
        try:
            for text in answered.to_client:
                to_client(text)
        except (OSError, ValueError):
            return
        with contextlib.suppress(OSError, ValueError):  # the server reads no more, but may still answer
            for text in answered.to_server:
                to_server(text)


def _screen_requests(
    screen: Screen, client: BinaryIO, server: BinaryIO, to_client: _Send, to_server: _Send, ask: Ask
) -> None:
    try:
        for line in message_lines(client):
            screened = screen.request(line, ask)
            if screened.reply:
                to_client(screened.reply)
            if screened.forward:
                to_server(screened.forward)
    except (OSError, ValueError):
        pass
    finally:
        with contextlib.suppress(OSError):
            server.close()

"""The guard's own requests to an MCP server over stdio, sent between those of the client."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

from workbench.guard.adapters.mcp_messages import McpMessage, answered_ids, lacks_id, message_text
from workbench.guard.look_ups import SECONDS, LookUpFailed

_MOST_LINES = 64


class StdioExchange:
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

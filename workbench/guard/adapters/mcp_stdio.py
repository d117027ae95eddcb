"""A guard in front of an MCP server over stdio: the client talks to the guard, the guard to it."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import BinaryIO

from workbench.guard.adapters.mcp_messages import LONGEST_MESSAGE, Screen
from workbench.guard.enforce import Guard
from workbench.model import WorkbenchError


def serve_stdio(guard: Guard, command: Sequence[str], client_in: BinaryIO, client_out: BinaryIO) -> int:
    """Run ``command`` as the MCP server and screen what the client sends; returns its exit code.

    Ends when the client closes its side or the server ends. The server's standard error is
    passed through untouched. Raises WorkbenchError if the command cannot be started.
    """
    try:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise WorkbenchError(f"{command[0]} cannot be started: {error.strerror}.", exit_code=3) from error
    assert server.stdin is not None
    assert server.stdout is not None
    screen = Screen(guard)
    lock = threading.Lock()

    def to_client(data: bytes) -> None:
        with lock:
            client_out.write(data if data.endswith(b"\n") else data + b"\n")
            client_out.flush()

    answers = threading.Thread(
        target=_copy_answers, args=(screen, server.stdout, to_client), daemon=True
    )  # fmt: skip
    answers.start()
    requests = threading.Thread(
        target=_screen_requests, args=(screen, client_in, server.stdin, to_client), daemon=True
    )
    requests.start()
    try:
        code = server.wait()
        answers.join()
    finally:
        if server.poll() is None:
            server.terminate()
    return code


def _copy_answers(screen: Screen, source: BinaryIO, to_client: Callable[[bytes], None]) -> None:
    for line in source:
        # The result is known to the guard before the client can make its next call.
        screen.response(line.decode("utf-8", errors="replace"))
        try:
            to_client(line)
        except (OSError, ValueError):
            return


def _screen_requests(
    screen: Screen, client: BinaryIO, server: BinaryIO, to_client: Callable[[bytes], None]
) -> None:
    try:
        while line := client.readline(LONGEST_MESSAGE + 2):
            if not line.strip():
                continue
            screened = screen.request(line.decode("utf-8", errors="replace"))
            for reply in screened.replies:
                to_client(reply.encode())
            if screened.forward is not None:
                server.write(screened.forward.encode() + b"\n")
                server.flush()
    except (OSError, ValueError):
        pass
    finally:
        with contextlib.suppress(OSError):
            server.close()

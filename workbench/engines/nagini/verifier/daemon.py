"""The shared verifier: ``python -m workbench.engines.nagini.verifier.daemon SOCKET``.

There is at most one for each socket.

Any number of sessions of one user connect to the socket. Their jobs are served one at a time, in turn, so
that a session with many jobs does not delay one with few. The jobs of a session that disconnects are dropped.
When no session has been connected for a while, the process ends, with all processes that it started.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from workbench.engines.nagini.verifier.connection import OnPhase, ProverUnready, Verifier
from workbench.engines.nagini.verifier.keeper import Keeper, Spawn
from workbench.engines.nagini.verifier.process import VerifierProcess
from workbench.engines.nagini.verifier.shared import limit_sending, same_user, verifier_hash
from workbench.engines.nagini.verifier.worker_protocol import answer_message, decode, encode
from workbench.model import Json, WorkbenchError

IDLE_SECONDS = 300.0
FIRST_VISIT = 30.0
LONGEST_JOB = 3600.0
_LOCK_LIMIT = 10.0
_LONGEST_LINE = 64 * 1024 * 1024
_MARGIN = 5.0


@dataclass(slots=True)
class VerifierJob:
    """A program that a client wants verified."""

    client: Client
    number: int
    text: str
    model: bool
    limit: float
    cancelled: threading.Event = field(default_factory=threading.Event)


class Client:
    """A session at the other end of a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.waiting: deque[VerifierJob] = deque()
        self.running: VerifierJob | None = None
        self._lock = threading.Lock()

    def say(self, message: Mapping[str, Json]) -> None:
        """Send a message; a client that does not read it is disconnected."""
        try:
            with self._lock:
                self.connection.sendall(encode(message))
        except OSError:
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)


class Daemon:
    """Serves the jobs of all clients with one verifier."""

    def __init__(
        self, spawn: Spawn, *, idle: float = IDLE_SECONDS, reachable: Callable[[], bool] = lambda: True
    ) -> None:
        """Start nothing.

        Args:
            spawn: starts a verifier.
            idle: seconds without a client after which ``serve`` returns. The first client, for which this
                process was started, has longer.
            reachable: whether a new client could find this process; without clients ``serve`` returns
                if it could not.
        """
        self._keeper = Keeper(spawn, self._on_phase)
        self._idle = idle
        self._reachable = reachable
        self._clients: deque[Client] = deque()
        self._visited = False
        self._change = threading.Condition()
        self._phase: dict[str, Json] = {"phase": "starting", "detail": ""}

    def serve(self, listener: socket.socket) -> None:
        """Accept clients and serve their jobs until no client has been connected for a while."""
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        try:
            self._keeper.start()
            while (job := self._next_job()) is not None:
                self._serve(job)
        finally:
            listener.close()
            self._keeper.close()

    def _on_phase(self, phase: str, detail: str) -> None:
        message: dict[str, Json] = {"phase": phase, "detail": detail}
        with self._change:
            self._phase = message
            clients = tuple(self._clients)
        for client in clients:
            client.say(message)

    # --- clients -------------------------------------------------------------------

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            if not same_user(connection):
                connection.close()
                continue
            limit_sending(connection)
            threading.Thread(target=self._welcome, args=(Client(connection),), daemon=True).start()

    def _welcome(self, client: Client) -> None:
        """Exchange messages with a client until it disconnects."""
        client.say({"hello": verifier_hash(), "pid": os.getpid()})
        with self._change:
            self._clients.append(client)
            self._visited = True
        with suppress(WorkbenchError):
            self._keeper.start()
        client.say(self._phase)
        try:
            with client.connection.makefile("rb") as source:
                while (line := source.readline(_LONGEST_LINE)).endswith(b"\n"):
                    self._take(client, decode(line))
        except (OSError, ValueError):
            pass
        finally:
            self._leave(client)

    def _take(self, client: Client, message: Mapping[str, Json]) -> None:
        stale, number, limit = message.get("cancel"), message.get("job"), message.get("limit")
        with self._change:
            if isinstance(stale, int):
                for job in (*client.waiting, *([client.running] if client.running else [])):
                    if job.number == stale:
                        job.cancelled.set()
                client.waiting = deque(job for job in client.waiting if job.number != stale)
            elif isinstance(number, int):
                seconds = float(limit) if isinstance(limit, (int, float)) else LONGEST_JOB
                text, model = str(message.get("text", "")), message.get("model") is True
                client.waiting.append(VerifierJob(client, number, text, model, min(seconds, LONGEST_JOB)))
            self._change.notify_all()
        if isinstance(stale, int):
            client.say({"job": stale, "error": "cancelled"})

    def _leave(self, client: Client) -> None:
        with self._change:
            self._clients.remove(client)
            client.waiting.clear()
            if client.running is not None:
                client.running.cancelled.set()
            self._change.notify_all()
        client.connection.close()

    # --- jobs ----------------------------------------------------------------------

    def _next_job(self) -> VerifierJob | None:
        """The next job, from the client that has waited longest since its last one; None to end."""
        with self._change:
            end = time.monotonic() + max(self._idle, 0.0 if self._visited else FIRST_VISIT)
            while True:
                for client in tuple(self._clients):
                    if client.waiting:
                        self._clients.remove(client)
                        self._clients.append(client)
                        client.running = client.waiting.popleft()
                        return client.running
                if self._clients:
                    end = time.monotonic() + self._idle
                elif time.monotonic() >= end or not self._reachable():
                    return None
                self._change.wait(max(0.0, min(end - time.monotonic(), 1.0)) if not self._clients else 1.0)

    def _serve(self, job: VerifierJob) -> None:
        for client in tuple(self._clients):
            client.say({"serving": job.client is client})
        message = self._verdict(job)
        with self._change:
            job.client.running = None
        if not job.cancelled.is_set():
            job.client.say(message)

    def _verdict(self, job: VerifierJob) -> dict[str, Json]:
        try:
            answer = self._keeper.ask(
                job.text,
                model=job.model,
                time_limit=job.limit + _MARGIN,
                cancelled=job.cancelled,
                on_work=lambda seconds: job.client.say({"work": job.number, "seconds": seconds}),
            )
        except ProverUnready as error:
            return {"job": job.number, "error": str(error), "unready": True}
        except WorkbenchError as error:
            return {"job": job.number, "error": str(error)}
        return answer_message(job.number, answer)


def listen(path: Path) -> socket.socket | None:
    """Listen at a path that this process has locked; None if another process serves it."""
    handle = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    end = time.monotonic() + _LOCK_LIMIT
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # held until the process ends
            break
        except OSError:
            if time.monotonic() > end or _answers(path):
                os.close(handle)
                return None
            time.sleep(0.05)
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    listener.listen(32)
    return listener


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(str(path))
        except OSError:
            return False
        return True


def _end(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def main(path: Path) -> None:
    """Detach from the parent process, then serve."""
    if os.fork():
        os._exit(0)
    os.setsid()
    signal.signal(signal.SIGTERM, _end)
    listener = listen(path)
    if listener is None:
        return

    def spawn(on_phase: OnPhase, *, alone: bool) -> Verifier:
        del alone
        return VerifierProcess(path.parent, on_phase)

    try:
        idle = float(os.environ.get("WORKBENCH_PROVER_IDLE", IDLE_SECONDS))
    except ValueError:
        idle = IDLE_SECONDS
    try:
        Daemon(spawn, idle=idle, reachable=path.exists).serve(listener)
    finally:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""A verifier that the sessions of one user share: the path of its socket, and the client's side."""

from __future__ import annotations

import hashlib
import os
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, override

from workbench.engines.nagini.verdict_cache import engine_versions
from workbench.engines.nagini.verifier.connection import OnPhase, Verifier
from workbench.engines.nagini.verifier.keeper import UNSHARED
from workbench.engines.nagini.verifier.worker_protocol import decode
from workbench.files.package_environment import package_environment
from workbench.files.private import cache_folder, make_folder

OFF = "WORKBENCH_SHARED_PROVER"
_LONGEST_PATH = 100  # of a Unix socket, in bytes: some systems allow 104
_CONNECT_LIMIT = 30.0
_LAUNCH_AGAIN = 5.0
_SEND_SECONDS = 10


def prover_folder() -> Path:
    """The folder of provers' sockets and working files: ``$WORKBENCH_PROVER_DIR``, or one in the cache."""
    chosen = os.environ.get("WORKBENCH_PROVER_DIR")
    return Path(chosen) if chosen else cache_folder() / "prover"


def wanted() -> bool:
    """Whether sessions share one prover, which is so unless ``WORKBENCH_SHARED_PROVER`` is 0."""
    return os.environ.get(OFF, "1") != "0"


@cache
def verifier_hash() -> str:
    """A hash of everything that must be equal on both sides: engine versions, Python, this package's code."""
    digest = hashlib.sha256(f"{engine_versions()}\n{sys.executable}\n{sys.version}".encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def meeting_place() -> Path:
    """The path of the socket, in a folder that only this user can enter.

    Raises:
        OSError: there can be no such socket here.
    """
    folder = prover_folder()
    if not hasattr(socket, "AF_UNIX"):
        raise OSError("this system has no Unix sockets")
    make_folder(folder.parent)
    make_folder(folder)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise OSError(f"{folder} is not a folder of this user")
    if stat.S_IMODE(status.st_mode) & 0o077:
        folder.chmod(0o700)
    path = folder / f"{verifier_hash()}.sock"
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise OSError(f"{path} is too long for a socket")
    return path


def same_user(connection: socket.socket) -> bool:
    """Whether the process at the other end belongs to this user, as far as the system reports it."""
    if sys.platform == "linux":
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return struct.unpack("3i", credentials)[1] == os.getuid()
    if sys.platform == "darwin":
        credentials = connection.getsockopt(0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED: struct xucred
        return struct.unpack_from("I", credentials, 4)[0] == os.getuid()
    return True


def limit_sending(connection: socket.socket) -> None:
    """Let sending fail instead of waiting forever for a process that does not read."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", _SEND_SECONDS, 0))


class SharedVerifier(Verifier):
    """A connection to the shared verifier, which is started if there is none.

    If sharing is impossible, ``on_phase`` is called with ``unshared`` once, and the verifier is not alive.
    """

    def __init__(self, on_phase: OnPhase) -> None:
        """Connect in the background."""
        super().__init__(on_phase)
        self._pid: int | None = None
        self._connection: socket.socket | None = None
        self._left = threading.Event()
        self._sending = threading.Lock()
        threading.Thread(target=self._run, name="prover-reader", daemon=True).start()

    @property
    @override
    def pid(self) -> int | None:
        return self._pid

    def _run(self) -> None:
        try:
            source = self._connect(meeting_place())
        except (OSError, ValueError) as error:
            self._ended.set()
            self._answers.put(None)
            if not self._left.is_set():
                self._on_phase(UNSHARED, str(error))
            return
        self._hear_all(source)

    def _connect(self, path: Path) -> IO[bytes]:
        """The stream of answers of the verifier at a path, after its greeting; started if there is none."""
        end = time.monotonic() + _CONNECT_LIMIT
        launch_again = 0.0
        while not self._left.is_set() and time.monotonic() < end:
            connection = self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            source = connection.makefile("rb")
            line = b""
            try:
                connection.connect(str(path))
                if not same_user(connection):
                    raise PermissionError(f"{path} belongs to another user")
                limit_sending(connection)
                line = source.readline()
            except (FileNotFoundError, ConnectionError):
                if time.monotonic() >= launch_again:
                    launch(path)
                    launch_again = time.monotonic() + _LAUNCH_AGAIN
            except OSError:
                connection.close()
                raise
            if line:
                self._greet(line)
                return source
            # No process listens yet, or one that was about to end.
            connection.close()
            self._left.wait(0.05)
        raise OSError("the shared verifier does not answer")

    def _greet(self, line: bytes) -> None:
        """Check that the other side is of the same version."""
        hello = decode(line)
        if hello.get("hello") != verifier_hash():
            raise ValueError("the shared verifier is of another version")
        pid = hello.get("pid")
        self._pid = pid if isinstance(pid, int) else None

    @override
    def _write(self, line: bytes) -> None:
        connection = self._connection
        if connection is None:
            raise OSError("not connected")
        with self._sending:
            connection.sendall(line)

    @override
    def close(self) -> None:
        """Disconnect; the verifier goes on for others, and ends after a while without clients."""
        self._left.set()
        self._ended.set()
        connection = self._connection
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()


def shared_pid() -> int | None:
    """The process id of the shared verifier that listens; None if there is none."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_SEND_SECONDS)
            connection.connect(str(meeting_place()))
            with connection.makefile("rb") as source:
                pid = decode(source.readline()).get("pid")
    except (OSError, ValueError):
        return None
    return pid if isinstance(pid, int) else None


def launch(path: Path) -> None:
    """Start a process that listens at a path and is not tied to this process.

    Raises:
        OSError: it cannot be started.
    """
    try:
        subprocess.run(
            [sys.executable, "-P", "-m", "workbench.engines.nagini.verifier.daemon", str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=path.parent,
            env=package_environment(),
            timeout=_CONNECT_LIMIT,
            check=True,
        )
    except subprocess.SubprocessError as error:
        raise OSError(f"the shared verifier cannot be started: {error}") from error

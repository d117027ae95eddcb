"""The process that stays: it keeps policy and runs between the events of a session's hooks.

    python -I -m workbench.hook.resident SESSION FOLDER

It listens at a socket in a folder of this user alone, answers only this user's processes, and ends when
nobody asks for a while. It keeps nothing that is not in the logs of its runs, so it may be killed at any
point.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import struct
import sys
import threading
import time
from pathlib import Path

from workbench.app.hook_guard import Client, HookAnswer, HookGuard, HookOrder, Mode
from workbench.files.private import check_folder

SOCKET, LOCK = "socket", "lock"
IDLE_SECONDS = 1_800.0
_SECONDS = 20.0
_LOOK_SECONDS = 2.0
"""After so long without an event the process looks whether its socket is still there."""
_MOST_BYTES = 16 * 1024 * 1024
_MOST_AT_ONCE = 64
_CREDENTIALS = struct.Struct("3i")


def serve(session: Path, folder: Path, *, idle: float = IDLE_SECONDS) -> int:
    """Answer events until nobody asks for ``idle`` seconds; returns at once if another process does."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_folder(folder)
    folder.chmod(0o700)
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return 0
    os.ftruncate(descriptor, 0)
    os.write(descriptor, b"%d\n" % os.getpid())
    try:
        _listen(HookGuard(session, folder), folder / SOCKET, idle)
    finally:
        os.close(descriptor)
    return 0


def _listen(guard: HookGuard, place: Path, idle: float) -> None:
    with contextlib.suppress(FileNotFoundError):
        place.unlink()
    places = threading.BoundedSemaphore(_MOST_AT_ONCE)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(place))
        place.chmod(0o600)
        listener.listen(256)
        own = _inode(place)
        listener.settimeout(min(idle, _LOOK_SECONDS))
        last = time.monotonic()
        while True:
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                if _inode(place) == own and time.monotonic() - last < idle:
                    continue
                # Who connected before the name was gone is still answered.
                if _inode(place) == own:
                    place.unlink(missing_ok=True)
                listener.settimeout(0.0)
                continue
            except BlockingIOError:
                break
            last = time.monotonic()
            places.acquire()
            threading.Thread(target=_serve_one, args=(guard, connection, places), daemon=True).start()
    for _ in range(_MOST_AT_ONCE):  # the threads that still answer
        places.acquire()


def _inode(place: Path) -> int:
    """What tells a file from another one of its name; 0 if there is none."""
    try:
        return place.lstat().st_ino
    except OSError:
        return 0


def _serve_one(guard: HookGuard, connection: socket.socket, places: threading.BoundedSemaphore) -> None:
    try:
        with connection:
            connection.settimeout(_SECONDS)
            if not _is_ours(connection):
                return
            answer = _answer(guard, connection)
            out, err = answer.out.encode(), answer.err.encode()
            connection.sendall(b"%d %d %d\n%s%s" % (answer.code, len(out), len(err), out, err))
    except OSError:
        return  # the asking process is gone; without an answer it denies
    finally:
        places.release()


def _is_ours(connection: socket.socket) -> bool:
    """Whether a process of this user asks; where the system does not tell, the folder keeps others out."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(raw)
    return user == os.getuid()


def _answer(guard: HookGuard, connection: socket.socket) -> HookAnswer:
    head, event = _received(connection)
    words = head.decode("utf-8", "surrogateescape").split("\0")
    try:
        client, pin, mode, project = words
        order = HookOrder(Client(client), pin, Mode(mode), project)
    except ValueError:
        return guard.trouble(HookOrder(Client.CLAUDE_CODE), "", "The hook was called wrongly.")
    return guard.answer(order, event)


def _received(connection: socket.socket) -> tuple[bytes, bytes]:
    """The order and the event of a message. Raises OSError if it is not whole."""
    with connection.makefile("rb") as stream:
        sizes = stream.readline(40).split()
        if len(sizes) != 2 or not all(size.isdigit() for size in sizes):
            raise ConnectionError("no message")
        head, event = map(int, sizes)
        if head > 100_000 or event > _MOST_BYTES:
            raise ConnectionError("too long a message")
        data = stream.read(head + event)
    if len(data) != head + event:
        raise ConnectionError("the message is cut off")
    return data[:head], data[head:]


def main(words: list[str]) -> int:
    """Serve the session and folder of the command line."""
    os.umask(0o077)
    session, folder = map(Path, words)
    return serve(session, folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Regular files only: nothing is opened through a link, and no FIFO, socket or device.

A FIFO, a socket or a device could make the program wait, or read and write elsewhere; a link could lead it to
another file, and so could a second name (a hard link) where the file is written. Each is refused with an
``OSError`` that has a sentence about it.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Generator
from pathlib import Path

MOST_BYTES = 256_000_000
_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
# Passing through a folder only needs the right to search it, if the system can express that.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_KINDS = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_regular(path: Path, flags: int, mode: int = 0o666) -> int:
    """A descriptor of a regular file; no part of the path may be a link. Raises OSError.

    A new file gets ``mode`` without the bits of the umask.
    """
    with _folder(path.absolute().parent) as folder:
        try:
            descriptor = os.open(path.name, flags | _FLAGS, mode, dir_fd=folder)
        except OSError as error:
            raise _explained(error, path, folder) from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise _no_file(path, status.st_mode)
    if flags & (os.O_WRONLY | os.O_RDWR) and status.st_nlink > 1:
        os.close(descriptor)
        raise OSError(
            errno.EMLINK, f"{path.name} has a second name (a hard link); choose another place", str(path)
        )
    return descriptor


def read_regular(path: Path, most: int = MOST_BYTES) -> bytes:
    """The contents of a regular file of at most this number of bytes. Raises OSError."""
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
        if os.fstat(file.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"{path.name} is larger than {most // 1_000_000} MB", str(path))
        return file.read()


def append_line(path: Path, line: bytes, *, private: bool = False, sync: bool = False) -> None:
    """Append one line as a whole, or nothing. Raises OSError.

    An incomplete line before it is ended first, so that the two cannot be read as one. Several processes may
    append at once. A ``private`` file belongs to this user alone: a file of another user, or with a second
    hard link, is refused, and others lose their permissions. With ``sync`` the line is on the disk when this
    returns.
    """
    descriptor = open_regular(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600 if private else 0o666)
    try:
        if private:
            _make_private(path, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        _append(descriptor, (b"\n" if torn else b"") + line + b"\n", size, sync=sync)
    finally:
        os.close(descriptor)


def make_private(path: Path) -> None:
    """Make a private file, or make an existing file private, as for a ``private`` line. Raises OSError."""
    descriptor = open_regular(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        _make_private(path, descriptor)
    finally:
        os.close(descriptor)


def _append(descriptor: int, data: bytes, size: int, *, sync: bool) -> None:
    written = 0
    try:
        while written < len(data):
            written += os.write(descriptor, data[written:])
        if sync:
            os.fsync(descriptor)
    except OSError:
        with contextlib.suppress(OSError):
            if os.fstat(descriptor).st_size == size + written:  # no other process wrote after it
                os.ftruncate(descriptor, size)
        raise


def _make_private(path: Path, descriptor: int) -> None:
    status = os.fstat(descriptor)
    if status.st_uid != os.geteuid():
        raise OSError(errno.EPERM, "it belongs to another user; choose another place", str(path))
    if stat.S_IMODE(status.st_mode) != 0o600:
        os.fchmod(descriptor, 0o600)


@contextlib.contextmanager
def _folder(path: Path) -> Generator[int]:
    """A descriptor of a folder, opened without following links."""
    descriptor = os.open(path.anchor, _FOLDER)
    try:
        for part in path.parts[1:]:
            try:
                inner = os.open(part, _FOLDER, dir_fd=descriptor)
            except OSError as error:
                raise _explained(error, Path(part), descriptor, "folder") from None
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _explained(error: OSError, path: Path, folder: int, expected: str = "regular file") -> OSError:
    """The error with the kind of the thing at the path, if that is why it cannot be opened."""
    try:
        mode = os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return OSError(error.errno, error.strerror, str(path))
    refused = error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.ENODEV)
    return _no_file(path, mode, expected) if refused else OSError(error.errno, error.strerror, str(path))


def _no_file(path: Path, mode: int, expected: str = "regular file") -> OSError:
    description = next((kind for test, kind in _KINDS if test(mode)), "a file")
    code = {"a link": errno.ELOOP, "a folder": errno.EISDIR}.get(description, errno.ENXIO)
    return OSError(code, f"{path.name} is {description}, where a {expected} is expected", str(path))


type FileMark = tuple[int, int, int, int] | None
"""What tells one state of a file from another; None if there is no file."""


def file_mark(path: Path) -> FileMark:
    """The mark of a file as it is now."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_ino, status.st_size, status.st_ctime_ns)

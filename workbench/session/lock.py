"""One writer per session.

The lock belongs to the operating system and ends with the process that holds it, however the process ends.
The file only names the process. A lock file without a holder has no effect.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from workbench.files.regular import open_regular, read_regular


class Lock:
    """The right to write to a session, held until ``release`` or the end of the process."""

    def __init__(self, file: BinaryIO) -> None:
        self._file: BinaryIO | None = file

    @classmethod
    def take(cls, path: Path) -> Lock | None:
        """The lock, or None if someone else holds it. Raises OSError if the file cannot be made."""
        descriptor = open_regular(path, os.O_RDWR | os.O_CREAT)
        file = os.fdopen(descriptor, "r+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return None
        file.truncate(0)
        file.write(f"{os.getpid()}\n".encode())
        file.flush()
        return cls(file)

    def release(self) -> None:
        """Release the lock; a second call has no effect."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, run: TracebackType | None
    ) -> None:
        self.release()


def holder(path: Path) -> int | None:
    """The process that the file names as holder of the lock; None if the file names none."""
    try:
        text = read_regular(path).decode("ascii", errors="replace").strip()
    except OSError:
        return None
    return int(text) if text.isascii() and text.isdigit() else None


def is_held(path: Path) -> bool:
    """Whether a process holds the lock; the file is only read."""
    try:
        descriptor = open_regular(path, os.O_RDONLY)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False

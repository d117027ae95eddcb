"""Writing files so that a crash leaves the old text or the new one, never a mixture.

Nothing is read or written through a symbolic link below the folder of the session.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from workbench.files.file_error import at
from workbench.files.regular import open_regular, read_regular
from workbench.session.session_error import SessionError

MOST_BYTES = 32_000_000
"""The most bytes of a text of a session: more is no text that a person reviews."""


def inside(folder: Path, name: str) -> Path:
    """The path of a file of the session. Raises FileError if it lies outside the folder or behind a link."""
    path = folder.resolve()
    for part in PurePosixPath(name).parts:
        if part in ("/", ".."):
            raise at(name, "is no file in the session's folder.")
        path /= part
        if path.is_symlink():
            raise at(name, "is a link.", "Replace it by a file in the session's folder.")
    return path


def read_text(path: Path, place: str) -> str | None:
    """The text of a UTF-8 file without any change, or None if there is no such file."""
    try:
        data = read_regular(path, MOST_BYTES)
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        raise at(place, "is a folder, but a file is expected.") from None
    except OSError as error:
        raise SessionError(f"{place} cannot be read: {error.strerror}.", exit_code=3) from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise at(place, "is not UTF-8 text.", "Save it with that encoding.", line) from None


def encode(text: str, place: str) -> bytes:
    """The UTF-8 bytes of a text; FileError if it has lone surrogates, which no file can hold."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise at(place, "contains half a character (a lone surrogate).", "Remove it.", line) from None


def write_atomic(path: Path, data: bytes) -> None:
    """Replace a file: write a temporary file next to it, flush it to the disk, then rename it.

    The permission bits of an existing file are kept; a new file has the bits that the umask leaves. Only a
    regular file is replaced. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = _permissions(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = open_regular(temporary, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def _permissions(path: Path) -> int | None:
    """The permission bits of a file that is to be replaced; None if there is none."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise OSError(errno.ENXIO, f"{path.name} is no regular file and is not replaced", str(path))
    return stat.S_IMODE(mode) & 0o777


def remove_leftovers(folder: Path, names: Iterable[str]) -> None:
    """Delete the temporary files that a killed process left next to the named files."""
    for name in names:
        for path in folder.glob(f".{name}.*.tmp"):
            with contextlib.suppress(OSError):
                path.unlink()


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries, so that a rename survives a loss of power. Not every system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def mend_tail(path: Path) -> bool:
    """Cut off a last line that was not written completely; return whether there was one."""
    try:
        data = read_regular(path)
    except FileNotFoundError:
        return False
    if not data or data.endswith(b"\n"):
        return False
    with os.fdopen(open_regular(path, os.O_RDWR), "r+b") as file:
        file.truncate(data.rfind(b"\n") + 1)
    return True


def digest(text: str) -> str:
    """A short fingerprint of a text, which reveals changes made outside the workbench."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]

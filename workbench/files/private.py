"""Files and folders that only this user can have written, and the secret that only they can read."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

_OTHERS_WRITE = 0o022
_OTHERS = 0o077
_KEY_BYTES = 32


class NotPrivate(OSError):
    """Others could have written a file or folder; the text names it, and the remedy."""


def data_folder() -> Path:
    """``$WORKBENCH_DATA_DIR``, or the user's data folder."""
    chosen = os.environ.get("WORKBENCH_DATA_DIR")
    if chosen:
        return Path(chosen)
    from platformdirs import user_data_path

    return user_data_path("policy-workbench", appauthor=False)


def state_folder() -> Path:
    """``$WORKBENCH_STATE_DIR``, or the user's folder for what programs remember and report."""
    if chosen := os.environ.get("WORKBENCH_STATE_DIR"):
        return Path(chosen)
    from platformdirs import user_state_path

    return user_state_path("policy-workbench", appauthor=False)


def hook_folder(session: Path) -> Path:
    """The folder of the user's own in which the hooks of a session keep their runs and their socket."""
    place = session.resolve()
    name = "".join(letter if letter.isalnum() else "-" for letter in place.name)[:24] or "session"
    return data_folder() / "hooks" / f"{name}-{sha256(os.fsencode(place)).hexdigest()[:8]}"


def cache_folder() -> Path:
    """The folder ``$WORKBENCH_CACHE_DIR``, or the user's cache folder."""
    chosen = os.environ.get("WORKBENCH_CACHE_DIR")
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("policy-workbench", appauthor=False)


def user_id() -> int:
    """The number of this user; 0 on a system without such numbers, on which files have no owner either."""
    return os.getuid() if hasattr(os, "getuid") else 0


def check_folder(folder: Path, *, link: bool = False) -> None:
    """Check that only this user can put files into a folder; ``link`` allows a link to the folder.

    Raises:
        FileNotFoundError: there is none.
        NotPrivate: it belongs to another user, others may write to it, or it is no folder.
    """
    status = folder.stat() if link else folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotPrivate(f"{folder} is no folder; remove it")
    if status.st_uid != user_id():
        raise NotPrivate(f"{folder} belongs to another user; remove it or choose another folder")
    if os.name == "posix" and status.st_mode & _OTHERS_WRITE:
        raise NotPrivate(f"others may write to {folder}; take that from them (chmod go-w) once it is emptied")


def make_folder(folder: Path) -> None:
    """Make a folder for this user alone, unless it exists; its parent folders get the usual permissions.

    Raises:
        OSError: it cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def read_private(path: Path, most: int, others: int = _OTHERS_WRITE) -> bytes:
    """The bytes of a file of this user that is no link and not larger than ``most``.

    Raises:
        OSError: there is no such file, or others have one of the permission bits ``others``.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        mine = stat.S_ISREG(status.st_mode) and status.st_uid == user_id()
        if not mine or (os.name == "posix" and status.st_mode & others):
            raise NotPrivate(f"{path} is not a file that only this user could have written; remove it")
        if status.st_size > most:
            raise NotPrivate(f"{path} is too large; remove it")
        return file.read(most)


def write_private(path: Path, text: str) -> None:
    """Write a file that only this user can read and write, completely or not at all.

    Raises:
        OSError: it cannot be written.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def secret_key() -> bytes:
    """The user's secret, which is made at its first use.

    Raises:
        OSError: there is none and none can be made.
        NotPrivate: others could know it.
    """
    path = data_folder() / "verdicts.key"
    with suppress(FileNotFoundError):
        return _read_key(path)
    make_folder(path.parent)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")  # of mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
        with suppress(FileExistsError):  # another process was faster: its key counts
            os.link(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return _read_key(path)


def _read_key(path: Path) -> bytes:
    key = read_private(path, _KEY_BYTES, _OTHERS)
    if len(key) != _KEY_BYTES:
        raise NotPrivate(f"{path} is damaged; remove it")
    return key

"""Copying the files of a session: regular files only, and no folder but that of the logs.

A session from somebody else may hold links to other places, devices that never end, and a repository of its
own; none of them is part of a session.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from workbench.session.session import LOGS
from workbench.session.session_error import SessionError

MOST_BYTES = 2_000_000_000


def copy_files(original: Path, copy: Path, *, last: str = "") -> None:
    """Copy the files of a session and of its logs, without its history; that named ``last`` comes last.

    Raises OSError, or SessionError if they are too large to be copied unasked.
    """
    folder, logs = copy, copy / LOGS
    pairs = [(path, folder) for path in _regular_files(original)]
    if not (original / LOGS).is_symlink():
        pairs += [(path, logs) for path in _regular_files(original / LOGS)]
    if sum(path.stat().st_size for path, _ in pairs) > MOST_BYTES:
        raise SessionError(f"The files of {original} are larger than 2 GB together; make the copy yourself.")
    for path, target in sorted(pairs, key=lambda pair: pair[0] == original / last):
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target / path.name, follow_symlinks=False)


def _regular_files(folder: Path) -> Iterator[Path]:
    """The files of a folder that are neither hidden nor links nor anything special."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
            yield path

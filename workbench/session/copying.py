"""Copying the files of a session: regular files only, and no folder but that of the logs.

A session from somebody else may hold links to other places, devices that never end, and a repository of its
own; none of them is part of a session.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from workbench.session.session import LOGS


def copy_files(original: Path, copy: Path, *, last: str = "") -> None:
    """Copy the files of a session and of its logs, without its history; that named ``last`` comes last.

    Raises OSError.
    """
    folder, logs = copy, copy / LOGS
    pairs = [(path, folder) for path in _regular_files(original)]
    if not (original / LOGS).is_symlink():
        pairs += [(path, logs) for path in _regular_files(original / LOGS)]
    for path, target in sorted(pairs, key=lambda pair: pair[0] == original / last):
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target / path.name, follow_symlinks=False)


def _regular_files(folder: Path) -> Iterator[Path]:
    """The files of a folder that are neither hidden nor links nor anything special."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
            yield path

"""The report of a bug: enough to find the bug, and nothing secret."""

from __future__ import annotations

import os
import platform
import tempfile
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from workbench.files.private import state_folder
from workbench.redact import redact_report


def installed_version() -> str:
    """The version of the workbench, or ``unknown`` if it is not installed as a package."""
    try:
        return version("policy-workbench")
    except PackageNotFoundError:
        return "unknown"


def write_crash_report(error: BaseException, words: Sequence[str]) -> Path:
    """Write an error with its stack trace to a private file and return the file's path.

    Only the command's name is kept of the command line: options may name people or files.
    """
    now = datetime.now(UTC)
    command = words[0] if words and words[0].isalpha() else "-"
    report = "\n".join(
        (
            f"workbench {installed_version()}, Python {platform.python_version()}, {platform.platform()}",
            f"command: {command}",
            f"time: {now.isoformat(timespec='seconds')}",
            "",
            "".join(traceback.format_exception(error)),
        )
    )
    name = f"crash-{now:%Y%m%d-%H%M%S}-{os.getpid()}.txt"
    for folder in (state_folder() / "log", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / name
            with open(path, "x", encoding="utf-8", opener=_private) as file:
                file.write(redact_report(report))
        except OSError:
            continue
        return path
    return Path(os.devnull)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)

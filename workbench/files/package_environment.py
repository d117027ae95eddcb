"""The environment of a process that runs a module of this package, which no other module can replace."""

from __future__ import annotations

import os
from pathlib import Path

import workbench


def package_environment() -> dict[str, str]:
    """The environment for a process that runs a module of this package, wherever it was imported from.

    Modules are imported from this package's folder and from absolute folders only. Nothing is imported from
    the current folder, which may be a session that somebody else made.
    """
    root = str(Path(workbench.__file__).resolve().parent.parent)
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = os.pathsep.join([root, *(part for part in folders if Path(part).is_absolute())])
    return {**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}

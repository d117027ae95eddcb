"""The folders of sessions: those in a folder, and a name for a new one."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.session import session_files


def find_sessions(folder: Path) -> tuple[Path, ...]:
    """The sessions directly in a folder, by name; none if there is no folder."""
    return tuple(sorted(path.parent for path in folder.glob(f"*/{session_files.SESSION}")))


def slug(title: str) -> str:
    """A folder name for a title: ``Who may read what?`` becomes ``who-may-read-what``."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "session"

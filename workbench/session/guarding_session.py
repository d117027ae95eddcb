"""Opening a session of which a guard reads the accepted version: the rest of it may be broken."""

from __future__ import annotations

from pathlib import Path

from workbench.model import WorkbenchError
from workbench.session import accepted_version, session_files
from workbench.session.session import Session


def open_to_guard(path: Path) -> tuple[Session, str]:
    """The session, to be read only, and a sentence if only its accepted version can be read.

    Raises WorkbenchError if the folder is no session.
    """
    try:
        return Session.open(path, read_only=True), ""
    except WorkbenchError as broken:
        if not any((path / name).exists() for name in (session_files.SESSION, accepted_version.NAME)):
            raise
        return Session(path, read_only=True, names=(accepted_version.NAME,)), str(broken)

"""The session of the first minute: a person's own copy of a shipped one."""

from __future__ import annotations

from pathlib import Path

from workbench.app.own_copy import own_copy
from workbench.files.private import data_folder
from workbench.model import WorkbenchError

NAME = "travel-desk"


def shipped_session() -> Path:
    """The folder of the shipped session. Raises WorkbenchError if it was not installed."""
    package = Path(__file__).resolve().parent.parent
    for place in (package / "shipped" / NAME, package.parent / "sessions" / NAME):
        if (place / "session.toml").is_file():
            return place
    raise WorkbenchError("No session was installed to try; open one of your own.", exit_code=3)


def first_session() -> tuple[Path, str]:
    """The copy in the user's data folder, made if it is missing, and a sentence on where it is."""
    copy, _ = own_copy(shipped_session(), data_folder() / "sessions")
    return copy, f"This is your copy of {NAME}, to change as you like: {copy}"

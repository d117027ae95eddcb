"""The session that the tour shows: a copy, so that nothing that is tried in it changes the shipped one."""

from __future__ import annotations

from pathlib import Path

from workbench.app.own_copy import own_copy
from workbench.model import WorkbenchError
from workbench.old_screen.remembered_settings import state_folder

NAME = "hospital-access"


def shipped_session() -> Path:
    """Where the shipped session lies. Raises WorkbenchError if it was not installed."""
    package = Path(__file__).resolve().parent.parent
    for place in (package / "shipped" / NAME, package.parent / "sessions" / NAME):
        if (place / "session.toml").is_file():
            return place
    raise WorkbenchError("The session of the tour is not installed; open one of your own.", exit_code=3)


def tour_session() -> Path:
    """The copy of the shipped session in the user's state folder, made if it is not there."""
    return own_copy(shipped_session(), state_folder() / "tour")[0]

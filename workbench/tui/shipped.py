"""The session that the tour shows: a copy, so that nothing that is tried in it changes the shipped one."""

from __future__ import annotations

import shutil
from pathlib import Path

from workbench.model import WorkbenchError
from workbench.tui.remembered_settings import state_folder

NAME = "hospital-access"
LEFT_OUT = shutil.ignore_patterns(".workbench", "__pycache__")


def shipped_session() -> Path:
    """Where the shipped session lies. Raises WorkbenchError if it was not installed."""
    package = Path(__file__).resolve().parent.parent
    for place in (package / "shipped" / NAME, package.parent / "sessions" / NAME):
        if (place / "session.toml").is_file():
            return place
    raise WorkbenchError("The session of the tour is not installed; open one of your own.", exit_code=3)


def tour_session() -> Path:
    """The copy of the shipped session in the user's state folder, made if it is not there."""
    copy = state_folder() / "tour" / NAME
    try:
        if not (copy / "session.toml").is_file():
            shutil.copytree(shipped_session(), copy, ignore=LEFT_OUT, dirs_exist_ok=True)
    except OSError as error:
        raise WorkbenchError(f"{copy} cannot be written ({error.strerror}).", exit_code=3) from error
    return copy

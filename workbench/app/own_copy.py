"""A person's own copy of a session, so that trials in the copy do not change the original.

The session of the first minute: a person's own copy of a shipped one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.app.overview import MARK
from workbench.files.private import data_folder
from workbench.model import WorkbenchError
from workbench.session.copying import copy_files


def own_copy(original: Path, folder: Path) -> tuple[Path, bool]:
    """The copy of a session in a folder, and whether this call made it; an existing copy stays.

    Raises WorkbenchError if the original is no session, or the copy cannot be written.
    """
    if not (original / MARK).is_file():
        raise WorkbenchError(f"{original} is no session: it has no {MARK}.")
    copy = folder / original.resolve().name
    if (copy / MARK).is_file():
        return copy, False
    try:
        # The mark comes last: an interrupted copy is completed, not opened.
        copy_files(original, copy, last=MARK)
    except OSError as error:
        raise WorkbenchError(f"{copy} cannot be written ({error.strerror or error}).", exit_code=3) from error
    return copy, True


NAME = "travel-desk"


def _shipped_in() -> Sequence[Path]:
    package = Path(__file__).resolve().parent.parent
    return package / "shipped", package.parent / "sessions"


def shipped_file(session: str, name: str) -> Path:
    """A file of a shipped session. Raises WorkbenchError if it was not installed."""
    for place in _shipped_in():
        if (place / session / name).is_file():
            return place / session / name
    raise WorkbenchError(f"{name} of {session} was not installed; install the workbench again.", exit_code=3)


def shipped_sessions() -> Sequence[Path]:
    """The folders of the shipped sessions; none if they were not installed."""
    return [one.parent for place in _shipped_in() for one in sorted(place.glob(f"*/{MARK}"))]


def copy_to_try(shipped: Path) -> tuple[Path, str]:
    """The copy of a shipped session in the user's data folder, and a sentence on where it is."""
    copy, _ = own_copy(shipped, data_folder() / "sessions")
    return copy, f"This is your copy of {shipped.name}, to change as you like: {copy}"


def first_session() -> tuple[Path, str]:
    """A copy of the session of the first minute. Raises WorkbenchError if it was not installed."""
    for shipped in shipped_sessions():
        if shipped.name == NAME:
            return copy_to_try(shipped)
    raise WorkbenchError("No session was installed to try; open one of your own.", exit_code=3)

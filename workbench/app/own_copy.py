"""A person's own copy of a session, so that trials in the copy do not change the original."""

from __future__ import annotations

from pathlib import Path

from workbench.app.overview import MARK
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

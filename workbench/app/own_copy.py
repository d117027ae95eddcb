"""A person's own copy of a session, so that trials in the copy do not change the original."""

from __future__ import annotations

import shutil
from pathlib import Path

from workbench.app.overview import MARK
from workbench.model import WorkbenchError

_LEFT_OUT = shutil.ignore_patterns(".workbench", "__pycache__")


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
        shutil.copytree(original, copy, ignore=_without_mark, dirs_exist_ok=True)
        shutil.copy2(original / MARK, copy / MARK)
    except OSError as error:
        raise WorkbenchError(f"{copy} cannot be written ({error.strerror or error}).", exit_code=3) from error
    return copy, True


def _without_mark(folder: str, names: list[str]) -> set[str]:
    return _LEFT_OUT(folder, names) | ({MARK} & set(names))

"""Overviews of sessions, read from their files without opening them: those of a folder, the recent ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.model import WorkbenchError
from workbench.session import session_files
from workbench.session.atomic import inside, read_text

BUFFERS = ".workbench/buffers"
MARK = "session.toml"


@dataclass(frozen=True, slots=True)
class Overview:
    """The entry for a session in a list of sessions.

    ``unsaved`` says whether an edit is stored that is not in the policy file. ``problem`` is one sentence if
    the session cannot be read.
    """

    path: Path
    title: str = ""
    unsaved: bool = False
    problem: str = ""


def overview(folder: Path) -> Overview:
    """The overview of the session in a folder; an error becomes its ``problem`` and is never raised."""
    try:
        info = session_files.read_info(_text(folder, session_files.SESSION))
        buffers = folder / BUFFERS
        return Overview(folder, info.title or info.name, buffers.is_dir() and any(buffers.iterdir()))
    except WorkbenchError as error:
        return Overview(folder, problem=str(error))
    except OSError as error:
        return Overview(folder, problem=f"{folder} cannot be read ({error.strerror}).")


def _text(folder: Path, name: str) -> str:
    return read_text(inside(folder, name), name) or ""


def sessions_here(folder: Path) -> Sequence[Overview]:
    """The session in a folder itself, those below it, and those in its folder ``sessions``, by name."""
    folders = [folder] if (folder / MARK).is_file() else []
    for place in (folder, folder / "sessions"):
        folders += sorted(path.parent for path in place.glob(f"*/{MARK}"))
    return tuple(overview(path.resolve()) for path in folders)


def sessions_recent(recent: Sequence[Path], here: Sequence[Overview]) -> Sequence[Overview]:
    """The sessions opened last that still exist and are not listed already."""
    listed = {item.path for item in here}
    return tuple(overview(path) for path in recent if path not in listed and (path / MARK).is_file())

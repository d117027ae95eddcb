"""Which sessions can be opened: those of a folder, and those that were opened last."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.session.overview import Overview

MARK = "session.toml"


def sessions_here(folder: Path) -> Sequence[Overview]:
    """The session that a folder is, those in it, and those in its folder ``sessions``, by name."""
    from workbench.session.overview import overview

    found = [folder] if (folder / MARK).is_file() else []
    for place in (folder, folder / "sessions"):
        found += sorted(path.parent for path in place.glob(f"*/{MARK}"))
    return tuple(overview(path.resolve()) for path in found)


def sessions_recent(recent: Sequence[Path], here: Sequence[Overview]) -> Sequence[Overview]:
    """The sessions opened last that are still there and not listed already."""
    from workbench.session.overview import overview

    listed = {item.path for item in here}
    return tuple(overview(path) for path in recent if path not in listed and (path / MARK).is_file())

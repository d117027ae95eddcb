"""Settings that the screen remembers between runs: theme, views, recent sessions, the first minute.

They are stored in ``screen.json`` in the user's state folder (``WORKBENCH_STATE_DIR`` names another). They
are for comfort only: a damaged file is set aside, and everything starts as on the first day.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import cast

FILE = "screen.json"
MOST_RECENT = 20


class Remembered:
    """The remembered settings. Without a folder they last as long as the program."""

    def __init__(self, folder: Path | None = None) -> None:
        """Read the settings in a folder."""
        self._path = folder / FILE if folder is not None else None
        self._values = self._read()

    def _read(self) -> dict[str, object]:
        if self._path is None or not self._path.exists():
            return {}
        try:
            content = cast("object", json.loads(self._path.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            with suppress(OSError):
                self._path.replace(self._path.with_suffix(".damaged"))
            return {}
        return cast("dict[str, object]", content) if isinstance(content, dict) else {}

    @property
    def lasts(self) -> bool:
        """Whether the settings outlast the program."""
        return self._path is not None

    def text(self, name: str) -> str:
        """The text under a name, empty if there is none."""
        value = self._values.get(name)
        return value if isinstance(value, str) else ""

    def put(self, name: str, value: str | dict[str, str]) -> None:
        """Store a value under a name, at once."""
        self._values[name] = value
        if self._path is None:
            return
        with suppress(OSError):  # without a writable state folder only comfort is lost
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary = self._path.with_name(f"{FILE}.{os.getpid()}")
            temporary.write_text(json.dumps(self._values, indent=1), encoding="utf-8")
            temporary.replace(self._path)

    @property
    def recent(self) -> tuple[Path, ...]:
        """The sessions that were opened last, the latest first."""
        return tuple(Path(name) for name in reversed(self._views))

    def view_of(self, session: Path) -> str:
        """The view in which a session was left; empty if it is not known."""
        return self._views.get(str(session.resolve()), "")

    def opened(self, session: Path, view: str = "") -> None:
        """Store that a session was opened, perhaps the view in which it is to open; drop older sessions."""
        left, view = str(session.resolve()), view or self.view_of(session)
        others = [(name, kept_view) for name, kept_view in self._views.items() if name != left]
        self.put("views", dict([*others, (left, view)][-MOST_RECENT:]))

    @property
    def _views(self) -> dict[str, str]:
        """The view of each session that is remembered, the latest last."""
        value = self._values.get("views")
        listed = cast("dict[str, object]", value) if isinstance(value, dict) else {}
        return {name: view for name, view in listed.items() if isinstance(view, str)}

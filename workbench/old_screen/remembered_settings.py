"""What the screen remembers of a person between runs: sizes of panes, theme, recent sessions, the tour.

It lies in ``screen.json`` in the user's state folder (``WORKBENCH_STATE_DIR`` names another). Nothing in it
is worth more than comfort: a file that is damaged is set aside and everything is as on the first day.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

FILE = "screen.json"
MOST_RECENT = 20
MOST_COMMANDS = 5

type Json = str | int | bool | list[str] | dict[str, int]


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the file lies."""
    if given := environment.get("WORKBENCH_STATE_DIR"):
        return Path(given)
    from platformdirs import user_state_path

    return user_state_path("policy-workbench", appauthor=False)


class RememberedSettings:
    """The memory of the screen. Without a folder it lasts as long as the program."""

    def __init__(self, folder: Path | None = None) -> None:
        """Read what is remembered in a folder."""
        self._path = folder / FILE if folder is not None else None
        self._values: dict[str, Json] = self._read()

    def _read(self) -> dict[str, Json]:
        if self._path is None:
            return {}
        try:
            found = cast("object", json.loads(self._path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            with suppress(OSError):
                self._path.replace(self._path.with_suffix(".damaged"))
            return {}
        return cast("dict[str, Json]", found) if isinstance(found, dict) else {}

    def _put(self, name: str, value: Json) -> None:
        if self._values.get(name) == value:
            return
        self._values[name] = value
        if self._path is None:
            return
        with suppress(OSError):  # a state folder that cannot be written costs comfort only
            self._path.parent.mkdir(parents=True, exist_ok=True)
            beside = self._path.with_name(f"{FILE}.{os.getpid()}")
            beside.write_text(json.dumps(self._values, indent=1), encoding="utf-8")
            beside.replace(self._path)

    @property
    def theme(self) -> str:
        """The theme that was chosen last, empty if none was."""
        found = self._values.get("theme", "")
        return found if isinstance(found, str) else ""

    @theme.setter
    def theme(self, name: str) -> None:
        self._put("theme", name)

    @property
    def toured(self) -> bool:
        """Whether the first-run tour was seen or skipped; where nothing lasts, nothing is a first run."""
        return self._path is None or self._values.get("toured") is True

    @toured.setter
    def toured(self, seen: bool) -> None:
        self._put("toured", seen)

    @property
    def hidden(self) -> frozenset[str]:
        """The panes that are put away."""
        return frozenset(self._texts("hidden"))

    @hidden.setter
    def hidden(self, panes: frozenset[str]) -> None:
        self._put("hidden", sorted(panes))

    def sizes(self, layout: str) -> Mapping[str, int]:
        """How much wider or higher than usual each track of a layout is, in cells."""
        found = self._values.get(f"sizes {layout}")
        if not isinstance(found, dict):
            return {}
        return {name: size for name, size in found.items() if type(size) is int and -200 < size < 200}

    def put_sizes(self, layout: str, sizes: Mapping[str, int]) -> None:
        """Remember the sizes of a layout."""
        self._put(f"sizes {layout}", dict(sizes))

    @property
    def recent(self) -> tuple[Path, ...]:
        """The sessions that were opened last, the latest first."""
        return tuple(Path(text) for text in self._texts("recent"))

    def opened(self, session: Path) -> None:
        """Remember that a session was opened."""
        name = str(session.resolve())
        others = [text for text in self._texts("recent") if text != name]
        self._put("recent", [name, *others][:MOST_RECENT])

    @property
    def commands(self) -> tuple[str, ...]:
        """The ids of the actions that were chosen in the palette, the latest first."""
        return tuple(self._texts("commands"))

    def used(self, action: str) -> None:
        """Remember that an action was chosen in the palette."""
        others = [name for name in self.commands if name != action]
        self._put("commands", [action, *others][:MOST_COMMANDS])

    def _texts(self, name: str) -> list[str]:
        found = self._values.get(name)
        if not isinstance(found, list):
            return []
        return [item for item in found if isinstance(item, str)]  # pyright: ignore[reportUnnecessaryIsInstance]  a file of any content

"""A line to type or paste into, in which invisible characters are made visible."""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path

from textual.widgets import Input

from workbench.clean_text import clean_same_width

_LONGEST_PATHS = 4096
"""The most characters of a text that may be paths of dropped files; a longer text was pasted."""


class TypedLine(Input):
    """An ``Input`` that keeps hostile characters of a pasted text from the terminal."""

    def validate_value(self, value: str) -> str:
        """The text with hostile characters made visible, one for one, so that the cursor stays in place."""
        return clean_same_width(value)


def pasted_paths(text: str) -> list[Path]:
    """The files whose paths a terminal pastes when they are dropped on it; none for any other text.

    Several are quoted; some terminals do not quote the blanks of one.
    """
    if len(text) < _LONGEST_PATHS:
        with suppress(OSError, ValueError):
            return _existing([text.strip()]) or _existing(shlex.split(text))
    return []


def _existing(names: list[str]) -> list[Path]:
    paths = [Path(name.removeprefix("file://")).expanduser() for name in names if name]
    return paths if all(path.exists() for path in paths) else []

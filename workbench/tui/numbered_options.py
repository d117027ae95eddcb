"""Numbered options: rows that a digit picks, numbered from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.tones import Tone
from workbench.tui.text_runs import Line, TextRun, line
from workbench.tui.value_text import paragraph
from workbench.tui.widgets.lines import Row

PICK = "pick:"
MOST_DIGITS = 9


class Picks:
    """The numbering of a pane's options while its rows are made."""

    def __init__(self) -> None:
        """Begin with 1."""
        self._count = 0

    def rows(self, key: str, label: Line | str, width: int, indent: int = 2) -> list[Row]:
        """Rows of an option with its number; those after the ninth are picked with Enter."""
        self._count += 1
        number = str(self._count) if self._count <= MOST_DIGITS else "·"
        runs = line(label) if isinstance(label, str) else label
        content = (TextRun(f"{number} ", Tone.ACCENT), *runs)
        return paragraph(content, width, f"{PICK}{key}", indent=indent, hang=2)


def picked(rows: Sequence[Row]) -> list[str]:
    """The keys of the options in the order of their numbers."""
    return list(dict.fromkeys(row.key.removeprefix(PICK) for row in rows if row.key.startswith(PICK)))

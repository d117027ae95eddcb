"""Numbered options: rows that a digit picks, numbered from top to bottom."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.tui.text_runs import Line, TextRun, accent
from workbench.tui.widgets.lines import Row, paragraph

PICK = "pick:"
MOST_DIGITS = 9


class Picks:
    """The numbering of a pane's options while its rows are made."""

    def __init__(self) -> None:
        """Begin with 1."""
        self._count = 0

    def row(self, key: str, *label: Line | TextRun | str) -> Row:
        """The row of an option with its number; those after the ninth are picked with Enter."""
        self._count += 1
        number = str(self._count) if self._count <= MOST_DIGITS else "·"
        return paragraph(accent(f"{number} "), *label, key=f"{PICK}{key}", indent=2, hang=2)


def picked(rows: Iterable[Row]) -> list[str]:
    """The keys of the options in the order of their numbers."""
    return list(dict.fromkeys(row.key.removeprefix(PICK) for row in rows if row.key.startswith(PICK)))

"""A Markdown table that is readable as plain text too."""

from __future__ import annotations

from collections.abc import Sequence


def markdown_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table, its columns padded to one width."""
    cells = [[_cell(text) for text in line] for line in (head, *lines)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    rows = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([rows[0], rule, *rows[1:]])


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())

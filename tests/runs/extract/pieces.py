"""The corpora of pieces of programs: sections of lines, each line a piece."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_ESCAPE = re.compile(r"\\([\\nrf])")
_ESCAPED = {"\\": "\\", "n": "\n", "r": "\r", "f": "\f"}


def pieces(name: str) -> Mapping[str, tuple[str, ...]]:
    """The pieces of a corpus by their section, as explained at its beginning."""
    text = (Path(__file__).parent / "corpus" / name).read_text(encoding="utf-8")
    sections: dict[str, tuple[str, ...]] = {}
    for section in text.split("\n== ")[1:]:
        title, *lines = section.split("\n")
        sections[title] = tuple(
            _ESCAPE.sub(lambda match: _ESCAPED[match[1]], line) for line in lines if line.strip()
        )
    return sections

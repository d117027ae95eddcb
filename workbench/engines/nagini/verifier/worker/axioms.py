"""Silicon's axioms of sets, multisets, sequences and maps, without those that no lowered program needs.

Silicon reads, checks and translates four files of axioms for every program, which takes longer than deciding
a lowered one. Lowered programs only test membership in a set, and have no other collection, so the
declarations are enough. An axiom that is left out can only make a proof fail, never succeed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

FILES = {
    "sets": "setAxiomatizationFile",
    "multisets": "multisetAxiomatizationFile",
    "sequences": "sequenceAxiomatizationFile",
    "maps": "mapAxiomatizationFile",
}
"""The names of the files, each with the Silicon option that sets a replacement."""

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_MACRO = re.compile(r"^define [^\n]*$", re.MULTILINE)
_AXIOM = re.compile(r"\baxiom\b[^{]*\{")
_BLANK = re.compile(r"\n\s*\n+")


def declarations(text: str) -> str:
    """The domains and functions that a file of axioms declares, without axioms, macros and comments.

    Raises:
        ValueError: the braces of an axiom do not match.
    """
    plain_text = _MACRO.sub("", _COMMENT.sub("", text))
    parts: list[str] = []
    start = 0
    while (match := _AXIOM.search(plain_text, start)) is not None:
        parts.append(plain_text[start : match.start()])
        start = _closing(plain_text, match.end())
    parts.append(plain_text[start:])
    return _BLANK.sub("\n", "".join(parts)).strip() + "\n"


def _closing(text: str, start: int) -> int:
    """The position after the brace that matches the one before ``start``."""
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    raise ValueError("an axiom has no end")


def write_declarations(read: Callable[[str], str], folder: Path) -> tuple[str, ...]:
    """Write the declarations of all files to a folder; returns Silicon's options that name them.

    ``read`` gives the text of one of ``FILES``.

    Raises:
        OSError, ValueError: a file cannot be read, has another format, or cannot be written.
    """
    options: list[str] = []
    for name, option in FILES.items():
        path = folder / f"{name}.vpr"
        path.write_text(declarations(read(name)), encoding="utf-8")
        options.append(f"--{option}={path}")
    return tuple(options)

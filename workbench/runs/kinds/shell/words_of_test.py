"""The words of ``test`` and ``[``, some of which make it look at the part of an array, which computes."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.runs.kinds.shell.command_words import Word
from workbench.runs.kinds.shell.simple_commands import NamedFile, Started
from workbench.runs.kinds.shell.ways import Way

_OF_FILES = frozenset(f"-{letter}" for letter in "abcdefghkprstuwxGLNOS")
_OF_TEXTS = frozenset({"-n", "-z"})
_BETWEEN = frozenset(
    {"=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"}
)
_FILES_BETWEEN = frozenset({"-nt", "-ot", "-ef"})


def files_of_test(words: Sequence[Word], started: Started) -> list[NamedFile]:
    """The files that a test looks at; what it leaves open is noted as hidden."""
    files: list[NamedFile] = []
    texts = [word.text for word in words]
    for place, word in enumerate(words):
        before = texts[place - 1] if place else ""
        after = texts[place + 1] if place + 1 < len(texts) else ""
        if word.text in ("-v", "-R"):
            started.hide("a test looks at the part of an array")
        beside = before in _OF_FILES | _OF_TEXTS | _BETWEEN or after in _BETWEEN
        if word.text is None and not (word.pattern or (word.is_one and beside)):
            started.hide("a test may look at the part of an array")
        if before in _OF_FILES or before in _FILES_BETWEEN or after in _FILES_BETWEEN:
            files.append(NamedFile(word, started.folders, Way.NAME))
    return files

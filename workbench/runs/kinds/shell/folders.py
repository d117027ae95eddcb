"""Changes of the folder in which relative paths are resolved."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.runs.kinds.shell.command_words import HOME, Word
from workbench.runs.kinds.shell.named_paths import normal_path
from workbench.runs.kinds.shell.simple_commands import Folders

_OPTIONS = frozenset({"-L", "-P", "-e", "-@", "-LP", "-PL", "--"})


def change_of_folder(program: str, words: Sequence[Word], folders: Folders) -> tuple[Folders] | None:
    """The folders after a successful cd, pushd or popd; None for any other program."""
    if program in {"popd", "dirs"}:
        return (None,)
    if program not in {"cd", "pushd"}:
        return None
    remaining_words = list(words)
    while remaining_words and remaining_words[0].text in _OPTIONS:
        remaining_words.pop(0)
    if not remaining_words:
        return (frozenset({HOME}),) if program == "cd" else (None,)
    target = remaining_words[0].text
    if len(remaining_words) > 1 or target is None or folders is None or target.startswith(("-", "+")):
        return (None,)
    if not target:
        return (folders,)
    paths = [normal_path(target, folder) for folder in folders]
    if any(path is None for path in paths):
        return (None,)
    return (frozenset(path for path in paths if path is not None),)

"""The simple commands that a shell text starts: words, redirects, variables, and what is hidden."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from workbench.runs.kinds.shell.command_words import Word
from workbench.runs.kinds.shell.shell_tree import NotRead

# The folders in which a relative path may be resolved; None if they are only known at run time.
type Folders = frozenset[str] | None

MOST_COMMANDS = 1000
_MOST_FOLDERS = 8


@dataclass(frozen=True, slots=True)
class Simple:
    """A started program, as written, with its words and the folders in which it may be started."""

    program: str
    words: tuple[Word, ...]
    folders: Folders
    # The places of words that could name a file but do not: code, patterns and texts of this program.
    texts: frozenset[int] = frozenset()


@dataclass(slots=True)
class Started:
    """The findings about a text so far.

    ``hidden`` are the reasons why the text does not show everything, each with whether it only concerns
    files.
    """

    folders: Folders
    commands: list[Simple] = field(default_factory=list[Simple])
    reads: list[tuple[Word, Folders]] = field(default_factory=list[tuple[Word, Folders]])
    writes: list[tuple[Word, Folders]] = field(default_factory=list[tuple[Word, Folders]])
    variables: set[str] = field(default_factory=set[str])
    hidden: dict[str, bool] = field(default_factory=dict[str, bool])
    depth: int = 0

    def hide(self, why: str, *, only_files: bool = False) -> None:
        """Note that something may run that the text does not show, or that it may only reach other files."""
        self.hidden[why] = self.hidden.get(why, True) and only_files

    def start(self, command: Simple) -> None:
        """Note that a program is started; raises NotRead beyond the limit."""
        if len(self.commands) >= MOST_COMMANDS:
            raise NotRead(f"it starts more than {MOST_COMMANDS:,} programs")
        self.commands.append(command)

    @contextmanager
    def apart(self) -> Generator[None]:
        """Enter a shell of its own: a change of folder ends with it."""
        before = self.folders
        yield
        self.folders = before


def either(folders: Folders, other: Folders) -> Folders:
    """The possible folders after two ways to the same place."""
    if folders is None or other is None or len(folders | other) > _MOST_FOLDERS:
        return None
    return folders | other

"""What a shell text does: the programs that it starts, their files and hosts, and what is hidden."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from workbench.runs.kinds.shell.command_words import Word
from workbench.runs.kinds.shell.program_tables import POWERFUL, ProgramTable
from workbench.runs.kinds.shell.shell_tree import NotRead
from workbench.runs.kinds.shell.ways import Open, Way

# The folders in which a relative path may be resolved; None if they are only known at run time.
type Folders = frozenset[str] | None

MOST_COMMANDS = 1000
_MOST_FOLDERS = 8


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that a word names, and what is done with it; with ``tree`` all that is below it too."""

    word: Word
    folders: Folders
    way: Way
    tree: bool = False


@dataclass(frozen=True, slots=True)
class Simple:
    """A started program, as written, with its words and what they are for it.

    ``sub`` is the place of its sub-command, None if that is not certain or it has none.
    ``goals`` are those of make. ``loose`` is True if a word that only the run tells may be an option.
    """

    program: str
    words: tuple[Word, ...]
    folders: Folders
    options: frozenset[str] = frozenset()
    files: tuple[NamedFile, ...] = ()
    sub: int | None = None
    loose: bool = False
    table: ProgramTable | None = None
    goals: frozenset[str] = frozenset()


@dataclass(slots=True)
class Started:
    """The findings about a text so far.

    ``hidden`` are the reasons why the text does not show everything, each with what it leaves open.
    ``environment`` are the variables of which a value from outside of the text is used or shown, "*" for all,
    ``known`` those that the text has surely given a value before.
    ``begins`` are the folders in which the text begins. ``remotes`` are the declared ones: by the folder of
    the repository the host of each by its name. ``remote_changes`` are reasons why they may be others
    afterwards, ``declared_hosts`` those of ``hosts`` that they have.
    """

    folders: Folders
    commands: list[Simple] = field(default_factory=list[Simple])
    files: list[NamedFile] = field(default_factory=list[NamedFile])
    hosts: set[str] = field(default_factory=set[str])
    variables: set[str] = field(default_factory=set[str])
    environment: set[str] = field(default_factory=set[str])
    known: frozenset[str] = frozenset()
    history: bool = False
    hidden: dict[str, frozenset[Open]] = field(default_factory=dict[str, frozenset[Open]])
    depth: int = 0
    remotes: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    remote_changes: set[str] = field(default_factory=set[str])
    declared_hosts: set[str] = field(default_factory=set[str])
    begins: Folders = field(init=False)

    def __post_init__(self) -> None:
        """Keep the folders in which the text begins."""
        self.begins = self.folders

    def hide(self, why: str, *what: Open) -> None:
        """Note that the text does not show everything; without ``what``, that any program may run."""
        self.hidden[why] = self.hidden.get(why, frozenset()) | frozenset(what or Open)

    def assign(self, variable: str) -> None:
        """Note that a variable gets a value."""
        self.variables.add(variable)
        if POWERFUL.fullmatch(variable):
            self.hide(f"the variable {variable} may change what runs")

    def use(self, variable: str) -> None:
        """Note that the value of a variable is used, which the text may not have given it."""
        if variable not in self.known:
            self.environment.add(variable)

    def start(self, command: Simple) -> None:
        """Note that a program is started; raises NotRead beyond the limit."""
        if len(self.commands) >= MOST_COMMANDS:
            raise NotRead(f"it starts more than {MOST_COMMANDS:,} programs")
        self.commands.append(command)
        self.files.extend(command.files)

    @contextmanager
    def apart(self) -> Generator[None]:
        """Enter a shell of its own: a change of folder ends with it."""
        before, known = self.folders, self.known
        yield
        self.folders, self.known = before, known


def either(folders: Folders, other: Folders) -> Folders:
    """The possible folders after two ways to the same place."""
    if folders is None or other is None or len(folders | other) > _MOST_FOLDERS:
        return None
    return folders | other

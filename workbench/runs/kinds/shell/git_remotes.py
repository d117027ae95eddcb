"""The remotes of repositories that a session declares, and what a command may do to them.

A declared remote holds for git in the folder of its repository, while nothing changes the settings of git.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from workbench.runs.kinds.shell.named_paths import normal_path
from workbench.runs.kinds.shell.program_tables import TABLES, May
from workbench.runs.kinds.shell.simple_commands import Folders, NamedFile, Simple, Started
from workbench.runs.kinds.shell.ways import Open, Way

_SETTINGS = re.compile(r"(?:.*/)?(?:\.git(?:/.*)?|\.?gitconfig|\.?config/git(?:/.*)?)", re.IGNORECASE)
"""Paths of settings of git, and of folders of them."""
_REMOTES = "REMOTES ."
_IN_PLACE = frozenset({"cp", "mkdir", "tee", "touch"})
"""Programs that change nothing in a folder which they are told, unless they take all that is below it."""


def is_of_settings(path: str) -> bool:
    """Whether a path is one of settings of git, or a folder of them."""
    return _SETTINGS.fullmatch(path) is not None


def declared_hosts(
    remotes: Mapping[str, Mapping[str, str]], folders: Folders, name: str | None
) -> Collection[str]:
    """The hosts of a declared remote, or of all where none is named; none if that is not certain."""
    hosts: set[str] = set()
    for folder in folders or ():
        of_repository = remotes.get(folder, {})
        if not of_repository or (name is not None and name not in of_repository):
            return ()
        hosts.update(of_repository.values() if name is None else (of_repository[name],))
    return hosts


def change_of_remotes(started: Started) -> str:
    """The reason why remotes or other settings of git may be others after the text; empty if they are not."""
    return next(_changes(started), "")


def changing(program: str) -> str:
    """The reason why remotes may be others after a program."""
    return f"{program} may change remotes"


def reaches_after(change: str, started: Started) -> bool:
    """Whether git may reach a host by what a change made of its settings."""
    tables = [one.table for one in started.commands if one.table is not None and _is_of_git(one)]
    reaching = [one.name for one in tables if May.CONNECT in one.may and _REMOTES not in one.itself]
    return bool(reaching) and [change] != list(map(changing, reaching))


def _changes(started: Started) -> Iterator[str]:
    yield from sorted(started.remote_changes)
    yield from (why for why, what in started.hidden.items() if what & {Open.PROGRAMS, Open.WRITES})
    yield from (f"the variable {name} is set" for name in started.variables if _OBEYED.fullmatch(name))
    of_commands = [(one, file) for one in started.commands for file in one.files]
    named_by_commands = {id(file) for _, file in of_commands}
    for file in started.files:
        if id(file) not in named_by_commands and any(map(is_of_settings, _places(file))):
            yield "a redirect may change settings of git"
    for command, file in of_commands:
        if not _is_of_git(command) and file.way is Way.WRITE and _may_reach(file, command, started.begins):
            yield f"{command.program} may change settings of git"


def _is_of_git(command: Simple) -> bool:
    return command.table is not None and command.table.name.startswith("git ")


def _may_reach(file: NamedFile, command: Simple, repositories: Folders) -> bool:
    """Whether a program that changes a file may change the settings of git in a repository."""
    is_whole = file.tree or command.program not in _IN_PLACE
    for path in _places(file):
        fixed = path.partition("**")[0].rstrip("/")
        above = is_whole or "**" in path
        if is_of_settings(fixed) or (above and any(_is_within(one, fixed) for one in repositories or ())):
            return True
    return False


def _is_within(folder: str, other: str) -> bool:
    return f"{folder}/".startswith(f"{other}/")


def _places(file: NamedFile) -> Iterator[str]:
    """The paths of a file, and its patterns as they are written."""
    written = file.word.text if file.word.text is not None else file.word.pattern
    for folder in file.folders or ("",):
        yield normal_path(written, folder) or ""


_OBEYED = TABLES["git"].obeyed

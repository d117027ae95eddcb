"""Programs whose words decide what else runs, described in ``programs.toml``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from workbench.runs.values.data_file import DataTable, read_data

_FILE = read_data(__name__, "programs.toml")
_SUB_COMMANDS = _FILE.table("sub_commands")
_FIND = _FILE.table("find")
_GIT = _FILE.table("git")


@dataclass(frozen=True, slots=True)
class Launcher:
    """A program that starts another: its options without and with a value, and the number of words before it.

    ``assignments`` are words ``NAME=value`` before the program. ``leading`` must be the first words (``run``
    of ``poetry run``); otherwise the launcher starts no program from its words.
    """

    flags: str = ""
    valued: str = ""
    long_flags: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()
    skipped: int = 0
    assignments: bool = False
    leading: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeadingOptions:
    """The options that may come before a sub-command: those without and those with a value."""

    flags: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()


def _launcher(table: DataTable) -> Launcher:
    values = dict(cast("Mapping[str, Any]", table.values))
    for key in values.keys() & {"long_flags", "long_valued"}:
        values[key] = table.names(key)
    if "leading" in values:
        values["leading"] = table.texts("leading")
    return Launcher(**values)


def _starting_options() -> dict[str, tuple[str, ...]]:
    options = _FILE.table("starting_options").texts_by_key()
    alike_by_program = _FILE.table("same_starting_options").text_by_key()
    return {
        **options,
        **{program: options[alike_program] for program, alike_program in alike_by_program.items()},
    }


STANDARD_FOLDERS = _FILE.names("standard_folders")
GROUPS = _FILE.table("groups").texts_by_key()
LAUNCHERS = {program: _launcher(table) for program, table in _FILE.table("launchers").tables()}
LAUNCHERS_IN_THIS_SHELL = _FILE.names("in_this_shell")
SHELLS = _FILE.names("shells")
OTHER_SHELLS = _FILE.names("other_shells")
INTERPRETER_FLAGS = _FILE.names("interpreter_flags")
INFORMS = _FILE.names("informing_options")
OPAQUE = _FILE.names("opaque")
HARMLESS = _FILE.names("harmless")
NETWORK = _FILE.names("network")
NETWORK_OPTIONS = {
    program: Launcher(
        table.text("flags"), table.text("valued"), table.names("long_flags"), table.names("long_valued")
    )
    for program, table in _FILE.table("network_options").tables()
}
REMOTE_SUB_COMMANDS = _FILE.table("remote_sub_commands").names_by_key()
LOCAL = _FILE.names("harmless") | _FILE.names("local")
AWK = _FILE.names("awk")
FOLDER_OPTIONS = _FILE.names("folder_options")
WITHOUT_FOLDER_OPTIONS = _FILE.names("without_folder_options")
SYMBOLIC_LINK_OPTIONS = _FILE.table("symbolic_link_options").texts_by_key()
STARTING_OPTIONS = _starting_options()
CAREFUL = frozenset(STARTING_OPTIONS) | _FILE.names("careful")
PARTED = _SUB_COMMANDS.names("programs")
PARTED_TWICE = frozenset(
    f"{program} {sub_command}"
    for program, sub_commands in _SUB_COMMANDS.table("with_a_second").texts_by_key().items()
    for sub_command in sub_commands
)
SUB_COMMANDS_THAT_START = _SUB_COMMANDS.table("starting").names_by_key()
LEADING_OPTIONS = {
    program: LeadingOptions(**table.names_by_key())
    for program, table in _SUB_COMMANDS.table("options_before").tables()
}
GIT_THAT_STARTS = _GIT.names("starting")
GIT_LETTERS_THAT_START = _GIT.table("starting_letters").text_by_key()
FIND_EXECUTES = _FIND.names("executing")
FIND_WRITES = _FIND.names("writing")
FIND_VALUES = _FIND.names("valued")

_KNOWN = frozenset[str]().union(
    HARMLESS, OPAQUE, LAUNCHERS, SHELLS, OTHER_SHELLS, NETWORK, LOCAL, AWK, CAREFUL, PARTED,
    SUB_COMMANDS_THAT_START, SYMBOLIC_LINK_OPTIONS, _FILE.names("starting_no_word"),
)  # fmt: skip

_INTERPRETER = re.compile(rf"({'|'.join(map(re.escape, _FILE.texts('interpreters')))})[0-9.]*")
STARTING_OPTION = re.compile(rf"--?[\w-]*({'|'.join(_FILE.texts('starting_words'))})[\w-]*(=.*)?", re.DOTALL)


def is_interpreter(program: str) -> bool:
    """Whether a program runs code from its words, a file or its input."""
    return _INTERPRETER.fullmatch(program) is not None


def is_known(program: str) -> bool:
    """Whether it is known of a program which other ones its words make it start."""
    return program in _KNOWN or program in {"eval", "read"} or is_interpreter(program)


def means(word: str, option: str) -> bool:
    """Whether a word is the option, possibly shortened, possibly with its value."""
    if option.startswith("--"):
        name = word.partition("=")[0]
        return len(name) > 2 and option.startswith(name)
    if len(option) == 2:
        return word.startswith("-") and not word.startswith("--") and option[1] in word[1:]
    return word.partition("=")[0] == option

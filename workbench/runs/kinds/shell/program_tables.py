"""The tables of what programs do with their words, from ``program_tables.toml``.

A program, option or form of operands that is in no table is not determinable.

Names that the reader of shell commands knows, from ``programs.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Literal, cast, get_args

from workbench.runs.values.data_file import DataTable, read_data

type Role = Literal[
    "TEXT", "PRINTED", "READ", "WRITE", "CHANGE", "NAME", "RUN", "LIST", "FOLDER", "WITHIN", "ANY",
    "DATA", "FORM", "COOKIE", "UPLOAD", "OUTPUT", "WRITTEN", "FOUND", "MODULE", "SCRIPT", "SOURCE",
    "PACKAGE", "FORMAT", "URL", "HOST", "LOGIN", "REMOTE", "ADDRESS", "REMOTES", "NETPATH", "NETCOPY",
    "REVISION", "COMPARED", "SWITCHED", "REPOSITORY", "PATHSPEC", "REMOVED", "WARNING", "NODE", "LINES",
    "BLOCKS", "ASSIGN", "VARIABLE", "SED", "AWK", "JQ", "SHELL", "SETTING", "RSH", "PROGRAM", "COMMAND",
    "SUFFIX", "REPLACED", "HISTORY", "GOAL", "ELSEWHERE", "SAVED", "PACKED", "ZIPPED", "INTO",
    "PARENTS", "CHANGED", "REMOTELY", "MATCHED", "REFORMATTED", "HIDE", "ENVIRONMENT", "SHOWN",
    "PROCESSES",
]  # fmt: skip
"""What a word is for a program."""


class May(StrEnum):
    """What a program may do, whatever its words are; one that is in no table may do all."""

    NAME = "name"
    READ = "read"
    WRITE = "write"
    START = "start"
    CONNECT = "connect"
    LINK = "link"


class Flag(StrEnum):
    """How a program reads its words."""

    PERMUTES = "permutes"
    DASHES = "dashes"
    ABBREVIATES = "abbreviates"
    WORDS = "words"
    COMMANDS = "commands"
    LETTERS = "letters"
    TREE = "tree"
    NUMBER = "number"
    SEARCHES = "searches"


_ON = frozenset({Flag.PERMUTES, Flag.DASHES})


@dataclass(frozen=True, slots=True)
class ProgramOption:
    """An option: its names, the roles of its values, whether the value may be left out, and its effects."""

    names: tuple[str, ...]
    roles: tuple[str, ...] = ()
    optional: bool = False
    effects: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ProgramTable:
    """What a program does with its words.

    ``aliases`` are roles that options change. ``operands`` are the roles of the operands, of which one may be
    repeated; ``after`` those of operands after ``--``, which take the place of what it does by ``itself``.
    ``none`` is what it does without operands.
    """

    name: str
    may: frozenset[May]
    options: Mapping[str, ProgramOption]
    flags: frozenset[Flag]
    operands: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    none: tuple[str, ...] = ()
    itself: tuple[str, ...] = ()
    obeys: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    given: int = 1000

    @cached_property
    def obeyed(self) -> re.Pattern[str]:
        """The variables that change what it does."""
        return re.compile("|".join(self.obeys) or r"(?!)")

    @cached_property
    def takes_remotes(self) -> bool:
        """Whether an operand may name a remote, which the repository tells if there is none."""
        return any(role.rstrip(".?") == "REMOTE" for role in self.operands)

    @cached_property
    def names_hosts(self) -> bool:
        """Whether a word of it may be a host."""
        roles = [role for option in self.options.values() for role in option.roles]
        return any(role.strip(".?") in _OF_HOSTS for role in (*self.operands, *roles))

    def option(self, name: str) -> ProgramOption | None:
        """The option of this name, which may be shortened where the program takes it so."""
        if name in self.options or not (Flag.ABBREVIATES in self.flags and name.startswith("--")):
            return self.options.get(name)
        meant = {id(option): option for long, option in self.options.items() if long.startswith(name)}
        return next(iter(meant.values())) if len(meant) == 1 else None

    def has_option_that_ends(self, tail: str) -> bool:
        """Whether a word with this end may be an option, or several in one, without a value."""
        return all(f"-{sign}" in self.options for sign in tail) or any(
            name.endswith(tail) for name in self.options
        )

    def options_that_end(self, tail: str) -> Sequence[ProgramOption]:
        """The options that a word with this end may be or hold: alone, several in one, or with a value."""
        short = {name: option for name, option in self.options.items() if re.fullmatch(r"-[^-]", name)}
        several = any(option.roles for option in short.values()) or all(f"-{sign}" in short for sign in tail)
        return [
            option
            for name, option in self.options.items()
            if option.roles or (several if name in short else tail in name)
        ]


_OPTION = re.compile(r"(?P<names>\S+?(?: +-\S+?)*)(?P<value>\[=[A-Z]+\]|=[A-Z+]+)?(?:: (?P<effects>.+))?")
_EFFECTS = frozenset(
    {"tree", "undo", "brief", "do", "operands", "none", "hide", "elsewhere", "end", "replace"}
)
_KEYS = (
    "may", "flags", "options", "with", "operands", "after", "aliases", "none", "itself", "obeys", "starts",
    "given", *Flag,
)  # fmt: skip
_ROLES: frozenset[str] = frozenset(get_args(Role.__value__))
_OF_HOSTS = frozenset({"URL", "HOST", "LOGIN", "REMOTE", "ADDRESS", "NETPATH", "NETCOPY"})


def _option(written: str, place: str, aliases: Mapping[str, str]) -> ProgramOption:
    match = _OPTION.fullmatch(written)
    if match is None:
        raise ValueError(f"{place}: {written!r} is no option.")
    value = match["value"] or ""
    roles = tuple(value.strip("[]=").split("+")) if value else ()
    effects = tuple(_effect(one, place, aliases) for one in (match["effects"] or "").split(", ") if one)
    for role in roles:
        if role not in _ROLES and role not in aliases:
            raise ValueError(f"{place}: {written!r} has the role {role}, which is none.")
    return ProgramOption(tuple(match["names"].split()), roles, value.startswith("["), effects)


def _effect(written: str, place: str, aliases: Mapping[str, str]) -> tuple[str, str]:
    name, _, value = written.partition("=")
    if name not in _EFFECTS and name not in aliases:
        raise ValueError(f"{place}: {written!r} is no effect.")
    return name, value


def _table(name: str, table: DataTable, shared: DataTable) -> ProgramTable:
    table.check_keys(*_KEYS)
    values = table.values
    aliases = table.table("aliases").text_by_key() if "aliases" in values else {}
    written = list(table.texts("options")) if "options" in values else []
    for group in table.texts("with") if "with" in values else ():
        written.extend(shared.texts(group))
    options = [_option(one, table.place, aliases) for one in written]
    if "flags" in values:
        options.extend(ProgramOption((f"-{letter}",)) for letter in table.text("flags"))
    by_name: dict[str, ProgramOption] = {}
    for option in options:
        for one in option.names:
            if one in by_name:
                raise ValueError(f"{table.place}: {one} stands twice.")
            by_name[one] = option
    lists = {key: table.texts(key) for key in ("none", "itself", "obeys", "starts") if key in values}
    lists |= {key: tuple(table.text(key).split()) for key in ("operands", "after") if key in values}
    flags = frozenset(flag for flag in Flag if values.get(flag, flag in _ON) is True)
    return ProgramTable(
        name,
        frozenset(map(May, table.names("may"))),
        by_name,
        flags,
        aliases=aliases,
        given=table.number("given") if "given" in values else ProgramTable.given,
        **lists,
    )


def _tables() -> Iterator[tuple[str, ProgramTable]]:
    file = read_data(__name__, "program_tables.toml")
    file.check_keys("program", "shared")
    shared, tables = file.table("shared"), dict(file.table("program").tables())
    for name, table in tables.items():
        values = _values(table, tables)
        program = name.partition(" ")[0]
        if program != name and program in tables:
            # A sub-command obeys what its program obeys.
            both = (_values(tables[program], tables), values)
            obeyed = (one for each in both for one in cast("list[str]", each.get("obeys", [])))
            values["obeys"] = list(dict.fromkeys(obeyed))
        yield name, _table(name, DataTable(table.place, values), shared)


def _values(table: DataTable, tables: Mapping[str, DataTable]) -> dict[str, object]:
    """The keys of a table with those that it takes over from another."""
    own = {key: value for key, value in table.values.items() if key != "like"}
    return {**_values(tables[table.text("like")], tables), **own} if "like" in table.values else own


TABLES: Mapping[str, ProgramTable] = dict(_tables())
"""The tables of programs by name, and those of sub-commands by the words that name them."""

_NAMES = read_data(__name__, "programs.toml")
_SUB_COMMANDS = _NAMES.table("sub_commands")
_VARIABLES = _NAMES.table("variables")

STANDARD_FOLDERS = _NAMES.names("standard_folders")
SHELLS = _NAMES.names("shells")
IN_THIS_SHELL = _NAMES.names("in_this_shell")
PARTED = (
    _SUB_COMMANDS.names("programs")
    | {name for name, table in TABLES.items() if Flag.COMMANDS in table.flags}
    | {"make", "npx"}
)
PARTED_TWICE = frozenset(
    f"{program} {sub_command}"
    for program, sub_commands in _SUB_COMMANDS.table("with_a_second").texts_by_key().items()
    for sub_command in sub_commands
)
POWERFUL = re.compile(
    "|".join(one for key in ("obeyed", "computed", "loading") for one in _VARIABLES.texts(key)), re.IGNORECASE
)
"""Variables that may change what runs, whatever program is started."""
_NOT_FOLLOWED = _NAMES.names("not_followed")


def is_known(program: str) -> bool:
    """Whether a word is the name of a program that people speak of."""
    return program in TABLES or program in _NOT_FOLLOWED


def calls_of(program: str) -> tuple[str, ...]:
    """The calls of a program with a sub-command that is in a table."""
    return tuple(name for name in TABLES if name.startswith(f"{program} ") and name not in PARTED)


def call_named(text: str) -> str:
    """The call that a text begins with the name of: a program, with its sub-command if it has some."""
    program, *others = text.split()
    name = program.rpartition("/")[2]
    most = 0 if name not in PARTED else 2 if " ".join((name, *others[:1])) in PARTED_TWICE else 1
    return " ".join((program, *others[:most]))

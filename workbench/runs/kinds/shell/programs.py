"""Names that the reader of shell commands knows, from ``programs.toml``."""

from __future__ import annotations

import re

from workbench.runs.kinds.shell.program_tables import TABLES, Flag
from workbench.runs.values.data_file import read_data

_FILE = read_data(__name__, "programs.toml")
_SUB_COMMANDS = _FILE.table("sub_commands")
_VARIABLES = _FILE.table("variables")

STANDARD_FOLDERS = _FILE.names("standard_folders")
SHELLS = _FILE.names("shells")
IN_THIS_SHELL = _FILE.names("in_this_shell")
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
_NOT_FOLLOWED = _FILE.names("not_followed")


def is_known(program: str) -> bool:
    """Whether a word is the name of a program that people speak of."""
    return program in TABLES or program in _NOT_FOLLOWED

"""Variables that a shell text sets, and which of them change what runs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.runs.kinds.shell.command_words import Word
from workbench.runs.kinds.shell.programs import POWERFUL
from workbench.runs.kinds.shell.shell_tree import NotRead
from workbench.runs.kinds.shell.simple_commands import Started

_NAME = re.compile(r"([A-Za-z_]\w*)(\+?=.*)?", re.ASCII | re.DOTALL)
_DECLARING = frozenset({"-x", "-r", "-g", "-gx", "-rx", "-xr", "-n", "-p", "--"})


def assign(name: str, started: Started) -> None:
    """Note that a variable gets a value."""
    started.variables.add(name)
    if POWERFUL.fullmatch(name):
        started.hide(f"the variable {name} may change what runs")


def declare(keyword: str, words: Sequence[Word], started: Started) -> None:
    """Note the words of export, declare, local, readonly or unset that are not plain assignments."""
    for word in words:
        if word.text is None:
            started.hide(f"{keyword} has a word that is only known when it runs")
        elif word.text.startswith(("-", "+")):
            # -n unexports with export, and makes a reference with declare.
            if word.text not in _DECLARING or (word.text == "-n" and keyword != "export"):
                started.hide(f"{keyword} {word.text} is not followed")
        elif (match := _NAME.fullmatch(word.text)) is not None:
            assign(match.group(1), started)
        else:
            raise NotRead(f"{keyword} has a word that is no variable")

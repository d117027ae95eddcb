"""Words that are code for a program: the scripts of sed, awk and jq."""

from __future__ import annotations

import re

_ADDRESS = r"(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?|\d+~\d+)"
_COMMAND = (
    r"(?:[pdqQ=nNDPhHgGx]|s(?P<sign>[/|#,:!@%_])(?:(?!(?P=sign))[^\\\n]|\\.)*(?P=sign)"
    r"(?:(?!(?P=sign))[^\\\n]|\\.)*(?P=sign)[gpiI0-9]*)"
)
_SED = re.compile(rf"\s*(?:{_ADDRESS}(?:,\s*(?:\+?{_ADDRESS}))?)?\s*!?\s*{_COMMAND}\s*")
_AWK_OPENS = re.compile(
    r"system|getline|[|>@`]|\binclude\b|\bload\b|close|fflush|ARG[VC]|SYMTAB|FUNCTAB|PROCINFO"
)
_JQ_OPENS = re.compile(r"\b(import|include|modulemeta|get_search_list|input_filename)\b")


def sed_starts_nothing(script: str) -> bool:
    """Whether every command of the sed script is known to start no program and touch no other file."""
    position = 0
    while position < len(script):
        command = _SED.match(script, position)
        if command is None or command.end() == position:
            return False
        position = command.end()
        if position < len(script):
            if script[position] not in ";\n":
                return False
            position += 1
    return True


def awk_starts_nothing(program: str) -> bool:
    """Whether a program of awk has no sign of starting another or of touching another file."""
    return not _AWK_OPENS.search(program)


def jq_opens_nothing(filter_: str) -> bool:
    """Whether a filter of jq has no sign of opening another file."""
    return not _JQ_OPENS.search(filter_)

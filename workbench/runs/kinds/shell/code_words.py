"""Words that are code for a program: the scripts of sed and awk, the patterns of grep."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.runs.kinds.shell.command_words import Word

_PATTERN_FIRST = frozenset({"grep", "egrep", "fgrep", "rg", "sed", "awk", "gawk", "mawk", "nawk", "jq", "tr"})
# Options of these programs that take their value from the next word, so that it is not the pattern.
_VALUED = {
    "grep": "efmABCdD", "egrep": "efmABCdD", "fgrep": "efmABCdD", "rg": "efmABCgtTrMjE", "sed": "efl",
    "awk": "Fvf",
    "gawk": "Fvf", "mawk": "Fvf", "nawk": "Fvf", "jq": "fL", "tr": "",
}  # fmt: skip
# With these options the pattern is elsewhere.
_ELSEWHERE = re.compile(r"-[A-Za-z]*[ef].*|--(e|reg|fi|from)[\w-]*(=.*)?", re.DOTALL)

_ADDRESS = r"(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?|\d+~\d+)"
_COMMAND = (
    r"(?:[pdqQ=nNDPhHgGx]|s(?P<sign>[/|#,:!@%_])(?:(?!(?P=sign))[^\\\n]|\\.)*(?P=sign)"
    r"(?:(?!(?P=sign))[^\\\n]|\\.)*(?P=sign)[gpiI0-9]*)"
)
_SED = re.compile(rf"\s*(?:{_ADDRESS}(?:,\s*(?:\+?{_ADDRESS}))?)?\s*!?\s*{_COMMAND}\s*")
_SED_OPTION = re.compile(
    r"-[nErszu]*i?[^ef]*|-e|-n|--quiet|--silent|--regexp-extended|--posix|--in-place(=.*)?"
)
_AWK_STARTS = re.compile(r"system|getline|[|>@`]|\binclude\b|\bload\b|close|fflush")


def code_word(program: str, words: Sequence[Word]) -> int | None:
    """The place of the word that is a pattern or a script; None if there is none."""
    if program not in _PATTERN_FIRST:
        return None
    place = 0
    while place < len(words):
        text = words[place].text
        if text is None:
            return None
        if text == "--":
            return place + 1 if place + 1 < len(words) else None
        if not text.startswith("-") or text == "-":
            return place
        if _ELSEWHERE.fullmatch(text) and program != "tr":
            return (
                place + 1 if text in {"-e", "--regexp", "--expression"} and place + 1 < len(words) else None
            )
        place += 2 if len(text) >= 2 and not text.startswith("--") and text[-1] in _VALUED[program] else 1
    return None


def sed_starts_nothing(words: Sequence[Word]) -> bool:
    """Whether every command of the sed script is known to start no program and touch no other file."""
    place = code_word("sed", words)
    for at, word in enumerate(words):
        if word.text is None:
            return False
        if at != place and word.text.startswith("-") and not _SED_OPTION.fullmatch(word.text):
            return False
    options = [word.text for word in words if word.text is not None and word.text in {"-e", "--expression"}]
    if place is None or len(options) > 1:
        return False
    script = words[place].text or ""
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


def awk_starts_nothing(words: Sequence[Word]) -> bool:
    """Whether awk gets a program that starts no other and touches no other file."""
    for word in words:
        if word.text is None or re.match(r"-[^Fv-]|--", word.text):
            return False
    place = code_word("awk", words)
    return place is not None and not _AWK_STARTS.search(words[place].text or "")

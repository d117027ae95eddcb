"""The words of a command: the text that bash makes of a leaf, if it is known before the run."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.runs.kinds.shell.shell_tree import NotRead
from workbench.runs.kinds.shell.ways import HOME

_META = frozenset(" \t\n;&|<>()'\"`$")
_SPECIAL = re.compile(r"[*?\[]|[@+!]\(")
# A pattern all of whose files are in the folder of the pattern, and none of which looks like an option.
_PATTERN = re.compile(
    r"(?!-)(?!(.*/)?\.+[*?])(?!.*[*?].*/\.\.)([\w./-]*/)?([\w.*?-]*/)*(\w[\w.-]*[*?]|[*?])[\w.*?-]*", re.ASCII
)
_BRACES = re.compile(r"\{[^}]*(,|\.\.)")
_RESERVED = frozenset({
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in",
    "function",
    "select", "coproc", "{", "}", "[[", "]]", "!", "((", "))",
})  # fmt: skip
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "?": "?"}
_CODE = re.compile(r"x([0-9a-fA-F]{1,2})|([0-7]{1,3})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as the program gets it: its text, or None if it is only known at run time.

    ``is_one`` is True if it is exactly one word, whatever its text. ``plain`` is True if it is written
    without any quote, as a reserved word must be. ``pattern`` is the text if it is known but for the files
    that it means. ``is_operand`` is True if the text is not known, and is no option; ``is_pattern`` if files
    are looked up for it.
    """

    text: str | None
    is_one: bool = True
    plain: bool = False
    pattern: str = ""
    is_operand: bool = False
    is_pattern: bool = False


UNKNOWN = Word(None, is_one=False)

_OTHER_TILDE = re.compile(r"~[^/]|\w+\+?=([^~]*:)?~")


def check_not_reserved(word: Word) -> None:
    """Raise NotRead for a word that is reserved by the shell at the place of a program."""
    if word.plain and word.text in _RESERVED:
        raise NotRead(f"it has the word {word.text} where it is not followed")


def unquoted(raw: str) -> Word:
    """The word of a leaf without quotes; raises NotRead if bash would end it elsewhere."""
    if raw.startswith("#"):
        raise NotRead("it has a word that begins with #")
    text, escaped = _without_backslashes(raw)
    text_without_escapes = "".join("_" if place in escaped else char for place, char in enumerate(text))
    if _META & set(text_without_escapes.replace("$", "", text_without_escapes.endswith("$"))):
        raise NotRead(f"the word {raw[:40]} holds a character of the shell")
    if _SPECIAL.search(text_without_escapes) or _BRACES.search(text_without_escapes):
        at_home = raw.startswith("~/") and _PATTERN.fullmatch(raw[2:])
        known = HOME + raw[1:] if at_home else raw if _PATTERN.fullmatch(raw) else ""
        return Word(None, is_one=False, pattern=known, is_pattern=True)
    if _OTHER_TILDE.match(text_without_escapes):
        return Word(None)
    if text_without_escapes.startswith("~"):
        return Word(HOME + text[1:])
    return Word(text, plain="\\" not in raw)


def _without_backslashes(raw: str) -> tuple[str, frozenset[int]]:
    """The text without the backslashes that quote a character, and the places of those characters."""
    text: list[str] = []
    escaped: set[int] = set()
    place = 0
    while place < len(raw):
        char = raw[place]
        if char == "\\" and place + 1 < len(raw):
            place += 1
            if raw[place] != "\n":
                escaped.add(len(text))
                text.append(raw[place])
        elif char == "\\":
            raise NotRead("it ends in a backslash")
        else:
            text.append(char)
        place += 1
    return "".join(text), frozenset(escaped)


def single_quoted(raw: str) -> Word:
    """The word of a text in single quotes."""
    if len(raw) < 2 or raw[0] != "'" or raw[-1] != "'" or "'" in raw[1:-1]:
        raise NotRead("single quotes do not end where they seem to")
    return Word(raw[1:-1])


def double_quoted(raw: str) -> Word:
    """The word of a text in double quotes without expansions."""
    if len(raw) < 2 or raw[0] != '"' or raw[-1] != '"':
        raise NotRead("double quotes do not end where they seem to")
    text: list[str] = []
    body, place = raw[1:-1], 0
    while place < len(body):
        char, after = body[place], body[place + 1 : place + 2]
        if char == "\\" and after in ("$", "`", '"', "\\", "\n"):
            text.append("" if after == "\n" else after)
            place += 2
            continue
        if char in '"`' or (char == "$" and (after.isalnum() or after in tuple("_{([*@#?-$!'\""))):
            raise NotRead("double quotes hold what is no plain text")
        if char == "\\" and not after:
            raise NotRead("double quotes do not end where they seem to")
        text.append(char)
        place += 1
    return Word("".join(text))


def ansi_quoted(raw: str) -> Word:
    """The word of a text in ``$'...'``; its text is None if an escape is not a plain one."""
    if not (raw.startswith("$'") and raw.endswith("'") and len(raw) > 2):
        raise NotRead("quotes after $ do not end where they seem to")
    text: list[str] = []
    body, place = raw[2:-1], 0
    while place < len(body):
        char = body[place]
        if char == "'":
            raise NotRead("quotes after $ do not end where they seem to")
        if char != "\\":
            text.append(char)
            place += 1
            continue
        code = _CODE.match(body, place + 1)
        if code is not None:
            digits = next(group for group in code.groups() if group)
            number = int(digits, 8 if code.group(2) else 16)
            if not 0 < number < 128:
                return Word(None)
            text.append(chr(number))
            place = code.end()
            continue
        escaped_char = _ESCAPES.get(body[place + 1 : place + 2])
        if escaped_char is None:
            return Word(None)
        text.append(escaped_char)
        place += 2
    return Word("".join(text))


def joined(parts: list[Word]) -> Word:
    """The word that adjacent parts make together."""
    is_one = all(part.is_one for part in parts)
    if any(part.text is None for part in parts):
        return Word(None, is_one=is_one, is_pattern=any(part.is_pattern for part in parts))
    text = "".join(part.text or "" for part in parts)
    return Word(text)

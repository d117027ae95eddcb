"""Paths and hosts that the words of a command may name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from workbench.runs.kinds.path import is_link_of_a_process
from workbench.runs.kinds.shell.command_words import HOME, Word

_SEPARATORS = re.compile(r"[=:@,;)]")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30})://(?:[^/?#\s]*@)?(\[[0-9A-Fa-f:.]+\]|[^/?#\s:@]*)")
_REMOTE = re.compile(r"(?:[\w.+-]+@)([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::.*)?", re.ASCII)
_HOST = re.compile(
    r"(?:[\w.+-]+@)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?)(?::\d*|:/.*|:|/.*)?", re.ASCII
)
_MOST_LETTERS = 10
_LISTS_FILES = re.compile(
    r"--((files|files0|include|exclude|pathspec|input|patterns?)-(from|file)|from-file)"
)
_AWK_FILES = re.compile(r"ARG[VC]|getline|ENVIRON|FILENAME\s*=")
_CODE_WITH_FILES = {
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _AWK_FILES),
    "jq": re.compile(r"\b(import|include|get_search_list)\b"),
}
"""Programs whose code may open files, with the signs of it."""


def normal_path(path: str, folder: str) -> str | None:
    """The path as one text, with ``..`` resolved in the text; None for a text that cannot be a path.

    After a link of a process ``..`` stays, since only the process knows the end of the link. A path in the
    user's home folder begins with HOME. Without a known folder a relative path stays relative.
    """
    if not path or "\0" in path:
        return None
    if not path.startswith(("/", HOME)):
        path = f"{folder}/{path}" if folder else path
    begins = path[:1] if path[:1] == "/" else ""
    parts: list[str] = []
    for part in path.split("/"):
        if part in {"", "."}:
            continue
        stays = not parts or parts[-1] in ("..", HOME) or (begins == "/" and is_link_of_a_process(parts))
        if part == ".." and not stays:
            parts.pop()
        elif part != ".." or parts or not begins:
            parts.append(part)
    return begins + "/".join(parts) or (begins or ".")


def leads_through_a_process(path: str) -> bool:
    """Whether a normal path leads through a link of a process, such as ``/proc/self/root``."""
    names = path.split("/")[1:]
    return path.startswith("/") and any(is_link_of_a_process(names[:end]) for end in range(1, len(names) + 1))


def paths_of(words: Sequence[Word], texts: frozenset[int], folders: Iterable[str]) -> frozenset[str]:
    """All possible paths in known words: the whole word, and the parts after ``=``, ``:``, ``@`` or ``,``."""
    paths: set[str] = set()
    for place, word in enumerate(words):
        if word.text is None or place in texts:
            continue
        for candidate in set(_candidates(word.text)):
            for folder in folders:
                path = normal_path(candidate, folder)
                if path is not None:
                    paths.add(path)
    return frozenset(paths)


def _candidates(text: str) -> Iterator[str]:
    if "://" in text:
        if text.lower().startswith("file://"):
            yield text[7:]
        return
    if text in {"-", "--"}:
        return
    if text.startswith("-"):
        # Letters may be combined, the last one with its value: -nf/etc/passwd.
        if not text.startswith("--"):
            yield from (text[place:] for place in range(2, min(len(text), _MOST_LETTERS)))
            yield from (text[text.index(sign) :] for sign in "/." if sign in text)
    else:
        yield text
    for separator in _SEPARATORS.finditer(text):
        yield text[separator.end() :]
    yield from _SEPARATORS.split(text)[1:]
    if not text.startswith("-"):
        yield _SEPARATORS.split(text)[0]


def hosts_of(words: Sequence[Word], network: bool) -> frozenset[str]:
    """The hosts in known words: in addresses, as ``user@host``, and bare for a program of the network."""
    hosts: set[str] = set()
    for word in words:
        text = word.text or ""
        for match in _URL.finditer(text):
            hosts.add(match.group(2))
        remote = _REMOTE.fullmatch(text)
        if remote is not None:
            hosts.add(remote.group(1))
        elif network and "://" not in text and not text.startswith("-"):
            host = _HOST.fullmatch(text)
            if host is not None:
                hosts.add(host.group(1))
    return frozenset(host.lower().rstrip(".") for host in hosts if host)


def names_files_elsewhere(program: str, words: Sequence[Word]) -> bool:
    """Whether a program may be given files by a list of their names, or by its code."""
    texts = [word.text for word in words if word.text is not None]
    lists = any(_LISTS_FILES.match(text) for text in texts) or (program == "tar" and "-T" in texts)
    code = _CODE_WITH_FILES.get(program)
    return lists or (code is not None and any(code.search(text) for text in texts))


def options_of(words: Sequence[Word]) -> frozenset[str]:
    """The options among known words: long ones without their value, short ones also letter by letter."""
    options: set[str] = set()
    for word in words:
        text = word.text
        if text is None or not text.startswith("-") or text in {"-", "--"}:
            continue
        options.add(text.partition("=")[0])
        if not text.startswith("--"):
            options.update(f"-{letter}" for letter in text[1:_MOST_LETTERS] if letter.isalnum())
    return frozenset(options)

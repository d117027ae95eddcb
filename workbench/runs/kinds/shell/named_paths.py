"""Paths as one text, and those that a word may name of which nobody knows the meaning.

The hosts that words name: in addresses, and as ``user@host`` or ``host:path``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.runs.kinds.path import is_link_of_a_process
from workbench.runs.kinds.shell.ways import HOME

_SEPARATORS = re.compile(r"[=:@,;)]")


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


def may_lead_through_a_process(pattern: str, folder: str) -> bool:
    """Whether a pattern may mean a path through a link of a process."""
    path = normal_path(pattern, folder) or ""
    top = path.split("/")[1] if path.startswith("/") else ""
    return top in ("proc", "dev") or any(sign in top for sign in "*?")


def candidates(text: str) -> Iterator[str]:
    """Each text in a word that may name a file: the whole, and the parts at ``=``, ``:``, ``@``, ``,``."""
    if "://" in text:
        if text.lower().startswith("file://"):
            yield text[7:]
        return
    if text in {"-", "--"}:
        return
    if text.startswith("-"):
        # Letters may be combined, the last one with its value: -nf/etc/passwd.
        if not text.startswith("--"):
            yield from (text[place:] for place in range(2, len(text)))
    else:
        yield text
    for separator in _SEPARATORS.finditer(text):
        yield text[separator.end() :]
    yield from _SEPARATORS.split(text)[1:]
    if not text.startswith("-"):
        yield _SEPARATORS.split(text)[0]


_NAME = r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_.])?)"
# No sign in the part of the user may be one that programs take differently for its end.
_URL = re.compile(
    rf"(?:[A-Za-z][A-Za-z0-9+.-]*://|(?!.*://))(?:[A-Za-z0-9._~!$&'()*+,;=:%-]*@)?{_NAME}(?::\d*)?(?:[/?#].*)?",
    re.ASCII | re.DOTALL,
)
_ADDRESS = re.compile(rf"(?:[\w.+-]+@)?{_NAME}:(?!//|:).*", re.ASCII | re.DOTALL)
_REMOTE = re.compile(rf"(?:[\w.+-]+@)?{_NAME}", re.ASCII)


def _plain(host: str) -> str:
    return host.lower().strip("[]").rstrip(".")


def host_of_url(text: str) -> str | None:
    """The host of an address of the web, of which the scheme may be left out; None if it is not certain."""
    match = None if text.lower().startswith("file:") else _URL.fullmatch(text)
    return _plain(match[1]) if match else None


def host_of_remote(text: str) -> str | None:
    """The host of ``host`` or ``user@host``; None for another text."""
    match = _REMOTE.fullmatch(text)
    return _plain(match[1]) if match else None


def host_of_address(text: str) -> str | None:
    """The host of ``scheme://host/path`` or ``user@host:path``; None for another text."""
    if "://" in text:
        return host_of_url(text)
    match = _ADDRESS.fullmatch(text)
    return _plain(match[1]) if match else None

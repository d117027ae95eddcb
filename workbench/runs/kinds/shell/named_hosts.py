"""The hosts that words name: in addresses, and as ``user@host`` or ``host:path``."""

from __future__ import annotations

import re

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

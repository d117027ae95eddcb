"""The kind ``url``: where a URL leads, if browsers and HTTP libraries agree on it.

Two readings have to agree: by the WHATWG standard (the library ``ada-url``), which browsers follow, and by
RFC 3986 (the standard library), which most programs follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes, urlsplit

from workbench.model import ArgumentType, Kind
from workbench.runs.kinds.host_name import host_in_idna_form, is_address, with_parents
from workbench.runs.kinds.value_kind import FLAG, TEXT, TEXTS, Form, Parts, ValueKind
from workbench.runs.values.found_value import Missing

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
"""The schemes with a host that browsers know, with the port for a URL without one."""
_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://(?P<authority>[^/?#]*))?(?P<rest>[^?#]*)(?P<after>.*)"
)
_NOT_IN_A_URL = re.compile(r"[\s\\<>\"^`{|}\x00-\x20\x7f]")
# Characters that servers decode to a part of the path's syntax, however often they are encoded.
_HIDING = re.compile(r"%(25)*(2e|2f|3b|5c|[01][0-9a-f]|7f)", re.IGNORECASE)
# A URL inside another one, as in view-source:http://a.example.
_INNER = re.compile(r"(https?|wss?|ftp|file):|([a-z][a-z0-9+.-]*:)+//", re.IGNORECASE)
_BAD_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")


@dataclass(frozen=True, slots=True)
class _Reading:
    """The parts of a URL by one reader."""

    scheme: str
    host: str
    port: int | None


def _read(text: str) -> Parts:
    if _NOT_IN_A_URL.search(text):
        raise Missing("the URL has a space, a backslash or another character that is read in several ways")
    match = _URL.fullmatch(text)
    if match is None:
        raise Missing("the text is no URL with a scheme")
    authority = match["authority"]
    reading = _agreed(text, authority or "")
    if authority is None and (reading.host or reading.scheme in _PORTS):
        raise Missing("the URL names no host after two slashes")
    if authority and not match["rest"] and "@" in match["after"]:
        raise Missing("an @ follows the end of the host, which is read in several ways")
    if authority is None and _INNER.match(match["rest"]):
        raise Missing("the URL holds another one, and leads where that does")
    path = _path(match["rest"] or ("/" if authority else ""))
    segments = path.split("/")[1:] if path.startswith("/") else []
    inside = ["/", *("/" + "/".join(segments[:count]) for count in range(1, len(segments) + 1))]
    return {
        "scheme": reading.scheme,
        "host": reading.host,
        "port": reading.port,
        "domains": with_parents(reading.host),
        "is_address": is_address(reading.host),
        "has_userinfo": "@" in (authority or ""),
        "path": path,
        "inside": frozenset(folder.rstrip("/") or "/" for folder in inside) if segments else frozenset[str](),
        "query": match["after"].partition("#")[0].removeprefix("?"),
    }


def _agreed(text: str, authority: str) -> _Reading:
    """The reading on which the two readers agree; raises Missing if they do not."""
    userinfo, _, host = authority.rpartition("@")
    if "@" in userinfo or "%" in host or "[" in userinfo:
        raise Missing("the host of the URL is read in several ways")
    try:
        first, second = _by_rfc_3986(text), _by_whatwg(text)
    except ValueError as error:
        raise Missing(f"the text is no URL ({error})") from None
    if first != second:
        raise Missing(f"the URL leads to {_shown(first)} for some readers and to {_shown(second)} for others")
    if authority and not first.host:
        raise Missing("the URL names no host")
    return first


def _shown(reading: _Reading) -> str:
    return f"{reading.scheme}://{reading.host}:{reading.port}"


def _by_rfc_3986(text: str) -> _Reading:
    parsed = urlsplit(text)
    host = host_in_idna_form(parsed.hostname) if parsed.hostname else ""
    port = parsed.port
    return _Reading(parsed.scheme, host, _PORTS.get(parsed.scheme) if port is None else port)


def _by_whatwg(text: str) -> _Reading:
    import ada_url

    parsed = ada_url.URL(text)
    scheme = parsed.protocol.removesuffix(":")
    host = parsed.hostname.removeprefix("[").removesuffix("]")
    port = int(parsed.port) if parsed.port else _PORTS.get(scheme)
    return _Reading(scheme, host_in_idna_form(host) if host else "", port)


def _path(text: str) -> str:
    """The path, percent-decoded and without ``.`` and ``..``. Raises Missing if servers could differ."""
    has_folders = text.startswith("/")
    if _HIDING.search(text) or _BAD_PERCENT.search(text):
        raise Missing("the path of the URL has an encoding that servers read in several ways")
    if ";" in text:
        # Some servers read the text after it in a folder's name as a parameter, so that "..;" is "..".
        raise Missing("the path of the URL has a semicolon, which servers read in several ways")
    if has_folders and "//" in text:
        raise Missing("the path of the URL has an empty folder, which servers read in several ways")
    try:
        path = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise Missing("the path of the URL is encoded as no text") from None
    if not has_folders:
        return path
    names: list[str] = []
    *folders, last = path.split("/")[1:]
    for name in [*folders, *([""] if last in (".", "..") else []), last]:
        if name == "..":
            del names[-1:]
        elif name not in (".", ""):
            names.append(name)
    ends_open = last in ("", ".", "..")
    return "/" + "/".join(names) + ("/" if ends_open and names else "")


URL = ValueKind(
    name="url",
    meaning="where a URL leads: the host in IDNA form, the port also where it is not written",
    parts=(
        ("scheme", TEXT),
        ("host", TEXT),
        ("port", ArgumentType(Kind.INT, optional=True)),
        ("domains", TEXTS),
        ("is_address", FLAG),
        ("has_userinfo", FLAG),
        ("path", TEXT),
        ("inside", TEXTS),
        ("query", TEXT),
    ),
    prepare=lambda _options: _read,
    needs="ada-url and idna",
    forms={
        "scheme": Form(r"[^:/A-Z]*", 'a scheme in small letters without ://, as "https"'),
        **dict.fromkeys(
            ("host", "domains"),
            Form(r"([a-z0-9_:][a-z0-9_:.-]*)?", 'a host alone in small letters, as "docs.example.com"'),
        ),
        "inside": Form(r"(?s)/.*", 'a folder of the host from its first /, as "/docs"'),
    },
)

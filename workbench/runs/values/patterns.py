"""Regular expressions on texts from outside, with bounded time.

A pattern without repetition takes time that grows with the text alone: Python's own engine runs it. The
package ``regex`` runs all others with a time limit; without the package they are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Protocol, cast

MULTILINE = re.MULTILINE
IGNORECASE = re.IGNORECASE
_SECONDS = 0.5
# Literals, classes, alternatives, groups and options; no repetition, back reference or look-around.
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
        """The start and end of a group's match."""
        ...

    def __getitem__(self, group: int | str, /) -> str | None:
        """The text of a group's match."""
        ...


class Pattern(Protocol):
    """A compiled pattern; searching raises TimeoutError for a text on which it takes too long."""

    @property
    def groups(self) -> int:
        """The number of its groups."""
        ...

    @property
    def groupindex(self) -> Mapping[str, int]:
        """The numbers of its named groups."""
        ...

    def finditer(self, text: str) -> Iterator[Match]:
        """All matches, in order."""
        ...


class BadPattern(ValueError):
    """A text that is no regular expression; the error's text gives the reason."""


def repeats_nothing(source: str) -> bool:
    """Whether the pattern has no repetition, so that Python's own engine runs it."""
    if not _PLAIN.fullmatch(source):
        return False
    try:
        re.compile(source)
    except re.error:
        return False  # the other engine may accept it, or report the error
    return True


def compiled(source: str, flags: int = 0) -> Pattern:
    """The pattern; raises BadPattern, and ModuleNotFoundError if it needs ``regex``, which is missing."""
    if repeats_nothing(source):
        return cast("Pattern", re.compile(source, flags))
    import regex as engine

    try:
        return _Timed(engine.compile(source, flags))
    except engine.error as error:
        raise BadPattern(str(error)) from None


class _Timed:
    """A pattern of the package ``regex``, run with a time limit."""

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

"""Regular expressions on texts from outside, with bounded time and memory.

``pattern_bounds`` says which patterns are admitted. A pattern that makes few steps from any place of a text
is run by Python's own engine, and only on texts on which all steps together are few. The package ``regex``
runs all others with a time limit; without the package they are refused.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Protocol

from workbench.runs.values.pattern_bounds import BadPattern, cost

__all__ = ["IGNORECASE", "MULTILINE", "BadPattern", "Match", "Pattern", "Work", "any_in", "compiled"]

MULTILINE = re.MULTILINE
IGNORECASE = re.IGNORECASE
_SECONDS = 0.5
_STEPS = 250_000_000
_LONGEST_TEXT = 1_000_000
"""The longest text for the package ``regex``, whose memory grows with it."""


@dataclass(slots=True)
class Work:
    """What is left for several searches together; a search that needs more raises TimeoutError."""

    seconds: float = _SECONDS
    steps: int = _STEPS


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

    def all_in(self, text: str, work: Work | None = None) -> list[Match]:
        """All matches, in order. ``work`` is shared with other searches."""
        ...

    def is_in(self, text: str, work: Work | None = None) -> bool:
        """Whether there is a match. ``work`` is shared with other searches."""
        ...


def any_in(patterns: Iterable[Pattern], text: str) -> bool:
    """Whether one of the patterns matches; the limits are for all of them together."""
    work = Work()
    return any(pattern.is_in(text, work) for pattern in patterns)


def needs_no_package(source: str) -> bool:
    """Whether Python's own engine runs the pattern. A pattern that is refused needs no package."""
    try:
        return _counted(source, 0) is not None
    except BadPattern:
        return True


def compiled(source: str, flags: int = 0) -> Pattern:
    """The pattern; raises BadPattern, and ModuleNotFoundError if it needs ``regex``, which is missing."""
    counted = _counted(source, flags)
    if counted is not None:
        return counted
    import regex as engine

    try:
        return _Timed(engine.compile(source, flags))
    except engine.error as error:
        raise BadPattern(str(error)) from None


def _counted(source: str, flags: int) -> _Counted | None:
    """The pattern in Python's engine; None if it is not for this: the other engine reports errors, too."""
    needed = cost(source)
    if not needed.is_bounded:
        return None
    try:
        return _Counted(re.compile(source, flags), needed.steps)
    except re.error:
        return None


class _Counted:
    """A pattern of Python's engine, run on texts on which it makes few steps."""

    def __init__(self, pattern: re.Pattern[str], steps: int) -> None:
        self._pattern = pattern
        self._steps = steps
        self.groups: int = pattern.groups
        self.groupindex: Mapping[str, int] = pattern.groupindex

    def all_in(self, text: str, work: Work | None = None) -> list[Match]:
        self._take(text, work)
        return list(self._pattern.finditer(text))

    def is_in(self, text: str, work: Work | None = None) -> bool:
        self._take(text, work)
        return self._pattern.search(text) is not None

    def _take(self, text: str, work: Work | None) -> None:
        work = work or Work()
        work.steps -= self._steps * (len(text) + 1)
        if work.steps < 0:
            raise TimeoutError


class _Timed:
    """A pattern of the package ``regex``, run with a time limit."""

    def __init__(self, pattern: _Regex) -> None:
        self._pattern = pattern
        self.groups: int = pattern.groups
        self.groupindex: Mapping[str, int] = pattern.groupindex

    def all_in(self, text: str, work: Work | None = None) -> list[Match]:
        with _taking(text, work or Work()) as seconds:
            return list(self._pattern.finditer(text, timeout=seconds))

    def is_in(self, text: str, work: Work | None = None) -> bool:
        with _taking(text, work or Work()) as seconds:
            return self._pattern.search(text, timeout=seconds) is not None


@contextmanager
def _taking(text: str, work: Work) -> Generator[float]:
    """The seconds that are left; those that a search takes are taken off."""
    if work.seconds <= 0 or len(text) > _LONGEST_TEXT:
        raise TimeoutError
    began = monotonic()
    try:
        yield work.seconds
    finally:
        work.seconds -= monotonic() - began


class _Regex(Protocol):
    @property
    def groups(self) -> int: ...

    @property
    def groupindex(self) -> Mapping[str, int]: ...

    def finditer(self, text: str, /, *, timeout: float) -> Iterator[Match]: ...

    def search(self, text: str, /, *, timeout: float) -> Match | None: ...

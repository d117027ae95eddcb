"""Regular expressions on texts from outside, with bounded time and memory.

A pattern that makes few steps from any place of a text is run by Python's own engine, and only on texts on
which all steps together are few. The package ``regex`` runs all others with a time limit; without the package
they are refused.

Which pattern is admitted is found by counting: nothing is run. A pattern is read once, part by part. It is
refused if it is long or deep, if its repeats written out are large (an engine writes them out while it
compiles, without a time limit), or if it has a construct whose memory no engine bounds (recursion,
approximate matching, verbs). What is admitted compiles in little time and memory.

For the rest the reading counts the steps that a backtracking engine makes at most from one place of a text.
Where they are few, any engine will do: the time grows with the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import Protocol

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


LONGEST_PATTERN = 1000
_MOST_REPEATS = 1000
_MOST_PARTS = 5000
DEEPEST_GROUP = 30
_MOST_STEPS = 250
"""The most steps from one place of a text for an engine without a time limit."""

_ENDLESS = 10**9
_OPTIONS = r"\(\?(?P<on>[aimsu]*)(?:-[ims]+)?(?P<end>[:)])"
_GROUP = r"\(\?(?:[:=!>]|<[=!]|P?<(?P<name>[^\W\d]\w{0,63})>)"
_BACK = r"\(\?P=[^\W\d]\w{0,63}\)"
_REPEAT = r"\{(?P<least>\d*)(?P<comma>,)?(?P<most>\d*)\}"
_APPROXIMATE = r"\{[\deids\s<>=+,]*[}:]"
_LONG_ESCAPE = r"\\(?:[pPN]\{[^{}\\]{1,60}\}|g<\w{1,64}>|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})"
# Both engines read these alike.
_COMMON_ESCAPE = r"\\[AZbBdDsSwW.^$|()\[\]{}*+?/-]"
_COMMON_CLASS = r"\[\^?(?:(?!--)[^\[\]\\&|~]|\\[dDsSwW.^$|()\[\]{}*+?/-])+\]"
_CLASS_PART = r"(?s)\[:\^?\w{1,20}:\]|\\.|[^\]\\]"


class BadPattern(ValueError):
    """A pattern that is refused; the error's text gives the reason."""


@dataclass(frozen=True, slots=True)
class PatternCost:
    """What running a pattern may take.

    ``steps`` are the most steps from one place of a text, in ``ways`` to match there. ``parts`` are the
    pattern's parts with repeats written out. ``common`` is True if Python's engine and the package ``regex``
    read all of it alike, ``nullable`` if it can match nothing.
    """

    steps: int = 0
    ways: int = 1
    parts: int = 0
    common: bool = True
    nullable: bool = True

    @property
    def is_bounded(self) -> bool:
        """Whether Python's engine may run the pattern: its time grows with the text alone."""
        return self.common and self.steps <= _MOST_STEPS

    def then(self, next_cost: PatternCost) -> PatternCost:
        """The cost of this followed by another."""
        return PatternCost(
            min(_ENDLESS, self.steps + self.ways * next_cost.steps),
            min(_ENDLESS, self.ways * next_cost.ways),
            self.parts + next_cost.parts,
            self.common and next_cost.common,
            self.nullable and next_cost.nullable,
        )

    def beside(self, other: PatternCost) -> PatternCost:
        """The cost of this or another."""
        return PatternCost(
            min(_ENDLESS, self.steps + other.steps),
            min(_ENDLESS, self.ways + other.ways),
            self.parts + other.parts,
            self.common and other.common,
            self.nullable or other.nullable,
        )

    def repeated(self, least: int, most: int | None) -> PatternCost:
        """The cost of this repeated; ``most`` is None for a repeat without an end."""
        written_out = self.parts * max(1, least if most is None else most)
        # The engines differ in what a group holds after it matched nothing several times.
        common = self.common and not (self.nullable and (most is None or most > 1))
        if most is None:
            return PatternCost(_ENDLESS, _ENDLESS, written_out, common, self.nullable or not least)
        steps = ways = 0
        reached = 1
        for count in range(most + 1):
            if count >= least:
                ways = min(_ENDLESS, ways + reached)
            if count < most:
                steps = min(_ENDLESS, steps + reached * self.steps)
                reached = min(_ENDLESS, reached * self.ways)
        return PatternCost(steps, max(ways, 1), written_out, common, self.nullable or not least)


_ONE = PatternCost(1, 1, 1, True, False)
_NO_TEXT = PatternCost(1, 1, 1, True, True)


@lru_cache(1000)
def cost(source: str) -> PatternCost:
    """What running a pattern may take; raises BadPattern for one that is not admitted."""
    if len(source) > LONGEST_PATTERN:
        raise BadPattern(f"it has more than {LONGEST_PATTERN} characters")
    reading = _Reading(source)
    found = reading.alternatives(0)
    if reading.place < len(source):
        raise BadPattern("unbalanced parenthesis")
    return found


class _Reading:
    """Reads a pattern from left to right; ``place`` is where the next part begins."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.place = 0

    def alternatives(self, depth: int) -> PatternCost:
        """Read alternatives up to the end of their group."""
        if depth > DEEPEST_GROUP:
            raise BadPattern(f"its groups are more than {DEEPEST_GROUP} deep")
        found = self._sequence(depth)
        while self._takes("|"):
            found = _small(found.beside(self._sequence(depth)))
        return found

    def _sequence(self, depth: int) -> PatternCost:
        found = PatternCost()
        while self.place < len(self._source) and self._source[self.place] not in "|)":
            found = _small(found.then(self._repeated(depth)))
        return found

    def _repeated(self, depth: int) -> PatternCost:
        """Read a part with the repeat after it."""
        found = self._part(depth)
        while (repeat := self._repeat()) is not None:
            least, most = repeat
            if max(least, most or 0) > _MOST_REPEATS:
                raise BadPattern(f"it repeats a part more than {_MOST_REPEATS} times; write * or + instead")
            found = found.repeated(least, most)
            if self._takes("?") or self._takes("+"):  # as little as possible, or without going back
                found = PatternCost(found.steps, found.ways, found.parts, False, found.nullable)
        return found

    def _repeat(self) -> tuple[int, int | None] | None:
        """Read ``*``, ``+``, ``?`` or a count; None if nothing is repeated here."""
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._takes(sign):
                return bounds
        if not self._source.startswith("{", self.place):
            return None
        written = self._next(_REPEAT)
        if written is None or not (written["least"] or written["comma"]):
            if self._next(_APPROXIMATE):
                raise BadPattern(r"approximate matching is not admitted; write \{ for a brace")
            return None
        self.place = written.end()
        least = _count(written["least"] or "0")
        if not written["comma"]:
            return least, least
        return least, _count(written["most"]) if written["most"] else None

    def _part(self, depth: int) -> PatternCost:
        """Read a group, a class, an escape or a character."""
        match self._source[self.place]:
            case "(":
                return self._group(depth)
            case "[":
                return self._class()
            case "\\":
                return self._escape()
            case character:
                self.place += 1
                common = character not in "*+?{"  # an error, or a brace that only one engine takes for itself
                nullable = character in "^$"
                return PatternCost(1, 1, 1, common, nullable)

    def _group(self, depth: int) -> PatternCost:
        options = self._next(_OPTIONS)
        if options is not None and options["end"] == ")":
            common = options[0] == "(?i)" and not self.place
            self.place = options.end()
            return PatternCost(common=common)
        if back := self._next(_BACK):
            self.place = back.end()
            return PatternCost(1, 1, 1, False, True)
        start, common, looks = self.place, True, False
        opening = options or self._next(_GROUP)
        if opening is not None:
            self.place = opening.end()
            common = opening[0] == "(?:"
            looks = opening[0].endswith(("=", "!"))
        elif self._source.startswith(("(?", "(*"), start):
            raise BadPattern(f"a group that begins with {self._source[start : start + 3]} is not admitted")
        else:
            self.place += 1
        inside = self.alternatives(depth + 1)
        if not self._takes(")"):
            raise BadPattern("missing )")
        nullable = inside.nullable or looks
        return PatternCost(inside.steps, inside.ways, inside.parts, common and inside.common, nullable)

    def _class(self) -> PatternCost:
        if plain := self._next(_COMMON_CLASS):
            self.place = plain.end()
            return _ONE
        self.place += 2 if self._source.startswith("[^", self.place) else 1
        if self._takes("]"):
            pass  # the first one is a character of the class
        while not self._takes("]"):
            part = self._next(_CLASS_PART)
            if part is None:
                raise BadPattern("missing ]")
            self.place = part.end()
        return PatternCost(1, 1, 1, False, False)

    def _escape(self) -> PatternCost:
        if plain := self._next(_COMMON_ESCAPE):
            self.place = plain.end()
            return _NO_TEXT if plain[0][1] in "AZbB" else _ONE
        long = self._next(_LONG_ESCAPE)
        name = self._source[self.place + 1 : self.place + 2]
        if not name:
            raise BadPattern("it ends with a backslash")
        if long is None and name in "LgpPNK":
            raise BadPattern(f"the escape \\{name} is not admitted here")
        self.place = long.end() if long is not None else self.place + 2
        return PatternCost(1, 1, 1, False, True)

    def _next(self, part: str) -> re.Match[str] | None:
        """The next part if it has this form, which is compiled when it is first looked for."""
        return re.compile(part).match(self._source, self.place)

    def _takes(self, sign: str) -> bool:
        """Whether the next character is this sign; it is then read."""
        if not self._source.startswith(sign, self.place):
            return False
        self.place += 1
        return True


def _small(found: PatternCost) -> PatternCost:
    if found.parts > _MOST_PARTS:
        raise BadPattern(f"its repeats written out have more than {_MOST_PARTS} parts")
    return found


def _count(digits: str) -> int:
    """A written count; one of many digits is as large as any that is refused."""
    return int(digits) if len(digits) < len(str(_ENDLESS)) else _ENDLESS

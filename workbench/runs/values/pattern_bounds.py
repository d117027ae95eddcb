"""The one definition of which regular expression from outside is admitted, by counting; nothing is run.

A pattern is read once, part by part. It is refused if it is long or deep, if its repeats written out are
large (an engine writes them out while it compiles, without a time limit), or if it has a construct whose
memory no engine bounds: recursion, approximate matching, verbs. What is admitted compiles in little time and
memory.

For the rest the reading counts the steps that a backtracking engine makes at most from one place of a text.
Where they are few, any engine will do: the time grows with the text alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_PATTERN = 1000
MOST_REPEATS = 1000
MOST_PARTS = 5000
DEEPEST_GROUP = 30
MOST_STEPS = 250
"""The most steps from one place of a text for an engine without a time limit."""

_ENDLESS = 10**9
_OPTIONS = re.compile(r"\(\?(?P<on>[aimsu]*)(?:-[ims]+)?(?P<end>[:)])")
_GROUP = re.compile(r"\(\?(?:[:=!>]|<[=!]|P?<(?P<name>[^\W\d]\w{0,63})>)")
_BACK = re.compile(r"\(\?P=[^\W\d]\w{0,63}\)")
_REPEAT = re.compile(r"\{(?P<least>\d*)(?P<comma>,)?(?P<most>\d*)\}")
_APPROXIMATE = re.compile(r"\{[\deids\s<>=+,]*[}:]")
_LONG_ESCAPE = re.compile(r"\\(?:[pPN]\{[^{}\\]{1,60}\}|g<\w{1,64}>|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})")
# Both engines read these alike.
_COMMON_ESCAPE = re.compile(r"\\[AZbBdDsSwW.^$|()\[\]{}*+?/-]")
_COMMON_CLASS = re.compile(r"\[\^?(?:(?!--)[^\[\]\\&|~]|\\[dDsSwW.^$|()\[\]{}*+?/-])+\]")
_CLASS_PART = re.compile(r"\[:\^?\w{1,20}:\]|\\.|[^\]\\]", re.DOTALL)


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
        return self.common and self.steps <= MOST_STEPS

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
            if max(least, most or 0) > MOST_REPEATS:
                raise BadPattern(f"it repeats a part more than {MOST_REPEATS} times; write * or + instead")
            found = found.repeated(least, most)
            if self._takes("?") or self._takes("+"):  # as little as possible, or without going back
                found = PatternCost(found.steps, found.ways, found.parts, False, found.nullable)
        return found

    def _repeat(self) -> tuple[int, int | None] | None:
        """Read ``*``, ``+``, ``?`` or a count; None if nothing is repeated here."""
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._takes(sign):
                return bounds
        written = _REPEAT.match(self._source, self.place)
        if written is None or not (written["least"] or written["comma"]):
            if _APPROXIMATE.match(self._source, self.place):
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
        options = _OPTIONS.match(self._source, self.place)
        if options is not None and options["end"] == ")":
            common = options[0] == "(?i)" and not self.place
            self.place = options.end()
            return PatternCost(common=common)
        if back := _BACK.match(self._source, self.place):
            self.place = back.end()
            return PatternCost(1, 1, 1, False, True)
        start, common, looks = self.place, True, False
        opening = options or _GROUP.match(self._source, self.place)
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
        if plain := _COMMON_CLASS.match(self._source, self.place):
            self.place = plain.end()
            return _ONE
        self.place += 2 if self._source.startswith("[^", self.place) else 1
        if self._takes("]"):
            pass  # the first one is a character of the class
        while not self._takes("]"):
            part = _CLASS_PART.match(self._source, self.place)
            if part is None:
                raise BadPattern("missing ]")
            self.place = part.end()
        return PatternCost(1, 1, 1, False, False)

    def _escape(self) -> PatternCost:
        if plain := _COMMON_ESCAPE.match(self._source, self.place):
            self.place = plain.end()
            return _NO_TEXT if plain[0][1] in "AZbB" else _ONE
        long = _LONG_ESCAPE.match(self._source, self.place)
        name = self._source[self.place + 1 : self.place + 2]
        if not name:
            raise BadPattern("it ends with a backslash")
        if long is None and name in "LgpPNK":
            raise BadPattern(f"the escape \\{name} is not admitted here")
        self.place = long.end() if long is not None else self.place + 2
        return PatternCost(1, 1, 1, False, True)

    def _takes(self, sign: str) -> bool:
        """Whether the next character is this sign; it is then read."""
        if not self._source.startswith(sign, self.place):
            return False
        self.place += 1
        return True


def _small(found: PatternCost) -> PatternCost:
    if found.parts > MOST_PARTS:
        raise BadPattern(f"its repeats written out have more than {MOST_PARTS} parts")
    return found


def _count(digits: str) -> int:
    """A written count; one of many digits is as large as any that is refused."""
    return int(digits) if len(digits) < len(str(_ENDLESS)) else _ENDLESS

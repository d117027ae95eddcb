"""Patterns of file names: what is known of every text that fits one.

As in a shell, ``*`` stands for any signs but ``/``, ``?`` for one, and neither for a point at the beginning
of a name. ``**`` stands for any signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

_TOKEN = re.compile(r"\*\*|[^*]|\*", re.DOTALL)
_MANY = ("*", "**")
_UNKNOWN = "?"
"""The sign before a text that may stand anywhere."""


@dataclass(frozen=True)
class NamePattern:
    """A pattern of texts."""

    text: str

    @cached_property
    def _tokens(self) -> tuple[str, ...]:
        return tuple(_TOKEN.findall(self.text))

    def fits(self, text: str) -> bool:
        """Whether a text fits the pattern."""
        return len(self._tokens) in self._after(text, {0}, "/")

    def begins(self, text: str) -> bool | None:
        """Whether the texts that fit begin with this one; None if some may and some not."""
        fixed = re.split(r"[*?]", self.text)[0]
        return fixed.startswith(text) or (None if self._after(text, {0}, "/") else False)

    def ends(self, text: str) -> bool | None:
        """Whether the texts that fit end with this one; None if some may and some not."""
        fixed = re.split(r"[*?]", self.text)[-1]
        may = len(self._tokens) in self._after(text, range(len(self._tokens) + 1), _UNKNOWN)
        return fixed.endswith(text) or (None if may else False)

    def has(self, text: str) -> bool | None:
        """Whether the texts that fit have this one in them; None if some may and some not."""
        fixed = re.split(r"[*?]", self.text)
        may = self._after(text, range(len(self._tokens) + 1), _UNKNOWN)
        return any(text in one for one in fixed) or (None if may else False)

    def _after(self, text: str, places: Iterable[int], before: str) -> set[int]:
        """The places in the pattern that may be reached from these by a text after the sign before it."""
        reached = self._with_nothing(places)
        for sign in text:
            hidden = before == "/" and sign == "."
            reached = self._with_nothing(
                then for place in reached for then in self._step(place, sign, hidden=hidden)
            )
            before = sign
        return reached

    def _step(self, place: int, sign: str, *, hidden: bool) -> tuple[int, ...]:
        token = self._tokens[place] if place < len(self._tokens) else ""
        if token == "**":
            return (place,)
        if token in ("*", "?") and token:
            return () if hidden or sign == "/" else (place + (token == "?"),)
        is_behind_a_star = hidden and place > 0 and self._tokens[place - 1] == "*"
        return (place + 1,) if token == sign and not is_behind_a_star else ()

    def _with_nothing(self, places: Iterable[int]) -> set[int]:
        """The places, and those behind signs that may stand for nothing."""
        reached: set[int] = set()
        for start in places:
            place = start
            while place not in reached:
                reached.add(place)
                place += place < len(self._tokens) and self._tokens[place] in _MANY
        return reached


@dataclass(frozen=True, slots=True)
class Fitting:
    """What is known of a text, or of the further members of a set: that it fits one of the patterns.

    A set has these ``members``, for each pattern one that fits it, and no other.
    """

    patterns: tuple[NamePattern, ...]
    members: frozenset[str] = frozenset()

    def fits(self, text: object) -> bool:
        """Whether a text may be this one, or a further member."""
        return isinstance(text, str) and any(pattern.fits(text) for pattern in self.patterns)

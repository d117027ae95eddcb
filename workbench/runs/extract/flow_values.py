"""The values of the static reading of code: what is known about an expression.

A function, a module or a class is never a value: code that uses one as a value is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

HOLE = "\ue000"


class FlowOrigin(IntEnum):
    """The possible origin of a value that is only known at run time, the most certain first.

    ``NUMBER`` is an int or a float. ``STORED`` is a value of a table, or a run of its characters. ``PLAIN``
    is a truth value, None, a date, or the result of a pure function for harmless arguments. ``COMPUTED`` is
    any value, also a text that the code put together.
    """

    NUMBER = 0
    STORED = 1
    PLAIN = 2
    COMPUTED = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """Literal characters and their place in the code; ``exact`` if the place holds these very characters."""

    text: str
    start: int
    end: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Hole:
    """A part of a string that is only known at run time."""

    start: int
    end: int
    origin: FlowOrigin = FlowOrigin.COMPUTED


@dataclass(frozen=True, slots=True)
class Text:
    """A string: literal pieces and holes."""

    pieces: tuple[Piece | Hole, ...]

    @property
    def literal(self) -> str | None:
        """The string if all of it is known."""
        if any(isinstance(piece, Hole) for piece in self.pieces):
            return None
        return "".join(piece.text for piece in self.pieces if isinstance(piece, Piece))

    @property
    def origin(self) -> FlowOrigin:
        """The least certain origin of the holes; a number if there is no hole."""
        return max(
            (piece.origin for piece in self.pieces if isinstance(piece, Hole)), default=FlowOrigin.NUMBER
        )

    def filled(self, hole: str = HOLE, number: str | None = None) -> str:
        """The string with ``hole`` for each hole, and ``number``, if given, for a hole that is a number.

        ``{}`` in either is replaced with the index of the hole.
        """
        return "".join(self._parts(hole, number))

    def _parts(self, hole: str, number: str | None) -> list[str]:
        parts: list[str] = []
        count = 0
        for piece in self.pieces:
            if isinstance(piece, Piece):
                parts.append(piece.text)
                continue
            mark = number if number is not None and piece.origin is FlowOrigin.NUMBER else hole
            parts.append(mark.replace("{}", str(count)))
            count += 1
        return parts

    def place(self, start: int, end: int, hole: str = HOLE, number: str | None = None) -> tuple[int, int]:
        """The place in the code of characters of ``filled``: exact, or that of the literal around them."""
        offset = 0
        for piece, part in zip(self.pieces, self._parts(hole, number), strict=True):
            size = len(part)
            if start < offset + size:
                if isinstance(piece, Piece) and piece.exact and end <= offset + size:
                    return piece.start + start - offset, piece.start + end - offset
                return piece.start, piece.end
            offset += size
        last = self.pieces[-1] if self.pieces else Hole(0, 0)
        return last.start, last.end


@dataclass(frozen=True, slots=True)
class LoadedTable:
    """A table that the code has loaded, filtered or not."""

    name: str


@dataclass(frozen=True, slots=True)
class FlowRow:
    """A row of a table; its columns count as read when the code reads them."""

    table: str


@dataclass(frozen=True, slots=True)
class FlowSite:
    """A container, identified by the place in the code that makes it; the state has its possible contents.

    ``kind`` is list, tuple, set, dict or iterator; ``part`` distinguishes the containers of one place.
    """

    node: int
    frame: int
    kind: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class Data:
    """A value that is only known at run time; every table that it contains is already read whole."""

    origin: FlowOrigin = FlowOrigin.COMPUTED


type FlowValue = Text | LoadedTable | FlowRow | FlowSite | Data
type FlowValues = frozenset[FlowValue]

NOTHING: FlowValues = frozenset()
NUMBER: FlowValues = frozenset({Data(FlowOrigin.NUMBER)})
STORED: FlowValues = frozenset({Data(FlowOrigin.STORED)})
PLAIN: FlowValues = frozenset({Data(FlowOrigin.PLAIN)})
COMPUTED: FlowValues = frozenset({Data(FlowOrigin.COMPUTED)})


def data(origin: FlowOrigin) -> FlowValues:
    """A value of this origin."""
    return frozenset({Data(origin)})

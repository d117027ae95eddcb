"""The values of the static reading of code: what is known about an expression.

A value that is not of one of these kinds is ``Data``. What may be called is never data: it is a function of
the code, a name from outside, a method of a value, or a getter. So what is called is always known.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

HOLE = "\ue000"


class Origin(IntEnum):
    """The possible origin of a value that is only known at run time, the most certain first.

    ``NUMBER`` is an int or a float, ``TRUTH`` a truth value or several of them. ``STORED`` is a value of a
    table, or a run of its characters. ``PLAIN`` is None, a date, or the result of a pure function for
    harmless arguments. ``COMPUTED`` is any value, also a text that the code put together.
    """

    NUMBER = 0
    TRUTH = 1
    STORED = 2
    PLAIN = 3
    COMPUTED = 4


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
    origin: Origin = Origin.COMPUTED


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
    def origin(self) -> Origin:
        """The least certain origin of the holes; a number if there is no hole."""
        return max((piece.origin for piece in self.pieces if isinstance(piece, Hole)), default=Origin.NUMBER)

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
            mark = number if number is not None and piece.origin is Origin.NUMBER else hole
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
class Table:
    """A table that the code has loaded, filtered or not.

    ``form`` is ``rows``; ``groups`` after a grouping, which gives pairs of a key and a table; or ``cells``
    for what selects rows and columns by an index (``table.loc``).
    """

    name: str
    form: str = "rows"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; its columns count as read when the code reads them."""

    table: str


@dataclass(frozen=True, slots=True)
class Container:
    """A container, identified by the place in the code that makes it; the store has its possible contents.

    ``kind`` is list, tuple, set, dict or iterator; ``part`` distinguishes the containers of one place.
    """

    node: int
    frame: int
    kind: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class Data:
    """A value that is only known at run time; every table that it contains is already read whole."""

    origin: Origin = Origin.COMPUTED


@dataclass(frozen=True, slots=True)
class Function:
    """A function or lambda of the code, with the frame that its names around it belong to."""

    node: int
    frame: int


@dataclass(frozen=True, slots=True)
class Outside:
    """What a name from outside the code means.

    ``kind`` is ``tool`` for a function of the agent, ``builtin`` for a builtin function, ``type`` for a
    builtin type, ``method`` for a method of one, or ``library`` for what is below a module.
    """

    kind: str
    path: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of a value."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True)
class Getter:
    """What ``operator.itemgetter`` makes: a function that gives the parts of a value with these keys."""

    keys: tuple[Values, ...]


type Value = Text | Table | Row | Container | Data | Function | Outside | Bound | Getter
type Values = frozenset[Value]

NOTHING: Values = frozenset()
NUMBER: Values = frozenset({Data(Origin.NUMBER)})
TRUTH: Values = frozenset({Data(Origin.TRUTH)})
STORED: Values = frozenset({Data(Origin.STORED)})
PLAIN: Values = frozenset({Data(Origin.PLAIN)})
COMPUTED: Values = frozenset({Data(Origin.COMPUTED)})


def is_only_called(value: Value) -> bool:
    """Whether a value is a function, of which any use but a call or a text is an error."""
    return isinstance(value, Function | Getter) or (
        isinstance(value, Outside) and value.kind in ("tool", "builtin", "method")
    )


def data(origin: Origin) -> Values:
    """A value of this origin."""
    return frozenset({Data(origin)})


@dataclass(frozen=True, slots=True)
class Arguments:
    """The values that a call passes.

    ``more`` are those of ``*`` and ``more_named`` those of ``**``: any number of them may be passed.
    """

    positional: tuple[Values, ...] = ()
    named: tuple[tuple[str, Values], ...] = ()
    more: Values = NOTHING
    more_named: Values = NOTHING

    @property
    def every(self) -> Values:
        """All values that are passed."""
        return NOTHING.union(
            *self.positional, *(values for _, values in self.named), self.more, self.more_named
        )

    @property
    def certain(self) -> bool:
        """Whether it is known which values are passed at which place."""
        return not self.more and not self.more_named

    def keyword(self, name: str) -> Values | None:
        """The values of a named argument; None if it is not passed."""
        return next((values for key, values in self.named if key == name), None)

    def at(self, place: int, name: str) -> Values | None:
        """The values of an argument by its place or its name; None if it is not passed."""
        return self.positional[place] if place < len(self.positional) else self.keyword(name)

"""The values that the static reading of code works with: what is known of an expression."""

from __future__ import annotations

import ast
from dataclasses import dataclass

HOLE = "\ue000"


@dataclass(frozen=True, slots=True)
class Piece:
    """Literal characters and where they stand in the code; ``exact`` if character by character."""

    text: str
    start: int
    end: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Hole:
    """A part of a string that is only known when the code runs."""

    start: int
    end: int


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

    def filled(self, hole: str = HOLE) -> str:
        """The string with every hole as the given text (``{}`` in it becomes the hole's number)."""
        parts: list[str] = []
        count = 0
        for piece in self.pieces:
            if isinstance(piece, Piece):
                parts.append(piece.text)
            else:
                parts.append(hole.replace("{}", str(count)))
                count += 1
        return "".join(parts)

    def place(self, start: int, end: int, hole: str = HOLE) -> tuple[int, int]:
        """Where characters of ``filled(hole)`` stand in the code: exactly, or the literal around them."""
        offset = 0
        count = 0
        for piece in self.pieces:
            size = len(piece.text) if isinstance(piece, Piece) else len(hole.replace("{}", str(count)))
            count += isinstance(piece, Hole)
            if start < offset + size:
                if isinstance(piece, Piece) and piece.exact and end <= offset + size:
                    return piece.start + start - offset, piece.start + end - offset
                return piece.start, piece.end
            offset += size
        last = self.pieces[-1] if self.pieces else Hole(0, 0)
        return last.start, last.end


@dataclass(frozen=True, slots=True)
class Table:
    """A table that the code has loaded, filtered or not."""

    name: str


@dataclass(frozen=True, slots=True)
class Many:
    """A list, tuple, set, or the values of a dict; the elements that it may hold."""

    elements: frozenset[FlowValue]
    ordered: tuple[frozenset[FlowValue], ...] | None = None


@dataclass(frozen=True, slots=True)
class Data:
    """Anything that is only known when the code runs, and is no table and no function."""


@dataclass(frozen=True, slots=True)
class Callable_:
    """A function that the session describes, a builtin, or a member of an allowed module."""

    kind: str  # tool, builtin, module
    name: str


@dataclass(frozen=True, slots=True)
class Defined:
    """A function of the code itself."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Undefined:
    """A name that the code does not define."""

    name: str


type FlowValue = Text | Table | Many | Data | Callable_ | Defined | Undefined
type FlowValues = frozenset[FlowValue]

DATA: FlowValues = frozenset({Data()})

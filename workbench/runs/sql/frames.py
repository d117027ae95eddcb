"""The SELECTs that a query is in, on one way through it to the result."""

# sqlglot is typed only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from workbench.runs.sql.names import Level
from workbench.runs.sql.uses import Result, Source


@dataclass(slots=True)
class Frame:
    """The sources of one SELECT on one way to the result."""

    level: Level
    around: Frame | None
    known: Mapping[str, Definition]
    found: dict[int, Source | Result] = field(default_factory=dict[int, Source | Result])
    aliases: dict[str, exp.Expr] = field(default_factory=dict[str, exp.Expr])
    resolving: set[str] = field(default_factory=set[str])
    correlated: bool = False

    def outwards(self) -> Iterator[Frame]:
        """The frame and those around it."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.around

    @property
    def tables(self) -> list[Source]:
        """All tables that it reads in FROM, also through the queries there."""
        parts = ([one] if isinstance(one, Source) else one.tables for one in self.found.values())
        return [table for part in parts for table in part]


@dataclass(frozen=True, slots=True)
class Scope:
    """What a query sees: the SELECTs around it and the common table expressions."""

    around: Frame | None = None
    known: Mapping[str, Definition] = field(default_factory=dict[str, "Definition"])


@dataclass(frozen=True, slots=True)
class Definition:
    """A common table expression and what it sees."""

    node: exp.CTE
    scope: Scope

"""GuardAgent's memory as the screen shows it."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.model import Demonstration, Step


@dataclass(frozen=True, slots=True)
class Ranked:
    """A demonstration that a step retrieves: its rank from 1, and its distances in edits."""

    id: str
    rank: int
    input_distance: int
    output_distance: int


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """All demonstrations after an edit, and what to call it."""

    demonstrations: tuple[Demonstration, ...]
    label: str


@dataclass(frozen=True, slots=True)
class RetrievalChange:
    """A step that retrieves other demonstrations: its position, and the ids before and after."""

    at: int
    step: Step
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoryEffect:
    """Which of ``steps`` steps an edit of the memory makes retrieve differently."""

    steps: int = 0
    changes: tuple[RetrievalChange, ...] = ()

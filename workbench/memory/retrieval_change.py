"""A call that retrieves other demonstrations, or in another order."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetrievalChange:
    """A call that retrieves differently: its place, and the ids before and after, best first."""

    run: str
    index: int
    position: int
    before: tuple[str, ...]
    after: tuple[str, ...]

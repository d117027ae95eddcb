"""The rounds of a loop that improves a draft."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rounds[R]:
    """All rounds in order, and the place of the best."""

    rounds: tuple[R, ...]
    best: int

    @property
    def best_round(self) -> R:
        """The best round."""
        return self.rounds[self.best]

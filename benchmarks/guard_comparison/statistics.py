"""Shares with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Share:
    """``hits`` of ``total``; without anything to count there is no value."""

    hits: int
    total: int

    @property
    def value(self) -> float | None:
        """The share in [0, 1]."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson score interval; (0, 1) if there is nothing to count."""
        if self.total == 0:
            return 0.0, 1.0
        share = self.hits / self.total
        spread = _Z * sqrt(share * (1 - share) / self.total + _Z * _Z / (4 * self.total * self.total))
        middle = share + _Z * _Z / (2 * self.total)
        scale = 1 + _Z * _Z / self.total
        low = 0.0 if self.hits == 0 else max(0.0, (middle - spread) / scale)
        high = 1.0 if self.hits == self.total else min(1.0, (middle + spread) / scale)
        return low, high

    def __str__(self) -> str:
        """The share in percent with the interval and the counts."""
        if self.value is None:
            return "-"
        low, high = self.interval
        return f"{100 * self.value:.1f} ({100 * low:.1f}-{100 * high:.1f}), {self.hits}/{self.total}"

"""The number and order of retrieved demonstrations."""

from __future__ import annotations

from enum import StrEnum

DEFAULT_K = 3


class Order(StrEnum):
    """Which demonstrations to retrieve; the least similar ones serve GuardAgent's ablation."""

    MOST_SIMILAR = "most-similar"
    LEAST_SIMILAR = "least-similar"

"""The number and order of retrieved demonstrations."""

from __future__ import annotations

from enum import StrEnum

DEFAULT_K = 3


class Order(StrEnum):
    """The order in which to retrieve demonstrations; the least similar ones serve GuardAgent's ablation."""

    MOST_SIMILAR = "most-similar"
    LEAST_SIMILAR = "least-similar"

"""The number and order of retrieved demonstrations.

A call that retrieves other demonstrations, or in another order.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.serialization.json_form import json_form

DEFAULT_K = 3


class Order(StrEnum):
    """The order in which to retrieve demonstrations; the least similar ones serve GuardAgent's ablation."""

    MOST_SIMILAR = "most-similar"
    LEAST_SIMILAR = "least-similar"


@dataclass(frozen=True, slots=True)
class RetrievalChange:
    """A call that retrieves differently: its place, and the ids before and after, best first."""

    run: str
    index: int
    position: int
    before: tuple[str, ...]
    after: tuple[str, ...]


json_form(RetrievalChange, "run", ("call", "index"), "before", "after")

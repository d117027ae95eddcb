"""What a person granted beforehand: calls that need not be put to a person again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.guard.calls import PastCall, ToolCall


@dataclass(frozen=True, slots=True)
class Granted:
    """The grants by which a call may run, by their ids, and who gave them."""

    ids: tuple[str, ...]
    by: str


class Grants(Protocol):
    """Finds the grants in whose regions a call lies, as they are at this moment."""

    @property
    def problem(self) -> str:
        """Why no grant is in force, as a sentence; empty if that is not so."""
        ...

    def opening(self, call: ToolCall, history: Sequence[PastCall]) -> Granted | None:
        """The grants by which a call may run that the policy alone does not allow; None if there are none."""
        ...

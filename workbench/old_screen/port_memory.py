"""What the screen asks of a session about GuardAgent's memory."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from workbench.model import Demonstration
    from workbench.old_screen.memory_state import MemoryEdit, MemoryEffect, Ranked
    from workbench.old_screen.state import Contents
    from workbench.policy.terms import PolicyTerms


class MemoryPort(Protocol):
    """The calls about demonstrations; they raise WorkbenchError with one clear sentence."""

    def ranking(self, at: int) -> tuple[Ranked, ...]:
        """The demonstrations that the step at a position retrieves, best first."""
        ...

    def demonstrate(self, terms: PolicyTerms, at: int) -> Demonstration:
        """The demonstration that the step at a position would be; nothing is stored."""
        ...

    def try_memory(self, edit: MemoryEdit, cancelled: threading.Event) -> MemoryEffect:
        """Which steps an edit of the memory would make retrieve differently."""
        ...

    def set_memory(self, edit: MemoryEdit) -> Contents:
        """Store all demonstrations, as one change."""
        ...

    def import_memory(self, path: Path) -> tuple[Contents, MemoryEffect]:
        """Add the demonstrations of a file, as one change; those with a known id take its place."""
        ...

    def export_memory(self, path: Path) -> str:
        """Write all demonstrations to a file that does not exist yet; one sentence says what was done."""
        ...

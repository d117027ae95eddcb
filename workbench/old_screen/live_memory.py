"""What the screen asks about the demonstrations of a real session, in the screen's own values."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.model import Demonstration
from workbench.old_screen.live_calls import LiveCalls
from workbench.old_screen.value_text import plural

if TYPE_CHECKING:
    from workbench.app.memory import MemoryChange
    from workbench.app.results import Logs
    from workbench.old_screen.memory_state import MemoryEdit, MemoryEffect, Ranked
    from workbench.old_screen.state import Contents
    from workbench.policy.terms import PolicyTerms

SHOWN = 5


class MemoryCalls(LiveCalls):
    """The calls of a ``Port`` about demonstrations."""

    def ranking(self, at: int) -> tuple[Ranked, ...]:
        """The demonstrations that a step retrieves, best first."""
        from workbench.old_screen.memory_state import Ranked

        steps = self._loaded().steps
        if not 0 <= at < len(steps):
            return ()
        return tuple(
            Ranked(found.demonstration.id, found.rank, found.input_distance, found.output_distance)
            for found in self._bench.memory.rank(steps[at], SHOWN)
        )

    def demonstrate(self, terms: PolicyTerms, at: int) -> Demonstration:
        """The demonstration that a step would be."""
        logs = self._loaded()
        step = logs.steps[at]
        return self._bench.memory.demonstrate(terms, logs, step.run, step.index)

    def try_memory(self, edit: MemoryEdit, cancelled: threading.Event) -> MemoryEffect:
        """Which steps an edit would make retrieve differently."""
        from workbench.old_screen.memory_state import MemoryEffect

        logs = self._loaded()
        if cancelled.is_set():
            return MemoryEffect(len(logs.steps))
        return self._shown(self._bench.memory.effect(edit.demonstrations, logs), logs)

    @staticmethod
    def _shown(found: MemoryChange, logs: Logs) -> MemoryEffect:
        from workbench.old_screen.memory_state import MemoryEffect, RetrievalChange

        places = {(step.run, step.index): at for at, step in enumerate(logs.steps)}
        changes: list[RetrievalChange] = []
        for change in found.changes:
            at = places[change.run, change.index]
            changes.append(RetrievalChange(at, logs.steps[at], change.before, change.after))
        return MemoryEffect(len(logs.steps), tuple(changes))

    def set_memory(self, edit: MemoryEdit) -> Contents:
        """Store all demonstrations."""
        self._bench.memory.store(edit.demonstrations, edit.label)
        return self.contents()

    def import_memory(self, path: Path) -> tuple[Contents, MemoryEffect]:
        """Add the demonstrations of a file."""
        from workbench.app.named_files import read_named

        text = read_named(path, "a file of demonstrations, one JSON object a line")
        logs = self._loaded()
        effect = self._shown(self._bench.memory.import_text(text, logs), logs)
        return self.contents(), effect

    def export_memory(self, path: Path) -> str:
        """Write all demonstrations to a file that does not exist yet."""
        from workbench.app.named_files import write_new

        text = self._bench.memory.export()
        count = len(self._bench.session.demonstrations)
        target = write_new(path, text)
        return f"{plural(count, 'demonstration')} written to {target}."

"""The sample session's answers about its demonstrations."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path

from workbench.memory.distance import edit_distance
from workbench.model import Demonstration, WorkbenchError
from workbench.old_screen.memory_state import MemoryEdit, MemoryEffect, Ranked, RetrievalChange
from workbench.old_screen.samples.sample import DEMONSTRATIONS, STEPS
from workbench.old_screen.state import Contents
from workbench.policy.terms import PolicyTerms


class SampleMemory(ABC):
    """The calls about demonstrations, on the contents that the sample port holds."""

    calls: list[str]

    @abstractmethod
    def contents(self) -> Contents:
        """The contents as they stand."""

    @abstractmethod
    def _put(self, contents: Contents) -> Contents:
        """Make these the contents."""

    def ranking(self, at: int) -> tuple[Ranked, ...]:
        """The enabled demonstrations by their distance."""
        asked, done = STEPS[at].texts["agent_input"], STEPS[at].texts["code"]
        known = [item for item in self.contents().demonstrations if item.enabled]
        found = [
            (item.id, edit_distance(asked, item.agent_input), edit_distance(done, item.agent_output))
            for item in known
        ]
        found.sort(key=lambda item: item[1] + item[2])
        return tuple(Ranked(name, rank, one, two) for rank, (name, one, two) in enumerate(found, start=1))

    def demonstrate(self, terms: PolicyTerms, at: int) -> Demonstration:
        """The step with the plan of the sample's demonstration."""
        del terms
        if at == 11:
            raise WorkbenchError("Step 0 of eicu-011 could not be decided, so it demonstrates nothing.")
        texts = STEPS[at].texts
        return replace(
            DEMONSTRATIONS[0],
            id=STEPS[at].run,
            agent_input=texts["agent_input"],
            agent_output=texts["code"],
        )

    def try_memory(self, edit: MemoryEdit, cancelled: threading.Event) -> MemoryEffect:
        """As if only the first three steps looked at the memory."""
        del cancelled
        old = tuple(item.id for item in self.contents().demonstrations if item.enabled)
        new = tuple(item.id for item in edit.demonstrations if item.enabled)
        if edit.demonstrations == self.contents().demonstrations:
            return MemoryEffect(len(STEPS))
        return MemoryEffect(len(STEPS), tuple(RetrievalChange(at, STEPS[at], old, new) for at in range(3)))

    def set_memory(self, edit: MemoryEdit) -> Contents:
        """Take the demonstrations."""
        self.calls.append(edit.label)
        return self._put(replace(self.contents(), demonstrations=edit.demonstrations))

    def import_memory(self, path: Path) -> tuple[Contents, MemoryEffect]:
        """A copy of the sample's demonstration, from any file."""
        if path.suffix != ".jsonl":
            raise WorkbenchError(f"{path} cannot be read as UTF-8 text; nothing was imported.")
        known = self.contents().demonstrations
        edit = MemoryEdit((*known, replace(DEMONSTRATIONS[0], id=path.stem)), "Import demonstrations")
        effect = self.try_memory(edit, threading.Event())
        return self.set_memory(edit), effect

    def export_memory(self, path: Path) -> str:
        """Note the file."""
        self.calls.append(f"export {path}")
        return f"1 demonstration written to {path}."

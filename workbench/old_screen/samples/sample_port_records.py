"""The sample session's records as texts, for an editor outside."""

from __future__ import annotations

from abc import ABC, abstractmethod

from workbench.model import Assumption, Case
from workbench.old_screen.agent_state import SpecEdit
from workbench.old_screen.memory_state import MemoryEdit
from workbench.old_screen.port_records import RecordPlace
from workbench.old_screen.state import Cases, Contents
from workbench.session import excerpts


class SampleRecords(ABC):
    """The calls about records as text, on the contents that the sample port holds."""

    @abstractmethod
    def contents(self) -> Contents:
        """The contents as they stand."""

    @abstractmethod
    def cases(self) -> Cases:
        """The cases."""

    @abstractmethod
    def put_case(self, case: Case, label: str) -> Contents:
        """Keep a case."""

    @abstractmethod
    def put_assumption(self, made: Assumption) -> Contents:
        """Keep an assumption."""

    @abstractmethod
    def set_memory(self, edit: MemoryEdit) -> Contents:
        """Keep the demonstrations."""

    @abstractmethod
    def set_spec(self, edit: SpecEdit) -> Contents:
        """Keep the agent spec."""

    def record_text(self, place: RecordPlace) -> str:
        """The record as in the session's files."""
        now = self.contents()
        match place.kind:
            case "assumption":
                return excerpts.assumption_text(
                    next(one for one in now.assumptions if one.question == place.name)
                )
            case "case":
                return excerpts.case_text(next(one for one in self.cases().cases if one.id == place.name))
            case "demonstration":
                return excerpts.demonstration_text(
                    next(one for one in now.demonstrations if one.id == place.name)
                )
            case _:
                return excerpts.spec_text(now.spec, place.kind, place.name)

    def put_record(self, place: RecordPlace, text: str) -> Contents:
        """Keep what the text says."""
        now = self.contents()
        match place.kind:
            case "assumption":
                return self.put_assumption(excerpts.read_assumption(text))
            case "case":
                types = {one.name: one.type for one in now.spec.arguments}
                return self.put_case(excerpts.read_case(text, types), f"Edit {place.shown}")
            case "demonstration":
                old = next(one for one in now.demonstrations if one.id == place.name)
                made = excerpts.read_demonstration(text, old)
                kept = tuple(made if one.id == place.name else one for one in now.demonstrations)
                return self.set_memory(MemoryEdit(kept, f"Edit {place.shown}"))
            case _:
                spec = excerpts.read_spec(text, now.spec, place.kind, place.name)
                made_arguments = [one for one in spec.arguments if one not in now.spec.arguments]
                argument = made_arguments[0] if made_arguments else None
                return self.set_spec(SpecEdit(spec, f"Edit {place.shown}", argument, place.name))

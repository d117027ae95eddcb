"""Single records of a real session as texts, for an editor outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.old_screen.live_calls import LiveCalls

if TYPE_CHECKING:
    from workbench.old_screen.port_records import RecordPlace
    from workbench.old_screen.state import Contents


class RecordCalls(LiveCalls):
    """The calls of a ``Port`` about records as text."""

    def record_text(self, place: RecordPlace) -> str:
        """The record as a text."""
        bench = self._bench
        match place.kind:
            case "assumption":
                return bench.questions.assumption_text(place.name)
            case "case":
                return bench.cases.text(place.name)
            case "demonstration":
                return bench.memory.text(place.name)
            case _:
                return bench.agent.text(place.kind, place.name)

    def put_record(self, place: RecordPlace, text: str) -> Contents:
        """Store the record that a text stands for."""
        bench = self._bench
        match place.kind:
            case "assumption":
                return self._changed(bench.questions.put_assumption_text(place.name, text))
            case "case":
                bench.cases.put_text(place.name, text)
            case "demonstration":
                bench.memory.put_text(place.name, text)
            case _:
                label = f"Edit {place.shown}"
                return self._changed(bench.agent.put_text(place.kind, place.name, text, label))
        return self.contents()

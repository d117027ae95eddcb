"""Single records of a real session as texts, for an editor outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.model import Assumption, Case, Demonstration, WorkbenchError
from workbench.tui.live_calls import LiveCalls

if TYPE_CHECKING:
    from workbench.tui.port_records import RecordPlace
    from workbench.tui.state import Contents


class RecordCalls(LiveCalls):
    """The calls of a ``Port`` about records as text."""

    def record_text(self, place: RecordPlace) -> str:
        """The record as a text."""
        from workbench.session.excerpts import assumption_text, case_text, demonstration_text, spec_text

        match place.kind:
            case "assumption":
                return assumption_text(self._assumption(place))
            case "case":
                return case_text(self._case(place))
            case "demonstration":
                return demonstration_text(self._demonstration(place))
            case _:
                return spec_text(self._bench.session.spec, place.kind, place.name)

    def put_record(self, place: RecordPlace, text: str) -> Contents:
        """Store the record that a text stands for."""
        from workbench.session.excerpts import read_assumption, read_case, read_demonstration, read_spec

        session = self._bench.session
        match place.kind:
            case "assumption":
                self._assumption(place)
                return self._changed(self._bench.questions.edit_assumption(read_assumption(text)))
            case "case":
                types = {argument.name: argument.type for argument in session.spec.arguments}
                old, made = self._case(place), read_case(text, types)
                cases = tuple(made if item is old else item for item in session.cases)
                session.set_cases(cases, f"Edit the case {made.id}")
            case "demonstration":
                found, edited = self._demonstration(place), read_demonstration(text)
                changed = tuple(edited if item is found else item for item in session.demonstrations)
                self._bench.memory.store(changed, f"Edit the demonstration {edited.id}")
            case _:
                spec = read_spec(text, session.spec, place.kind, place.name)
                return self._changed(self._bench.agent.set_spec(spec, f"Edit {place.shown}"))
        return self.contents()

    def _assumption(self, place: RecordPlace) -> Assumption:
        return _found([one for one in self._bench.session.assumptions if one.question == place.name], place)

    def _case(self, place: RecordPlace) -> Case:
        return _found([one for one in self._bench.session.cases if one.id == place.name], place)

    def _demonstration(self, place: RecordPlace) -> Demonstration:
        return _found([one for one in self._bench.session.demonstrations if one.id == place.name], place)


def _found[T](items: list[T], place: RecordPlace) -> T:
    if not items:
        raise WorkbenchError(f"{place.shown.capitalize()} is not in the session any more.")
    return items[0]

"""The form for a case: what is expected, why, and every argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input

from workbench.model import Case, Verdict, WorkbenchError
from workbench.policy.terms import Parameter
from workbench.tui.actions import bindings
from workbench.tui.entering import HINT, entered, typed
from workbench.tui.plain import Run, Tone, line, muted, one_line, title
from workbench.tui.styles import style_sheet
from workbench.tui.widgets.entry import Entry
from workbench.tui.widgets.lines import PlainLines

EXPECTED = {str(verdict): verdict for verdict in Verdict}


class Field(VerticalScroll, can_focus=False):
    """A name over an entry."""

    def __init__(self, name: str, hint: str, value: str, *, id: str) -> None:
        """Take the name, what to type, and what to begin with."""
        super().__init__(id=id)
        self._name = name
        self._hint = hint
        self._value = value

    def compose(self) -> ComposeResult:
        """The name over the entry."""
        yield PlainLines()
        yield Entry(value=self._value)

    def on_mount(self) -> None:
        """Write the name."""
        self.query_one(PlainLines).show_lines(line(one_line(self._name), muted(f"  {self._hint}")))

    @property
    def value(self) -> str:
        """What is typed."""
        return self.query_one(Entry).value


class CaseForm(ModalScreen[Case | None]):
    """Edits one case. Enter goes to the next entry; the last one stores it."""

    DEFAULT_CSS = style_sheet(__file__)
    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("form")]

    def __init__(self, name: str, case: Case, parameters: Sequence[Parameter]) -> None:
        """Begin with a case; ``parameters`` are the policy's arguments."""
        super().__init__()
        self._name = name
        self._case = case
        self._parameters = parameters

    def compose(self) -> ComposeResult:
        """An entry for each part of the case."""
        with VerticalScroll(id="form", can_focus=False):
            yield Field("expected", "allow or deny", str(self._case.expected), id="expected")
            yield Field("why", "the reason that the case exists", self._case.reason, id="reason")
            for position, parameter in enumerate(self._parameters):
                words = ", ".join(parameter.type.values[:8]) or HINT[parameter.type.kind]
                value = typed(self._case.arguments.get(parameter.name))
                yield Field(parameter.name, words, value, id=f"argument-{position}")
            yield PlainLines(id="wrong")

    def on_mount(self) -> None:
        """Name the form."""
        form = self.query_one("#form")
        form.border_title = title(self._name)
        form.border_subtitle = title("Enter next, Alt+S stores, Esc closes")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        entries = list(self.query(Entry))
        if event.input is entries[-1]:
            self.action_store()
        else:
            self.focus_next()

    def action_store(self) -> None:
        """End with the case, or say what does not fit."""
        try:
            self.dismiss(self._entered())
        except WorkbenchError as error:
            self.query_one("#wrong", PlainLines).show_lines(line(Run(str(error), Tone.BAD)))

    def _entered(self) -> Case:
        word = self.query_one("#expected", Field).value.strip().casefold()
        if word not in EXPECTED:
            raise WorkbenchError("expected: type allow, deny or cannot-evaluate.")
        arguments = {
            parameter.name: entered(
                parameter.name, self.query_one(f"#argument-{position}", Field).value, parameter.type
            )
            for position, parameter in enumerate(self._parameters)
        }
        reason = self.query_one("#reason", Field).value.strip() or "made by a person"
        return replace(
            self._case, arguments=arguments, expected=EXPECTED[word], reason=reason, origin="human"
        )

    def action_close(self) -> None:
        """End without a case."""
        self.dismiss(None)


if __name__ == "__main__":
    from workbench.tui.alone import run_alone

    def fill(field: Field) -> None:
        """Put the cursor into the entry."""
        field.query_one(Entry).focus()

    run_alone(Field("rows", "a whole number", "100", id="rows"), fill)

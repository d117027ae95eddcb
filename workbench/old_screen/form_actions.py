"""Forms over the screen: what they are opened for, what storing them would change, and storing them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import on

from workbench.model import Argument, Case, WorkbenchError
from workbench.old_screen import form_messages, messages
from workbench.old_screen import screen_state as boards
from workbench.old_screen.inspection_actions import NOT_YET, InspectionApp

if TYPE_CHECKING:
    from workbench.old_screen.agent_state import AgentView, ArgumentEffect, SpecEdit
    from workbench.old_screen.forms import Form
    from workbench.old_screen.state import Survivor
    from workbench.old_screen.widgets.agent import AgentScreen
    from workbench.old_screen.widgets.form import FormScreen


class FormsApp(InspectionApp):
    """Opens forms, tries what is typed into them, stores it, and gives a form back that could not be."""

    _tried = 0
    _trying = threading.Event()
    _give_back: Callable[[str], None] | None = None

    @property
    def busy(self) -> bool:
        """Whether work runs or is to begin by itself, of a form too."""
        return super().busy or any(form.waiting for form in self.open_forms)

    @property
    def open_forms(self) -> tuple[FormScreen[Any], ...]:
        """The forms over the panes."""
        windows = self.screen_stack[1:]
        if not windows:
            return ()
        from workbench.old_screen.widgets.form import FormScreen

        return tuple(screen for screen in windows if isinstance(screen, FormScreen))

    # --- any form

    def fill[T](self, form: Form[T], store: Callable[[T], None]) -> None:
        """Show a form; ``store`` takes what it makes. Where that fails, the form comes back as it was."""
        from workbench.old_screen.widgets.form import FormScreen

        screen: FormScreen[T] = FormScreen(form)

        def filled(value: T | None) -> None:
            self._trying.set()
            if value is None:
                return
            typed = screen.typed

            def back(why: str) -> None:
                self.fill(replace(form, values=typed, trouble=why), store)

            if self.changing:
                back("The session is just being changed; store once more.")
                return
            self._give_back = back
            store(value)

        self.push_screen(screen, filled)

    @on(messages.SurvivorAccepted)
    def _reason_wanted(self, event: messages.SurvivorAccepted) -> None:
        from workbench.old_screen.reason_form import reason_form

        self.fill(reason_form(event.survivor), partial(self._accept, event.survivor))

    def _accept(self, survivor: Survivor, reason: str) -> None:
        def work() -> messages.Told:
            self._port.accept(survivor, reason)
            return messages.Told("Stored: the contract may let it pass.")

        self._put(boards.passed(self._board, survivor))
        self._live.ask("session", work)

    @on(messages.Loaded)
    def _stored(self) -> None:
        self._give_back = None
        if self.agent_screen is not None:
            self._look_at_agent()

    def _not_changed(self, why: str) -> None:
        back, self._give_back = self._give_back, None
        if back is not None:
            back(why)

    def on_form_screen_tried(self, event: FormScreen.Tried) -> None:
        """Find out what storing what a form holds would change."""
        from workbench.old_screen.agent_state import SpecEdit

        self._trying.set()
        self._trying = cancelled = threading.Event()
        self._tried += 1
        if isinstance(event.value, SpecEdit):
            self._live.ask("try", partial(self._try_argument, event.value, self._tried, cancelled))
        else:
            self._try_other(event.value, self._tried, cancelled)

    def _try_other(self, value: object, number: int, cancelled: threading.Event) -> None:
        """Begin to find out what storing a value of another kind would change."""

    def _form_screen(self, number: int) -> FormScreen[object] | None:
        """The open form, if what was tried is still what it holds."""
        screen = next((form for form in self.open_forms if form is self.screen), None)
        return screen if number == self._tried else None

    # --- cases

    @on(messages.CaseFormWanted)
    def _case_form_wanted(self, event: messages.CaseFormWanted) -> None:
        from workbench.old_screen.case_form import case_form

        terms = self._board.verdicts.terms
        if terms is None:
            self._say(NOT_YET)
            return
        self.fill(case_form(event.name, event.case, terms.arguments), self._case_made)

    def _case_made(self, case: Case) -> None:
        self.post_message(messages.CaseWanted(case))

    @on(messages.CaseRemoved)
    def _case_removed(self, event: messages.CaseRemoved) -> None:
        if event.case.origin == "generated":
            self._say("This case is made from the request; change the request or its answers.")
            return
        self._change(
            partial(self._port.remove_case, event.case), "The case is removed; Ctrl+Z brings it back."
        )

    # --- the agent spec

    @property
    def agent_screen(self) -> AgentScreen | None:
        """The list of the agent's parts, while it is open."""
        windows = self.screen_stack[1:]
        if not windows:
            return None
        from workbench.old_screen.widgets.agent import AgentScreen

        return next((screen for screen in windows if isinstance(screen, AgentScreen)), None)

    def action_agent(self) -> None:
        """Show the agent spec."""
        self._look_at_agent()

    @on(form_messages.AgentWanted)
    def _agent_wanted(self, event: form_messages.AgentWanted) -> None:
        self._look_at_agent(event.kind, event.name)

    def on_agent_screen_wanted(self, event: AgentScreen.Wanted) -> None:
        """Open the form of a part of the agent."""
        self._look_at_agent(event.kind, event.name)

    def _look_at_agent(self, kind: str = "", name: str = "") -> None:
        port = self._port
        self._live.ask("agent", lambda: form_messages.AgentFound(port.agent(), kind, name))

    @on(form_messages.AgentFound)
    def _agent_found(self, event: form_messages.AgentFound) -> None:
        from workbench.old_screen.widgets.agent import AgentScreen

        if event.kind:
            self._open_part(event.view, event.kind, event.name)
        elif self.agent_screen is not None:
            self.agent_screen.show(event.view)
        else:
            self.push_screen(AgentScreen(event.view))

    def _open_part(self, view: AgentView, kind: str, name: str) -> None:
        from workbench.old_screen.argument_form import argument_form
        from workbench.old_screen.spec_forms import agent_form, synonym_form, tool_form, words_form

        spec = view.spec
        proposal = next((one for one in view.proposals if kind == "proposal" and one.name == name), None)
        if proposal is not None and not proposal.is_plain:
            self._change(partial(self._port.accept_proposal, name), f"{name} is added; Ctrl+Z takes it out.")
            return
        match kind:
            case "agent":
                form = agent_form(spec)
            case "tool":
                form = tool_form(spec, next((one for one in spec.tools if one.name == name), None))
            case "vocabulary" | "schema":
                form = words_form(spec, kind, name)
            case "synonym":
                form = synonym_form(spec, name)
            case _:
                form = argument_form(view, argument_of(view, name), begin="method" if name else "name")
        self.fill(form, self._store_spec)

    def _store_spec(self, edit: SpecEdit) -> None:
        self._change(partial(self._port.set_spec, edit), f"{edit.label}: stored.")

    def on_agent_screen_removed(self, event: AgentScreen.Removed) -> None:
        """Remove a part of the agent, or drop what is proposed."""
        from workbench.old_screen.spec_forms import without

        if event.kind == "proposal":
            said = f"{event.name} is not proposed again; Ctrl+Z brings it back."
            self._change(partial(self._port.drop_proposal, event.name), said)
            return
        try:
            edit = without(self._board.contents.spec, event.kind, event.name)
        except WorkbenchError as error:
            self._say(str(error))
            return
        self._change(partial(self._port.set_spec, edit), f"{edit.label}: done; Ctrl+Z brings it back.")

    def _try_argument(
        self, edit: SpecEdit, number: int, cancelled: threading.Event
    ) -> form_messages.ArgumentTried | None:
        """In a worker: what storing the argument would change."""
        from workbench.old_screen.agent_state import ArgumentEffect

        def tell(effect: ArgumentEffect) -> None:
            if not cancelled.is_set():
                self.post_message(form_messages.ArgumentTried(number, effect))

        at = self._selected
        try:
            effect = self._port.try_argument(edit, self._board.verdicts.terms, at, tell, cancelled)
        except WorkbenchError as error:
            return form_messages.ArgumentTried(number, ArgumentEffect(""), str(error))
        return None if cancelled.is_set() else form_messages.ArgumentTried(number, effect)

    @on(form_messages.ArgumentTried)
    def _argument_tried(self, event: form_messages.ArgumentTried) -> None:
        from workbench.old_screen.effect_rows import argument_effect_rows

        screen = self._form_screen(event.number)
        if screen is None:
            return
        if event.why:
            screen.show_effect(None)
            screen.show_trouble(event.why)
        else:
            screen.show_effect(partial(argument_effect_rows, event.effect))

    _selected: int | None = None

    @on(messages.StepSelected)
    def _note_selected(self, event: messages.StepSelected) -> None:
        self._selected = event.index


def argument_of(view: AgentView, name: str) -> Argument | None:
    """An argument of the spec, or one that is proposed, by its name."""
    proposed = (argument for one in view.proposals for argument in one.arguments)
    return next((one for one in (*view.spec.arguments, *proposed) if one.name == name), None)

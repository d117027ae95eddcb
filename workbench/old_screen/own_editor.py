"""Any text in the user's own editor: the one that is typed into, or the record under the cursor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import SuspendNotSupported

from workbench.model import WorkbenchError
from workbench.old_screen import form_messages
from workbench.old_screen.memory_actions import RememberingApp
from workbench.old_screen.port_records import TOML, RecordPlace

if TYPE_CHECKING:
    from textual.widgets import Input, TextArea

SUFFIX = {"code": ".py", "parameters": ".json"}


class EditingApp(RememberingApp):
    """One key for ``$EDITOR``; a text that could not be stored is there again at the next try."""

    _refused: tuple[RecordPlace, str] | None = None

    def action_edit_text(self) -> None:
        """Edit in $EDITOR what has the focus: a text, the record under the cursor, or else the policy."""
        from textual.widgets import Input, TextArea

        from workbench.old_screen.widgets.agent import AgentParts

        focused = self.focused
        if isinstance(focused, Input | TextArea) and self.policy_pane not in focused.ancestors:
            self._edit_typed(focused)
        elif isinstance(focused, AgentParts):
            kind, name = focused.part
            self._edit_record(RecordPlace("agent" if kind == "agent" or not name else kind, name))
        elif len(self.screen_stack) > 1:
            self._say("There is no text to edit here.")
        elif self._current == "rail" and self.rail.record != ("", ""):
            kind, name = self.rail.record
            if kind == "request":
                self.action_edit_request()
            else:
                self._edit_record(RecordPlace(kind, name))
        elif self._current == "cases" and (case := self.cases_pane.case):
            self._edit_record(RecordPlace("case", case))
        else:
            self._edit_policy()

    def _edit_typed(self, entry: Input | TextArea) -> None:
        """Edit what stands in an entry of a form or in the own words of an answer."""
        from textual.widgets import Input

        from workbench.old_screen.widgets.form import FieldBox

        box = next((node for node in entry.ancestors if isinstance(node, FieldBox)), None)
        suffix = SUFFIX.get(box.field.key if box is not None else "", ".md")
        text = entry.value if isinstance(entry, Input) else entry.text
        edited = self._outside(text, suffix)
        if edited is None or edited.rstrip("\n") == text.rstrip("\n"):
            return
        if isinstance(entry, Input):
            entry.value = edited.strip("\n")
        else:
            entry.replace(edited.removesuffix("\n"), (0, 0), entry.document.end)

    def _edit_policy(self) -> None:
        editor = self.policy_pane.editor
        if not editor.read_only and (text := self._outside(editor.text, ".py")) is not None:
            editor.replace(text, (0, 0), editor.document.end)

    def action_edit_request(self) -> None:
        """Edit the request in $EDITOR; the policy is drafted again, own edits are kept."""
        text = self._outside(self._board.contents.request, ".md")
        if text is not None and text != self._board.contents.request:
            self._change(lambda: self._port.set_request(text), "The request is changed.", "Nothing changed.")

    # --- records

    def _edit_record(self, place: RecordPlace) -> None:
        port = self._port
        self._live.ask("record", lambda: form_messages.RecordFound(place, port.record_text(place)))

    @on(form_messages.RecordFound)
    def _record_found(self, event: form_messages.RecordFound) -> None:
        place = event.place
        refused = self._refused is not None and self._refused[0] == place
        begun = self._refused[1] if self._refused is not None and refused else event.text
        edited = self._outside(begun, TOML)
        if edited is None or (edited == event.text and not refused):
            return
        self._refused = None
        if edited == event.text:
            self._say("Nothing is changed.")
            return

        def back(_why: str) -> None:
            self._refused = place, edited
            self._say(f"Your text is kept: Alt+E on {place.shown} opens it again.", severity="warning")

        if self.changing:
            back("The session is just being changed.")
            return
        self._give_back = back
        stored = f"{place.shown[:1].upper()}{place.shown[1:]} is stored."
        self._change(partial(self._port.put_record, place, edited), stored)

    # --- the editor itself

    def _outside(self, text: str, suffix: str) -> str | None:
        from workbench.old_screen.external import edit_outside

        def edit() -> str:
            return edit_outside(text, suffix)

        try:
            return self._suspended(edit)
        except WorkbenchError as error:
            self._say(str(error), severity="warning")
        except SuspendNotSupported:
            self._say("An editor outside needs a terminal; here the text is edited on the screen.")
        return None

    def _suspended(self, work: Callable[[], str]) -> str:
        if self.is_headless:
            return work()
        with self.suspend():
            return work()

"""Changes of the session by the person, and by others, whose changes are shown before they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input, TextArea

from workbench.tui.announced_changes import Announcing
from workbench.tui.change_walk import UNDONE
from workbench.tui.messages import Act, Announced, Say, TypeIn

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class Changing:
    """Performs acts, undoes them, and takes over the changes of other programs."""

    def __init__(self, app: WorkbenchApp) -> None:
        """Change the session of an app."""
        self._app = app
        self._announcing = Announcing(app, app.acts)

    def act(self, event: Act) -> None:
        """Do an act; try an announced one first."""
        if event.announced:
            self._app.say(Say(f"{event.label}: tried on a copy first, to show what it changes"))
            self._app.acts.announce(event.label, event.work)
        else:
            self._app.acts.do(event.label, event.work, event.failed)

    def announced(self, event: Announced) -> None:
        """Show the effect of a change that the person does not make."""
        state = self._app.state
        if event.generation == self._app.work.generation and state is not None:
            self._app.teller.clear()
            self._announcing.show(event, state)
        else:
            self._announcing.left(event)

    def touched(self) -> None:
        """Take note that another program may have changed files of the session."""
        self._announcing.touched = True
        self.look_outside()

    def look_outside(self) -> None:
        """Look at the changes of other programs, unless the person types or chooses."""
        app = self._app
        typing = isinstance(app.focused, TextArea | Input)
        if app.state is not None and not typing and not app.screen.is_modal:
            self._announcing.look(app.state.policy)

    def freed(self) -> None:
        """Read the session again, because the program that had it open has ended."""
        self._app.acts.open()
        self._app.say(Say("The other window has ended: the session can be changed here."))

    # --- actions

    def do_accept(self) -> bool:
        """Check the session, and accept this version if it is good."""
        self._accept(())
        return True

    def do_accept_anyway(self) -> bool:
        """Accept this version although something is not good, which the person names."""
        self._app.commanding.type_in(
            TypeIn("accept although these are not good (names, as check lists them): ", self._accept_named)
        )
        return True

    def _accept_named(self, text: str) -> None:
        self._accept(tuple(text.replace(",", " ").split()))

    def _accept(self, names: tuple[str, ...]) -> None:
        self._app.acts.do("Accept this version", lambda bench: Say(bench.accept(names).sentence))

    def do_undo(self) -> bool:
        """Undo the last change of the session."""
        state = self._app.state
        current = (
            next((version for version in state.versions if version.current), None)
            if state is not None
            else None
        )
        waits = state is not None and (state.edited or state.outside or state.interrupted)
        if state is not None and not waits and current is None:
            self._app.say(Say("There is nothing to undo."))
        else:
            label = current.label if current is not None else ""
            if state is not None and state.interrupted:  # undo drops what was interrupted
                label = state.interrupted
            elif state is not None and state.edited:  # undo drops the text that is not stored
                label = "the text of policy.py that was not stored"
            elif state is not None and state.outside:  # undo takes these over, then back
                label = f"Edited outside: {', '.join(state.outside)}"
            named = f"{UNDONE}: {label}" if label else UNDONE
            self._app.acts.do(named, lambda bench: bench.editing.undo())
        return True

    def do_redo(self) -> bool:
        """Redo the last undone change."""
        self._app.acts.do("Redone", lambda bench: bench.session.redo())
        return True

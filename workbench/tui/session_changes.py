"""Changes of the session by the person, and by others, whose changes are shown before they are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, TextArea

from workbench.app.session_state import SessionState
from workbench.app.value_texts import few_of
from workbench.app.what_changed import RuleChange, what_changed
from workbench.clean_text import counted, one_line
from workbench.tui.change_walk import UNDONE, change_rows, changed_parts, stops
from workbench.tui.messages import Act, Say, Workbench, WorkbenchApp, if_yes, unless_left
from workbench.tui.session_acts import SessionAct
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import bad, line, muted
from workbench.tui.widgets.lines import BLANK, Row, paragraph
from workbench.tui.widgets.pane import Pane

if TYPE_CHECKING:
    from workbench.app.acceptance import Accepted
    from workbench.tui.worker_threads import Generation

_MOST_SAID, _MOST_NAME = 300, 60
"""The most characters of why a version is not accepted, and of a name."""


class Changing:
    """Performs acts, undoes them, and takes over the changes of other programs."""

    def __init__(self, app: WorkbenchApp) -> None:
        """Change the session of an app."""
        self._app = app
        self._put_off: Mapping[str, str] | None = None
        self._touched = False

    def act(self, event: Act) -> None:
        """Do an act; try an announced one first. What was said of the act before goes."""
        self._app.say(Say(""))
        if event.announced:
            self._app.say(Say(f"{event.label}: tried on a copy first, to show what it changes"))
            self._app.acts.announce(event.label, event.work)
        else:
            self._app.acts.do(event.label, event.work, event.failed)

    def announced(
        self,
        generation: Generation,
        label: str,
        after: SessionState,
        keep: SessionAct,
        outside_texts: Mapping[str, str] | None = None,
    ) -> None:
        """Show the effect of a change by others (a model, a merge, another program); ``keep`` makes it.

        ``outside_texts`` has the texts of the files that another program wrote; it is None for other changes.
        If the session changed meanwhile the change is dropped, and files of others are looked at again.
        """
        app, is_outside = self._app, outside_texts is not None
        if generation is not app.work.generation:
            if is_outside:
                app.call_later(self.touched)
            else:
                app.say(Say(f"{label}: left, as the session changed meanwhile.", problem=True))
            return

        def answered(kept: bool | None) -> None:
            if kept:
                app.acts.do(label, keep)
            elif outside_texts is not None and kept is False:
                back = f"Written back: {', '.join(outside_texts)}"
                app.acts.do(back, lambda bench: bench.editing.put_back())
            elif outside_texts is not None:
                self._put_off = outside_texts
                app.acts.tell_outside()

        app.teller.clear()
        keys = _OUTSIDE_KEYS if is_outside else _KEYS
        app.push_screen(Announcement(label, app.state, after, keys), answered)

    def touched(self) -> None:
        """Take note that another program may have changed files of the session."""
        self._touched = True
        self.look_outside()

    def look_outside(self) -> None:
        """Look at the changes of other programs, unless the person types or chooses."""
        app = self._app
        typing = isinstance(app.focused, TextArea | Input)
        if self._touched and not typing and not app.screen.is_modal:
            self._touched = False
            app.acts.look_outside(app.state.policy, self._put_off)

    def freed(self) -> None:
        """Read the session again, because the program that had it open has ended."""
        self._app.acts.open()
        self._app.say(Say("The other window has ended: the session can be changed here."))

    # --- actions

    def do_accept(self) -> None:
        """Check the session, and accept this version if it is good."""
        self._accept(())

    def do_cases(self) -> None:
        """Make the cases that follow from the rules anew."""

        def make(bench: Workbench) -> Say:
            made = counted(bench.cases.generate(), "case")
            return Say(f"{made} made from the rules as they are; those that a person kept stay")

        self._app.acts.do("Cases made anew", make)

    def _accept(self, names: tuple[str, ...]) -> None:
        self._app.acts.do("Accept this version", lambda bench: self._accepted(bench.accept(names)))

    def _accepted(self, accepted: Accepted) -> Message:
        """What became of it; what a person may decide is offered by its names."""
        if accepted.done or not accepted.all_by_name:
            return Say(accepted.sentence, problem=not accepted.done, lasts=True)
        names = tuple(dict.fromkeys(obstacle.name for obstacle in accepted.missing))
        left = one_line(accepted.sentence, _MOST_SAID)
        named = few_of([one_line(name, _MOST_NAME) for name in names])
        words = f"It is written with what is accepted by its name: {named}"
        return unless_left("Not accepted yet", left, partial(self._accept, names), "accept", words)

    def do_undo(self) -> None:
        """Undo the last change of the session."""
        state = self._app.state
        current = next((version for version in state.versions if version.current), None)
        dropped = state.interrupted
        if state.edited and not dropped:
            dropped = "the text of policy.py that was not stored"
        elif state.outside and not dropped:  # they are taken over, then back
            dropped = f"Edited outside: {', '.join(state.outside)}"
        if not dropped and current is None:
            self._app.say(Say("There is nothing to undo."))
            return
        label = dropped or (current.label if current is not None else "")
        undo = partial(self._app.acts.do, f"{UNDONE}: {label}", lambda bench: bench.editing.undo())
        if current is not None and current.accepts and not dropped:
            sign = "guards enforce again what was accepted before; the key y undoes the acceptance: "
            kept = Say("It stays accepted.")
            self._app.commanding.type_in(if_yes(sign, undo, lambda: self._app.say(kept)))
        else:
            undo()

    def do_redo(self) -> None:
        """Redo the last undone change."""
        self._app.acts.do("Redone", lambda bench: bench.session.redo())


_MOST_CHANGES = 100

_KEYS = "y keeps it · Esc leaves it out"
_OUTSIDE_KEYS = "y takes it over · n writes back what was there · Esc later"


class Announcement(ModalScreen[bool | None]):
    """Shows a change; returns True to keep it, False to reject it, None to decide later."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)"),
        Binding("n", "answer(False)"),
        Binding("escape", "answer(None)"),
    ]

    def __init__(self, label: str, before: SessionState, after: SessionState, keys: str) -> None:
        """Show the difference of two states of a session."""
        super().__init__()
        self._label = label
        self._before = before
        self._after = after
        self._keys = keys

    def compose(self) -> ComposeResult:
        """A pane with all changes; its title has the keys."""
        with Vertical():
            yield Pane(self._label, id="announced")

    def on_mount(self) -> None:
        """Fill the pane."""
        pane = self.query_one("#announced", Pane)
        pane.fill(partial(_announced_rows, self._before, self._after), note=self._keys)
        pane.focus()

    def action_answer(self, keep: bool | None) -> None:
        """Close the screen with an answer: keep (True), reject (False), later (None)."""
        self.dismiss(keep)


def _announced_rows(before: SessionState, after: SessionState) -> Iterator[Row]:
    """The counts of all changes in a line, then each change with both versions."""
    changes = what_changed(before, after)
    for problem in after.problems:
        yield paragraph(bad(f"✗ {one_line(str(problem))}"), indent=1, hang=2)
    if not changes:
        yield paragraph(muted("It changes no rule, clause, case, question or decision."))
        return
    yield from (paragraph(*(line(part, "   ") for part in changed_parts(changes))), BLANK)
    every = sorted(stops(changes), key=lambda stop: not isinstance(stop.change, RuleChange))
    for number, stop in enumerate(every[:_MOST_CHANGES]):
        yield from (*change_rows(stop.change, before, after, f"change:{number}"), BLANK)
    if (more := len(every) - _MOST_CHANGES) > 0:
        yield paragraph(muted(f"and {more:,} more"))

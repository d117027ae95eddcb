"""The application: one session, five views over its state, and what the last act changed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import ClassVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.timer import Timer
from textual.widgets import ContentSwitcher, Input, TextArea

from workbench.app.session_state import SessionState
from workbench.tui.acts import Acts
from workbench.tui.announcing import Announcing
from workbench.tui.chooser import Chooser
from workbench.tui.first_minute import FirstMinute
from workbench.tui.keys import BY_ID, KeyHint, bindings, command_offers, commands, hints
from workbench.tui.messages import (
    Act,
    Announced,
    Ask,
    Choose,
    EvidenceWanted,
    FilesTouched,
    Found,
    Freed,
    Go,
    LogGrew,
    LogWanted,
    Progress,
    Say,
    StateFound,
    TypeIn,
)
from workbench.tui.personal import Personal
from workbench.tui.places import Place, PlaceHistory, ViewName
from workbench.tui.remembered import Remembered
from workbench.tui.reporting import report_wanted
from workbench.tui.session_list import session_offers
from workbench.tui.telling import Teller
from workbench.tui.themes import following, take_themes
from workbench.tui.views import all_views
from workbench.tui.views.view import SMALL, View
from workbench.tui.walking import Walk, version_wanted
from workbench.tui.widgets.changed_line import ChangedLine
from workbench.tui.widgets.code_editor import CodeEditor
from workbench.tui.widgets.key_line import KeyLine
from workbench.tui.widgets.lines import LineList
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.prompt import Prompt
from workbench.tui.widgets.status_line import StatusLine
from workbench.tui.widgets.step_list import StepList

ACROSS = [(0, "-small"), (SMALL.width, "-medium"), (160, "-large")]
DOWN = [(0, "-low"), (SMALL.height, "-tall")]
EDIT = "Edit"
EACH = 1.0
"""Seconds between two looks at what goes on."""
JUDGE_AFTER = 0.8
"""Seconds without a key after which an edit is tested and proved."""


VIEW_STYLES = [f"views/{view.value}/view.tcss" for view in ViewName]
"""Beside each view; what they say depends on the size of the screen, so they are no default of a widget."""


class WorkbenchApp(App[None]):
    """Holds the session's state, gives it to the views, and does what they ask."""

    TITLE = "Policy workbench"
    CSS_PATH: ClassVar[list[str | PurePath] | str | PurePath | None] = [
        "app.tcss",
        "views/view.tcss",
        *VIEW_STYLES,
    ]
    AUTO_FOCUS = ""
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = ACROSS
    VERTICAL_BREAKPOINTS = DOWN
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    def __init__(
        self,
        path: Path,
        remembered: Remembered | None = None,
        *,
        told: str = "",
        guided: bool = False,
        followed: Path | None = None,
    ) -> None:
        """Open the session in a folder when the screen is there.

        ``told`` is said then; with ``guided`` the first minute begins. A log that is ``followed`` is shown as
        it grows.
        """
        super().__init__()
        self._path = path
        self._remembered = remembered or Remembered()
        self._told = told
        self._guided = guided
        self._followed = followed
        self._personal = Personal(self, self._remembered)
        self.next_session: Path | None = None
        self._acts = Acts(self, path)
        self._history = PlaceHistory()
        self._walk = Walk()
        self._teller = Teller(self, self._keys)
        self._announcing = Announcing(self, self._acts)
        self._state: SessionState | None = None
        self._name = path.resolve().name
        self._waiting: Timer | None = None
        self.fatal = ""

    def compose(self) -> ComposeResult:
        """The status over the views over what changed over the keys."""
        yield StatusLine(id="status")
        with ContentSwitcher(id="views", initial=ViewName.AUTHOR.value):
            yield from all_views()
        yield FirstMinute()
        yield ChangedLine(id="changed")
        yield Prompt()
        yield KeyLine(id="keys")

    def on_mount(self) -> None:
        """Take the person's theme, keys and view, and begin to read the session."""
        take_themes(self, self._remembered.text("theme"))
        self._personal.take_keys()
        self.query_one(StatusLine).show(SessionState(self._name), ViewName.AUTHOR)
        if (name := self._remembered.text("view")) in [*ViewName] and not self._guided:
            self.action_view(name)
        self.view.mark(self.view.first)
        self.view.first.focus()
        if self._told:
            self._say(Say(self._told))
        if self._guided:
            self.query_one(FirstMinute).begin()
        self.set_interval(EACH, self._each_second)
        self._acts.open()

    # --- what is known

    @property
    def busy(self) -> bool:
        """Whether work runs, or is to begin by itself."""
        return self._waiting is not None or any(not worker.is_finished for worker in self.workers)

    @property
    def view(self) -> View:
        """The view in sight."""
        return self.query_one(f"#{self._history.here.view.value}", View)

    @on(StateFound)
    def _state_found(self, event: StateFound) -> None:
        if event.generation != self._acts.generation:
            return
        acted = event.acted.strip()
        if acted and not acted == EDIT == self._walk.label:
            self._walk.begin(acted, self._state)
        if acted:
            self._teller.clear()
        self._state = event.find(self._state or SessionState(self._name))
        self._walk.take(self._state)
        if event.acted:
            self._judge_soon(0.0 if acted != EDIT else JUDGE_AFTER)
        self._draw()
        if event.acted and (followed := self._followed) is not None:
            self._followed = None
            self.action_view(ViewName.RUNS.value)
            self._acts.open_log(followed, follow=True)

    def _judge_soon(self, seconds: float) -> None:
        """Run the cases, prove and find out more once nothing was typed for so long."""
        generation = self._acts.generation

        def judge() -> None:
            self._waiting = None
            if self._state is not None and generation == self._acts.generation:
                self._acts.judge(self._state)

        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(seconds, judge) if seconds else None
        if not seconds:
            judge()

    @on(CodeEditor.Edited)
    def _edited(self, event: CodeEditor.Edited) -> None:
        if self._state is not None:
            self._acts.edit(self._state, event.policy)

    @on(CodeEditor.Left)
    def _left_editor(self, event: CodeEditor.Left) -> None:
        self.view.current.focus()
        if event.changed or (self._state is not None and self._state.policy != event.policy):
            self._acts.do(EDIT, lambda bench: bench.editing.keep_or_store(event.policy))
        elif self._state is not None:
            self.view.show(self._state)
        self._look_outside()

    def _draw(self) -> None:
        if self._state is None:
            return
        here = self._history.here
        if self.query_one(FirstMinute).take(self._state, self._walk, here):
            self._end_first_minute("That is all: ? shows every key, and nothing here can be lost.")
        self.query_one(StatusLine).show(self._state, here.view)
        self.view.show(self._state)
        self._draw_lines()

    def _draw_lines(self) -> None:
        self.query_one(ChangedLine).show(self._walk)
        self._teller.draw()

    def _keys(self) -> Sequence[KeyHint]:
        return (*self.view.own_hints(), *hints(self.view.standing, self._personal.keys))

    @on(Say)
    def _say(self, event: Say) -> None:
        if event.fatal:
            self.fatal = event.text
            self.exit(return_code=1)
        else:
            self._teller.say(event)

    @on(Progress)
    def _progress(self, event: Progress) -> None:
        self._teller.take(event)

    def _each_second(self) -> None:
        """Tell how long the work has run; look whether the session can be changed by now."""
        self._teller.look()
        if self._state is not None and self._state.read_only:
            self._acts.look_for_lock()

    # --- going somewhere

    @on(Go)
    def _go(self, event: Go) -> None:
        self._history.go(event.place)
        self._show_place(event.place)

    def _show_place(self, place: Place) -> None:
        switcher = self.query_one("#views", ContentSwitcher)
        switcher.current = place.view.value
        view = self.view
        if self._state is not None:
            view.show(self._state)
        view.go(place)
        if self.focused is None or view not in self.focused.ancestors:
            view.current.focus()
        self._draw()

    def action_view(self, name: str) -> None:
        """Go to a view as it was left."""
        self._remembered.put("view", name)
        self._history.go(Place(ViewName(name)))
        self._show_place(self._history.here)

    async def action_back(self) -> None:
        """Stop what was asked for, end the walk, undo what narrows the view, else go back."""
        pane = self.view.current
        if self._teller.going_on.stoppable:
            self._acts.stop()
        elif self._walk.end():
            self._draw_lines()
        elif self.query_one(FirstMinute).running:
            self._end_first_minute("The first minute is put away; workbench tour shows it again.")
        elif isinstance(pane, Pane | StepList) and pane.narrowed:
            pane.narrow("")
        elif self.view.leave_what_is_begun():
            self._draw_lines()
        elif (place := self._history.back()) is not None:
            self._show_place(place)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In a text Tab is the text's own."""
        if action == "next_pane" and isinstance(self.focused, CodeEditor):
            return False
        return super().check_action(action, parameters)

    def action_next_pane(self, direction: int) -> None:
        """Give the focus to the next pane of the view."""
        panes = self.view.panes
        place = panes.index(self.view.current)
        following = panes[(place + direction) % len(panes)]
        self.view.mark(following)
        following.focus()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is the one that small screens show; its keys are told."""
        if event.widget is self.focused and event.widget in self.view.panes:
            self.view.mark(event.widget)
            self._draw_lines()
        elif event.widget is self.focused and isinstance(event.widget, CodeEditor):
            self._draw_lines()

    def action_zoom(self) -> None:
        """Give the pane in focus the whole view, or give it back."""
        self.view.toggle_class("-zoomed")

    def on_key(self, event: events.Key) -> None:
        """A digit takes the numbered option in sight."""
        if event.character is not None and event.character in "123456789":
            event.stop()
            self.view.choose_number(int(event.character))

    def action_do(self, action: str) -> None:
        """Do an action of the view in sight, or say that there is nothing to do it to."""
        if not self.view.do(action):
            named = BY_ID[action].key_of(self._personal.keys) or BY_ID[action].named
            self._say(Say(f"There is nothing here for {named}."))

    def action_find(self) -> None:
        """Narrow the pane in focus by typed words."""
        pane = self.view.current
        if not isinstance(pane, Pane | StepList):
            return

        def leave(text: str | None) -> None:
            if text is not None:
                pane.narrow(text)
            pane.focus()

        self.query_one(Prompt).ask("/", "", pane.narrow, leave)

    def action_commands(self) -> None:
        """Offer every command, those of the pane in focus first."""
        offers = command_offers(self.view.standing, self._personal.keys)
        self.push_screen(Chooser("Commands", offers), self._command)

    async def _command(self, chosen: str | None) -> None:
        if chosen:
            action = BY_ID[chosen]
            if action.id == "choose":
                self.view.current.action_choose()
            elif not action.listed:
                await self.run_action(action.called)

    def action_help(self) -> None:
        """Every key, under what the view shows."""
        shown = ("", " ".join((self.view.HELP or "").split()), "")
        offers = [shown, *command_offers(self.view.standing, self._personal.keys)]
        self.push_screen(Chooser("Keys", offers), self._command)

    def action_theme(self) -> None:
        """Take the next theme."""
        self.theme = following(self.theme)
        self._remembered.put("theme", self.theme)

    def _end_first_minute(self, told: str) -> None:
        self.query_one(FirstMinute).end()
        self._remembered.put("toured", True)
        self._say(Say(told))

    @on(StatusLine.Wanted)
    def _view_clicked(self, event: StatusLine.Wanted) -> None:
        self.action_view(event.view.value)

    @on(KeyLine.Wanted)
    async def _key_clicked(self, event: KeyLine.Wanted) -> None:
        if not event.key:
            self.action_stop()
            return
        known = commands(self.view.standing)
        action = next((one for one in known if one.key_of(self._personal.keys) == event.key), None)
        await self._command(action.id if action is not None else None)

    @on(LineList.Copied)
    async def _copied(self, event: LineList.Copied) -> None:
        self._say(await self._personal.copy(event.text))

    def action_editor(self) -> None:
        """Edit what stands at the cursor in the person's own editor."""
        if not isinstance(self.focused, TextArea) and not self.view.do("edit"):
            self._say(Say("There is nothing here to edit."))
        else:
            self.call_after_refresh(self._edit_outside)

    def _edit_outside(self) -> None:
        if isinstance(self.focused, TextArea):
            self._say(self._personal.edit(self.focused))

    def action_open(self) -> None:
        """Open what the view opens (a log), else another session."""
        if not self.view.do("open"):
            self.action_sessions()

    def action_sessions(self) -> None:
        """Choose another session; this one is closed."""
        offers = session_offers(self._remembered.recent, self._path.resolve().parent)
        self._choose(Choose("Sessions", offers, self._open_next))

    async def _open_next(self, chosen: str) -> None:
        self.next_session = Path(chosen)
        await self.action_quit()

    # --- what changed

    @on(ChangedLine.Wanted)
    def _walk_wanted(self) -> None:
        self.action_walk(1)

    def action_walk(self, direction: int) -> None:
        """Go to the next thing that the last act changed, or to the one before; both versions are shown."""
        stop = self._walk.go(direction)
        if stop is not None and stop.place is not None:
            self._go(Go(stop.place))
        else:
            self._draw_lines()

    def action_report(self) -> None:
        """Write the session as one page, for an audit."""
        self.post_message(report_wanted(self._name, self.post_message))

    def action_since(self) -> None:
        """Choose the version that the present state is compared with."""
        if self._state is not None:
            self._choose(version_wanted(self._state, self._acts.find, self._compared))

    def _compared(self, label: str, before: SessionState) -> None:
        if self._state is not None:
            self._walk.begin(label, before)
            self._walk.take(self._state)
            self._draw_lines()

    # --- changing the session

    @on(Act)
    def _act(self, event: Act) -> None:
        if event.announced:
            self._say(Say(f"{event.label}: tried on a copy first, to show what it changes"))
            self._acts.announce(event.label, event.work)
        else:
            self._acts.do(event.label, event.work, event.failed)

    @on(Announced)
    def _announced(self, event: Announced) -> None:
        if event.generation == self._acts.generation and self._state is not None:
            self._teller.clear()
            self._announcing.show(event, self._state)
        else:
            self._announcing.left(event)

    @on(FilesTouched)
    def _files_touched(self) -> None:
        self._announcing.touched = True
        self._look_outside()

    def _look_outside(self) -> None:
        typing = isinstance(self.focused, TextArea | Input)
        if self._state is not None and not typing and not self.screen.is_modal:
            self._announcing.look(self._state.policy)

    @on(Freed)
    def _freed(self) -> None:
        self._acts.open()
        self._say(Say("The other window has ended: the session can be changed here."))

    def action_stop(self) -> None:
        """Stop everything that runs: model calls, imports, measures, and the proof."""
        self._acts.stop()
        self._acts.stop_proof()

    @on(Choose)
    def _choose(self, event: Choose) -> None:
        def chosen(key: str | None) -> None:
            if key:
                self.call_next(event.chosen, key)

        self.push_screen(Chooser(event.name, event.offers), chosen)

    @on(TypeIn)
    def _type_in(self, event: TypeIn) -> None:
        back = self.focused or self.view.current

        def left(text: str | None) -> None:
            back.focus()
            if text is not None and text.strip():
                event.typed(text)

        self.query_one(Prompt).ask(event.sign, event.text, lambda _text: None, left)

    @on(LogWanted)
    def _log_wanted(self, event: LogWanted) -> None:
        if event.path is None:
            self._acts.unfollow()
        else:
            self._acts.open_log(event.path, follow=event.follow)

    @on(LogGrew)
    def _log_grew(self) -> None:
        if self._state is not None:
            self._acts.read_on(self._state)

    @on(Ask)
    def _asked(self, event: Ask) -> None:
        self._acts.find(event)

    @on(Found)
    def _found(self, event: Found) -> None:
        if self._acts.wanted(event):
            event.show()

    @on(EvidenceWanted)
    def _evidence_wanted(self) -> None:
        if self._state is not None:
            self._acts.measure(self._state)

    def action_undo(self) -> None:
        """Undo the last change of the session."""
        state = self._state
        if state is not None and not state.edited and not any(one.current for one in state.versions):
            self._say(Say("There is nothing to undo."))
            return
        last = next((one.label for one in state.versions if one.current), "") if state is not None else ""
        self._acts.do(f"Undone: {last}" if last else "Undone", lambda bench: bench.editing.undo())

    def action_redo(self) -> None:
        """Redo the last undone change."""
        self._acts.do("Redone", lambda bench: bench.session.redo())

    async def action_quit(self) -> None:
        """End all work and leave."""
        typed = next((editor.policy for editor in self.query(CodeEditor) if editor.display), None)
        await asyncio.to_thread(self._acts.close, typed)
        self.exit()

    def close(self) -> None:
        """Release the session, however the screen ended."""
        self._acts.close()

"""The application: one session, five views over its state, and the changes of the last act.

The state of the session as far as it is known, and the start of the work on each newer state.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import Any, ClassVar, override

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Input, TextArea

from workbench.app.session_state import SessionState
from workbench.tui import messages
from workbench.tui.change_walk import ChangedLine, Walk
from workbench.tui.command_choice import Commanding
from workbench.tui.keyed_app import KeyedApp, Typed
from workbench.tui.keys import BY_ID, EDITOR, NEXT, KeyHint, bindings, done_by_any, hints
from workbench.tui.known_state import KnownState
from workbench.tui.messages import Choose, LogWanted, Say, ViewName
from workbench.tui.navigation import Going
from workbench.tui.new_session import Opened
from workbench.tui.personal_settings import Personal
from workbench.tui.screen_memory import Remembered
from workbench.tui.session_acts import Acts
from workbench.tui.settled_screen import SettledScreen
from workbench.tui.themes import take_themes
from workbench.tui.views.author.view import AuthorView
from workbench.tui.views.evidence.view import EvidenceView
from workbench.tui.views.memory.view import MemoryView
from workbench.tui.views.policy.view import PolicyView
from workbench.tui.views.runs.live_agent import Living
from workbench.tui.views.runs.view import RunsView
from workbench.tui.views.view import NARROW, UNKNOWN, WIDE, View
from workbench.tui.widgets.call_lines import CallLines
from workbench.tui.widgets.code_editor import CodeEditor
from workbench.tui.widgets.first_minute import FirstMinute
from workbench.tui.widgets.key_line import REDRAW_SECONDS, KeyLine
from workbench.tui.widgets.prompt import Prompt
from workbench.tui.widgets.sentence_editor import SentenceEditor
from workbench.tui.widgets.status_line import StatusLine
from workbench.tui.widgets.text_editor import TextEditor
from workbench.tui.worker_threads import LEAVING_SECONDS, TypedFile, Working, WorkThreads

ACROSS = [(0, "-narrow"), (NARROW.width, "-small"), (WIDE, "-medium"), (160, "-large")]
DOWN = [(0, "-low"), (NARROW.height, "-tall")]
VIEW_STYLES = [f"views/{view.value}/view.tcss" for view in ViewName]
"""The styles of the views. They depend on the screen's size, so they are not default styles of a widget."""


_LEAVING = (
    ("stay", "stay", "go on watching"),
    ("stop", "stop", "stop the agent and say how its runs ended; q then leaves"),
    ("leave", "leave", "stop the agent and leave"),
)


class WorkbenchApp(KeyedApp[None]):
    """Composes the screen of its parts, and passes each message on to a part.

    The visible view does an action of the table if it can. Otherwise the first part with a method
    ``do_ACTION`` does it.
    """

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
        notice: str = "",
        guided: bool = False,
        begin: Callable[[WorkbenchApp], object] | None = None,
    ) -> None:
        """Prepare the app; it reads the session in the folder when the screen is mounted.

        ``notice`` is shown then; with ``guided`` the first minute begins. ``begin`` is called in Runs once
        the session is read: a log is followed, or an agent acts.
        """
        super().__init__()
        self._notice = notice
        self._guided = guided
        self._begin = begin
        self.remembered = remembered or Remembered()
        take_themes(self, self.remembered.text("theme"))
        self.work = Working(self, path)
        self.acts = Acts(self)
        self.known = KnownState(self)
        self.teller = KeyLine(self._keys, lambda key: self.commanding.key_clicked(key))
        self.going = Going(self)
        self.commanding = Commanding(self)
        self.personal = Personal(self)
        self.views: Sequence[View] = ()
        self.left_text = False
        self.next_session: Opened | None = None
        self.fatal = ""
        self._leaving_seconds = LEAVING_SECONDS

    @override
    def get_default_screen(self) -> Screen[object]:
        """The screen of the views."""
        return SettledScreen(id="_default")

    def compose(self) -> ComposeResult:
        """The status line, the views, the first minute, the changes, the line of keys and the prompt."""
        views = self.views = (AuthorView(), PolicyView(), RunsView(), MemoryView(), EvidenceView())
        yield StatusLine(id="status")
        yield from (view.box for view in views if isinstance(view, RunsView))
        with ContentSwitcher(id="views", initial=ViewName.AUTHOR.value):
            yield from views
        yield FirstMinute()
        yield ChangedLine(id="changed")
        with Vertical(id="foot"):
            yield from (self.teller, Prompt())

    def on_mount(self) -> None:
        """Take the person's theme, keys and view, and begin to read the session."""
        asyncio.get_running_loop().set_default_executor(WorkThreads())
        self.personal.take_keys()
        self.query_one(StatusLine).show(SessionState(self.work.path.resolve().name), ViewName.AUTHOR)
        if (name := self.remembered.view_of(self.work.path)) in [*ViewName] and not self._guided:
            self.going.begin_in(ViewName(name))
        self.watch(self.screen, "focused", self.going.focused, init=False)
        self.view.first.focus()
        if self._notice:
            self.say(Say(self._notice))
        if self._guided:
            self.query_one(FirstMinute).begin()
        self.set_interval(REDRAW_SECONDS, self._each_second)
        self.acts.open()

    # --- the known state

    @property
    def busy(self) -> bool:
        """Whether work runs, or is scheduled."""
        return self.known.waiting or any(not worker.is_finished for worker in self.workers)

    @property
    def state(self) -> SessionState:
        """The state of the session."""
        return self.known.state

    @property
    def walk(self) -> Walk:
        """The walk through the changes of the last act."""
        return self.known.walk

    @property
    def view(self) -> View:
        """The visible view."""
        return self.going.view

    @property
    def living(self) -> Living:
        """The agent that acts, and its calls that wait for an answer."""
        return self.query_one(RunsView).living

    def draw(self) -> None:
        """Draw everything that shows the state."""
        self.view.show(self.state)
        self.draw_around()

    def draw_around(self) -> None:
        """Draw what stands around the view."""
        if self.state is not UNKNOWN:
            self._guide()
            self.query_one(StatusLine).show(self.state, self.going.here.view)
            self.draw_lines()

    def _guide(self) -> None:
        """Go on in the first minute if its step is done."""
        here = self.view
        verdict = here.chosen.decision.verdict if isinstance(here, RunsView) and here.chosen else None
        if self.query_one(FirstMinute).take(self.walk, verdict, self.going.here.kind):
            self.end_first_minute("That is all: ? shows every key, and nothing here can be lost.")

    def draw_lines(self) -> None:
        """Draw the line of changes and the line of keys."""
        self.query_one(ChangedLine).show(self.walk)
        self.teller.draw()

    def _keys(self) -> Sequence[KeyHint]:
        view, own_keys = self.view, self.personal.keys
        if view.standing == EDITOR:  # in a text the keys of the view type letters
            text = self.focused
            if isinstance(text, SentenceEditor | CallLines):
                return text.hints
            return hints(
                EDITOR, own_keys, {"leave_text": text.leaves} if isinstance(text, TextEditor) else {}
            )
        if isinstance(text := self.focused, Input) and isinstance(text.parent, Prompt):
            return ()
        wide = [(BY_ID["back"].key_of(own_keys), "show all")] if view.narrowed and not view.entered else []
        words = {NEXT: self.going.left, **view.words_at_cursor()}
        return (*self._numbered.own_hints(), *wide, *hints(view.standing, own_keys, words))

    @property
    def _numbered(self) -> View:
        """The view whose numbered options the digits choose: a call that waits for an answer goes first."""
        return self.query_one(RunsView) if self.living.is_asking else self.view

    def _each_second(self) -> None:
        """Redraw how long work has run; look at what other programs changed, and whether the lock is free."""
        self.teller.look()
        self.acts.look_outside()  # what came while a text was edited or a dialog was open
        if self.state.read_only:
            self.acts.look_for_lock()

    def end_first_minute(self, notice: str) -> None:
        """Put the first minute away, and show a sentence."""
        self.query_one(FirstMinute).display = False
        self.say(Say(notice))

    def say(self, say: Say) -> None:
        """Show the person a sentence; a fatal one ends the app."""
        if say.fatal:
            self.fatal = say.text
            self.exit(return_code=1)
        else:
            self.teller.say(say)

    def _handle_exception(self, error: Exception) -> None:
        """End the screen after a bug, with a report. Called by Textual.

        Textual would draw all values of the functions that failed: minutes and gigabytes of a session.
        """
        from workbench.app.crash_report import write_crash_report

        if self._exception is None:
            self._exception = error  # a test that drives the screen raises it again
            self._exception_event.set()
        if not self.fatal:
            bug = f"The screen stopped: the workbench has a bug ({type(error).__name__}: {error})"
            self.fatal = f"{bug}; the report is in {write_crash_report(error, ('screen',))}."
        self._return_code = 1
        self._close_messages_no_wait()

    # --- actions

    @override
    def copy_to_clipboard(self, text: str) -> None:
        self._clipboard = text  # what Ctrl+V writes in an editor
        self.run_worker(self.personal.copy(text))

    async def action_do(self, action: str) -> None:
        """Do an action of the table, or say that there is nothing to apply it to."""
        if action == "edit" and self.state.read_only:
            self.say(Say(self.state.read_only))
            return
        parts = (self.going, self.acts, self.commanding, self.personal)
        known = self.state is not UNKNOWN
        if not (known and self.view.do(action)) and not done_by_any(parts, action):
            named = BY_ID[action].key_of(self.personal.keys) or BY_ID[action].named
            self.say(Say(f"There is nothing here for {named}."))

    def action_view(self, name: str) -> None:
        """Go to a view, to its first pane: a text that is pasted there is for what it shows."""
        self.going.to_view(ViewName(name))

    @override
    async def hand_on(self, typed: Typed) -> None:
        """Give a key to the focus; that Esc left a text is known until the next key is done."""
        escapes = isinstance(typed, events.Key) and typed.key == "escape"
        if not escapes or isinstance(self.focused, TextArea):
            self.left_text = escapes
        await super().hand_on(typed)

    def on_key(self, event: events.Key) -> None:
        """Choose the numbered option of a digit, unless the digit was typed before the option was visible."""
        if event.character is not None and event.character in "123456789":
            event.stop()
            living = self.living if self.living.is_asking else None
            if event.time < (living.came if living else self.view.options_came):
                self.say(Say(f"{event.character} was typed before this was asked; press it again to choose."))
            elif living is None or not living.point_out():
                self._numbered.choose_number(int(event.character))

    async def action_quit(self) -> None:
        """Leave once what was done is stored, the second time at once; while an agent acts, ask first."""
        living = self.living
        if self.work.closing:
            self._leaving_seconds = 0.0
            self.exit()
            return
        if not living.acts:
            self.leave()
            return

        opened, self.next_session = self.next_session, None

        def chosen(key: str) -> None:
            if key != "stay":
                living.stop()
            if key == "leave":
                self.next_session = opened
                self.call_next(self.leave)

        self.commanding.choose(Choose("An agent acts under the policy", _LEAVING, chosen))

    def leave(self) -> None:
        """End all work, then leave; meanwhile the screen stays. With open questions Author opens next."""
        if self.state is not UNKNOWN:
            view = ViewName.AUTHOR if self.state.open else self.going.here.view
            self.remembered.opened(self.work.path, view.value)
        self.work.close(self._typed())
        self.set_timer(REDRAW_SECONDS, self._tell_leaving)

    def _tell_leaving(self) -> None:
        if self.work.closing:
            waits = "What was begun is being finished; the same key again leaves without it."
            self.say(Say(waits, problem=True))

    def on_exit_app(self) -> None:
        """Keep what was typed, however the screen ends."""
        self.work.close(self._typed())

    def _typed(self) -> TypedFile | None:
        """The file in the editor that is open, if one is."""
        open_editors = (one for one in self.query(CodeEditor) if one.display)
        return next((TypedFile(one.policy, is_policy=one.is_policy) for one in open_editors), None)

    def close(self) -> None:
        """Release the session, however the screen ended."""
        self.work.close(self._typed()).join(self._leaving_seconds)

    def begin_in_runs(self) -> None:
        """Begin once what the screen was started for."""
        if (begin := self._begin) is not None:
            self._begin = None
            self.going.to_view(ViewName.RUNS)
            begin(self)

    # --- messages of workers and widgets

    def on_hints_changed(self) -> None:
        """Tell the keys of the item at the cursor."""
        self._guide()
        self.teller.draw()

    def on_progress(self, event: messages.Progress) -> None:
        """Show how far work is."""
        self.teller.take(event)

    def on_say(self, event: Say) -> None:
        """Show a sentence."""
        self.say(event)

    def on_act(self, event: messages.Act) -> None:
        """Change the session."""
        self.acts.act(event)

    def on_ask(self, event: messages.Ask[Any]) -> None:
        """Find something in a thread."""
        self.known.find(event)

    def on_choose(self, event: Choose[Any]) -> None:
        """Let the person choose."""
        self.commanding.choose(event)

    @on(CodeEditor.Edited)
    def _edited(self, event: CodeEditor.Edited) -> None:
        self.known.edit(event.policy)

    @on(CodeEditor.Left)
    def _left_editor(self, event: CodeEditor.Left) -> None:
        self.view.current.focus()
        if not self.known.keep_text(event):
            self.view.show(self.state)

    def on_exception_wanted(self, event: messages.ExceptionWanted) -> None:
        """Begin an exception in Author."""
        self.going.to_view(ViewName.AUTHOR)
        self.query_one(AuthorView).begin_exception(event)

    async def on_go(self, event: messages.Go) -> None:
        """Show a place, and do there what is to be done."""
        self.going.go(event.place)
        if event.then:
            await self.action_do(event.then)

    def on_log_wanted(self, event: LogWanted) -> None:
        """Open or follow a log, or stop following."""
        if event.path is None:
            self.acts.unfollow()
        else:
            self.acts.open_log(event.path, follow=event.follow, failed=event.failed)

    def on_type_in(self, event: messages.TypeIn) -> None:
        """Let the person type a line."""
        self.commanding.type_in(event)

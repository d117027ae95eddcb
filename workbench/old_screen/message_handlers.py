"""What the screen holds and how it takes what workers tell; the layout and the keys are in ``app``."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from textual import on
from textual.events import Event
from textual.timer import Timer
from textual.widget import Widget

from workbench.clean_text import one_line
from workbench.old_screen import messages, themes
from workbench.old_screen import screen_state as boards
from workbench.old_screen.background_work import Live
from workbench.old_screen.named_widgets import PartsApp
from workbench.old_screen.remembered_settings import RememberedSettings
from workbench.old_screen.screen_state import ScreenState
from workbench.old_screen.state import Cases, Contents, Replayed, StageName
from workbench.old_screen.widgets.pipeline_line import PipelineLine
from workbench.old_screen.widgets.tabs import PaneTabs

if TYPE_CHECKING:
    from workbench.model import Question
    from workbench.old_screen.port import Port
    from workbench.old_screen.widgets.editor import Editor

QUEUED = 16
SHOW_AFTER = 0.1  # seconds that the panes wait for what follows an edit, to be drawn once and not thrice
type Severity = Literal["information", "warning", "error"]


class MessageHandlersApp(PartsApp, inherit_bindings=False):
    """Holds the board, starts work and draws what comes back."""

    def __init__(self, port: Port, remembered: RememberedSettings | None = None, session: str = "") -> None:
        """Show the session behind ``port``; what the person prefers is ``remembered``.

        ``session`` is its name, shown until the session is read.
        """
        super().__init__()
        themes.take_themes(self)
        self._port = port
        self._remembered = remembered or RememberedSettings()
        if self._remembered.theme in themes.THEMES:
            self.theme = self._remembered.theme
        self._live = Live(self, port)
        self._board = ScreenState(Contents(session, "", "", ""))
        self._wanted = ""
        self._aside = False
        self._editing = False
        self._current = "policy"
        self._filled = False
        self._early: deque[Event] = deque()
        self._ending = False
        self._extra: Question | None = None
        self._queued: deque[Callable[[], None]] = deque()
        self._editor: Editor | None = None
        self._drawing: Timer | None = None
        self.fatal = ""
        self.fatal_code = 2

    @property
    def board(self) -> ScreenState:
        """What is shown."""
        return self._board

    @property
    def busy(self) -> bool:
        """Whether work runs or is to begin by itself."""
        workers = any(not worker.is_finished for worker in self.workers)
        return not self._board.loaded or workers or self._live.waiting or self._drawing is not None

    @property
    def changing(self) -> bool:
        """Whether the session is being read or changed, so that no other change can begin."""
        return StageName.CLARIFY in self._board.running or not self._board.loaded

    def keep_typed(self) -> None:
        """Store what was typed last, however the screen ended (a signal, a closed window, a defect)."""
        self._live.flush(self._editor.text if self._editor is not None else None)

    # --- what workers tell

    @on(messages.Loaded)
    def _loaded(self, event: messages.Loaded) -> None:
        first = not self._board.loaded
        contents = event.contents
        self._board = replace(self._board, contents=contents, loaded=True)
        self._board = boards.done(self._board, StageName.CLARIFY)
        if event.stored:
            self._show()
            return
        policy = self.policy_pane
        self._editor = policy.editor
        policy.editor.read_only = False
        policy.show_text(contents.policy)
        self._live.show(contents.policy, stored=not contents.kept)
        tests = Cases(event.tests.cases, self._board.tests.results, stale=bool(self._board.tests.results))
        self._board = replace(self._board, tests=tests)
        self._run(contents.policy)
        self._ask(focus=first or self.focused is self.options)
        if event.why or contents.notice:
            self._say(" ".join(part for part in (event.why, contents.notice) if part))
        if first:
            self.first_shown()
        self._change_next()

    @on(messages.StepsLoaded)
    def _steps_loaded(self, event: messages.StepsLoaded) -> None:
        replayed = Replayed(steps=event.steps, unreadable=event.unreadable)
        self._board = replace(self._board, replayed=replayed)
        if self._board.verdicts.terms is not None:
            self._live.decide(self._board.verdicts.terms)
        if event.unreadable:
            self._say(f"{event.unreadable} log records could not be read.", severity="warning")
        self._show()

    @on(messages.Checked)
    def _checked(self, event: messages.Checked) -> None:
        if event.generation == self._live.generation:
            self._board = boards.checked(self._board, event.terms, event.problems)
            if event.terms is not None and self._board.replayed.stale:
                self._show_soon()  # its decisions are next
            else:
                self._show()
            if event.terms is not None:
                text = self.policy_pane.text
                self._live.prove_and_test(event.terms, text, wait=self._editing)

    @on(messages.Previewed)
    def _previewed(self, event: messages.Previewed) -> None:
        if event.generation == self._live.generation:
            self._put(boards.previewed(self._board, event.proof))

    @on(messages.ClauseProved)
    def _clause_proved(self, event: messages.ClauseProved) -> None:
        if event.generation == self._live.generation:
            self._put(boards.clause_proved(self._board, event.clause))

    @on(messages.Proved)
    def _proved(self, event: messages.Proved) -> None:
        if event.generation == self._live.generation:
            self._put(boards.proved(self._board, event.proof))

    @on(messages.Tested)
    def _tested(self, event: messages.Tested) -> None:
        if event.generation == self._live.generation:
            self._put(boards.tested(self._board, event.results))

    @on(messages.Decided)
    def _decided(self, event: messages.Decided) -> None:
        if event.generation == self._live.generation:
            self._put(boards.decided(self._board, event.decisions))

    @on(messages.ProverSays)
    def _prover_says(self, event: messages.ProverSays) -> None:
        if event.text != self._board.verdicts.progress:
            self._put(boards.prover_says(self._board, event.text))

    @on(messages.Failed)
    def _failed(self, event: messages.Failed) -> None:
        if event.stage is None:
            self._say(event.why, severity="error")
            return
        if event.generation not in (self._live.generation, -1):
            return
        if event.stage is StageName.CLARIFY and not self._board.loaded:
            self.fatal, self.fatal_code = event.why, event.exit_code
            self.exit(return_code=event.exit_code)
            return
        self._board = boards.failed(boards.done(self._board, event.stage), event.stage, event.why)
        if event.stage is StageName.CLARIFY:
            self._queued.clear()  # what was asked for next counted on this one
            self._resume()
            self._not_changed(event.why)
        self._say(event.why, severity="error")
        self._show()

    def _not_changed(self, why: str) -> None:
        """A change of the session came to nothing; who asked for it may want to know why."""

    @on(messages.Nothing)
    def _nothing(self, event: messages.Nothing) -> None:
        self._board = boards.done(self._board, StageName.CLARIFY)
        self._resume()
        if event.what:
            self._say(event.what)
        self._change_next()

    def _resume(self) -> None:
        """Go on with the text as it stands, after a change of the session came to nothing."""
        pane = self.policy_pane
        pane.editor.read_only = False
        self._run(pane.text)
        self._ask(focus=False)

    # --- inside

    def _change(
        self, work: Callable[[], Contents | None], why: str, nothing: str = "", *, store_first: bool = True
    ) -> None:
        """Change the session; the editor waits so that nothing typed meanwhile is lost.

        While another change runs it waits for it: who presses Ctrl+Z twice means both.
        """
        if self.changing:
            if self._board.loaded and len(self._queued) < QUEUED:
                self._queued.append(partial(self._change, work, why, nothing, store_first=store_first))
            return
        self._editing = False
        self._board = boards.settled(self._board)
        self.policy_pane.editor.read_only = True
        self._board = replace(boards.stale(self._board), running=frozenset({StageName.CLARIFY}))
        self._live.change(work, why, nothing, store_first=store_first)
        self._show()

    def _change_next(self) -> None:
        if self._queued:
            self._queued.popleft()()

    def _run(self, policy: str) -> None:
        running = frozenset({StageName.DRAFT, StageName.REPLAY})
        self._board = replace(boards.stale(self._board), running=running, failed={})
        self._live.run(policy)
        self._show()

    def _put(self, board: ScreenState) -> None:
        """Take the board and draw it."""
        self._board = board
        self._show()

    def _ask(self, *, focus: bool) -> None:
        """Show or put away the question panel, according to what is open and wanted."""
        contents = self._board.contents
        questions = (self._extra, *contents.open) if self._extra is not None else contents.open
        if self._wanted and self._wanted not in {question.id for question in questions}:
            questions = tuple(item for item in contents.questions if item.id == self._wanted) or questions
        asking = bool(questions) and not self._aside
        panel = self.question_panel
        answered = sum(contents.assumption(item.id) is not None for item in contents.questions)
        panel.show(contents.request, questions, self._wanted, answered)
        self.query_one("#workspace").set_class(asking, "-asking")
        if asking and focus:
            self._mark_current("question")
            focus_in(panel)
        elif self._current == "question":
            self.show_pane("policy")
            # Not into the text: another key meant for the question would be typed there.
            self.screen.set_focus(self.policy_pane)

    def first_shown(self) -> None:
        """The session is on the screen for the first time."""
        if not self._board.contents.open:
            self.screen.set_focus(self.policy_pane)

    def show_pane(self, pane: str) -> None:
        """Show a pane and give it the focus; the layout knows how."""
        raise NotImplementedError

    def _mark_current(self, pane: str) -> None:
        self._current = pane
        for node in self.query(".pane"):
            node.set_class(node.id == pane, "-current")
        self.query_one(PaneTabs).show(pane)

    def _show_soon(self) -> None:
        """Draw the board with what is found next, or after a moment.

        After an edit it is stale, mostly for some milliseconds: drawing that would take longer than
        deciding the steps anew. The line of the stages says it at once.
        """
        if self._drawing is None:
            self._drawing = self.set_timer(SHOW_AFTER, self._show)

    def _show_stages(self) -> None:
        self.query_one(PipelineLine).show(self._board.contents.name, boards.stages(self._board))

    def _show(self) -> None:
        """Draw the board."""
        if self._drawing is not None:
            self._drawing.stop()
            self._drawing = None
        if not self.is_running:
            return  # what was found while the screen is left has no widgets to be shown in
        board = self._board
        requirements = board.contents.requirements
        self._show_stages()
        if not self._filled:
            return
        if board.loaded:
            self.rail.show(board.contents)
            self.policy_pane.show(board.problems, board.verdicts, board.replayed)
            self.cases_pane.show(board.tests, requirements)
            self.proof_pane.show(board.verdicts, requirements)
        reading = not board.loaded or StageName.REPLAY in board.running
        self.replay_pane.show(board.replayed, "Reading the logs." if reading else "")

    def _say(self, text: str, *, severity: Severity = "information") -> None:
        self.notify(one_line(text), markup=False, severity=severity)


def focus_in(pane: Widget, *, typing: bool = False) -> None:
    """Give the focus to a pane, or to the first part of it that takes it, an entry last.

    Someone who comes back to filtered steps wants their keys, not to write into the filter. Nor does a way
    that leads to the policy lead into its text, unless the user was typing there or wants to.
    """
    from textual.widgets import Input

    from workbench.old_screen.widgets.policy import PolicyPane

    parts = sorted(pane.query("*").results(Widget), key=lambda node: isinstance(node, Input))
    nodes = (pane, *parts)
    if isinstance(pane, PolicyPane):
        if pane.has_focus_within and not typing:
            return
        nodes = tuple(parts) if typing or not pane.editor.display else nodes
    for node in nodes:
        if node.can_focus and node.display:
            pane.screen.set_focus(node)  # at once: the next key may have been typed already
            return

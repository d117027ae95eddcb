"""The workbench on the screen: it lays out panes, starts work, and shows what comes back."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.screen import Screen

from workbench.old_screen import messages
from workbench.old_screen import screen_state as boards
from workbench.old_screen.actions import BY_ID, PANES, bindings
from workbench.old_screen.guide_actions import GuideApp
from workbench.old_screen.inspection_actions import EXAMPLE
from workbench.old_screen.message_handlers import focus_in
from workbench.old_screen.palette import Commands, palette
from workbench.old_screen.plain import title
from workbench.old_screen.widgets.key_line import KeyLine
from workbench.old_screen.widgets.pipeline_line import PipelineLine
from workbench.old_screen.widgets.tabs import PaneTabs, Tab
from workbench.old_screen.widgets.workspace import Workspace

TABS = tuple(Tab(pane, BY_ID[f"go.{pane}"].keys.upper(), BY_ID[f"go.{pane}"].name) for pane in PANES)
ACROSS = [(0, "-small"), (100, "-medium"), (160, "-large")]
DOWN = [(0, "-low"), (30, "-tall")]


class WorkbenchApp(GuideApp):
    """One session on one screen. It holds the board; widgets only draw it."""

    TITLE = "Policy workbench"
    CSS_PATH = "app.tcss"
    AUTO_FOCUS = ""
    ENABLE_COMMAND_PALETTE = True
    COMMANDS = {Commands}  # noqa: RUF012 - Textual's type
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]
    HORIZONTAL_BREAKPOINTS = ACROSS
    VERTICAL_BREAKPOINTS = DOWN

    def compose(self) -> ComposeResult:
        """The pipeline line over the empty panes over the footer.

        The screen knows its size class before the first pane is there, so that no layout is drawn twice.
        """
        self.screen.add_class(*size_classes(self.size))
        yield PipelineLine(id="pipeline")
        yield PaneTabs(TABS, id="tabs")
        with Workspace(id="workspace"):
            yield from (empty_pane(tab) for tab in TABS if tab.pane != "question")
        yield KeyLine()

    def on_mount(self) -> None:
        """Show where everything will be."""
        self._show()
        self.take_layout()
        self._mark_current("policy")
        self.screen.call_after_refresh(self.call_later, self.begin)

    async def begin(self) -> None:
        """After the first paint: put the panes where the empty ones are, and begin to read the session.

        What was typed until then takes effect afterwards, in the order in which it was typed.
        """
        from workbench.old_screen.late_widgets import around, panes

        self.take_own_keys()
        workspace = self.query_one(Workspace)
        with self.batch_update():
            await workspace.remove_children()
            await workspace.mount(*panes())
            await self.mount(*around(), after=workspace)
            self._filled = True
            self.policy_pane.editor.offers = self._suggestions
            self.take_layout()
            self._mark_current(self._current)
            self._show()
        if not gc.isenabled():  # from here on, and only among what is made from here on
            gc.freeze()
            gc.enable()
        self._live.open()
        while self._early:
            await super().on_event(self._early.popleft())

    async def on_event(self, event: events.Event) -> None:
        """Keep what is typed until there are panes to type into. Called by Textual."""
        if self._filled or not isinstance(event, events.InputEvent | events.Paste):
            await super().on_event(event)
        else:
            self._early.append(event)

    # --- what the user does

    @on(messages.PolicyEdited)
    def _edited(self, event: messages.PolicyEdited) -> None:
        if not self._editing:
            self._editing = True
            self._board = boards.settled(self._board)
        self._board = boards.stale(self._board)
        self._live.edited(event.policy)
        self._show_stages()
        self._show_soon()

    @on(messages.Answered)
    def _answered(self, event: messages.Answered) -> None:
        self._wanted = ""
        if event.question.kind == EXAMPLE:
            self._answer_example(event.question, event.value)
            return
        self._change(partial(self._port.answer, event.question, event.value), "")

    @on(messages.Retracted)
    def _retracted(self, event: messages.Retracted) -> None:
        self._change(partial(self._port.retract, event.question_id), "The question is open again.")

    @on(messages.QuestionChosen)
    def _question_chosen(self, event: messages.QuestionChosen) -> None:
        self._wanted, self._aside = event.question_id, False
        self._ask(focus=True)

    @on(messages.AnswerLater)
    def _later(self) -> None:
        self._wanted, self._aside, self._extra = "", True, None
        self._ask(focus=False)
        self.show_pane("policy")

    @on(messages.StepSelected)
    def _step_selected(self, event: messages.StepSelected) -> None:
        replayed = self._board.replayed
        details = self.details_pane
        if event.index is None or event.index >= len(replayed.decisions):
            details.show(None, None)
        else:
            run = replayed.run_of(event.index)
            details.show(replayed.steps[event.index], replayed.decisions[event.index], run)

    @on(PaneTabs.Wanted)
    @on(PipelineLine.Wanted)
    def _pane_wanted(self, event: PaneTabs.Wanted | PipelineLine.Wanted) -> None:
        self.show_pane(event.pane)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is the one that small terminals show.

        The event may arrive after the focus has moved on: to show its pane would hide the one that
        has the focus by then, and hiding takes the focus away.
        """
        if event.widget is not self.focused:
            return
        pane = next((node for node in event.widget.ancestors_with_self if node.has_class("pane")), None)
        if pane is not None and pane.id:
            self._mark_current(pane.id)

    # --- actions

    def action_pane(self, pane: str) -> None:
        """Show a pane and give it the focus; the policy's key goes into its text."""
        self.show_pane(pane)
        if pane == "policy":
            focus_in(self.query_one("#policy"), typing=True)

    def show_pane(self, pane: str) -> None:
        """Show a pane and give it the focus."""
        if pane == "question":
            self._aside = False
            self._ask(focus=True)
            if self._board.loaded and not self.query_one("#workspace").has_class("-asking"):
                self._say("No question is open; the session pane (F8) has what was answered.")
            return
        if pane == "rail" and self.query_one("#workspace").has_class("-asking"):
            self._aside = True
            self._ask(focus=False)
        self.unhide(pane)
        self._mark_current(pane)
        focus_in(self.query_one(f"#{pane}"))

    def action_zoom(self) -> None:
        """Give the focused pane the whole screen, or give it back."""
        self.query_one("#workspace").toggle_class("-zoomed")

    def action_save(self) -> None:
        """Write the policy file."""
        self._live.store()
        self._say(
            "The policy is stored." if not self._board.problems else "Kept; stored once it is in the dialect."
        )

    def action_rerun(self) -> None:
        """Test, prove and replay again."""
        self._board = boards.settled(self._board)
        self._run(self.policy_pane.text)

    async def leave(self) -> None:
        """Keep the last edit, end all work, leave."""
        if not self._ending:
            self._ending = True
            text = self.policy_pane.text if self._board.loaded else None
            await asyncio.to_thread(self._live.close, text)
            self.exit()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The commands of the palette."""
        pane = self.query_one(f"#{self._current}")
        focused = screen.focused
        inside = focused if focused is not None and pane in focused.ancestors_with_self else pane
        return palette(self, self._current, inside, self._remembered.commands)


def empty_pane(tab: Tab) -> Vertical:
    """What stands in the place of a pane until the first frame is painted."""
    pane = Vertical(id=tab.pane, classes="pane -current" if tab.pane == "policy" else "pane")
    pane.border_title = title(f"{tab.name} {tab.key}")
    return pane


def size_classes(size: Size) -> tuple[str, str]:
    """The classes of a screen of this size, as Textual gives them once it has laid it out."""
    across, down = (
        max(point for point in points if extent >= point[0])[1]
        for extent, points in zip(size, (ACROSS, DOWN), strict=True)
    )
    return across, down

"""Finding one's way: the first-run tour, other sessions, and leaving."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, on

from workbench.old_screen import messages
from workbench.old_screen.actions import ACTIONS, BY_ID, PANES
from workbench.old_screen.outside_edits import OutsideApp
from workbench.old_screen.panes import LARGE, MEDIUM
from workbench.old_screen.plain import TextRun, Tone, line
from workbench.old_screen.widgets.workspace import Workspace

if TYPE_CHECKING:
    from workbench.old_screen.widgets.tour import Tour

OVER_WINDOWS = frozenset({"help", "next_theme", "quit", "edit_text"})
BENEATH = frozenset(
    action.call.partition("(")[0] for action in ACTIONS if action.scope == "app" and action.priority
).difference(OVER_WINDOWS)


class GuideApp(OutsideApp):
    """The tour beside the panes, the session browser over them, and a question before work is lost."""

    next_session: Path | None = None
    """The session to open when this one is closed."""

    # --- windows over the panes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a key does anything: beneath a window nothing is changed that cannot be seen."""
        if action in BENEATH and len(self.screen_stack) > 1:
            return False
        if action == "help" and len(self.screen_stack) > 1:
            from workbench.old_screen.widgets.help import HelpScreen

            if isinstance(self.screen, HelpScreen):
                return False  # its own key closes it
        return super().check_action(action, parameters)

    def action_help(self) -> None:
        """Help for the window that is open, or for the pane with the focus."""
        from workbench.old_screen.widgets.help import HelpScreen

        if len(self.screen_stack) > 1:
            known = [BY_ID.get(found.binding.id or "") for found in self.screen.active_bindings.values()]
            groups = tuple(item.group for item in known if item is not None and item.scope != "app")
            self.push_screen(HelpScreen(groups[0] if groups else "Window", self.screen.HELP or "", groups))
            return
        pane = self.query_one(f"#{self._current}")
        groups = tuple(action.group for action in ACTIONS if action.scope == self._current)
        self.push_screen(HelpScreen(BY_ID[f"go.{self._current}"].name, pane.HELP or "", (*groups, "Panes")))

    # --- the tour

    def first_shown(self) -> None:
        """Begin the tour the first time that a person sees the screen."""
        super().first_shown()
        if not self._remembered.toured:
            self.action_tour()

    def action_tour(self) -> None:
        """Begin the tour, or go on with it after keys were tried in a pane."""
        tour = self.tour
        if tour.running and not tour.has_focus:
            self.screen.set_focus(tour)  # at once: the next key may have been typed already
            tour.go_on()
        else:
            tour.begin()

    async def on_tour_meant(self, event: Tour.Meant) -> None:
        """Give a key of the tour to the pane that it is about."""
        pane = next(iter(self.query(".pane.-toured")), None)
        if pane is None or not pane.id:
            return
        self.show_pane(pane.id)
        found = self.screen.active_bindings.get(event.key)
        if found is not None and found.enabled:  # at once: the next key may have been typed already
            await self.run_action(found.binding.action, found.node)
        else:
            self.post_message(events.Key(event.key, event.character))

    def on_tour_at(self, event: Tour.At) -> None:
        """Show the pane that the tour is at."""
        tour = self.tour
        tour.display = tour.running
        workspace = self.query_one("#workspace")
        asking = workspace.has_class("-asking")
        pane = {"question": "question" if asking else "rail", "rail": "question" if asking else "rail"}.get(
            event.pane, event.pane
        )
        for node in self.query(".pane"):
            node.set_class(node.id == pane, "-toured")
        if pane:
            workspace.remove_class("-zoomed")
            self.unhide(pane)
            self._mark_current(pane)
            self.screen.set_focus(tour)
        else:
            self._remembered.toured = True
            self._mark_current("question" if asking else "policy")
            self.screen.set_focus(self.options if asking else self.policy_pane)

    # --- the panes

    def take_layout(self) -> None:
        """The sizes and the panes put away as they were at the end."""
        workspace = self.query_one(Workspace)
        workspace.sizes = {name: self._remembered.sizes(name) for name in (LARGE.name, MEDIUM.name)}
        for pane in self._remembered.hidden & set(PANES):
            self.query_one(f"#{pane}").add_class("-hidden")

    def action_grow(self, across: bool, direction: int) -> None:
        """Make the focused pane wider or higher."""
        self.query_one(Workspace).grow(self._current, across, direction)

    @on(Workspace.Resized)
    def _resized(self, event: Workspace.Resized) -> None:
        self._remembered.put_sizes(event.area, event.sizes)

    def action_hide(self) -> None:
        """Put the focused pane away."""
        shown = [pane for pane in PANES if self.query_one(f"#{pane}").display and pane != self._current]
        if self.query_one(Workspace).single or self._current == "question" or not shown:
            self._say("This pane cannot be put away here; F9 shows one pane alone.")
            return
        self.query_one(f"#{self._current}").add_class("-hidden")
        self._remember_hidden()
        self.show_pane("policy" if "policy" in shown else shown[0])

    def unhide(self, pane: str) -> None:
        """Show a pane that was put away."""
        node = self.query_one(f"#{pane}")
        if node.has_class("-hidden") and not self.query_one(Workspace).single:
            node.remove_class("-hidden")
            self._remember_hidden()

    def _remember_hidden(self) -> None:
        hidden = (pane.id for pane in self.query(".pane.-hidden"))
        self._remembered.hidden = frozenset(name for name in hidden if name)

    def action_usual_layout(self) -> None:
        """All panes in their usual sizes."""
        self.query(".pane").remove_class("-hidden")
        self._remember_hidden()
        self.query_one(Workspace).reset_sizes()

    # --- other sessions

    def action_sessions(self) -> None:
        """Look for the sessions that can be opened."""
        recent = self._remembered.recent

        def look() -> messages.SessionsFound:
            from workbench.app.overview import sessions_here, sessions_recent

            here = sessions_here(Path.cwd())
            return messages.SessionsFound(here, sessions_recent(recent, here))

        self._live.ask("sessions", look)

    @on(messages.SessionsFound)
    def _sessions_found(self, event: messages.SessionsFound) -> None:
        from workbench.old_screen.widgets.browser import SessionBrowser

        current = whole_path(self._board.contents.path)
        browser = SessionBrowser(event.here, event.recent, current)
        self.push_screen(browser, partial(self._session_chosen, current))

    def _session_chosen(self, current: Path | None, chosen: str | None) -> None:
        if chosen and Path(chosen) != current:
            self.next_session = Path(chosen)
            self.call_later(self.action_quit)

    # --- leaving

    async def action_quit(self) -> None:
        """Leave; if a measurement or what is typed into a form would be lost, only after asking."""
        from workbench.old_screen.widgets.reader import ReaderLine, ReaderScreen

        measuring = self._board.verdicts.measuring
        typed = any(form.touched for form in self.open_forms)
        if not measuring and not typed:
            await self.leave()
            return
        what = "the measurement" if measuring else "what is typed"
        entries = (
            *(
                [ReaderLine(line(f"How much the proof means is being measured: {measuring}."))]
                if measuring
                else []
            ),
            *([ReaderLine(line("A form holds something that is not stored."))] if typed else []),
            ReaderLine(line(TextRun(" q  ", Tone.ACCENT), f"quit and lose {what}"), "quit"),
            ReaderLine(line(TextRun(" s  ", Tone.ACCENT), "stay"), "stay"),
        )
        keys = {"q": "quit", "ctrl+q": "quit", "s": "stay"}
        self.push_screen(ReaderScreen("Quit?", entries, keys=keys), self._quit_or_stay)

    def _quit_or_stay(self, chosen: str | None) -> None:
        if chosen == "quit":
            self.call_later(self.leave)
        else:
            self.next_session = None

    async def leave(self) -> None:
        """Keep the last edit, end all work, leave; the shell knows how."""
        raise NotImplementedError


def whole_path(path: str) -> Path | None:
    """A folder by its whole path; None for a text that can be none."""
    try:
        return Path(path).resolve() if path else None
    except (OSError, ValueError):
        return None

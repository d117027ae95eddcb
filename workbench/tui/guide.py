"""Finding one's way: the first-run tour, other sessions, and leaving."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from textual import events, on

from workbench.tui import messages
from workbench.tui.actions import PANES
from workbench.tui.habits import HabitsApp
from workbench.tui.panes import LARGE, MEDIUM
from workbench.tui.plain import Run, Tone, line
from workbench.tui.sessions import sessions_here, sessions_recent
from workbench.tui.widgets.browser import SessionBrowser
from workbench.tui.widgets.policy import PolicyPane
from workbench.tui.widgets.question import Options
from workbench.tui.widgets.reader import Entry, ReaderScreen
from workbench.tui.widgets.tour import Tour
from workbench.tui.widgets.workspace import Workspace


class GuideApp(HabitsApp):
    """The tour beside the panes, the session browser over them, and a question before work is lost."""

    next_session: Path | None = None
    """The session to open when this one is closed."""

    # --- the tour

    def first_shown(self) -> None:
        """Begin the tour the first time that a person sees the screen."""
        super().first_shown()
        if not self._remembered.toured:
            self.action_tour()

    def action_tour(self) -> None:
        """Begin the tour, or go on with it after keys were tried in a pane."""
        tour = self.query_one(Tour)
        if tour.running and not tour.has_focus:
            self.screen.set_focus(tour)  # at once: the next key may have been typed already
            tour.go_on()
        else:
            tour.begin()

    @on(Tour.Meant)
    async def _tour_meant(self, event: Tour.Meant) -> None:
        pane = next(iter(self.query(".pane.-toured")), None)
        if pane is None or not pane.id:
            return
        self.show_pane(pane.id)
        found = self.screen.active_bindings.get(event.key)
        if found is not None and found.enabled:  # at once: the next key may have been typed already
            await self.run_action(found.binding.action, found.node)
        else:
            self.post_message(events.Key(event.key, event.character))

    @on(Tour.At)
    def _tour_at(self, event: Tour.At) -> None:
        tour = self.query_one(Tour)
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
            self.screen.set_focus(self.query_one(Options) if asking else self.query_one(PolicyPane))

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
            here = sessions_here(Path.cwd())
            return messages.SessionsFound(here, sessions_recent(recent, here))

        self._live.ask("sessions", look)

    @on(messages.SessionsFound)
    def _sessions_found(self, event: messages.SessionsFound) -> None:
        current = whole_path(self._board.contents.path)
        browser = SessionBrowser(event.here, event.recent, current)
        self.push_screen(browser, partial(self._session_chosen, current))

    def _session_chosen(self, current: Path | None, chosen: str | None) -> None:
        if chosen and Path(chosen) != current:
            self.next_session = Path(chosen)
            self.call_later(self.action_quit)

    # --- leaving

    async def action_quit(self) -> None:
        """Leave; if a measurement runs, which would be lost, only after asking."""
        if not self._board.verdicts.measuring:
            await self.leave()
            return
        entries = (
            Entry(line("How much the proof means is being measured: ", self._board.verdicts.measuring, ".")),
            Entry(line(Run(" q  ", Tone.ACCENT), "quit and lose the measurement"), "quit"),
            Entry(line(Run(" s  ", Tone.ACCENT), "stay until it is done"), "stay"),
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

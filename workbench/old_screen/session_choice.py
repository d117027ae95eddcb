"""The list of sessions alone on the screen, before one is open."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from workbench.app.overview import sessions_here, sessions_recent
from workbench.old_screen import themes
from workbench.old_screen.actions import BY_ID
from workbench.old_screen.remembered_settings import RememberedSettings
from workbench.old_screen.widgets.browser import SessionBrowser


class ChoosingApp(App[str], inherit_bindings=False):
    """Ends with the path of the chosen session, or without one."""

    TITLE = "Policy workbench"
    BINDINGS: ClassVar[list[BindingType]] = [Binding(BY_ID["quit"].keys, "quit", "Quit", priority=True)]

    def __init__(self, remembered: RememberedSettings, folder: Path) -> None:
        """List the sessions of a folder and those that are remembered."""
        super().__init__()
        themes.take_themes(self)
        if remembered.theme in themes.THEMES:
            self.theme = remembered.theme
        self._remembered = remembered
        self._folder = folder

    def on_mount(self) -> None:
        """Show the list."""
        here = sessions_here(self._folder)
        browser = SessionBrowser(here, sessions_recent(self._remembered.recent, here))
        self.push_screen(browser, self.exit)

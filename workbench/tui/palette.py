"""The command palette: every action of the registry that is not bound to one pane, and the themes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.app import App, SystemCommand

from workbench.tui import themes
from workbench.tui.actions import ACTIONS, keys_shown


def palette(app: App[None]) -> Iterator[SystemCommand]:
    """The commands for an app; their titles are our own words, never text from outside."""
    for action in ACTIONS:
        if action.scope == "app" and action.id not in ("palette", "copy_or_leave"):
            call = partial(app.run_action, action.call)
            yield SystemCommand(action.description, f"{action.group} · {keys_shown(action)}", call)
    for theme in themes.THEMES:
        yield SystemCommand(f"Theme: {theme}", "Colours of the screen", partial(setattr, app, "theme", theme))

"""The command palette: what the pane in use can do first, then everything else, and the themes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from textual.app import SystemCommand
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.widget import Widget

from workbench.old_screen import themes
from workbench.old_screen.actions import ACTIONS, Action, keys_shown
from workbench.old_screen.keyboard_actions import KeyboardApp

NOT_LISTED = ("palette", "copy_or_leave")
LAST = ("theme", "quit")


def palette(
    app: KeyboardApp, pane: str, inside: Widget | None, used: Sequence[str] = ()
) -> Iterator[SystemCommand]:
    """The commands for an app; their titles are our own words, never text from outside.

    ``pane`` is the pane in use, whose own actions run in ``inside``; ``used`` are the ids of the
    actions that were chosen here before, the latest first.
    """
    for action in ordered(pane if inside is not None else "", used):
        call = partial(app.run_from_palette, action, None if action.scope == "app" else inside)
        yield SystemCommand(action.description, f"{action.group} · {keys_shown(action)}", call)
    for theme in themes.THEMES:
        yield SystemCommand(f"Theme: {theme}", "Colours of the screen", partial(app.take_theme, theme))


def ordered(pane: str, used: Sequence[str]) -> list[Action]:
    """The actions to list: chosen before, of the pane in use, of everywhere, and what leaves at the end."""
    listed = [item for item in ACTIONS if item.scope in ("app", pane) and item.id not in NOT_LISTED]

    def place(action: Action) -> tuple[int, int]:
        if action.id in LAST:
            return 3, 0
        if action.id in used:
            return 0, used.index(action.id)
        return (1 if action.scope == pane else 2), 0

    return sorted(listed, key=place)


class Commands(Provider):
    """The commands in the order of the palette; Textual's own provider sorts them by name."""

    def _commands(self) -> Iterable[SystemCommand]:
        return self.app.get_system_commands(self.screen)  # pyright: ignore[reportUnknownMemberType]  any screen

    async def discover(self) -> Hits:
        """All commands."""
        for name, text, call, _ in self._commands():
            yield DiscoveryHit(name, call, help=text)

    async def search(self, query: str) -> Hits:
        """The commands whose names match."""
        matcher = self.matcher(query)
        for name, text, call, _ in self._commands():
            score = matcher.match(name)
            if score > 0:
                yield Hit(score, matcher.highlight(name), call, help=text)

"""Habits that people bring along: their keys, copying, jumping, leaving."""

from __future__ import annotations

import os

from textual import events, on
from textual.keys import key_to_character
from textual.widget import Widget

from workbench.clean_text import clean
from workbench.model import WorkbenchError
from workbench.old_screen import messages, themes
from workbench.old_screen.actions import BY_ID, PANES, Action
from workbench.old_screen.keymap import read_preferences, user_keys
from workbench.old_screen.own_editor import EditingApp
from workbench.old_screen.plain import TextRun, Tone, line
from workbench.old_screen.widgets.lines import LineList

JUMP = "asdfghj"


class KeyboardApp(EditingApp):
    """Keys of one's own, jump mode, the clipboard, and themes."""

    _suggestions = True

    def take_own_keys(self) -> None:
        """Take the user's own keys and habits; say what is wrong with them and keep the usual ones."""
        try:
            wanted = read_preferences(user_keys())
        except WorkbenchError as error:
            self._say(str(error), severity="warning")
            return
        self.set_keymap(dict(wanted.keys))
        self._suggestions = wanted.suggestions
        if not wanted.animation:
            self.animation_level = "none"

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """A key that types belongs to what is typed into, whatever own keys start with it elsewhere."""
        focused = self.focused
        if priority and focused is not None and focused.check_consume_key(key, key_to_character(key)):
            return False
        return await super()._check_bindings(key, priority)  # pyright: ignore[reportPrivateUsage]  Textual asks no public method

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Where nothing is to move by itself, no cursor blinks either."""
        if self.animation_level != "none":
            return
        from textual.widgets import Input, TextArea

        if isinstance(event.widget, Input | TextArea):
            event.widget.cursor_blink = False

    # --- copying

    @on(LineList.Copied)
    def _copied(self, event: LineList.Copied) -> None:
        self.copy_to_clipboard(event.text)
        self._say("Copied.")

    def copy_to_clipboard(self, text: str) -> None:
        """Copy by the terminal and, where there is one, by the desktop."""
        from workbench.old_screen.clipboard import osc52

        self._clipboard = clean(text)
        sequence = osc52(self._clipboard, os.environ)
        if self._driver is not None and sequence:
            self._driver.write(sequence)
        if not self.is_headless:
            self._live.ask("copy", lambda: self._copy_outside(text))

    def _copy_outside(self, text: str) -> None:
        from workbench.old_screen.clipboard import desktop_copy

        desktop_copy(clean(text))

    def action_copy_policy(self) -> None:
        """Copy the whole policy as it is written."""
        self.post_message(LineList.Copied(self.policy_pane.text))

    # --- jumping

    def action_jump(self) -> None:
        """Show a letter for each pane; the next key goes there."""
        from workbench.old_screen.widgets.reader import ReaderLine, ReaderScreen

        entries = [
            ReaderLine(
                line(TextRun(f" {letter}  ", Tone.ACCENT), BY_ID[f"go.{pane}"].name), f"{pane} {letter}"
            )
            for letter, pane in zip(JUMP, PANES, strict=True)
        ]
        letters = {letter: f"{pane} {letter}" for letter, pane in zip(JUMP, PANES, strict=True)}
        self.push_screen(ReaderScreen("Jump to", entries, keys=letters), self._jump)

    def _jump(self, target: str | None) -> None:
        if target:
            self._remember()
            self.show_pane(target.partition(" ")[0])

    # --- commands

    async def run_from_palette(self, action: Action, inside: Widget | None) -> None:
        """Run an action that was chosen in the palette, and list it first the next time."""
        self._remembered.used(action.id)
        method = f"action_{action.call.partition('(')[0]}"
        nodes = inside.ancestors_with_self if inside is not None else ()
        await self.run_action(action.call, next((node for node in nodes if hasattr(node, method)), self))

    # --- looks and leaving

    def refresh_css(self, animate: bool = True) -> None:
        """Style everything anew, the palette too, which Textual does not count among the app's children."""
        super().refresh_css(animate)
        for screen in self.screen_stack[-1:]:
            if screen not in self.children:
                self.stylesheet.update(screen, animate)

    def action_next_theme(self) -> None:
        """Take the next theme."""
        self.take_theme(themes.following(self.theme))

    def take_theme(self, name: str) -> None:
        """Take a theme, now and at the next start."""
        self.theme = self._remembered.theme = name

    def action_how_to_quit(self) -> None:
        """Say how to quit, since Ctrl+C copies."""
        self._say("Ctrl+Q quits; nothing is lost.")

    @on(messages.SessionUndo)
    def _session_undo(self, event: messages.SessionUndo) -> None:
        self.action_redo() if event.redo else self.action_undo()

    def action_undo(self) -> None:
        """Undo the last change of the session."""
        self._change(self._port.undo, "Undone.", "Nothing to undo.")

    def action_redo(self) -> None:
        """Redo the last undone change."""
        self._change(self._port.redo, "Done again.", "Nothing to redo.")

"""What belongs to the person at the screen: their keys, their clipboard, their editor."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping

from textual.app import App, SuspendNotSupported
from textual.widgets import TextArea

from workbench.model import WorkbenchError
from workbench.tui.messages import Say
from workbench.tui.own_keys import own_keys, user_keys
from workbench.tui.remembered import Remembered
from workbench.tui.widgets.code_editor import CodeEditor


class Personal:
    """The keys, clipboard and editor of the person at an app."""

    def __init__(self, app: App[None], remembered: Remembered) -> None:
        """Serve an app; keys are read where anything is remembered."""
        self._app = app
        self._remembered = remembered
        self.keys: Mapping[str, str] = {}

    def take_keys(self) -> None:
        """Bind the person's own keys; what is wrong with their file is said."""
        if not self._remembered.lasts:
            return
        try:
            self.keys = own_keys(user_keys())
        except WorkbenchError as error:
            self._app.post_message(Say(str(error), problem=True))
        self._app.set_keymap(dict(self.keys))

    async def copy(self, text: str) -> Say:
        """Copy a text by the terminal and by the desktop; what came of it."""
        from workbench.tui.clipboard import desktop_copy, osc52

        sequence = osc52(text, os.environ)
        driver = self._app._driver  # pyright: ignore[reportPrivateUsage]  Textual's own copies without tmux
        if sequence and driver is not None:
            driver.write(sequence)
        copied = await asyncio.to_thread(desktop_copy, text) or bool(sequence)
        size = f"{len(text):,} characters"
        return Say(f"Copied: {size}." if copied else f"Too long to copy: {size}.", problem=not copied)

    def edit(self, area: TextArea) -> Say:
        """Let the person edit a text in their own editor; what came of it."""
        from workbench.tui.external import edit_outside

        try:
            with self._app.suspend():
                area.text = edit_outside(area.text, ".py" if isinstance(area, CodeEditor) else ".md")
        except SuspendNotSupported:
            return Say("Another editor cannot be started from here.", problem=True)
        except WorkbenchError as error:
            return Say(str(error), problem=True)
        return Say("The text is what your editor wrote; Esc keeps it.")

"""The keys, the clipboard and the editor of the person at the screen."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported
from textual.widgets import TextArea

from workbench.model import WorkbenchError
from workbench.tui.messages import Say
from workbench.tui.own_keys import own_keys, user_keys
from workbench.tui.themes import following
from workbench.tui.widgets.code_editor import CodeEditor

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class Personal:
    """The keys, clipboard and editor of the person at an app."""

    def __init__(self, app: WorkbenchApp) -> None:
        """Serve an app; keys are read only if the screen remembers things between runs."""
        self._app = app
        self.keys: Mapping[str, str] = {}

    def take_keys(self) -> None:
        """Bind the person's own keys; report an error in their file."""
        if not self._app.remembered.lasts:
            return
        try:
            self.keys = own_keys(user_keys())
        except WorkbenchError as error:
            self._app.post_message(Say(str(error), problem=True))
        self._app.set_keymap(dict(self.keys))

    async def copy(self, text: str) -> Say:
        """Copy a text by the terminal and by the desktop; return a sentence on the result."""
        from workbench.tui.clipboard import desktop_copy, osc52

        sequence = osc52(text, os.environ)
        driver = self._app._driver  # pyright: ignore[reportPrivateUsage]  Textual's own copies without tmux
        if sequence and driver is not None:
            driver.write(sequence)
        copied = await asyncio.to_thread(desktop_copy, text) or bool(sequence)
        size = f"{len(text):,} characters"
        return Say(f"Copied: {size}." if copied else f"Too long to copy: {size}.", problem=not copied)

    def do_theme(self) -> bool:
        """Switch to the next theme."""
        self._app.theme = following(self._app.theme)
        self._app.remembered.put("theme", self._app.theme)
        return True

    def do_editor(self) -> bool:
        """Edit the text at the cursor in the person's own editor."""
        if not isinstance(self._app.focused, TextArea) and not self._app.view.do("edit"):
            self._app.say(Say("There is nothing here to edit."))
        else:
            self._app.call_after_refresh(self._edit)
        return True

    def _edit(self) -> None:
        if isinstance(self._app.focused, TextArea):
            self._app.say(self._edited(self._app.focused))

    def _edited(self, area: TextArea) -> Say:
        """Edit a text in the person's own editor; return a sentence on the result."""
        from workbench.tui.external_editor import edit_outside

        try:
            with self._app.suspend():
                area.text = edit_outside(area.text, ".py" if isinstance(area, CodeEditor) else ".md")
        except SuspendNotSupported:
            return Say("Another editor cannot be started from here.", problem=True)
        except WorkbenchError as error:
            return Say(str(error), problem=True)
        return Say("The text is what your editor wrote; Esc keeps it.")

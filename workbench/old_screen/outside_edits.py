"""Edits from outside: another program wrote a file of the session, and the screen shows it."""

from __future__ import annotations

from functools import partial

from textual import on

from workbench.old_screen import messages
from workbench.old_screen.keyboard_actions import KeyboardApp


class OutsideApp(KeyboardApp):
    """Takes over what other programs wrote, as soon as nothing else changes the session."""

    _outside_said = ""

    @on(messages.Loaded)
    def _watch_files(self, event: messages.Loaded) -> None:
        if not event.stored:
            self._live.watch_files()

    @on(messages.FilesTouched)
    def _files_touched(self) -> None:
        self._live.look_outside_soon()

    @on(messages.ChangedOutside)
    def _changed_outside(self, event: messages.ChangedOutside) -> None:
        if event.why:
            if event.why != self._outside_said:
                self._outside_said = event.why
                self._say(f"Changed outside, and not taken over: {event.why}", severity="warning")
            return
        self._outside_said = ""
        if not event.names:
            self._live.store()
            return
        if self.changing:
            self._live.look_outside_soon()
            return
        text = self.policy_pane.text
        self._change(partial(self._port.take_outside, text), "", store_first=False)

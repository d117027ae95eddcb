"""Textual's driver for browsers, through which the screen talks to the server, focused from the start."""

from __future__ import annotations

from textual import events
from textual.drivers.web_driver import WebDriver


class PageDriver(WebDriver):
    """A driver that starts with the focus, because the page gives the keyboard to the terminal by itself.

    Textual's driver starts without the focus and loses a focus that the page reports before it has started.
    Then the keys of the focused pane would not be shown until a key is pressed.
    """

    def start_application_mode(self) -> None:
        """Start, and give the app the focus."""
        super().start_application_mode()
        self._app.call_later(self._app.post_message, events.AppFocus())

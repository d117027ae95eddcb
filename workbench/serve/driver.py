"""Textual's driver for browsers, by which the screen talks to the server, with the keyboard at once."""

from __future__ import annotations

from textual import events
from textual.drivers.web_driver import WebDriver


class PageDriver(WebDriver):
    """The page gives the keyboard to the terminal by itself, so the screen does not begin without it.

    Textual's driver begins blurred, and a focus that the page tells before that is lost: the keys of
    the focused pane would not be shown until one is pressed.
    """

    def start_application_mode(self) -> None:
        """Begin, focused."""
        super().start_application_mode()
        self._app.call_later(self._app.post_message, events.AppFocus())

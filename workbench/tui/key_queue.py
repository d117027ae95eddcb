"""Keys are handed on one after the other: each once the effects of the key before have the focus.

Textual hands a key to the widget that has the focus when the key is read. But the action of the key before
climbs from that widget to the application, and the focus that it sets comes later still. In a burst (a fast
typist, a slow line) text typed into a prompt would reach the pane that had the focus before.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable

from textual import events
from textual.app import App
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, TextArea

LONGEST = 1.0
"""Seconds after which a key is handed on even if the key before is not finished."""
LOOK_AGAIN = 0.02
"""Seconds between two checks whether a dialog has its focus."""

type Typed = events.Key | events.Paste


class Passed(Message):
    """A message that follows a key through the widgets, and then follows the messages of the key's action."""

    def __init__(self, target: Widget, *, again: bool) -> None:
        """Make the message for the widget that received the key."""
        super().__init__()
        self.target = target
        self.again = again


class KeyQueue:
    """Holds keys back until the effects of the key before are complete."""

    def __init__(self, app: App[None], hand: Callable[[Typed], Awaitable[None]]) -> None:
        """Queue the keys of an app; ``hand`` gives a key to the widget with the focus."""
        self._app = app
        self._hand = hand
        self._held: deque[Typed] = deque()
        self._since: float | None = None

    async def take(self, typed: Typed) -> None:
        """Hand a key on now, or hold it for later."""
        self._held.append(typed)
        if self._since is None or time.monotonic() - self._since > LONGEST:
            self._since = time.monotonic()
            await self._look()

    async def _go_on(self) -> None:
        self._since = None
        while self._held and self._since is None:
            typed = self._held.popleft()
            target = self._app.focused or self._app.screen
            is_text = isinstance(target, Input | TextArea)
            if not (is_text and (isinstance(typed, events.Paste) or typed.is_printable)):
                self._since = time.monotonic()  # a letter in a text moves no focus
            await self._hand(typed)
            if self._since is not None:
                target.post_message(Passed(target, again=True))

    def passed(self, passed: Passed) -> None:
        """Go on once a key, and the messages of its action, have come through the widgets to the app."""
        if passed.again and passed.target.is_attached:
            passed.target.post_message(Passed(passed.target, again=False))
        else:
            self._app.call_later(self._look)

    async def _look(self) -> None:
        """Hand the next key on; if a dialog is opening, wait first until it has its focus."""
        since, screen = self._since, self._app.screen
        opening = screen.is_modal and screen.focused is None
        if opening and since is not None and time.monotonic() - since < LONGEST:
            self._app.set_timer(LOOK_AGAIN, self._look)
        else:
            await self._go_on()

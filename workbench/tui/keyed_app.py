"""Applications that hand keys on one after the other: each once the effects of the key before have the focus.

Textual hands a key to the widget that has the focus when the key is read. But the action of the key before
climbs from that widget to the application, and the focus that it sets comes later still. In a burst (a fast
typist, a slow line) text typed into a prompt would reach the pane that had the focus before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, override

from textual import events, on
from textual.app import App
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, TextArea

_LOOKS, _LOOK_AFTER = 50, 0.2
"""How often, and after how many seconds each, the loop of events looks whether a key is finished.

Then the next key is handed on although it is not, at once where the widget that got the key is gone. While
work delays the loop itself, it looks less often.
"""
_LOOK_AGAIN = 0.02
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

    def __init__(self, app: App[Any], hand: Callable[[Typed], Awaitable[None]]) -> None:
        """Queue the keys of an app; ``hand`` gives a key to the widget with the focus."""
        self._app = app
        self._hand = hand
        self._held: deque[Typed] = deque()
        self._unfinished = 0
        """The looks that are left until the key that was handed on is taken for finished; 0 if it is."""
        self._target: Widget | None = None
        """The widget that got the last key."""
        self._timer: Timer | None = None
        self._holds = False
        self._give_up: Callable[[], object] = lambda: None

    async def take(self, typed: Typed) -> None:
        """Hand a key on now, or hold it for later; Esc gives up what was typed for an editor that opens."""
        if self._holds and isinstance(typed, events.Key) and typed.key == "escape":
            self._held.clear()
            self._give_up()
            self.release()
            return
        self._held.append(typed)
        if not self._unfinished:
            self._begin()
            await self._look()

    async def _go_on(self) -> None:
        if self._holds:
            return
        self._finish()
        while self._held and not self._unfinished:
            typed = self._held.popleft()
            target = self._target = self._app.focused or self._app.screen
            is_text = isinstance(target, Input | TextArea)
            if not (is_text and (isinstance(typed, events.Paste) or typed.is_printable)):
                self._begin()  # a letter in a text moves no focus
            await self._hand(typed)
            if self._unfinished:
                target.post_message(Passed(target, again=True))

    def hold(self, give_up: Callable[[], object] = lambda: None) -> None:
        """Hold the keys that come until an editor opens, however long that takes; Esc calls ``give_up``."""
        self._holds, self._give_up = True, give_up
        self._begin()

    def release(self) -> None:
        """Go on with the keys that were held for an editor, once it has the focus."""
        self._holds = False
        self._app.call_later(self._look)

    def _begin(self) -> None:
        self._unfinished = _LOOKS
        if self._timer is None:
            self._timer = self._app.set_interval(_LOOK_AFTER, self._wait_less)

    def _finish(self) -> None:
        self._unfinished = 0
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    async def _wait_less(self) -> None:
        is_gone = self._target is not None and not self._target.is_attached
        if not self._holds:
            self._unfinished = 0 if is_gone else max(self._unfinished - 1, 0)
        if not self._unfinished:
            await self._go_on()

    def passed(self, passed: Passed) -> None:
        """Go on once a key, and the messages of its action, have come through the widgets to the app."""
        if passed.again and passed.target.is_attached:
            passed.target.post_message(Passed(passed.target, again=False))
        else:
            self._app.call_later(self._look)

    async def _look(self) -> None:
        """Hand the next key on; if a dialog is opening, wait first until it has its focus."""
        screen = self._app.screen
        if screen.is_modal and screen.focused is None and self._unfinished:
            self._app.set_timer(_LOOK_AGAIN, self._look)
        else:
            await self._go_on()


class KeyedApp[Returned](App[Returned]):
    """An application whose keys wait for each other."""

    def __init__(self) -> None:
        """Begin without a key."""
        super().__init__()
        self.keys_typed = KeyQueue(self, self.hand_on)

    @override
    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            await self.keys_typed.take(event)
        else:
            await super().on_event(event)

    async def hand_on(self, typed: Typed) -> None:
        """Give a key to the focus."""
        await super().on_event(typed)

    @on(Passed)
    def _key_passed(self, event: Passed) -> None:
        event.stop()
        self.keys_typed.passed(event)

"""Keys that are typed while the screen is busy reach what the key before opens."""

from __future__ import annotations

import asyncio
import time

from textual import events
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Input, Static

from workbench.tui.keyed_app import KeyedApp


class _Opens(Message):
    """A request for the line, as a view posts it to the application."""


class _Command(Message):
    """A key that was taken for a command of the pane."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key


class _Pane(Static, can_focus=True):
    """A pane in which ``o`` opens a line, and other keys are commands."""

    def key_o(self) -> None:
        self.post_message(_Opens())

    def on_key(self, event: events.Key) -> None:
        if event.key != "o":
            self.post_message(_Command(event.key))


class _Busy(KeyedApp[None]):
    """An application that opens its line late: its loop is blocked, or an editor's text is fetched."""

    def __init__(self, *, fetches: bool) -> None:
        super().__init__()
        self.fetches = fetches
        self.commands: list[str] = []

    def compose(self) -> ComposeResult:
        yield _Pane("pane")
        yield Input()

    def on_mount(self) -> None:
        self.query_one(_Pane).focus()

    def on__command(self, event: _Command) -> None:
        self.commands.append(event.key)

    def on__opens(self) -> None:
        if self.fetches:
            self.keys_typed.hold()
            self.set_timer(0.5, self._open)
        else:
            time.sleep(1.5)  # longer than any wait for a key by the clock
            self._open()

    def _open(self) -> None:
        self.query_one(Input).focus()
        self.keys_typed.release()


async def _typed_while(*, fetches: bool) -> tuple[str, list[str]]:
    app = _Busy(fetches=fetches)
    async with app.run_test(size=(40, 5)) as pilot:
        await pilot.pause()
        for key in ("o", "slash", "tilde", "a"):
            app.post_message(events.Key(key, {"slash": "/", "tilde": "~"}.get(key, key)))
        for _ in range(100):
            if app.query_one(Input).value or app.commands:
                break
            await asyncio.sleep(0.05)
        await pilot.pause()
        return app.query_one(Input).value, app.commands


async def test_keys_wait_for_a_line_that_a_blocked_screen_opens_late() -> None:
    assert await _typed_while(fetches=False) == ("/~a", [])


async def test_keys_wait_for_an_editor_whose_text_is_fetched() -> None:
    assert await _typed_while(fetches=True) == ("/~a", [])


async def test_keys_wait_as_long_as_an_editor_is_found_and_esc_gives_it_up() -> None:
    app, given_up = _Busy(fetches=False), list[bool]()
    async with app.run_test(size=(40, 5)) as pilot:
        app.keys_typed.hold(lambda: given_up.append(True))
        for key in ("a", "b"):
            app.post_message(events.Key(key, key))
        await pilot.pause(2.5)  # longer than any wait for a key by the clock
        assert app.commands == []
        app.post_message(events.Key("escape", None))
        app.post_message(events.Key("c", "c"))
        await pilot.pause(0.3)
        assert (app.commands, given_up) == (["c"], [True])

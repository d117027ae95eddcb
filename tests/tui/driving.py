"""Driving the screen in tests: open it on a session, press keys, wait, and read what it shows."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from unittest import mock

from rich.console import RenderableType
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.pilot import Pilot
from textual.screen import Screen

from workbench.tui.app import WorkbenchApp
from workbench.tui.screen_memory import Remembered

TURN = 0.03
"""Seconds between two checks of the screen: workers may run meanwhile."""
LONGEST = 100.0
"""Seconds after which an awaited event no longer comes, however busy the machine is."""
SIZES = ((80, 24), (120, 40), (200, 60))


def _unsent(
    compositor: Compositor,
    full: bool = False,
    screen_stack: list[Screen[object]] | None = None,
    simplify: bool = False,
) -> RenderableType | None:
    """Draw no change for the terminal, as there is none. A whole picture is still drawn."""
    if full:
        visible_screen_stack.set(screen_stack or [])
        return compositor.render_full_update(simplify=simplify)
    compositor._dirty_regions.clear()  # pyright: ignore[reportPrivateUsage] - as drawing them does
    return None


async def _at_once(*_seconds: float) -> None:
    """Replaces the wait for an idle process after each key: ``Driver.settle`` waits for more."""
    await asyncio.sleep(0)


class Driver:
    """A person at an opened screen."""

    def __init__(self, app: WorkbenchApp, pilot: Pilot[None]) -> None:
        """Take a running app."""
        self.app = app
        self.pilot = pilot

    @property
    def lines(self) -> list[str]:
        """The lines of the screen, as they would reach the terminal."""
        strips = self.app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    @property
    def text(self) -> str:
        """The whole screen."""
        return "\n".join(self.lines)

    def line(self, words: str) -> str:
        """The first line of the screen that has these words; fails, showing the screen, if none has."""
        match = next((line for line in self.lines if words in line), None)
        assert match is not None, f"{words!r} is not on the screen:\n{self.text}"
        return match

    async def press(self, *keys: str) -> None:
        """Press keys one after the other, and wait after each until nothing runs."""
        for key in keys:
            await self._send(key)
            await self.settle()

    async def press_at_once(self, *keys: str) -> None:
        """Press keys without a wait between them, then wait until nothing runs."""
        await self._send(*keys)
        await self.settle()

    async def type(self, text: str) -> None:
        """Type a text, then wait until nothing runs."""
        names = {" ": "space", "\n": "enter", "_": "underscore", "/": "slash", ".": "full_stop"}
        await self._send(*(names.get(character, character) for character in text))
        await self.settle()

    async def _send(self, *keys: str) -> None:
        """Press keys without waiting for their effect; the pilot would wait for every widget."""
        with mock.patch("textual.app.wait_for_idle", _at_once):
            await self.app._press_keys(keys)  # pyright: ignore[reportPrivateUsage]

    async def command(self, name: str) -> None:
        """Run the command with this name from the list of commands."""
        await self.press("colon")
        await self.type(name)
        await self.press("enter")

    async def click(self, words: str) -> None:
        """Click the first place of the screen that has these words, and wait until nothing runs."""
        line = self.line(words)
        await self.pilot.click(offset=(line.index(words) + 1, self.lines.index(line)))
        await self.settle()

    async def settle(self) -> None:
        """Wait until no work runs or is about to begin, and its results are drawn.

        The pilot waits until every widget has handled its messages, which takes longer than most waits here.
        So it comes last, once no message is seen to be waiting.
        """
        looks, end = 0, time.monotonic() + LONGEST
        while looks < 2:
            assert time.monotonic() < end, f"work does not end:\n{self.text}"
            await (self.pilot.pause(TURN) if looks else asyncio.sleep(TURN))
            looks = 0 if self.app.busy or self._unsettled else looks + 1

    @property
    def _unsettled(self) -> bool:
        screen = self.app.screen
        nodes = (self.app, *screen.walk_children(with_self=True))
        waiting = any(node._message_queue.qsize() for node in nodes)  # pyright: ignore[reportPrivateUsage]
        return bool(waiting or screen._layout_required or screen._dirty_widgets)  # pyright: ignore[reportPrivateUsage]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; if it does not, fail with its name and the screen."""
        end = time.monotonic() + LONGEST
        while not holds():
            assert time.monotonic() < end, f"in vain: {inspect.getsource(holds).strip()}\n{self.text}"
            await asyncio.sleep(TURN)

    async def until_shown(self, words: str) -> None:
        """Wait until the screen has these words."""
        await self.until(lambda: words in self.text)


@asynccontextmanager
async def opened(
    session: Path,
    size: tuple[int, int] = (120, 40),
    remembered: Remembered | None = None,
    *,
    guided: bool = False,
) -> AsyncGenerator[Driver]:
    """The screen on a session, in a size of columns and lines, once all its results are known."""
    app = WorkbenchApp(session, remembered, guided=guided)
    app.animation_level = "none"
    with mock.patch.object(Compositor, "render_update", _unsent):
        async with app.run_test(size=size) as pilot:
            driver = Driver(app, pilot)
            await driver.settle()
            try:
                yield driver
            finally:
                app.leave()
                await driver.until(lambda: not app.is_running)

"""One window of a browser and the process that draws it."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from aiohttp import WSCloseCode, WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from workbench.files.package_environment import package_environment
from workbench.model import Json

PATIENCE = 15.0
MOST_CELLS = 1000
LARGEST_MESSAGE = 1_000_000
TAKEN_OVER = 4001


class BrowserWindow(AppService):
    """A process with the screen on the session, and the WebSocket that shows it.

    The process is started without a shell. It may ask the browser only to draw it and to close it. It can
    neither open an address there nor hand out a file.
    """

    def __init__(self, command: Sequence[str], socket: web.WebSocketResponse) -> None:
        """Take the command that draws the screen, and the socket that shows it."""
        super().__init__(
            command[0],
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=self._close,
            download_manager=DownloadManager(),
        )
        self._words = command
        self._socket = socket
        self._code: int = WSCloseCode.OK
        self._ending: asyncio.Task[None] | None = None

    async def _close(self) -> None:
        await self._socket.close(code=self._code)

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        environment = self._build_environment(width=width, height=height)
        safe = package_environment()
        environment |= {name: safe[name] for name in ("PYTHONPATH", "PYTHONSAFEPATH")}
        environment["TEXTUAL_DRIVER"] = "workbench.serve.driver:PageDriver"
        process = await asyncio.create_subprocess_exec(
            *self._words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment, start_new_session=True
        )
        self._process = process
        self._stdin = process.stdin
        return process

    async def on_meta(self, data: bytes) -> None:
        """Close the window when the process reports that it ends; ignore every other message."""
        message = cast("Json", json.loads(data))
        if isinstance(message, dict) and message.get("type") == "exit":
            await self._close()

    async def on_packed(self, payload: bytes) -> None:
        """Ignore the message: no file is handed out."""
        del payload

    async def pump(self) -> None:
        """Pass on the messages of the window until it is closed; an invalid message ends the process."""
        async for message in self._socket:
            if message.type is not WSMsgType.TEXT or not await self._pass_on(cast("str", message.data)):
                break

    async def _pass_on(self, text: str) -> bool:
        try:
            match cast("Json", json.loads(text)):
                case ["stdin", str() as typed]:
                    await self.send_bytes(typed.encode("utf-8", "replace"))
                case ["resize", {"width": int() as width, "height": int() as height}]:
                    await self.set_terminal_size(cells(width), cells(height))
                case ["ping", int() | float() | str() as stamp]:
                    await self._socket.send_json(["pong", stamp])
                case ["blur"]:
                    await self.blur()
                case ["focus"]:
                    await self.focus()
                case _:
                    return False
        except (ValueError, RecursionError, ConnectionError):
            return False
        return True

    async def run(self) -> None:
        """Draw until the process ends for any reason, then close the window."""
        try:
            await super().run()
        except asyncio.CancelledError:
            # If all output is there before the drawing begins, it ends before its reader of errors has begun,
            # and that reader, cancelled, raises this. Only a request to cancel the drawing itself goes on.
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
        finally:
            await self._close()

    async def end(self, *, taken_over: bool = False) -> None:
        """Let the screen store the typed text and quit, wait for that, and close the window."""
        if self._ending is None:
            self._code = TAKEN_OVER if taken_over else self._code
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self.stop(), PATIENCE)
        if self._process is not None:
            await _gone(self._process)
        await self._close()


async def _gone(process: Process) -> None:
    """Wait until the process has ended; after a time limit terminate it, and at last kill it."""
    for insist in (lambda: None, process.terminate, process.kill):
        with suppress(ProcessLookupError):
            insist()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), PATIENCE)
            return


def cells(number: int) -> int:
    """A number of cells, limited to the widths and heights that a terminal can have."""
    return min(max(number, 1), MOST_CELLS)

"""A real headless browser for tests, driven over its own debugging protocol."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from websockets.sync.client import connect
from websockets.sync.connection import Connection

from workbench.model import Json

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OPTIONS = (
    *("--headless=new", "--remote-debugging-port=0", "--no-first-run", "--disable-extensions"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    # The tests run as root in containers, where the browser's own sandbox cannot start.
    *("--no-sandbox", "--disable-gpu", "--window-size=1400,900"),
)
LISTENS = "DevTools listening on "
WHEN = """
new Promise(done => {
  const look = () => {
    const found = %s;
    if (found) done(found); else requestAnimationFrame(look);
  };
  look();
})
"""
"""A promise of the first true value of an expression."""
LEFT = ("navigated", "context", "collected")
"""The browser's error about a promise of a page that was left."""


def browser_program() -> str | None:
    """A Chromium or Chrome on the path, None if there is none."""
    return next((path for name in NAMES if (path := shutil.which(name)) is not None), None)


class Page:
    """One tab."""

    def __init__(self, socket: Connection) -> None:
        self._socket = socket
        self._number = 0
        self.events: list[dict[str, Json]] = []

    def ask(self, method: str, **parameters: Json) -> dict[str, Json]:
        """Call a method of the protocol and return its whole answer; earlier events are stored."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            reply = cast("dict[str, Json]", json.loads(self._socket.recv()))
            if reply.get("id") == self._number:
                return reply
            self.events.append(reply)

    def call(self, method: str, **parameters: Json) -> dict[str, Json]:
        """Call a method of the protocol and return its result."""
        reply = self.ask(method, **parameters)
        assert "error" not in reply, reply
        return cast("dict[str, Json]", reply["result"])

    def evaluate(self, script: str) -> Json:
        """The value of an expression in the page; promises are awaited."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return cast("dict[str, Json]", result["result"]).get("value")

    def open(self, address: str) -> None:
        """Go to an address."""
        self.call("Page.navigate", url=address)

    def until(self, script: str, why: str) -> Json:
        """The value of an expression as soon as it is true; the test's own time limit ends the wait.

        The page evaluates it whenever it draws a frame. If the page is left in the meantime, its promise is
        lost, and the next page is asked.
        """
        while True:
            reply = self.ask(
                "Runtime.evaluate", expression=WHEN % script, awaitPromise=True, returnByValue=True
            )
            if "error" in reply:
                assert any(word in str(reply) for word in LEFT), reply
                continue
            result = cast("dict[str, Json]", reply["result"])
            assert "exceptionDetails" not in result, (why, result)
            return cast("dict[str, Json]", result["result"]).get("value")

    def press(self, key: str, code: int) -> None:
        """Press and release a key that is no character."""
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        """Type characters."""
        for character in text:
            self.call("Input.dispatchKeyEvent", type="char", text=character)

    def picture(self, path: Path) -> None:
        """Store a picture of the tab."""
        result = self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(str(result["data"])))


@contextmanager
def browser(folder: Path) -> Generator[Page]:
    """A tab of a browser whose profile is in an empty folder; the block's end ends everything."""
    program = browser_program()
    assert program is not None
    process = subprocess.Popen(
        [program, *OPTIONS, f"--user-data-dir={folder}", "about:blank"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
    )  # fmt: skip
    try:
        with connect(_tab(process), max_size=None) as socket:
            page = Page(socket)
            page.call("Page.enable")
            page.call("Emulation.setFocusEmulationEnabled", enabled=True)
            yield page
    finally:
        process.terminate()
        process.wait()


def _tab(process: subprocess.Popen[str]) -> str:
    """The address for driving the first tab; the browser writes its address to standard error."""
    assert process.stderr is not None
    line = next((line for line in process.stderr if LISTENS in line), "")
    assert line, "the browser did not start"
    # Later output is read too, so that the browser never waits for its reader.
    threading.Thread(target=process.stderr.read, daemon=True).start()
    place = line.partition("ws://")[2].partition("/")[0]
    with connect(line.partition(LISTENS)[2].strip(), max_size=None) as socket:
        opened = Page(socket).call("Target.createTarget", url="about:blank")
    return f"ws://{place}/devtools/page/{opened['targetId']}"

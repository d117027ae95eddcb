"""A real headless browser for tests, driven over its own debugging protocol."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
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


def browser_program() -> str | None:
    """A Chromium or Chrome on the path, None if there is none."""
    return next((path for name in NAMES if (path := shutil.which(name)) is not None), None)


class Page:
    """One tab."""

    def __init__(self, socket: Connection) -> None:
        self._socket = socket
        self._number = 0

    def call(self, method: str, **parameters: Json) -> dict[str, Json]:
        """Call a method of the protocol and return its result."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            said = cast("dict[str, Json]", json.loads(self._socket.recv(timeout=60)))
            if said.get("id") == self._number:
                assert "error" not in said, said
                return cast("dict[str, Json]", said["result"])

    def evaluate(self, script: str) -> Json:
        """The value of an expression in the page; promises are awaited."""
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return cast("dict[str, Json]", found["result"]).get("value")

    def open(self, address: str) -> None:
        """Go to an address."""
        self.call("Page.navigate", url=address)

    def until(self, script: str, why: str) -> Json:
        """The value of an expression as soon as it is true; the test's own time limit ends it."""
        for _ in range(2400):
            found = self.evaluate(script)
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(why)

    def press(self, key: str, code: int) -> None:
        """Press and release a key that is no character."""
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        """Type characters."""
        for character in text:
            self.call("Input.dispatchKeyEvent", type="char", text=character)

    def picture(self, path: Path) -> None:
        """Store what the tab shows."""
        found = self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(str(found["data"])))


@contextmanager
def browser(folder: Path) -> Generator[Page]:
    """A tab of a browser whose profile is in an empty folder; everything ends with the block."""
    program = browser_program()
    assert program is not None
    process = subprocess.Popen(
        [program, *OPTIONS, f"--user-data-dir={folder}", "about:blank"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        with connect(_tab(folder, process), max_size=None) as socket:
            page = Page(socket)
            page.call("Page.enable")
            page.call("Emulation.setFocusEmulationEnabled", enabled=True)
            yield page
    finally:
        process.terminate()
        process.wait()


def _tab(folder: Path, process: subprocess.Popen[bytes]) -> str:
    """The address at which the first tab is driven."""
    from urllib.request import urlopen

    told = folder / "DevToolsActivePort"
    while not told.exists() or len(told.read_text().splitlines()) < 2:
        assert process.poll() is None, "the browser did not start"
        time.sleep(0.05)
    port = told.read_text().splitlines()[0]
    with urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
        tabs = cast("list[dict[str, str]]", json.load(answer))
    return next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")

"""The screen in a real headless browser: it is drawn, takes keys, and gives nothing to another site."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

pytest.importorskip("textual_serve", reason="the extra 'serve' is not installed")

from tests.serve.browser import Page, browser, browser_program

pytestmark = pytest.mark.skipif(browser_program() is None, reason="no Chromium or Chrome is on the path")

SERVER = """
import asyncio, sys
from workbench.serve.site import Site
DRAW = "from tests.serve.small_screen import run; run()"
async def serve():
    site = Site("sample", (sys.executable, "-c", DRAW))
    await site.start(0)
    print(site.address, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await site.stop()
asyncio.run(serve())
"""
# The page does not publish its terminal; this notes it where the page's script makes it.
NOTE_TERMINAL = """
Object.defineProperty(Object.prototype, "websocket_url", {
  set(value) {
    Object.defineProperty(this, "websocket_url", {value, writable: true});
    window.drawn = () => {
      const buffer = this.terminal.buffer.active, lines = [];
      for (let row = 0; row < this.terminal.rows; row++)
        lines.push(buffer.getLine(row)?.translateToString(true) ?? "");
      return lines.join("\\n");
    };
  },
  configurable: true,
});
"""
TRY = """
new Promise(done => {
  const socket = new WebSocket(ADDRESS);
  socket.onopen = () => done("open");
  socket.onerror = () => done("refused");
})
"""


@pytest.fixture
def address() -> Generator[str]:
    """The address of a server of the sample, in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.communicate()
    assert process.returncode == 0


@pytest.fixture
def elsewhere(tmp_path: Path) -> Generator[str]:
    """The address of another site on this machine."""
    (tmp_path / "index.html").write_text("<title>elsewhere</title>")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            del format, args

    def handler(*args: object) -> Quiet:
        return Quiet(*args, directory=str(tmp_path))  # pyright: ignore[reportArgumentType] - passed through

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=lambda: server.serve_forever(0.02), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def screen_text(page: Page, text: str) -> str:
    """The text of the terminal, once it contains a text."""
    page.until(f"window.drawn !== undefined && window.drawn().includes({text!r})", f"{text} is not drawn")
    return str(page.evaluate("window.drawn()"))


def test_the_screen_is_drawn_and_takes_keys_in_a_browser_and_no_other_site_gets_in(
    address: str, elsewhere: str, tmp_path: Path
) -> None:
    with browser(tmp_path / "profile") as page:
        page.call("Page.addScriptToEvaluateOnNewDocument", source=NOTE_TERMINAL)
        page.open(address)
        assert "small" in screen_text(page, "2 questions")
        page.until("document.activeElement.tagName == 'TEXTAREA'", "the keyboard is not the terminal's")
        screen_text(page, "? keys")  # the screen knows this, and shows its keys
        page.press("F6", 117)
        screen_text(page, "Versions")
        page.type(":")
        page.type("report")
        screen_text(page, "Write the session as one page")
        page.press("Escape", 27)
        loaded = "performance.getEntriesByType('resource').map(item => new URL(item.name).host)"
        assert set(page.evaluate(loaded)) == {address.split("/")[2]}  # pyright: ignore[reportArgumentType] - a list

        page.open(elsewhere)
        page.until("document.title == 'elsewhere'", "the other site does not load")
        socket = address.replace("http:", "ws:") + "ws"
        assert page.evaluate(TRY.replace("ADDRESS", repr(socket))) == "refused"
        script = f"fetch({address!r}).then(() => 'read', () => 'refused')"
        assert page.evaluate(script) == "refused"
        framed = f"fetch({address!r}, {{mode: 'no-cors'}}).then(answer => answer.type, () => 'refused')"
        assert page.evaluate(framed) in ("opaque", "refused")

        page.open(address)
        screen_text(page, "Requirements")
        page.call("Input.dispatchKeyEvent", type="rawKeyDown", key="q", code="KeyQ", modifiers=2,
                  windowsVirtualKeyCode=81)  # fmt: skip
        page.until("document.body.classList.contains('-closed')", "the page does not say that it ended")
        assert "Open it here again" in str(page.evaluate("document.querySelector('.ended').innerText"))

"""A session's page in a real headless browser: it loads and runs nothing, can be read and printed."""

from __future__ import annotations

import base64
from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest

pytest.importorskip("websockets", reason="the extra 'serve' is not installed")

from tests.app.page.test_page import HOSTILE, page
from tests.serve.browser import Page, browser, browser_program
from workbench.app.page import render_html

pytestmark = pytest.mark.skipif(browser_program() is None, reason="no Chromium or Chrome is on the path")

LUMINANCES = """
["color", "backgroundColor"].map(name => {
  const parts = getComputedStyle(document.body)[name].match(/[0-9]+/g).slice(0, 3).map(Number);
  return parts.reduce((sum, part) => sum + part, 0) / 3;
})
"""
PLOTS = """
[...document.querySelectorAll("svg .bar")].map(bar => {
  const box = bar.getBoundingClientRect();
  const paper = getComputedStyle(document.body).backgroundColor;
  return [box.height, getComputedStyle(bar).fill !== paper, box.right <= innerWidth];
})
"""


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Generator[Page]:
    """A tab that reports every request and every dialogue."""
    with browser(tmp_path_factory.mktemp("browser") / "profile") as browser_page:
        browser_page.call("Network.enable")
        yield browser_page


def shown(tab: Page, folder: Path, html: str) -> str:
    """Open a page from a file and return its address."""
    path = folder / "session.html"
    path.write_text(html, encoding="utf-8")
    tab.events.clear()
    tab.open(path.as_uri())
    tab.until(f"document.readyState == 'complete' && location.href == {path.as_uri()!r}", "it does not load")
    return path.as_uri()


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_is_requested_and_nothing_runs_whatever_the_session_says(
    text: str, tab: Page, tmp_path: Path
) -> None:
    address = shown(tab, tmp_path, render_html(page(text)))
    requests = [
        cast("dict[str, dict[str, str]]", event["params"])["request"]["url"]
        for event in tab.events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in requests if not url.startswith("about:")] == [address]
    assert not [event for event in tab.events if event["method"] == "Page.javascriptDialogOpening"]
    assert text.split("\n")[0] in str(tab.evaluate("document.body.innerText"))


def test_a_script_in_the_page_would_not_run(tab: Page, tmp_path: Path) -> None:
    html = render_html(page("plain")).replace("</body>", "<script>document.title = 'ran'</script></body>")
    assert "<script>" in html
    shown(tab, tmp_path, html)
    assert tab.evaluate("document.title") != "ran"


def test_plots_are_seen_headings_are_reached_and_both_schemes_can_be_read(tab: Page, tmp_path: Path) -> None:
    shown(tab, tmp_path, render_html(page("plain")))
    for scheme, dark in (("light", False), ("dark", True)):
        tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        ink, paper = cast("list[float]", tab.evaluate(LUMINANCES))
        assert (ink > paper) is dark
        assert abs(ink - paper) > 150
        bars = cast("list[list[object]]", tab.evaluate(PLOTS))
        assert len(bars) == 4
        assert all(float(str(height)) > 5 and visible and inside for height, visible, inside in bars)
    tab.call("Emulation.setEmulatedMedia", features=[])
    tab.evaluate("document.querySelector('nav a[href=\"#replay\"]').click()")
    assert tab.evaluate("document.querySelector(':target').innerText") == "Replay"
    assert tab.evaluate("document.querySelectorAll('h1').length") == 1
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_it_is_printed_in_dark_ink_on_light_paper(tab: Page, tmp_path: Path) -> None:
    shown(tab, tmp_path, render_html(page("plain")))
    tab.call(
        "Emulation.setEmulatedMedia",
        media="print",
        features=[{"name": "prefers-color-scheme", "value": "dark"}],
    )
    ink, paper = cast("list[float]", tab.evaluate(LUMINANCES))
    tab.call("Emulation.setEmulatedMedia", media="", features=[])
    assert (ink, paper) == (0, 255)
    printed = base64.b64decode(str(tab.call("Page.printToPDF", printBackground=False)["data"]))
    assert printed.startswith(b"%PDF")

"""The model's calls on the screen: what is shown while one runs, and that Escape closes its connection."""

from __future__ import annotations

import shutil
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.author.model.model_server import Behaviour, ModelServer, model_server
from tests.old_screen.screens import HOSTILE, LONG, Heard, drawn, drawn_out, settled, until
from workbench.app.proof import Proving
from workbench.author.model.progress import CallProgress
from workbench.model import WorkbenchError
from workbench.old_screen import messages
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.live_session import LiveSession
from workbench.old_screen.plain import width_of
from workbench.old_screen.samples.sample_call import CALL
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.widgets.call_line import CallLine, call_lines
from workbench.old_screen.widgets.editor import Editor
from workbench.old_screen.widgets.key_line import KeyLine

SHIPPED = Path(__file__).resolve().parents[2] / "sessions" / "web-shopping-model"
MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m"


def no_prover(_proving: Proving) -> None:
    """Stands in for starting the prover where nothing is proved."""


@asynccontextmanager
async def opened(port: SamplePort, size: tuple[int, int]) -> AsyncGenerator[tuple[WorkbenchApp, Pilot[None]]]:
    """The screen on the sample."""
    app = WorkbenchApp(port)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await settled(app, pilot)
        yield app, pilot


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_call_that_runs_is_shown_with_its_cost_and_put_away_at_its_end(size: tuple[int, int]) -> None:
    port = SamplePort()
    async with opened(port, size) as (app, pilot):
        shown = app.query_one(CallLine)
        assert not shown.display
        port.tell_call(CALL)
        await until(app, pilot, lambda: shown.display and shown.size.height > 0)
        await drawn_out(app, pilot)
        text = drawn(shown)
        tokens = "12,345 of 50,000 tokens" if size[0] > 100 else "12.3k of 50.0k"
        for part in ("rules R3", "a-model", "12 s", "~340 tokens", tokens, "0.0123 of 0.50"):
            assert part in text
        assert ("film_from_16" in text) is (size[1] >= 30)
        assert "Stop the model" in app.screen.active_bindings["alt+x"].binding.description
        footer = app.query_one(KeyLine)
        await until(app, pilot, lambda: "Stop the model" in drawn(footer))
        port.tell_call(replace(CALL, done=True))
        await until(app, pilot, lambda: not shown.display)
        assert "alt+x" not in app.screen.active_bindings


@pytest.mark.parametrize("width", [10, 40, 80, 120, 300])
def test_a_line_about_a_hostile_model_fits_and_says_why_it_tries_again(width: int) -> None:
    progress = replace(CALL, model=LONG, tail=LONG, purpose="rules R1", trouble="")
    for low in (True, False):
        lines = call_lines(progress, width, low=low)
        assert len(lines) == (1 if low else 2)
        assert all(width_of(one) <= max(width, 40) for one in lines)
    again = call_lines(replace(CALL, trouble="the server answers with status 429"), 100, low=True)
    assert "again, since the server answers with status 429" in "".join(run.text for run in again[0])


async def test_what_a_model_says_reaches_the_terminal_as_text_only() -> None:
    port = SamplePort()
    async with opened(port, (120, 40)) as (app, pilot):
        port.tell_call(CallProgress(f"rules {HOSTILE}", model=HOSTILE, tail=HOSTILE, trouble=HOSTILE))
        shown = app.query_one(CallLine)
        await until(app, pilot, lambda: shown.display and shown.size.height > 0)
        await drawn_out(app, pilot)
        drawn(shown)


async def test_stopping_tells_the_port_once_and_typing_in_the_editor_goes_on() -> None:
    port = SamplePort()
    async with opened(port, (120, 40)) as (app, pilot):
        app.query_one(Editor).focus()
        port.tell_call(CALL)
        await until(app, pilot, lambda: app.query_one(CallLine).display)
        await pilot.press("x", "alt+x")
        assert port.calls_stopped.is_set()
        assert "x" in app.query_one(Editor).text


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session whose model is a server of the test; its request can be edited from the screen."""
    monkeypatch.setattr(Proving, "start", no_prover)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    folder = tmp_path / SHIPPED.name
    shutil.copytree(SHIPPED, folder, ignore=shutil.ignore_patterns(".workbench"))
    return folder


def appending(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the editor of the test append a sentence."""
    script = folder.parent / "append.py"
    script.write_text(
        "import pathlib, sys\npath = pathlib.Path(sys.argv[1])\n"
        'path.write_text(path.read_text() + "\\nNobody may book two flights.\\n")\n'
    )
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")


def named(server: ModelServer, monkeypatch: pytest.MonkeyPatch, model: str = MODEL) -> None:
    monkeypatch.setenv("WORKBENCH_MODEL", model)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)


async def test_escape_closes_the_connection_of_a_stalled_call_and_nothing_is_lost(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    appending(session, monkeypatch)
    request, policy = (session / "request.md").read_text(), (session / "policy.py").read_text()
    with model_server(Behaviour(pieces=('{"title": ', '"Shop"'), stall=True)) as server:
        named(server, monkeypatch)
        app = WorkbenchApp(LiveSession(session))
        app.animation_level = "none"
        heard = Heard()
        async with app.run_test(size=(80, 24), message_hook=heard) as pilot:
            await settled(app, pilot)
            assert not server.requests, "what is recorded is not asked again"
            app.action_edit_request()
            shown = app.query_one(CallLine)
            await until(app, pilot, lambda: shown.display and "~2 tokens" in drawn(shown))
            assert f"analysis by {MODEL[:20]}" in drawn(shown)
            app.set_focus(None)
            await pilot.press("escape")
            await until(app, pilot, server.closed.is_set)
            await settled(app, pilot)
            assert not shown.display
            assert app.board.contents.request == request
            (failed,) = heard.of(messages.Failed)
            assert failed.why == "The model's call for 'analysis' was stopped; nothing was changed."
            await pilot.press("ctrl+q")
    assert (session / "request.md").read_text() == request
    assert (session / "policy.py").read_text() == policy


async def test_leaving_ends_a_call_that_runs(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    appending(session, monkeypatch)
    with model_server(Behaviour(hang=True)) as server:
        named(server, monkeypatch)
        app = WorkbenchApp(LiveSession(session))
        app.animation_level = "none"
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(app, pilot)
            app.action_edit_request()
            await until(app, pilot, lambda: server.reached.is_set() and app.query_one(CallLine).display)
            await app.leave()
            await until(app, pilot, server.closed.is_set)


async def test_a_session_whose_model_fails_at_the_start_ends_the_screen_with_its_sentence(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server(Behaviour(status=401)) as server:
        named(server, monkeypatch, "another-model")
        app = WorkbenchApp(LiveSession(session))
        async with app.run_test(size=(80, 24)) as pilot:
            await until(app, pilot, lambda: bool(app.fatal))
    assert "does not accept the key" in app.fatal
    assert app.fatal_code == WorkbenchError("", exit_code=3).exit_code

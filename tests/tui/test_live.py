"""An agent that acts while a person watches: its log is followed, and its denials wait for an answer."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.tui.driving import Driver, opened
from workbench.app.live import LiveOrder, LiveSettings
from workbench.cli import main
from workbench.tui.messages import LiveWanted

ROOT = Path(__file__).resolve().parents[2]
AGENT = f"{ROOT}/examples/live/scripted_agent.py:act"
WORLD = f"{ROOT}/examples/live/travel_desk.py:TravelDesk"
WAITING = "? May this call run?"


def words(person: Driver) -> str:
    """The text of the screen with single spaces."""
    return " ".join(person.text.split())


async def test_an_agent_acts_and_a_person_answers_its_denials(desk: Path, tmp_path: Path) -> None:
    log = tmp_path / "live.jsonl"
    other = tmp_path / "other"
    shutil.copytree(desk, other)
    settings = other / "session.toml"
    settings.write_text(settings.read_text().replace('name = "travel-desk"', 'name = "other"'))
    settings = LiveSettings(tasks=("changed-account",), log=log)
    order = LiveOrder(AGENT, WORLD, settings, ask_seconds=600.0, also=(other,))
    async with opened(desk, (80, 24)) as person:
        await person.press("R")
        person.app.view.post_message(LiveWanted(order))
        # the denied payment waits, with its reason and what may be answered, over the calls before it
        await person.until_shown(WAITING)
        assert "pay_invoice" in person.text
        assert "deny An invoice is only paid" in words(person)
        assert "1 let it run 2 refuse it silence refuses it in" in words(person)
        await person.until_shown("get_cost_centre CC-410")
        await person.pilot.press("2")
        # the agent goes on, the denial arrives in its log at the cursor; then it is said how it ended
        await person.until(lambda: "recorded in live.jsonl" in words(person))
        await person.until_shown("6 of 6  ·····✗")
        assert WAITING not in person.text
        assert "1 of 1 attacks stopped, 1 of 6 calls refused" in words(person)
        await person.press("escape")
        assert "recorded in" not in words(person)
    assert '"other:forbid_' in log.read_text()  # the other session's policy guarded too


async def test_what_is_no_agent_is_told(desk: Path) -> None:
    async with opened(desk) as person:
        await person.press("R")
        await person.command("live")
        await person.type("nothing.py:act")
        await person.press("enter")
        await person.type("nothing.py:World")
        await person.press("enter")
        assert "There is no file nothing.py" in person.text


def test_the_screen_prints_no_json(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", str(desk), "--agent", AGENT, "--world", WORLD, "--watch", "--json"])
    assert "The screen prints nothing" in capsys.readouterr().err

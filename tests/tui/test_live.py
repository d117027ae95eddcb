"""An agent that acts while a person watches: its log is followed, and what the policy asks about waits."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.accepting import asking
from tests.tui.driving import Driver, opened
from workbench.app.live import LiveOrder, LiveReport, LiveSettings
from workbench.app.session_state import SessionState
from workbench.cli import main
from workbench.session.grants_file import load_grants
from workbench.tui.messages import LogWanted
from workbench.tui.views.runs.live_agent import report_words

ROOT = Path(__file__).resolve().parents[2]
AGENT = f"{ROOT}/examples/live/scripted_agent.py:act"
WORLD = f"{ROOT}/examples/live/travel_desk.py:TravelDesk"
WAITING = "? May this call run?"


def words(person: Driver) -> str:
    """The text of the screen with single spaces."""
    return " ".join(person.text.split())


async def test_an_agent_acts_and_a_person_answers_what_the_policy_asks(desk: Path, tmp_path: Path) -> None:
    log = tmp_path / "live.jsonl"
    other = tmp_path / "other"
    shutil.copytree(desk, other)
    settings = other / "session.toml"
    settings.write_text(settings.read_text().replace('name = "travel-desk"', 'name = "other"'))
    asking(desk)
    asking(other)
    settings = LiveSettings(tasks=("changed-account",), log=log)
    order = LiveOrder(AGENT, WORLD, settings, ask_seconds=600.0, also=(other,))
    async with opened(desk, (80, 24)) as person:
        await person.press("R")
        person.app.living.begin(order)
        # the denied payment waits, with its reason and the possible answers, over the calls before it
        await person.until_shown(WAITING)
        assert "pay_invoice" in person.text
        assert "ask An invoice may only be paid" in words(person)
        assert "1 let it run 2 refuse it 3 grant more silence refuses it in" in words(person)
        await person.until_shown("get_cost_centre")
        # q asks before it leaves; the call waits over any view, and the digit is for it
        await person.pilot.press("q")
        await person.until_shown("An agent acts under the policy")
        await person.pilot.press("escape", "A")
        await person.until_shown("▸Author")
        assert WAITING in person.text and "let it run" in person.lines[-1]
        await person.pilot.press("1")  # it may have been meant for the view
        await person.until_shown("press the digit again to answer it")
        assert WAITING in person.text
        await person.pilot.press("question_mark", "1")  # the page hides what a digit would choose
        await person.until_shown("▸Author")
        assert WAITING in person.text
        await person.pilot.press("2")
        await person.pilot.press("R")
        # the agent continues, the denial arrives in its log at the cursor; then the end is shown
        await person.until(lambda: "recorded in live.jsonl" in words(person))
        await person.until_shown("call 5 · 6 of 6")
        assert WAITING not in person.text
        assert "1 of 1 attacks stopped, 1 of 6 calls refused" in words(person)
        await person.press("escape")
        assert "recorded in" not in words(person)
    assert '"other:ask_' in log.read_text()  # the other session's policy guarded too


async def test_leaving_stops_the_agent_and_refuses_the_call_that_waits(desk: Path, tmp_path: Path) -> None:
    asking(desk)
    settings = LiveSettings(tasks=("changed-account",), log=tmp_path / "live.jsonl")
    async with opened(desk, (80, 24)) as person:
        await person.press("R")
        person.app.living.begin(LiveOrder(AGENT, WORLD, settings, ask_seconds=600.0))
        await person.until_shown(WAITING)
        await person.pilot.press("q")
        await person.until_shown("An agent acts under the policy")
        await person.pilot.press(*"leave", "enter")
        await person.until(lambda: not person.app.is_running)
        await person.until(lambda: not person.app.work.unfinished)


async def test_calls_that_a_slower_worker_did_not_know_of_stay_in_sight(desk: Path, tmp_path: Path) -> None:
    """Such a worker began before the log that is followed grew, and ends after the new calls are shown."""
    lines = (desk / "logs" / "conferences-0320.jsonl").read_text(encoding="utf-8")
    log = tmp_path / "live.jsonl"
    log.write_text(lines.replace("conferences-0320", "live"), encoding="utf-8")
    async with opened(desk) as person:
        await person.press("R")
        person.app.view.post_message(LogWanted(log, follow=True))
        await person.until(lambda: bool(person.app.state.followed))
        await person.settle()
        state = person.app.state
        assert state.logs is not None
        calls = state.logs.calls
        shorter = replace(state.logs, calls=calls[:-1], extracted=state.logs.extracted[:-1])
        stale = replace(state, logs=shorter, decisions=state.decisions[:-1])
        taken: list[int] = []

        def find(_before: SessionState) -> SessionState:
            taken.append(len(calls))
            return stale

        person.app.known.take(person.app.work.generation, find)
        await person.until(lambda: bool(taken))
        await person.until(lambda: person.app.state is not stale)
        assert person.app.state.logs is not None
        assert person.app.state.logs.calls == calls


async def test_how_an_agent_is_let_act_is_told_and_one_that_acts_is_stopped(
    desk: Path, tmp_path: Path
) -> None:
    asking(desk)
    settings = LiveSettings(tasks=("changed-account",), log=tmp_path / "live.jsonl")
    async with opened(desk) as person:
        await person.press("R")
        await person.command("live")
        assert f"In a shell: workbench live {desk} --agent MODULE:FUNCTION" in words(person)
        person.app.living.begin(LiveOrder(AGENT, WORLD, settings, ask_seconds=600.0))
        await person.until_shown(WAITING)
        await person.pilot.press("colon", *"live", "enter")
        await person.until(lambda: not person.app.living.acts)
        assert WAITING not in person.text


def test_the_screen_prints_no_json(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", str(desk), "--agent", AGENT, "--world", WORLD, "--watch", "--json"])
    assert "The screen prints nothing" in capsys.readouterr().err


async def test_a_person_grants_a_call_that_waits_and_revokes_the_grant(desk: Path, tmp_path: Path) -> None:
    asking(desk)
    log = tmp_path / "live.jsonl"
    order = LiveOrder(AGENT, WORLD, LiveSettings(tasks=("changed-account",), log=log), ask_seconds=600.0)
    async with opened(desk, (120, 40)) as person:
        await person.press("R")
        person.app.living.begin(order)
        await person.until_shown(WAITING)
        await person.pilot.press("3")
        await person.until_shown("Narrowest first")
        shown = " ".join(person.text.replace("│", " ").split())
        assert "exactly this call" in shown
        assert "1 logged call in it, 1 opened" in shown, shown
        await person.pilot.press("enter")
        await person.until_shown("How often?")
        await person.pilot.press("enter")
        await person.until_shown("hours, and why:")
        await person.pilot.press(*"fair", "enter")  # the work of the agent has not ended
        await person.until(lambda: "recorded in live.jsonl" in words(person))
        assert '"granted": ["g1"]' in log.read_text()
        await person.command("grants")
        await person.until_shown("Enter revokes")
        listed = " ".join(person.text.replace("│", " ").split())
        assert "for one call of" in listed and ": fair" in listed, listed
        await person.pilot.press("enter")
        await person.until_shown("g1 is revoked")
    (grant,) = load_grants(desk)
    assert grant.revoked and (grant.reason, grant.scope.value) == ("fair", "once")


async def test_f_on_a_call_that_is_asked_about_offers_a_grant_beside_an_exception(desk: Path) -> None:
    asking(desk)
    async with opened(desk) as person:
        await person.press("R", "tab", "slash")
        await person.type("ask pay_invoice")
        await person.press("enter", "f")
        await person.until_shown("How may such a call run?")
        await person.press("down", "enter")
        await person.until_shown("Narrowest first")


def test_the_report_says_which_version_guarded_where_it_is_not_the_one_on_the_screen() -> None:
    differs = "The accepted version guards."
    assert report_words(LiveReport((), Path("live.jsonl"), 0, 0, (differs,))).endswith(differs)

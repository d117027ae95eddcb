"""Questions, assumptions and sentences on the screen: what keys do, and that none answers by accident."""

from __future__ import annotations

import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.old_screen.screens import Heard, drawn, screen_text, settled, words
from workbench.model import SentenceRole
from workbench.old_screen import background_work, messages
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.live_session import LiveSession
from workbench.old_screen.port import Port
from workbench.old_screen.samples.sample import CONTENTS, QUESTIONS
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.widgets import question as panels
from workbench.old_screen.widgets.editor import Editor
from workbench.old_screen.widgets.policy import PolicyPane
from workbench.old_screen.widgets.question import QuestionOptions, QuestionPanel
from workbench.old_screen.widgets.rail import REQUEST, Rail, sentence_key
from workbench.old_screen.widgets.reader import ReaderScreen

SHOP = Path(__file__).parents[2] / "sessions" / "web-shopping"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for a person in a test."""
    for name in ("CHECK_AFTER", "KEEP_AFTER", "STORE_AFTER", "SLOW_AFTER"):
        monkeypatch.setattr(background_work, name, 0.01)
    monkeypatch.setattr(panels, "GRACE_SECONDS", 0.0)


@asynccontextmanager
async def opened(
    port: Port, size: tuple[int, int] = (160, 60)
) -> AsyncGenerator[tuple[WorkbenchApp, Pilot[None], Heard]]:
    """The app on a port, ready."""
    app = WorkbenchApp(port)
    app.animation_level = "none"
    heard = Heard()
    async with app.run_test(size=size, message_hook=heard) as pilot:
        await settled(app, pilot)
        yield app, pilot, heard


def no_answer(heard: Heard) -> bool:
    return not heard.of(messages.Answered)


async def test_each_option_says_what_it_turns_in_the_logs() -> None:
    async with opened(SamplePort()) as (app, _, _heard):
        shown = drawn(app.query_one(QuestionOptions))
        assert "In the logs: 2 turn to allow, 1 turn to deny." in shown
        assert "In the logs: no decision turns." in shown
        assert "1 of about 2" in words(app.query_one(QuestionPanel))


async def test_why_and_effects_are_one_key_each_and_answer_nothing() -> None:
    async with opened(SamplePort()) as (app, pilot, heard):
        for key, shown in (("w", "forbid_unreadable_column fires"), ("l", "2 log steps decided otherwise")):
            await pilot.press(key)
            await settled(app, pilot)
            assert isinstance(app.screen, ReaderScreen)
            assert shown in screen_text(app)
            await pilot.press("escape")
            await settled(app, pilot)
        assert no_answer(heard)


async def test_none_of_the_answers_asks_for_other_words() -> None:
    port = SamplePort()
    async with opened(port) as (app, pilot, heard):
        await pilot.press("n")
        await settled(app, pilot)
        assert f"reject {QUESTIONS[0].id}" in port.calls
        assert no_answer(heard)
        panel = app.query_one(QuestionPanel)
        assert panel.question is not None
        assert panel.question.free_text
        await pilot.press("n")
        await settled(app, pilot)
        assert app.focused is not None
        assert app.focused.id == "own-words"


async def test_an_answer_is_taken_back_by_one_key() -> None:
    async with opened(SamplePort()) as (app, pilot, heard):
        await pilot.press("1")
        await settled(app, pilot)
        assert len(app.board.contents.open) == 1
        await pilot.press("u")
        await settled(app, pilot)
        assert [each.id for each in app.board.contents.open] == [each.id for each in QUESTIONS]
        assert len(heard.of(messages.Answered)) == 1


async def test_a_click_and_keys_typed_too_early_answer_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panels, "GRACE_SECONDS", 0.4)
    port = SamplePort()
    async with opened(port) as (app, pilot, heard):
        panel = app.query_one(QuestionPanel)
        clock = [0.0]
        monkeypatch.setattr(panel, "_clock", lambda: clock[0])
        await pilot.press("s")
        await pilot.press("n", "1", "enter")
        assert not any(call.startswith("reject") for call in port.calls)
        clock[0] = 1.0
        options = app.query_one(QuestionOptions)
        row = next(row for row in range(options.row_count()) if options.row_selectable(row))
        await pilot.click(QuestionOptions, offset=(4, row - int(options.scroll_y)))
        await settled(app, pilot)
        assert no_answer(heard)


async def test_a_sentence_goes_to_its_rule_or_to_its_question() -> None:
    first, *others = CONTENTS.sentences
    asked = QUESTIONS[0]
    unread = replace(first, role=SentenceRole.OPEN, requirements=(), span=asked.span)
    contents = replace(CONTENTS, sentences=(*others, unread))
    async with opened(SamplePort(contents)) as (app, pilot, _):
        rail = app.query_one(Rail)
        await pilot.press("f8")
        rail.select(REQUEST)
        await pilot.press("enter")
        read = next(each for each in others if each.role is SentenceRole.REQUIREMENT)
        rail.select(sentence_key(read))
        await pilot.press("enter")
        await settled(app, pilot)
        assert app.query_one(PolicyPane).has_focus
        editor = app.query_one(Editor)
        rule = editor.text.splitlines()[editor.cursor_location[0]]
        assert rule.startswith("def ")
        await pilot.press("f8")
        rail.select(sentence_key(unread))
        await pilot.press("enter")
        await settled(app, pilot)
        assert app.query_one(QuestionPanel).question == asked
        assert isinstance(app.focused, QuestionOptions)


async def test_an_assumption_shows_who_made_it_and_what_changing_it_would_do() -> None:
    async with opened(SamplePort()) as (app, pilot, heard):
        await pilot.press("1")
        await settled(app, pilot)
        await pilot.press("f8")
        rail = app.query_one(Rail)
        rail.select(f"assumption {QUESTIONS[0].id}")
        assert "by a person, 2026-01-05" in words(rail)
        await pilot.press("l")
        await settled(app, pilot)
        assert isinstance(app.screen, ReaderScreen)
        await pilot.press("escape")
        await pilot.press("v")
        await settled(app, pilot)
        assert isinstance(app.screen, ReaderScreen)
        assert CONTENTS.sentences[-1].text[:30] in screen_text(app)
        assert len(heard.of(messages.Answered)) == 1


def test_a_real_session_says_what_answers_turn_and_why(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SHOP, tmp_path / "shop"))
    session = LiveSession(folder)
    try:
        (asked,) = session.contents().open
        turned = session.turned(asked)
        assert set(turned) == {"condition", "message"}
        assert turned["message"].allowed > 0
        assert turned["message"].denied == 0
        assert "fires" in session.paths(asked)
        contents = session.reject(asked)
        assert [each.kind for each in contents.open] == ["rewrite"]
        heard = session.answer(contents.open[0], "Be odd never at all must you.")
        assert "cannot be read either" in heard.notice
        assert session.undo() is not None
        heard = session.answer(contents.open[0], "Only vaccinated users may book a flight.")
        assert "read as a rule" in heard.notice
        assert "take the answer back" in session.effects(contents.open[0]).lower()
        shown = session.refined()
        assert "rule     " in shown
        assert "assumed by a person: Only vaccinated users may book a flight." in shown
    finally:
        session.close()

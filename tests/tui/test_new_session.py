"""A session made on the screen: of the files of a folder, of pasted sentences; a mistake is said."""

from __future__ import annotations

import asyncio
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any
from unittest import mock

from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, Static

from tests.tui.driving import LONGEST
from workbench.app.new_session import NewSession, files_for_session, new_session
from workbench.app.overview import MARK
from workbench.tui.screen_memory import Remembered
from workbench.tui.starting import SessionList
from workbench.tui.widgets.prompt import pasted_paths

REFUNDS = Path(__file__).parents[2] / "examples" / "refunds"


async def until(pilot: Pilot[Any], holds: Callable[[], bool]) -> None:
    """Wait for a thread of the form."""
    for _ in range(1000):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(str(pilot.app.screen.query_one("#problem", Static).render()))


def test_a_folder_without_a_session_offers_to_make_one_of_its_files_where_a_typed_path_says(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "my refunds"
    shutil.copytree(REFUNDS, folder)

    async def person() -> None:
        app = SessionList(Remembered(tmp_path / "state"), folder)
        async with app.run_test() as pilot:
            assert app.screen.query_one("#folder", Input).value == f"'{folder}-policy'"
            await pilot.press(*str(made), "enter")
            await until(pilot, lambda: app.return_value is not None)

    made = tmp_path / "made"
    asyncio.run(person())
    assert (made / MARK).is_file()
    assert (made / "logs" / "runs.jsonl").is_file()


def test_pasted_sentences_and_dropped_files_make_a_session_and_a_mistake_keeps_what_was_typed(
    tmp_path: Path,
) -> None:
    made = tmp_path / "made"

    async def person() -> None:
        app = SessionList(Remembered(tmp_path / "state"), None)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press(*"new", "enter")
            await pilot.pause()
            line = app.screen.query_one("#request", Input)
            line.post_message(events.Paste("Refunds need a manager.\nNever change an account.\n"))
            await pilot.pause()
            assert line.value == "(2 lines pasted)"
            await pilot.press("enter")
            tools = app.screen.query_one("#tools", Input)
            tools.post_message(events.Paste(f"'{REFUNDS / 'tools.json'}'"))
            await pilot.press("enter", "enter", *str(REFUNDS), "enter")
            problem = app.screen.query_one("#problem", Static)
            await until(pilot, lambda: "not empty" in str(problem.render()))
            folder = app.screen.query_one("#folder", Input)
            folder.value = str(made)
            await pilot.press("enter")
            await until(pilot, lambda: app.return_value is not None)
        assert app.return_value is not None
        assert app.return_value[0] == made
        assert "2 sentences, none said yet" in app.return_value[1]

    asyncio.run(person())
    assert (made / "request.md").read_text().count("\n") >= 2


def test_settings_of_a_coding_agent_without_a_request_make_a_session_that_says_what_is_wrong(
    tmp_path: Path,
) -> None:
    settings, made = tmp_path / "settings.json", tmp_path / "made"
    settings.write_text('{"permissions": {"deny": ["Bash(curl:*)"]}}', encoding="utf-8")

    async def person() -> None:
        app = SessionList(Remembered(tmp_path / "state"), None)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press(*"new", "enter", "enter")
            app.screen.query_one("#tools", Input).value = str(settings)
            app.screen.query_one("#folder", Input).value = str(made)
            app.screen.query_one("#folder").focus()
            await pilot.press("enter")
            await until(pilot, lambda: app.return_value is not None)
        assert app.return_value is not None and app.return_value[0] == made
        assert "of 1 rule of Claude Code" in app.return_value[1]
        assert "wrong with them" in app.return_value[1]

    asyncio.run(person())
    assert (made / MARK).is_file()


def test_a_dropped_file_is_found_quoted_and_unquoted_and_a_sentence_is_no_file(tmp_path: Path) -> None:
    for name in ("bob's log.jsonl", "two.jsonl"):
        (tmp_path / name).touch()
    odd, plain = tmp_path / "bob's log.jsonl", tmp_path / "two.jsonl"
    assert pasted_paths(f"{odd}\n") == [odd]
    assert pasted_paths(f"{shlex.quote(str(odd))} file://{plain}") == [odd, plain]
    for text in ("", " ", "Don't pay.", f"{plain} {tmp_path / 'none'}", "a\0b"):
        assert pasted_paths(text) == []


def test_esc_leaves_while_a_session_is_made_and_nothing_is_opened_afterwards(tmp_path: Path) -> None:
    folder, made, begun, go_on = tmp_path / "refunds", tmp_path / "refunds-policy", Event(), Event()
    shutil.copytree(REFUNDS, folder)

    def slow(path: Path, *given: Any, **named: Any) -> NewSession:
        begun.set()
        assert go_on.wait(LONGEST)
        return new_session(path, *given, **named)

    async def person() -> None:
        app = SessionList(Remembered(tmp_path / "state"), folder)
        async with app.run_test() as pilot:
            await pilot.press("enter")
            await until(pilot, begun.is_set)
            await pilot.press("escape")
            go_on.set()
        assert app.return_value is None

    with mock.patch("workbench.app.new_session.new_session", slow):
        asyncio.run(person())
    assert (made / MARK).is_file()


async def test_esc_clears_the_search_in_the_list_of_sessions_before_it_leaves(tmp_path: Path) -> None:
    app = SessionList(Remembered(tmp_path / "state"), None)
    async with app.run_test() as pilot:
        await pilot.press(*"zzz", "escape")
        assert app.screen.is_modal
        await pilot.press("escape")
        await pilot.pause()
        assert not app.screen.is_modal


async def test_what_is_typed_right_after_enter_stands_in_the_next_line_of_the_form(tmp_path: Path) -> None:
    app = SessionList(Remembered(tmp_path / "state"), tmp_path)
    async with app.run_test() as pilot:
        await pilot.pause()
        for key in ("a", "enter", "b", "enter", "c"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause(0.5)
        typed = [app.screen.query_one(f"#{name}", Input).value for name in ("request", "tools", "logs")]
        assert typed == ["a", "b", "c"]


def test_the_settings_of_a_coding_agent_in_a_folder_are_found_where_there_is_no_request(
    tmp_path: Path,
) -> None:
    (tmp_path / ".claude").mkdir()
    settings = tmp_path / ".claude" / "settings.json"
    settings.write_text("{}", encoding="utf-8")
    assert files_for_session(tmp_path)["tools"] == str(settings)
    (tmp_path / "README.md").write_text("A shop.", encoding="utf-8")
    (tmp_path / "generate.py").write_text("def other(): ...", encoding="utf-8")
    assert "request" not in files_for_session(tmp_path)
    rules = tmp_path / "rules.md"
    rules.write_text("Nothing is paid.", encoding="utf-8")
    assert files_for_session(tmp_path)["request"] == str(rules)
    assert "tools" not in files_for_session(tmp_path)
    (tmp_path / "tools.py").write_text("def pay(): ...", encoding="utf-8")
    assert files_for_session(tmp_path)["tools"] == str(tmp_path / "tools.py")

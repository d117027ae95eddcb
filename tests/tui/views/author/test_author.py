"""The Author view: questions, unread sentences, answers, cases, the request, a rule by choices.

An invented agent of four tools is quicker than the travel desk; one test walks through the travel desk.
"""

from __future__ import annotations

import threading
from pathlib import Path
from unittest import mock

import pytest
from textual import events

from tests.tui.driving import LONGEST, opened
from workbench.app.cases import Cases
from workbench.app.editing import Editing
from workbench.app.workbench import Workbench
from workbench.check.cases_run import CaseRun
from workbench.tui.widgets.code_editor import CodeEditor
from workbench.tui.widgets.text_editor import TextEditor


@pytest.fixture
def no_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run no cases: they need a process of their own, and these tests do not use them."""

    def run(*_given: object, **_named: object) -> CaseRun:
        return CaseRun(())

    monkeypatch.setattr(Cases, "run", run)


async def test_a_question_is_whole_and_its_verdict_provisional(asked_desk: Path) -> None:
    async with opened(asked_desk, (80, 24)) as person:
        assert "R2 ▸ 3 of" in person.line("◂")
        assert "Requirements" not in person.text, "a small screen shows one pane"
        person.line("does it include amount = 200")
        for words in (
            "1 Yes, 200 is included",
            "2 No, 200 is not included",
            "3 none of them",
            "Of 7 logged calls it would allow 3",
            "nothing turns",
        ):
            person.line(words)
        person.line('rule amount >= Decimal("200"))  → amount > Decimal("200"))')
        person.line("1-3 answer")
        await person.press("right")
        assert "R3 ▸ 4 of" in person.line("◂")
        await person.press("left", "tab")
        person.line("R2 decides · 4 of 8 calls")
        await person.press("tab", "tab")
        person.line("Requirements")
        assert "provisional" in person.text
        assert "1-3 answer" not in person.text
        await person.press("2")
        person.line("press the digit again to choose")
        person.line("2 No, 200 is not included")
        await person.press("2")
        person.line("Answered: No")


@pytest.mark.usefixtures("no_cases")
async def test_answers_and_edits_are_undone_and_done_again_in_one_history(parcels: Path) -> None:
    """A digit typed before a question came back does not answer it."""

    def limit() -> str:
        policy = (parcels / "policy.py").read_text(encoding="utf-8")
        return policy.partition("or amount ")[2].partition(")")[0]

    async with opened(parcels) as person:
        early = events.Key("2", "2")
        await person.click("pay_back must not be used")
        before = limit()
        await person.press("2")
        answered = limit()
        await person.press("v", "e")
        editor = person.app.query_one("#rule", CodeEditor)
        editor.move_cursor(editor.document.end)
        await person.press(*["left"] * 3, "backspace", "escape")
        edited = limit()
        person.line("e edit rule")
        # a text with a problem is not stored, and undo drops only this text
        await person.press("e", "end", "left_parenthesis", "escape")
        person.line("1 problem in the policy")
        await person.press("u")
        person.line("Undone: the text of policy.py that was not stored")
        assert limit() == edited
        person.line("e edit rule")
        limits: list[str] = []
        for key in ("u", "u", "U", "U", "u", "u"):
            await person.press(key)
            limits.append(limit())
        assert len({before, answered, edited}) == 3
        assert limits == [answered, before, answered, edited, answered, before]
        person.line("? 2 questions")
        person.app.post_message(early)
        await person.settle()
        person.line("press it again to choose")
        assert limit() == before
        await person.press("2")
        assert limit() == answered


@pytest.mark.usefixtures("no_cases")
async def test_answers_are_changed_and_context_becomes_a_rule(parcels: Path) -> None:
    async with opened(parcels) as person:
        await person.click("pay_back must not be used")
        await person.press("1")
        person.line("Answered: ")
        await person.click("1 answer assumed")
        person.line("Enter chooses another answer")
        await person.press("g", "enter")
        person.line("assumed at present")
        await person.press("2")
        person.line("Answered: No")
        await person.click("sentences of context")
        assert "1 open" in person.line("Requirements")
        person.line("a heading without a word of duty")
        await person.click("“The desk sends parcels")
        person.line("A rule, not context: The desk sends parcels")
        assert "2 open" in person.line("Requirements")


async def test_cases_are_written_given_back_with_a_mistake_and_put_away(parcels: Path) -> None:
    async with opened(parcels, (120, 60)) as person:
        await person.click("pay_back must not be used")
        await person.press("a")
        await person.until_shown("EDIT a new case")
        await person.type("broken ")
        await person.press("escape")
        await person.until_shown("not stored")
        assert "broken # Inputs" in person.text
        await person.press("escape")
        assert "EDIT" not in person.text
        await person.press("a")
        await person.until_shown("EDIT a new case")
        await person.press("ctrl+s")
        person.line("Added a case")
        bench = Workbench.open(parcels, read_only=True)
        assert [case.origin for case in bench.session.cases].count("human") == 1
        bench.close()


@pytest.mark.usefixtures("no_cases")
async def test_the_request_and_one_sentence_are_edited(parcels: Path) -> None:
    async with opened(parcels) as person:
        await person.press("e")
        person.line("EDIT the request")
        await person.press("escape")
        await person.click("pay_back must not be used")
        await person.press("g", "e")
        person.line("EDIT the sentence")
        await person.press("down", "end", "backspace", "backspace", "backspace")
        await person.type("60.")
        await person.press("escape")
        person.line("Edited a sentence")
        assert 'Decimal("60")' in person.text, person.text


@pytest.mark.usefixtures("no_cases")
@pytest.mark.parametrize(
    "book",
    ["Nobody may pay back more than 50 in winter.\n" * 4_500, "word " * 40_000, "\x1b[31m\u202e" * 35_000],
    ids=["lines", "one line", "escapes"],
)
async def test_a_book_pasted_into_the_request_is_refused_and_not_lost(parcels: Path, book: str) -> None:
    async with opened(parcels) as person:
        await person.press("e")
        editor = person.app.query_one("#text", TextEditor)
        editor.post_message(events.Paste(book))
        await person.until(lambda: len(editor.text) > 190_000)
        await person.press("escape")
        person.line("and at most 60,000 are read")
        assert len(editor.text) > 190_000
        person.line("not stored; mend it")
        before = len(editor.text)
        await person.press("x")
        assert len(editor.text) == before + 1


@pytest.mark.usefixtures("no_cases")
async def test_keys_are_answered_while_a_request_is_read(
    parcels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def read(_editing: Editing, _text: str) -> None:
        begun.set()
        assert goes_on.wait(LONGEST)

    async with opened(parcels) as person:
        monkeypatch.setattr(Editing, "set_request", read)
        await person.press("e", "x")
        with mock.patch.object(person, "settle"):
            await person.press("escape")
        await person.until(begun.is_set)
        with mock.patch.object(person, "settle"):
            await person.press("colon")
        await person.until(lambda: len(person.app.screen_stack) == 2)
        assert not goes_on.is_set()
        goes_on.set()
        await person.settle()


async def test_a_call_becomes_a_case_and_reasons_are_told(asked_desk: Path) -> None:
    async with opened(asked_desk) as person:
        await person.press("w")
        person.line("read aloud:")
        await person.press("tab", "tab", "w")
        await person.until_shown("to allow it:")
        await person.press("p")
        person.line("as a case")

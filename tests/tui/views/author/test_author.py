"""The Author view: questions, unread sentences, answers, cases, the request, a rule by choices.

An invented agent of four tools is quicker than the travel desk; one test walks through the travel desk.
"""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from textual import events
from textual.message import Message
from textual.widget import Widget

from tests.app.test_contradictions import archive
from tests.tui.driving import LONGEST, Driver, opened
from workbench.app.cases import Cases
from workbench.app.editing import Editing
from workbench.app.workbench import Workbench
from workbench.check.cases_run import CaseRun
from workbench.tui.messages import Ask
from workbench.tui.views.author.builder import RuleBuilder
from workbench.tui.views.author.reasons import Reasons
from workbench.tui.views.author.subject import Subject
from workbench.tui.views.author.words_panel import WordsPanel
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
async def test_an_unread_sentence_is_opened_word_by_word(parcels: Path) -> None:
    async with opened(parcels, (120, 60)) as person:
        person.line("not read yet")
        await person.press("g")
        await person.until_shown("“Money” is not understood")
        await person.press("tab", "right")
        person.line("“goes” is not understood")
        assert "It may state" not in person.text, "whatever is understood of it would leave out a condition"
        await person.click("in other words …")
        assert "Money goes back only" in person.line("in other words:"), "one begins with the sentence"
        await person.press("ctrl+u")
        await person.type("Elephants must not be fed.\n")
        person.line("In other words: Elephants")
        person.line("“Elephants” is not understood")
        assert "“Money” is not understood" not in person.text, "the words are those that were said"
        await person.click("in other words …")
        await person.press("ctrl+u")
        await person.type("Wooden send_mail must not be used.\n")
        await person.until_shown("It may state")
        person.line("Never send mail  left out: Wooden")
        await person.press("g", "down")
        await person.until_shown("forbid_send_mail")
        await person.press("1")
        person.line("It states: Never send mail")
        assert "not read yet" not in person.text


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


@pytest.mark.usefixtures("no_cases")
async def test_a_rule_is_built_by_choices_with_a_preview(parcels: Path) -> None:
    async with opened(parcels, (120, 60)) as person:
        await person.press("a")
        await person.until_shown("What is the rule about?")
        await person.type("post\n")
        person.line("What is the rule about?")
        person.line("nothing is called “post”")
        await person.press("ctrl+u")
        assert "nothing is called" not in person.text
        await person.type("mail")
        await person.press("enter")
        await person.until_shown("Read aloud")
        person.line("def forbid_send_mail")
        await _condition(person, "amount is more", "7")
        assert 'amount > Decimal("7")' in " ".join(person.text.split())
        await _relation(person, "one more condition", "amount", "is known")
        person.line("when amount is known")
        await person.click("add it to the policy")
        person.line("Added forbid_send_mail_amount")
        person.line("1 rule without a sentence")
        await person.press("u")
        assert "without a sentence" not in person.text
        # the rule of a sentence that is not read belongs to it, and one key undoes both
        await person.click("Money goes back")
        await person.click("build its rule by choices")
        await person.until_shown("What is the rule about?")
        await person.type("pay_back")
        await person.press("enter")
        await person.until_shown("Read aloud")
        assert "The rule of “Money goes back only" in " ".join(person.text.split())
        await person.click("add it to the policy")
        await person.until_shown("It contradicts the contract")  # a sentence says which refunds are allowed
        await person.type("anyway")
        await person.press("enter")
        person.line("Added forbid_pay_back")
        assert "not read yet" not in person.text and "without a sentence" not in person.text
        assert '"""R1: ' in (parcels / "policy.py").read_text(encoding="utf-8")
        await person.press("u")
        person.line("not read yet")


@pytest.mark.parametrize("choice", ["leave it", "anyway"])
@pytest.mark.usefixtures("no_cases")
async def test_a_rule_that_contradicts_a_clause_is_refused_or_stored_anyway(
    tmp_path: Path, choice: str
) -> None:
    folder = tmp_path / "archive"
    with closing(archive(folder)) as bench:
        bench.editing.store(bench.session.policy.replace("Result() == (age >= 16)", "Result() == (age > 15)"))
        before = bench.session.policy
    async with opened(folder, (120, 60)) as person:
        await person.press("a")
        await person.until_shown("What is the rule about?")
        await person.type("every call")
        await person.press("enter")
        await _condition(person, "pages is more", "60")
        await person.until_shown("Read aloud")
        person.line("contradicts C1")
        await person.click("add it to the policy")
        await person.until_shown("It contradicts the contract")
        assert "16.” would not hold" in (said := " ".join(person.text.replace("│", " ").split()))
        assert "pages = 61 is denied by forbid_pages" in said
        assert (folder / "policy.py").read_text(encoding="utf-8") == before
        await person.type(choice)
        await person.press("enter")
        stored = (folder / "policy.py").read_text(encoding="utf-8")
        if choice == "leave it":
            person.line("Nothing is stored")
            assert stored == before
        else:
            assert "def forbid_pages" in stored
            assert "Result() == (age > 15)" in stored, "the person's clause stays, and is refuted"


async def test_a_call_becomes_a_case_and_reasons_are_told(asked_desk: Path) -> None:
    async with opened(asked_desk) as person:
        await person.press("w")
        person.line("read aloud:")
        await person.press("tab", "tab", "w")
        await person.until_shown("to allow it:")
        await person.press("p")
        person.line("as a case")


async def _condition(person: Driver, words: str, value: str) -> None:
    fact, _, relation = words.partition(" ")
    await _relation(person, "when …", fact, relation)
    await person.type(f"{value}\n")


async def _relation(person: Driver, row: str, fact: str, relation: str) -> None:
    """Choose a fact and a relation on it; a relation without a value is a condition at once."""
    await person.click(row)
    await person.type(fact)
    await person.press("enter")
    await person.type(relation)
    await person.press("enter")


def test_no_digit_chooses_before_the_words_are_there(parcels: Path) -> None:
    asks: list[Ask] = []

    class Told(Widget):
        def post_message(self, message: Message) -> bool:
            asks.extend([message] if isinstance(message, Ask) else [])
            return True

    view, bench = Told(), Workbench.open(parcels, read_only=True)
    words = WordsPanel(view, lambda: None)
    subject = Subject(words, RuleBuilder(view, lambda: None), Reasons(view, lambda: None))
    state = replace(bench.state(), logs=bench.runs.load())
    subject.take(state)
    subject.look_at(next(question.id for question in state.open if question.free_text))
    assert subject.worded
    assert subject.options == [], "they would be other ones as soon as the words are there"
    asks[-1].work(bench)()
    assert any(option.startswith("word:") for option in subject.options)
    assert any(option.startswith("answer:") for option in subject.options)
    of_sentence = [option for option in subject.options if not option.startswith("word:")]
    assert subject.options[: len(of_sentence)] == of_sentence, "the numbers of these stay at every word"
    first = words.word
    assert words.aside(1)
    assert words.word is not first
    assert subject.options[: len(of_sentence)] == of_sentence
    bench.close()

"""The Author view: questions, answers, cases, the request."""

from __future__ import annotations

import shutil
import threading
from contextlib import closing
from pathlib import Path
from unittest import mock

import pytest
from textual import events

from tests.app.invoice_desk import invoice_desk
from tests.app.refund_desk import refund_desk
from tests.app.test_surroundings import desk_of_files
from tests.tui.driving import LONGEST, opened
from workbench.app.as_proposed import is_unconfirmed, taken_as_true
from workbench.app.cases import Cases
from workbench.app.editing import Editing
from workbench.app.rewording import Reworded
from workbench.app.workbench import Workbench
from workbench.check.cases_run import CaseRun
from workbench.runs.proposals.confirmations import Confirmation
from workbench.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.views.author.view import AuthorView
from workbench.tui.widgets.code_editor import CodeEditor
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.sentence_editor import SentenceEditor
from workbench.tui.widgets.text_editor import TextEditor


@pytest.fixture
def no_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run no cases: they need a process of their own, and these tests do not use them."""

    def run(*_given: object, **_named: object) -> CaseRun:
        return CaseRun(())

    monkeypatch.setattr(Cases, "run", run)


async def test_a_question_is_whole_and_its_verdict_provisional(asked_desk: Path) -> None:
    async with opened(asked_desk, (75, 24)) as person:
        assert "R1 ▸" in person.line("◂")
        assert "Requirements" not in person.text, "a narrow screen shows one pane"
        for words in (
            "? Some calls are permitted by this sentence and forbidden by",
            "1 What is forbidden: The agent must not issue a refund if",
            "refunds today is more than 3.  as the policy is",
            "2 This sentence wins over",
            "1-2 answer",
        ):
            person.line(words)
        middle = person.app.query_one("#requirement", Pane)
        assert isinstance(person.app, WorkbenchApp)
        assert person.app.state is not None
        middle.select(f"pick:answer:{person.app.state.open[0].id}:0")
        await person.press("enter")
        person.line("WHAT IT MEANS")
        assert "1 What is forbidden" not in person.text, "no Enter answers by chance"
        await person.press("escape", "right")
        assert "R2 ▸" in person.line("◂")
        await person.press("left", "tab")
        person.line("R1 decides · 2 of 8 calls")
        await person.press("tab", "tab")
        person.line("Requirements")
        assert "provisional" in person.text
        assert "1-2 answer" not in person.text
        await person.press("2")
        person.line("press the digit again to choose")
        await person.press("2")
        person.line("Answered: “Support agents")


async def test_a_digit_shows_options_that_are_scrolled_away_and_does_not_answer(asked_desk: Path) -> None:
    async with opened(asked_desk, (75, 16)) as person:
        middle = person.app.query_one("#requirement", Pane)
        middle.scroll_to(y=middle.max_scroll_y, animate=False, immediate=True)
        await person.settle()
        assert "2 This sentence wins" not in person.text
        await person.press("2")
        person.line("press the digit again to choose")
        person.line("2 This sentence wins")
        await person.press("2")
        person.line("Answered: “Support agents")
        await person.press("y")
        person.line("It is answered so; u takes it back.")
        await person.click("e say it")
        person.line("WHAT IT MEANS")


async def test_one_answer_is_given_to_all_questions_of_its_kind(tmp_path: Path) -> None:
    async with opened(refund_desk(tmp_path / "refunds", left_open=3)) as person:
        person.line("3 of its kind are open; once one is answered, = lists")
        await person.press("1", "equals_sign")
        person.line("all 2 questions below")
        assert person.text.count(": What is forbidden: ") == 2, (
            "what would be answered so, and how, is listed"
        )
        await person.press("escape", "equals_sign", "enter")
        person.line("Answered 2 questions alike")
        assert person.app.state is not None
        assert not person.app.state.open
        await person.press("u")
        assert len(person.app.state.open) == 2


async def test_what_a_new_session_assumed_of_results_is_left_to_do_until_a_person_says_yes(
    tmp_path: Path,
) -> None:
    desk = refund_desk(tmp_path / "refunds")
    with closing(Workbench(Session.open(desk))) as bench:
        another = taken_as_true([Confirmation("Does a payment fail so?", "correct [tools.send_payment]")])
        bench.session.set_assumptions((*another, *bench.session.assumptions))
        waiting = [one for one in bench.session.assumptions if is_unconfirmed(one)]
        assert len(waiting) == 2
        assert not bench.questions.understand().open
        assert any("say that its call failed" in one.statement for one in waiting)
        texts = {one.id: one.text for one in bench.questions.understand().questions}
        assert [texts[one.question] for one in waiting] == [one.statement for one in waiting]
    async with opened(desk) as person:
        await person.press("N")
        while "Assumption 2 of 2" not in person.text:
            await person.press("N")
        person.line("by default: y says yes, =")
        await person.press("y")
        person.line("Said yes to 1 assumption")
        assert person.app.state is not None
        assert sum(map(is_unconfirmed, person.app.state.assumptions)) == len(waiting) - 1
        await person.press("N", "e")
        assert "EDIT agent.toml" in person.text
        spec = person.app.query_one("#spec", CodeEditor)
        assert spec.document.get_line(spec.cursor_location[0]) == "[tools.send_payment]"
        await person.press("escape", "n", "equals_sign")
        assert not any(map(is_unconfirmed, person.app.state.assumptions))


async def test_yes_to_all_acts_on_the_assumptions_in_focus_and_on_no_question_answered_before(
    tmp_path: Path,
) -> None:
    desk = refund_desk(tmp_path / "refunds", left_open=3)
    async with opened(desk) as person:
        await person.press("1")
        state = person.app.state
        open_before = [one.id for one in state.open]
        assert open_before and any(map(is_unconfirmed, state.assumptions))
        spine = person.app.query_one("#spine", Pane)
        spine.focus()
        spine.select("assumed")
        await person.press("equals_sign")
        assert "The same answer for" not in person.text
        assert not any(map(is_unconfirmed, person.app.state.assumptions))
        assert [one.id for one in person.app.state.open] == open_before
        await person.press("equals_sign")
        person.line("There is nothing here for =")


async def test_an_answer_that_turns_many_calls_is_taken_after_y_and_by_no_key_that_is_held(
    asked_desk: Path,
) -> None:
    (log,) = (asked_desk / "logs").iterdir()
    for name in ("second", "third"):
        shutil.copyfile(log, log.with_stem(name))
    async with opened(asked_desk) as person:
        await person.press("2", "2")
        person.line("Nothing was answered.")
        await person.press("2")
        person.line("turns 3 → allow of 24 calls; y answers so, any other key not")
        person.line("y yes · any other key no")
        await person.press("enter", "2", "y")
        person.line("Answered: “Support agents")


async def test_each_answer_says_what_it_makes_of_the_rule_and_which_calls_it_turns(asked_desk: Path) -> None:
    async with opened(asked_desk) as person:
        person.line("What it permits is an exception to the prohibition.")
        person.line("turns 1 → allow")


async def test_a_folder_that_is_no_option_is_typed_and_offered_again_if_it_is_none(tmp_path: Path) -> None:
    desk_of_files(tmp_path).close()
    async with opened(tmp_path / "desk") as person:
        assert person.app.state.open
        while "another folder, from the root on …" not in person.text:
            await person.press("n")
        person.line("a question")
        person.line("e edit request")
        await person.press(person.line("another folder").partition(" another")[0][-1])
        person.line("another folder, from the root on:")
        await person.type("src")
        person.line("Enter take it · Esc leave it")
        await person.press("enter")
        person.line("must be an absolute folder")
        assert "another folder, from the root on: src" in person.text
        await person.press("ctrl+u")
        await person.type("/srv/mine")
        await person.press("enter")
        person.line("Answered: /srv/mine")
        assert "/srv/mine" in (tmp_path / "desk" / "agent.toml").read_text(encoding="utf-8")


def rule_of(desk: Path) -> str:
    """The rule about refunds in the policy file."""
    policy = (desk / "policy.py").read_text(encoding="utf-8")
    return policy.partition("def forbid_issue_refund(")[2].partition("\ndef ")[0]


@pytest.mark.usefixtures("no_cases")
async def test_answers_and_edits_are_undone_and_done_again_in_one_history(asked_desk: Path) -> None:
    """A digit typed before a question came back does not answer it."""
    async with opened(asked_desk) as person:
        early = events.Key("2", "2")
        before = rule_of(asked_desk)
        await person.press("2", "tab")
        answered = rule_of(asked_desk)
        while "e edit rule" not in person.text:  # the calls that turned come first
            await person.press("v")
        await person.press("e")
        editor = person.app.query_one("#rule", CodeEditor)
        row = next(row for row, text in enumerate(editor.text.split("\n")) if text.endswith(" > 3"))
        editor.move_cursor((row, 0))
        await person.press("end", "backspace", "4", "escape")
        edited = rule_of(asked_desk)
        person.line("e edit rule")
        # a text with a problem is not stored, and undo drops only this text
        await person.press("e", "end", "left_parenthesis", "escape")
        person.line("1 problem in the policy")
        await person.press("u")
        person.line("Undone: the text of policy.py that was not stored")
        assert rule_of(asked_desk) == edited
        person.line("e edit rule")
        rules: list[str] = []
        for key in ("u", "u", "U", "U", "u", "u"):
            await person.press(key)
            rules.append(rule_of(asked_desk))
        assert len({before, answered, edited}) == 3
        assert rules == [answered, before, answered, edited, answered, before]
        person.line("? 1 question")
        await person.click("Support agents may")
        person.app.post_message(early)
        await person.settle()
        person.line("press it again to choose")
        assert rule_of(asked_desk) == before
        await person.press("2", "enter")
        assert rule_of(asked_desk) == answered


async def test_edit_and_enter_on_a_problem_open_the_policy_at_its_place(shop: Path) -> None:
    """The policy is opened again as often as a person leaves it without mending it."""
    policy = shop / "policy.py"
    broken = policy.read_text(encoding="utf-8").replace('"book_hotel" and', '= "book_hotel" and')
    policy.write_text(broken, encoding="utf-8")
    async with opened(shop) as person:
        await person.press("tab")
        person.line("✗ line 22:31: This is not valid Python")
        person.line("e edit policy.py")
        editor = person.app.query_one("#rule", CodeEditor)
        for key in ("e", "enter"):
            await person.press(key)
            person.line("EDIT policy.py")
            assert editor.has_focus
            row, column = editor.cursor_location
            assert editor.text == broken.rstrip()
            assert editor.document.get_line(row)[column:].startswith('= "book_hotel" and')
            editor.move_cursor((0, 0))
            await person.press("escape")
            assert person.app.query_one("#requirement", Pane).key == "problem:22:31"
    assert policy.read_text(encoding="utf-8") == broken


@pytest.mark.usefixtures("no_cases")
async def test_answers_are_changed(asked_desk: Path) -> None:
    async with opened(asked_desk) as person:
        await person.press("1")
        person.line("Answered: ")
        await person.click("6 answers assumed")
        await person.press("tab")
        person.line("Enter chooses another answer")
        await person.press("G", "enter")
        person.line("assumed at present")
        await person.press("2")
        person.line("Answered: “Support agents")


async def test_enter_where_n_led_after_an_answer_says_the_sentence_that_is_shown(tmp_path: Path) -> None:
    """What is typed then is for its editor: no letter of it is a key that leads to another sentence."""
    async with opened(refund_desk(tmp_path / "refunds", left_open=2)) as person:
        await person.press("n", "1", "n")
        view = person.app.query_one(AuthorView)
        row, (question,) = view.row, person.app.state.open
        assert row is not None and row.requirement.id in question.requirements
        person.line("Enter e say it")
        await person.press("enter", "ctrl+u")
        await person.type("The agent")
        editor = person.app.query_one("#say", SentenceEditor)
        assert (editor.text, view.row) == ("The agent", row)


@pytest.mark.usefixtures("no_cases")
@pytest.mark.parametrize("is_asked", [True, False])
async def test_enter_on_an_answer_that_is_not_in_force_lets_it_be_given_again_or_taken_back(
    tmp_path: Path, is_asked: bool
) -> None:
    words, said = "Acme gets nothing.", "The agent must not pay an invoice if the supplier is “Acme”."
    with closing(invoice_desk(tmp_path, f"{words}\n")) as bench:
        bench.rewordings.keep([Reworded(words, ("The agent may always pay an invoice.", said))])
        before = bench.session.written
        (question,) = [one for one in bench.questions.understand().open if one.kind == "witness"]
        bench.questions.answer(question, "closed")
        answered = bench.session.written
        other = answered.replace(
            'return call.supplier.strip().lower() == "acme"', 'return call.supplier == "Else"'
        )
        bench.session.set_policy(before if is_asked else other)
    async with opened(tmp_path / "desk") as person:
        await person.press("n")
        while "not in force: answer" not in person.text:
            await person.press("n")
        assert "workbench answer" not in person.text
        await person.press("enter")
        if is_asked:
            person.line("assumed at present")
            await person.press("1", "y")
            assert person.app.state.policy == answered
        else:
            person.line("y takes the answer back")
            await person.press("y")
            person.line("Took an answer back")
            assert all(one.question != question.id for one in person.app.state.assumptions)
        assert all(one.name != question.id for one in person.app.state.not_in_force)


async def test_cases_are_written_given_back_with_a_mistake_and_put_away(asked_desk: Path) -> None:
    async with opened(asked_desk, (120, 60)) as person:
        await person.click("Refunds over 200")
        await person.click("Cases ")
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
        bench = Workbench.open(asked_desk, read_only=True)
        assert [case.origin for case in bench.session.cases].count("human") == 1
        bench.close()


@pytest.mark.usefixtures("no_cases")
async def test_the_request_is_edited_and_its_new_sentence_is_open(asked_desk: Path) -> None:
    async with opened(asked_desk) as person:
        await person.press("e")
        person.line("WHAT IT MEANS")
        await person.press("escape")
        await person.command("edit the whole request")
        person.line("EDIT the request")
        await person.press("ctrl+end")
        await person.type("- Nobody sends a payment at night.")
        await person.press("escape")
        person.line("Edited the request")
        person.line("Nobody sends a")


@pytest.mark.usefixtures("no_cases")
@pytest.mark.parametrize("book", ["word " * 80_001, "\x1b[31m\u202e" * 67_000], ids=["one line", "escapes"])
async def test_a_book_pasted_into_the_request_is_refused_and_not_lost(asked_desk: Path, book: str) -> None:
    async with opened(asked_desk) as person:
        await person.command("edit the whole request")
        editor = person.app.query_one("#text", TextEditor)
        editor.post_message(events.Paste(book))
        await person.until(lambda: len(editor.text) > 400_000)
        await person.press("escape")
        person.line("and at most 400,000 are read")
        assert len(editor.text) > 400_000
        person.line("not stored; mend it")
        before = len(editor.text)
        await person.press("x")
        assert len(editor.text) == before + 1


@pytest.mark.usefixtures("no_cases")
async def test_keys_are_answered_while_a_request_is_read(
    asked_desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def read(_editing: Editing, _text: str) -> None:
        begun.set()
        assert goes_on.wait(LONGEST)

    async with opened(asked_desk) as person:
        monkeypatch.setattr(Editing, "set_request", read)
        await person.command("edit the whole request")
        await person.press("x")
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
    async with opened(asked_desk, (120, 60)) as person:
        await person.press("tab", "tab", "w")
        await person.until_shown("to allow it:")
        await person.press("p")
        person.line("Case of call 0 of fourth-refund: deny")


async def test_long_options_are_cut_so_that_the_question_is_in_sight_and_shown_whole_before_they_answer(
    asked_desk: Path,
) -> None:
    async with opened(asked_desk, (80, 22)) as person:
        await person.press("n")
        for words in ("? Some calls are permitted", "1 What is forbidden: ", "2 This sentence wins over …"):
            person.line(words)
        await person.press("2")
        person.line("press the digit again to choose")
        for words in ("? Some calls are permitted", "1 What is forbidden: ", "is at most 200."):
            person.line(words)
        assert "more than 3.  as the policy is" not in person.text, "only the one at the cursor is whole"
        await person.press("2")
        person.line("Answered: “Support agents")

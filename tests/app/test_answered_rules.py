"""An answer whose question a policy raises no more: in force where its rules stand, else it is listed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.invoice_desk import invoice_desk
from workbench.app.owed import Owed
from workbench.app.rewording import Reworded
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.model import Question, WorkbenchError

SENTENCES = ("Paying is fine.", "Invoices until 5,000 euros are paid.", "Blocked suppliers get nothing.")
PAY = "The agent may always pay an invoice."
SMALL = "The agent may pay an invoice if the total is less than 900."
LIMIT = "The agent must not pay an invoice if the total is more than 5,000."
LARGER = "forbid_pay_invoice_total_more_than_500"
BAD = "The agent must not pay an invoice if the supplier is “bad”."


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Workbench]:
    bench = invoice_desk(tmp_path, f"{' '.join(SENTENCES)}\n")
    yield bench
    bench.close()


def say(bench: Workbench, words: str, *texts: str) -> tuple[str, ...]:
    """Say what a sentence means; the questions whose answers that drops."""
    return tuple(one.question for one in bench.rewordings.keep([Reworded(words, texts)]).dropped)


def answer(bench: Workbench, kind: str, value: str) -> Question:
    """Answer the only open question of a kind."""
    (question,) = [one for one in bench.questions.understand().open if one.id.startswith(f"{kind}:")]
    bench.questions.answer(question, value)
    return question


def owed(bench: Workbench, question: Question) -> Owed:
    """What the session owes for an answer."""
    (found,) = [one for one in bench.in_force.owed() if one.name == question.id]
    return found


def raised(bench: Workbench, question: Question) -> bool:
    return any(one.id == question.id for one in bench.questions.understand().questions)


def edit(bench: Workbench, change: Callable[[str], str]) -> None:
    """Edit the policy by hand."""
    before = bench.session.written
    assert change(before) != before
    bench.editing.store(change(before))


def without(name: str) -> Callable[[str], str]:
    return lambda text: re.sub(rf"(?ms)^def {name}\(.*?(?=^def |\Z)", "", text)


def in_place(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


def named(text: str) -> str:
    """A policy with a constant for its amount."""
    text = text.replace('DEFAULT = "deny"', 'DEFAULT = "deny"\nSMALL = 900')
    return text.replace('Decimal("900")', "SMALL")


def both_said(bench: Workbench) -> None:
    """A permission and a prohibition that meet, and neither is a part of the other."""
    say(bench, "Paying", SMALL)
    say(bench, "Blocked", BAD)


@pytest.mark.parametrize(
    ("value", "change", "reason"),
    [
        ("prohibitions", without("permit_pay_invoice"), "permit_pay_invoice is gone"),
        ("prohibitions", without("forbid_pay_invoice"), "forbid_pay_invoice is gone"),
        ("prohibitions", in_place('"bad"', '"worse"'), ""),
        ("forbid_pay_invoice", without("permit_pay_invoice"), "permit_pay_invoice is gone"),
        ("forbid_pay_invoice", without("forbid_pay_invoice"), "forbid_pay_invoice is gone"),
    ],
)
def test_an_answer_to_a_conflict_is_not_in_force_without_its_rules(
    desk: Workbench, value: str, change: Callable[[str], str], reason: str
) -> None:
    both_said(desk)
    question = answer(desk, "exception", value)
    assert owed(desk, question).in_force
    edit(desk, change)
    assert reason in owed(desk, question).reason
    assert owed(desk, question).in_force is not bool(reason)
    assert owed(desk, question) in desk.state().owed


def rules_only(bench: Workbench) -> list[str]:
    """What the rules of the policy return."""
    return re.findall(r"(?ms)^def (?:permit|forbid)_.*?\n    return (.*?)\n\n", bench.session.written)


@pytest.mark.parametrize("second", ["prohibitions", "forbid_pay_invoice"])
def test_an_answer_about_one_of_several_prohibitions_stands_and_is_asked_again_about_the_others(
    desk: Workbench, second: str
) -> None:
    both_said(desk)
    say(desk, "Invoices", "The agent must not pay an invoice if the total is more than 500.")
    before = rules_only(desk)
    question = answer(desk, "exception", LARGER)
    found = owed(desk, question)
    assert f"with {LARGER}, which stands; it is asked again about the rest" in found.reason
    assert f"{question.id} prohibitions or forbid_pay_invoice, or take it back" in found.mend
    (again,) = [one for one in desk.questions.understand().questions if one.id == question.id]
    desk.questions.answer(again, second)
    assert owed(desk, question).in_force
    edit(desk, without(LARGER))
    assert owed(desk, question).reason.endswith(f"{LARGER} is gone")
    desk.session.undo()
    desk.questions.retract(question.id)
    assert rules_only(desk) == before


def test_two_stored_answers_that_contradict_each_other_are_listed_with_each_other(desk: Workbench) -> None:
    """As a merge of two branches leaves them: both answers, and the rules of one."""
    both_said(desk)
    question = answer(desk, "exception", "forbid_pay_invoice")
    (mine,) = desk.session.assumptions
    desk.questions.retract(question.id)
    bound = answer(desk, "bound", "at-most")
    (theirs,) = desk.session.assumptions
    desk.session.set_assumptions((mine, theirs), "Merge")
    assert owed(desk, bound).in_force
    assert f"(as was answered to {bound.id}: {theirs.statement})" in owed(desk, question).reason


def test_a_rule_that_says_otherwise_is_said_in_words_and_the_answer_can_be_taken_back(
    desk: Workbench, capsys: pytest.CaptureFixture[str]
) -> None:
    both_said(desk)
    question = answer(desk, "exception", "forbid_pay_invoice")
    edit(desk, in_place('Decimal("900")', 'Decimal("800")'))
    found = owed(desk, question)
    assert not found.in_force and not raised(desk, question)
    assert (
        "permit_pay_invoice says otherwise: The agent may pay an invoice if the total is less than 800."
        in (found.reason)
    )
    folder = str(desk.session.path)
    desk.close()
    assert found.mend.endswith(f"{question.id} --retract")
    assert main(["assumptions", folder]) == 0
    assert "not in force: permit_pay_invoice says otherwise" in capsys.readouterr().out
    assert main(["ask", folder]) == 1
    assert "permit_pay_invoice says otherwise" in capsys.readouterr().out
    assert main(["answer", folder, question.id, "--retract"]) == 0
    assert main(["assumptions", folder]) == 0
    assert question.id not in capsys.readouterr().out


@pytest.mark.parametrize(
    "change",
    [
        in_place('call.total < Decimal("900")', 'Decimal("900") > call.total'),
        in_place('call.total < Decimal("900")', 'not call.total >= Decimal("900")'),
        in_place("def permit_pay_invoice(", "def permit_small("),
        named,
    ],
)
def test_a_rule_that_says_the_same_in_other_words_or_by_another_name_stands(
    desk: Workbench, change: Callable[[str], str]
) -> None:
    both_said(desk)
    question = answer(desk, "exception", "forbid_pay_invoice")
    edit(desk, change)
    assert owed(desk, question).in_force


def test_a_constant_that_another_hand_changes_is_a_rule_that_says_otherwise(desk: Workbench) -> None:
    both_said(desk)
    edit(desk, named)
    question = answer(desk, "exception", "forbid_pay_invoice")
    edit(desk, in_place("SMALL = 900", "SMALL = 901"))
    assert "permit_pay_invoice says otherwise" in owed(desk, question).reason


def test_a_rule_that_was_dropped_and_stands_again_is_listed(desk: Workbench) -> None:
    say(desk, "Paying", SMALL)
    say(desk, "Invoices", LIMIT)
    say(desk, "Blocked", "The agent must not pay an invoice if the total is more than 6,000.")
    rule = re.search(
        r"(?ms)^def forbid_pay_invoice_total_more_than_6_000\(.*?(?=^def )", desk.session.written
    )
    assert rule is not None
    question = answer(desk, "without-effect-rule", "drop")
    assert owed(desk, question).in_force
    edit(desk, lambda text: without("forbid_pay_invoice")(text) + f"\n\n{rule[0]}")
    assert not raised(desk, question)
    assert "forbid_pay_invoice_total_more_than_6_000 stands again" in owed(desk, question).reason


def test_the_default_that_was_meant_is_remembered(desk: Workbench) -> None:
    say(desk, "Paying", PAY)
    question = answer(desk, "other-calls", "meant")
    assert owed(desk, question).in_force
    edit(desk, in_place('DEFAULT = "deny"', 'DEFAULT = "allow"'))
    assert "DEFAULT" in owed(desk, question).reason
    (anew,) = [one for one in desk.questions.understand().open if one.id.startswith("other-calls:")]
    assert "is allowed at present" in anew.text


def test_a_sentence_said_anew_drops_the_answers_that_are_about_nothing_else(
    desk: Workbench, capsys: pytest.CaptureFixture[str]
) -> None:
    say(desk, "Invoices", LIMIT)
    question = answer(desk, "bound", "at-least")
    folder = str(desk.session.path)
    desk.close()
    anew = "The agent must not pay an invoice if the total is more than 4,000."
    assert main(["say", folder, anew, "--for", "Invoices", "--keep"]) == 0
    assert f"Dropped the answer to {question.id}" in capsys.readouterr().out
    with closing(Workbench.open(Path(folder))) as bench:
        assert not bench.session.assumptions


def test_an_exception_whose_permission_is_said_anew_is_listed(desk: Workbench) -> None:
    both_said(desk)
    question = answer(desk, "exception", "forbid_pay_invoice")
    assert not say(desk, "Paying", "The agent may pay an invoice if the total is less than 100.")
    assert "permit_pay_invoice says otherwise" in owed(desk, question).reason


def test_an_answer_that_changes_a_rule_leaves_the_other_answers_about_it_in_force(desk: Workbench) -> None:
    say(desk, "Paying", "The agent may pay an invoice if the supplier is “good”.")
    say(desk, "Invoices", LIMIT)
    bound = answer(desk, "bound", "at-least")
    conflict = answer(desk, "exception", "forbid_pay_invoice")
    assert owed(desk, bound).in_force and owed(desk, conflict).in_force


@pytest.mark.parametrize("stored", ["def (", "x = 1\ny = 2\n", "import os\n", "(" * 5000, ""])
def test_what_another_program_stored_as_the_rules_of_an_answer_is_not_believed(
    desk: Workbench, stored: str
) -> None:
    both_said(desk)
    question = answer(desk, "exception", "forbid_pay_invoice")
    (kept,) = [one for one in desk.session.assumptions if one.question == question.id]
    harmed = replace(kept, rests_on=(stored,) if stored else (), replaced=(stored,) if stored else ())
    desk.session.set_assumptions([harmed])
    assert owed(desk, question).reason == "nothing tells which rules it was about"
    desk.questions.retract(question.id)
    assert not desk.session.assumptions


def test_a_rule_that_was_dropped_beside_an_equal_one_stays_dropped(desk: Workbench) -> None:
    say(desk, "Paying", SMALL)
    say(desk, "Blocked", BAD)
    say(desk, "Invoices", BAD)
    found = [one for one in desk.questions.understand().open if one.id.startswith("without-effect-rule:")]
    desk.questions.answer(found[-1], "drop")
    assert owed(desk, found[-1]).in_force


@pytest.mark.parametrize("cites", (True, False))
def test_a_clause_of_a_person_that_repeats_the_rule_of_its_sentence_goes_with_it(
    desk: Workbench, cites: bool
) -> None:
    say(desk, SENTENCES[0], PAY)
    say(desk, SENTENCES[2], "The agent must not pay an invoice if the invoice id is “I-7”.")
    (own,) = re.findall(r"def (contract_of_forbid\w+)", desk.session.written)
    edit(desk, in_place(f"def {own}(", "def contract_blocked("))
    if not cites:
        edit(desk, in_place("    # R2: Blocked", "    # R2: All blocked"))
    before = desk.session.written.partition("def contract_blocked(")[2]
    question, *_ = [one for one in desk.questions.understand().open if one.kind == "witness"]
    with nullcontext() if cites else pytest.raises(WorkbenchError, match="contract"):
        desk.questions.answer(question, "closed")
    after = desk.session.written.partition("def contract_blocked(")[2]
    (rule,) = re.findall(r"(?ms)^def forbid_.*?return (.*?)$", desk.session.written)
    assert f"Implies({rule}, " in after
    assert (after == before) is not cites

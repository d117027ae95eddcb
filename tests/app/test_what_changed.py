"""The changes by an act, on a shipped session that is answered, edited and extended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.app.refund_desk import refund_desk
from workbench.app.session_state import SessionState
from workbench.app.what_changed import what_changed
from workbench.app.workbench import Workbench
from workbench.model import CaseResult, ProofStatus, Verdict
from workbench.tui.change_walk import changed_parts

LINE = "return run.context.refunds_today > 3"
STRICTER = LINE.replace("> 3", "> 0")
RULE = "forbid_issue_refund"
CLAUSE = "def contract_of_permit_issue_refund(call: IssueRefund, run: Run) -> None:\n"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    workbench = Workbench.open(refund_desk(tmp_path_factory.mktemp("sessions") / "desk"))
    yield workbench
    workbench.close()


@pytest.fixture(scope="module")
def stored(desk: Workbench) -> SessionState:
    return desk.judged_state()


def edited(desk: Workbench, state: SessionState, old: str, new: str) -> SessionState:
    """The judged state with the text of its policy changed at one place."""
    text = state.policy.replace(old, new, 1)
    assert text != state.policy
    assert state.logs is not None
    terms = desk.policy.terms(text)
    session_state = state.with_policy(text, terms)
    return replace(
        session_state, preview=desk.proof.preview(terms), decisions=desk.runs.decide(terms, state.logs)
    )


def test_a_state_has_each_requirement_with_what_belongs_to_it(stored: SessionState) -> None:
    assert [row.requirement.id for row in stored.rows][2:] == [f"R{number}" for number in range(1, 8)]
    row = stored.row("R3")
    assert row is not None
    assert [rule.name for rule in row.rules] == [RULE]
    assert row.status is ProofStatus.PROVED
    decided = [stored.decisions[position].decision for position in row.decided]
    assert RULE in {violation.rule for decision in decided for violation in decision.violations}
    assert sum(stored.counts.values()) == len(stored.decisions)


def test_nothing_changed_is_nothing(desk: Workbench, stored: SessionState) -> None:
    assert not what_changed(stored, stored)
    spread = LINE.replace("return ", "return (\n        ") + "\n    )"
    assert not what_changed(stored, edited(desk, stored, LINE, spread)), "the layout is nobody's change"
    noted = edited(desk, stored, LINE, f"# A person pays back more.\n    {LINE}")
    assert what_changed(stored, noted).rules
    assert list(what_changed(stored, stored).sentences()) == []


def test_what_is_not_read_yet_is_no_change(desk: Workbench, stored: SessionState) -> None:
    unread = desk.first_state()
    assert unread.request and not unread.understood
    changes = what_changed(unread, edited(desk, stored, LINE, STRICTER))
    assert [rule.name for rule in changes.rules] == [RULE]
    assert not changes.requirements and not changes.questions


def test_an_edit_changes_a_rule_refutes_its_clause_and_turns_calls(
    desk: Workbench, stored: SessionState
) -> None:
    after = edited(desk, stored, LINE, STRICTER)
    changes = what_changed(stored, after)
    assert [rule.name for rule in changes.rules] == [RULE]
    assert LINE in changes.rules[0].before
    assert LINE not in changes.rules[0].after
    assert {(clause.status_before, clause.status_after) for clause in changes.clauses} == {
        (ProofStatus.PROVED, ProofStatus.REFUTED)
    }
    assert changes.calls
    for call in changes.calls:
        assert (call.before, call.after) == (Verdict.ALLOW, Verdict.DENY)
        assert after.decisions[call.position].run == call.run
        assert after.verdicts[call.position] is call.after
    back = what_changed(after, stored)
    assert {call.position for call in back.calls} == {call.position for call in changes.calls}


def test_what_one_state_does_not_know_is_no_difference(stored: SessionState) -> None:
    unjudged = replace(stored, preview=replace(stored.preview, clauses=()), decisions=())
    assert not what_changed(unjudged, stored)


def test_a_clause_that_is_added_is_one_change_whatever_it_does_to_the_ids(
    desk: Workbench, stored: SessionState
) -> None:
    added = CLAUSE + "    # R3\n    Ensures(Implies(call.amount > 900, not Result()))\n"
    changes = what_changed(stored, edited(desk, stored, CLAUSE, added))
    assert [(clause.clause, clause.before) for clause in changes.clauses] == [("C1", "")]


def test_a_clause_over_several_lines_is_compared_by_its_condition(
    desk: Workbench, stored: SessionState
) -> None:
    short = CLAUSE + "    # R3\n    Ensures(Implies(call.amount > 900, not Result()))\n"
    long = CLAUSE + (
        "    # R3\n    Ensures(\n        Implies(\n            call.amount > 900,\n"
        "            not Result(),\n        )\n    )\n"
    )
    before = edited(desk, stored, CLAUSE, short)
    assert what_changed(before, edited(desk, stored, CLAUSE, long)).clauses == ()
    changed = what_changed(before, edited(desk, stored, CLAUSE, long.replace("900", "901"))).clauses
    assert any("901" in change.after for change in changed)


def test_cases_that_fail_and_questions_that_close_are_told(stored: SessionState) -> None:
    case = stored.cases[0]
    passed, failed = (
        replace(stored, results={case.id: CaseResult(case.id, passed=right, actual=Verdict.ALLOW)})
        for right in (True, False)
    )
    (turned,) = what_changed(passed, failed).cases
    assert (turned.case, turned.passed_before, turned.passed_after) == (case.id, True, False)
    (removed,) = what_changed(stored, replace(stored, cases=stored.cases[1:])).cases
    assert (removed.case, removed.removed, removed.added) == (case.id, True, False)
    reopened = replace(stored, assumptions=stored.assumptions[1:])
    (question,) = what_changed(stored, reopened).questions
    assert question.opened
    assert question.question == stored.assumptions[0].question
    asked = next(one for one in reopened.questions if one.id == question.question)
    options = replace(asked, options=asked.options[1:])
    others = tuple(options if one is asked else one for one in reopened.questions)
    otherwise = what_changed(reopened, replace(reopened, questions=others))
    assert [one.question for one in otherwise.questions] == [question.question]
    assert [*otherwise.sentences()] == ["1 question with other answers"]
    walked = "".join(run.text for part in changed_parts(otherwise) for run in part)
    assert walked == "question with other answers"
    assert not what_changed(reopened, replace(reopened)).questions


def test_an_answer_that_is_taken_back_opens_its_question_and_changes_nothing_else(
    desk: Workbench, stored: SessionState
) -> None:
    taken_back = stored.assumptions[-1].question
    desk.questions.retract(taken_back)
    changes = what_changed(stored, desk.judged_state())
    assert [question.question for question in changes.questions] == [taken_back]
    assert changes.calls == ()
    assert [rule.name for rule in changes.rules] == []
    assert [clause for clause in changes.clauses if clause.before != clause.after] == []

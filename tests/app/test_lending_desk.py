"""What a new user of a policy of calls is told: citations by words, explanations, and lines for the agent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.app.lending_desk import POLICY, REQUEST, lending_desk
from workbench.app.workbench import Workbench
from workbench.author.model.whole_file.model_cases import CallForm, CasesUnder, ModelCaseForm, RunCase
from workbench.check.cases_run import run_cases
from workbench.dialect import lowered_policy
from workbench.runs.extract.model_method import Reader
from workbench.runs.replay.explanation import CallExplanation
from workbench.session.session import Session


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    bench = Workbench.open(lending_desk(tmp_path_factory.mktemp("lending")), read_only=True)
    yield bench
    bench.close()


def explained(bench: Workbench, run: str, index: int) -> CallExplanation:
    """The explanation of one call of the log."""
    terms = bench.policy.terms()
    return bench.runs.explain(terms, bench.runs.load(None, terms=terms), run, index)[0]


# --- citations


def test_a_sentence_with_a_label_of_its_own_is_cited_by_its_words(bench: Workbench) -> None:
    requirements = {one.id: one.text for one in bench.request.draft().requirements}
    assert requirements["R1"] == "Fees charged in one run must not exceed 40 EUR."
    assert set(requirements) == {"R1", "R2", "R3", "R4"}  # no citation is left without its sentence


def test_the_label_of_a_sentence_does_not_have_to_be_that_of_the_rule(tmp_path: Path) -> None:
    request = REQUEST.replace("R1:", "B7:")
    bench = Workbench.open(lending_desk(tmp_path, request=request), read_only=True)
    try:
        requirements = {one.id: one.text for one in bench.request.draft().requirements}
        assert requirements["R1"] == "Fees charged in one run must not exceed 40 EUR."
        assert "B7" not in requirements
    finally:
        bench.close()


def test_a_comment_above_the_names_of_a_clause_is_its_comment(bench: Workbench) -> None:
    clauses = bench.policy.terms().clauses
    assert [clause.requirements for clause in clauses] == [("R1",), ("R2",)]


# --- explanations


def test_the_agent_is_told_a_parameter_of_its_call_by_its_own_name(bench: Workbench) -> None:
    message = explained(bench, "fees", 1).message
    assert message.endswith("It would be allowed with amount at most 10 instead of 15.")


def test_the_agent_is_told_to_look_up_what_was_not_looked_up(bench: Workbench) -> None:
    explanation = explained(bench, "blind", 0)
    assert explanation.message.endswith('Look it up first: get_loan(loan_id="l9").')
    assert "looked_up" not in explanation.message


def test_the_agent_is_not_told_to_change_what_happened_in_the_run(bench: Workbench) -> None:
    message = explained(bench, "loans", 3).message
    assert "run.earlier" not in message
    assert "It would be allowed with" not in message or "member_id" in message


def test_the_agent_is_told_until_when_to_wait(bench: Workbench) -> None:
    assert "wait until 2026-03-11 09:00 UTC" in explained(bench, "early", 1).message


def test_a_time_that_other_facts_depend_on_is_not_waited_for(tmp_path: Path) -> None:
    busy = "any(call.time - c.time < timedelta(days=2) for c in run.earlier(GetLoan))"
    policy = POLICY.replace("RenewLoan, Run", "GetLoan, RenewLoan, Run").replace(
        "return loan is None or", f"return loan is None or {busy} or"
    )
    bench = Workbench.open(lending_desk(tmp_path, policy), read_only=True)
    try:
        assert "wait until" not in explained(bench, "early", 1).message
    finally:
        bench.close()


def test_an_explanation_has_the_rules_of_the_file_in_its_words(bench: Workbench) -> None:
    explanation = explained(bench, "early", 1)
    assert {one.rule for one in explanation.path} == set(re.findall(r"def ((?:forbid|permit)_\w+)", POLICY))
    (early,) = (one for one in explanation.path if one.rule == "forbid_early_renewal")
    assert "the time since the loan's made at is less than 24 hours" in [text for text, _ in early.conditions]


# --- lowering


def test_a_text_is_lowered_once_by_whoever_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    lower = lowered_policy.lower

    def counting(policy: lowered_policy.CallPolicy) -> lowered_policy.Lowered:
        counted.append(policy.title)
        return lower(policy)

    monkeypatch.setattr(lowered_policy, "lower", counting)
    policy = POLICY.replace("What the lending desk may do", "What is counted here")
    folder = lending_desk(tmp_path, policy)
    bench = Workbench.open(folder, read_only=True)
    try:
        explained(bench, "fees", 1)
    finally:
        bench.close()
    assert Session.open(folder).lowered is not None
    assert counted == ["What is counted here."]


def test_schemas_that_only_python_takes_for_equal_are_two(tmp_path: Path) -> None:
    folder = lending_desk(tmp_path)
    agent = folder / "agent.toml"
    nested = 'loan_id = {type = "string", minLength = 1}'
    texts = [agent.read_text(encoding="utf-8").replace('loan_id = {type = "string"}', nested, 1)]
    texts.append(texts[0].replace("minLength = 1", "minLength = true"))
    found: list[object] = []
    for text in texts:
        agent.write_text(text, encoding="utf-8")
        session = Session.open(folder)
        found.append(session.lowered)
    assert found[0] is not found[1]


def test_words_without_a_label_are_said_to_lack_it(tmp_path: Path) -> None:
    policy = POLICY.replace("    # R1: Fees", "    # Fees")
    bench = Workbench.open(lending_desk(tmp_path, policy), read_only=True)
    try:
        state = bench.state()
        of_first = (one for one in state.questions if one.requirements == ("R1",))
        (question,) = (one for one in of_first if one.kind != "witness")
        (owed,) = (one for one in state.owed if one.name == "R1")
    finally:
        bench.close()
    assert question.kind == "no-clause"
    assert "clause with a label and these words above it" in question.text
    assert owed.reason == "C1 has its words without a label"


# --- cases


def test_a_case_of_which_only_the_last_of_several_calls_is_read_can_be_run(tmp_path: Path) -> None:
    rule = POLICY[POLICY.index("def forbid_early_renewal") : POLICY.index("def permit_small_waiver")]
    last = '''\
def forbid_early_renewal(call: RenewLoan, run: Run) -> bool:
    """R2: A loan may only be renewed from the day after it was made."""
    return run.last(c for c in run.earlier(GetLoan, LendItem) if c.succeeded) is None


'''
    clauses = POLICY.index("def contract_fees")
    bench = Workbench.open(
        lending_desk(
            tmp_path,
            POLICY[:clauses].replace(rule, last).replace("import ChargeFee", "import ChargeFee, GetLoan"),
        ),
        read_only=True,
    )
    try:
        agent = bench.session.agent
        lowered = lowered_policy.lowered_policy(bench.session.written, agent)
        lend = CallForm(tool="lend_item", arguments={"member_id": "m1", "items": ["b"]}, result={"ok": True})
        renew = CallForm(tool="renew_loan", arguments={"loan_id": "l1"})
        cases = [
            RunCase("after", ModelCaseForm(earlier=(lend,), call=renew, expected="allow")),
            RunCase("first", ModelCaseForm(call=renew, expected="deny")),
        ]
        under = CasesUnder(lowered, bench.session.spec, cast("Reader", None))  # no text is left to one
        ran = run_cases(lowered.terms, under.over_arguments(cases), words=lowered.terms.file.words)
        assert [(one.case, one.passed) for one in ran.results] == [("after", True), ("first", True)]
    finally:
        bench.close()

"""The travel desk as a policy of calls: finished, and decided as its old form decides the same rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.guard.exported_files import ExportedFile, reading_of
from tests.session.test_travel_desk import DESK, Clock, denials_of_run
from workbench.app.workbench import Workbench
from workbench.engines.compiled.compile import compile_policy
from workbench.guard import DecisionLog, Mode, run_so_far
from workbench.model import CallDecision, Run, Verdict
from workbench.policy.check import check
from workbench.policy.terms import PolicyTerms
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay import replay
from workbench.runs.replay.live_guard import live_guard

OF_CALLS = DESK.with_name("travel-desk-calls")
SAME_RULES = {
    "forbid_wrong_lines": "forbid_wrong_lines",
    "forbid_beyond_cost_centre": "forbid_beyond_cost_centre",
    "forbid_pay_invoice_by_paid": "forbid_over_limit",
    "forbid_late_cancellation": "forbid_late_cancellation",
    "forbid_unnamed_payee": "forbid_unnamed_payee",
}
"""The rules of the old form, by name, and what they are called in the policy of calls."""
NO_TRIP = "forbid_trip_not_approved"
"""The rule of the old form that is a ``permit_*`` rule here, about bookings alone."""
PERMITS = "permit_for_approved_trip"
ASKS = "ask_second_payment"
"""A rule that the old form does not have."""

type Broken = dict[tuple[str, int], set[str]]


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    workbench = Workbench.open(OF_CALLS, read_only=True)
    yield workbench
    workbench.close()


@pytest.fixture(scope="module")
def terms(bench: Workbench) -> PolicyTerms:
    return check(bench.session.policy)


@pytest.fixture(scope="module")
def runs(bench: Workbench) -> Sequence[Run]:
    imported = load_runs(bench.session.log_paths)
    assert imported.problems == ()
    return imported.runs


def decided(bench: Workbench, runs: Sequence[Run]) -> list[CallDecision]:
    spec = bench.session.spec
    return list(replay(compile_policy(check(bench.session.policy)), Extractor(spec.arguments, spec), runs))


def fired(one: CallDecision) -> set[str]:
    return {violation.rule for violation in one.decision.violations}


@pytest.fixture(scope="module")
def expected() -> Broken:
    """The names of the rules that each call breaks, by run and place."""
    lines = [json.loads(line) for line in (OF_CALLS / "labels.jsonl").read_text("utf-8").splitlines()]
    return {(line["run"], line["call"]): set(line["breaks"]) for line in lines}


def _named(rules: set[str]) -> set[str]:
    return {rule.removeprefix("forbid_").replace("_", "-") for rule in rules - {"default", ASKS}} | (
        {"not-for-approved-trip"} if "default" in rules else set()
    )


def test_the_runs_are_those_of_the_old_form() -> None:
    for path in (DESK / "logs").iterdir():
        assert (OF_CALLS / "logs" / path.name).read_bytes() == path.read_bytes()


def test_a_replay_decides_every_call_as_it_is_labelled(
    bench: Workbench, runs: Sequence[Run], expected: Broken
) -> None:
    assert {(one.run, one.index): _named(fired(one)) for one in decided(bench, runs)} == expected
    assert set().union(*expected.values()) == {
        *(name.removeprefix("forbid_").replace("_", "-") for name in SAME_RULES.values()),
        "not-for-approved-trip",
    }


def test_each_rule_decides_every_call_as_its_old_form_does(bench: Workbench, runs: Sequence[Run]) -> None:
    old_bench = Workbench.open(DESK, read_only=True)
    try:
        old_decisions = decided(old_bench, runs)
    finally:
        old_bench.close()
    assert any(one.decision.verdict is Verdict.DENY for one in old_decisions)
    for old, new in zip(old_decisions, decided(bench, runs), strict=True):
        assert new.decision.verdict is not Verdict.CANNOT_EVALUATE
        same = {SAME_RULES[rule] for rule in fired(old) & SAME_RULES.keys()}
        if NO_TRIP in fired(old) and new.extracted["tool"].value != "pay_invoice":
            same.add("default")
        assert fired(new) - {ASKS} == same, (new.run, new.index)


def test_a_person_is_asked_about_each_second_payment_that_is_not_denied(
    bench: Workbench, runs: Sequence[Run]
) -> None:
    asked = [one for one in decided(bench, runs) if one.decision.verdict is Verdict.ASK]
    assert [(one.run, one.index) for one in asked] == [("conferences-0320", 13), ("invoices-0313", 19)]
    assert all(fired(one) == {ASKS} for one in asked)


def test_a_call_has_only_the_arguments_that_rules_about_its_tool_read(
    bench: Workbench, runs: Sequence[Run]
) -> None:
    read: dict[object, set[str]] = {}
    for one in decided(bench, runs):
        read.setdefault(one.extracted["tool"].value, set()).update(one.extracted)
    assert read["get_trip"] == read["send_mail"] == {"tool"}
    assert read["cancel_booking"] == {
        "tool", "now", "cancel_booking_booking", "cancel_booking_looked_up_booking",
    }  # fmt: skip


def test_live_guard_exported_file_and_a_replay_of_their_log_decide_alike(
    bench: Workbench, runs: Sequence[Run], terms: PolicyTerms, expected: Broken, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The runs are played as if nothing had been refused, so only runs without a refusal are as labelled."""
    clock = Clock()
    monkeypatch.setattr(run_so_far, "datetime", clock)
    spec = bench.session.spec
    file = ExportedFile(tmp_path, terms, reading_of(terms, spec))
    own: Any = file.module
    own._module("guard.run_so_far").datetime = clock
    for run in runs:
        log = tmp_path / f"{run.id}.jsonl"
        extractor = Extractor(spec.arguments, spec)
        live = live_guard(compile_policy(terms), extractor, mode=Mode.SHADOW, log=DecisionLog(log))
        denials = denials_of_run(run, live.run(), clock, enforced=False)
        assert denials_of_run(run, file.opened().run(), clock, enforced=False) == denials
        assert denials_of_run(run, file.own().run(), clock, own.ToolCall, enforced=False) == denials
        assert [fired(one) for one in decided(bench, load_runs([log]).runs)] == denials
        if all(call.ran for call in run.calls):
            assert list(map(_named, denials)) == [expected[run.id, call.index] for call in run.calls]


def test_nothing_is_open_and_every_sentence_has_a_rule_and_a_clause(
    bench: Workbench, terms: PolicyTerms
) -> None:
    understanding = bench.questions.understand()
    assert understanding.open == ()
    cited = {name for clause in terms.clauses for name in clause.requirements}
    assert {requirement.id for requirement in understanding.draft.requirements} - {"S122277"} == cited
    assert {name for rule in terms.rules for name in rule.requirements} == cited - {"R7"}
    assert [rule.name for rule in terms.rules if not rule.forbids] == [PERMITS, "permit_other_tools"]


def test_every_case_is_decided_as_it_says(bench: Workbench, terms: PolicyTerms) -> None:
    policy = compile_policy(terms)
    cases = bench.session.cases
    assert cases
    assert [case.id for case in cases if policy.decide(case.arguments).verdict is not case.expected] == []

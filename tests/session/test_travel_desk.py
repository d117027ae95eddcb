"""The shipped travel desk: finished, and decided as labelled in every way of playing its runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import pytest

from tests.guard.exported_files import ExportedFile, reading_of
from tests.live_guarding import live_guard
from workbench.app.workbench import Workbench
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.guard import DecisionLog, Guard, Mode, ToolCall, run_so_far
from workbench.guardagent.sandbox import execute
from workbench.guardagent.toolbox import Toolbox
from workbench.model import CallDecision, Decision, Run, Verdict
from workbench.policy.terms import PolicyTerms
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay.decide import replay

ROOT = Path(__file__).resolve().parents[2]
DESK = ROOT / "sessions" / "travel-desk"
OF_LABEL = {"for-approved-trip": "default", "large-invoice": "ask_large_invoice"}
"""What denies or asks for a label where it is no rule that forbids: nothing permits, or a person is asked."""

type Expected = dict[tuple[str, int], set[str]]


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    workbench = Workbench.open(DESK, read_only=True)
    yield workbench
    workbench.close()


@pytest.fixture(scope="module")
def terms(bench: Workbench) -> PolicyTerms:
    return bench.session.evaluated().terms


@pytest.fixture(scope="module")
def runs(bench: Workbench) -> Sequence[Run]:
    imported = load_runs(bench.session.log_paths)
    assert imported.problems == ()
    return imported.runs


@pytest.fixture(scope="module")
def expected() -> Expected:
    """The rules that each call breaks, by run and place."""
    lines = [json.loads(line) for line in (DESK / "labels.jsonl").read_text("utf-8").splitlines()]
    return {
        (line["run"], line["call"]): {
            OF_LABEL.get(broken, f"forbid_{broken.replace('-', '_')}") for broken in line["breaks"]
        }
        for line in lines
    }


def decided(bench: Workbench, runs: Sequence[Run]) -> list[CallDecision]:
    spec = bench.session.spec
    return list(
        replay(compile_policy(bench.session.evaluated().terms), Extractor(spec.arguments, spec), runs)
    )


def rules_of(decision: Decision) -> set[str]:
    """The rules that deny or ask; they are the verdict, because every call here can be evaluated."""
    rules = {violation.rule for violation in decision.violations}
    asking = {rule for rule in rules if rule.startswith("ask_")}
    assert str(decision.verdict.value) == ("deny" if rules - asking else "ask" if asking else "allow")
    return rules


def test_five_runs_of_an_agent_at_work_break_every_rule_and_are_mostly_allowed(
    runs: Sequence[Run], terms: PolicyTerms, expected: Expected
) -> None:
    assert len(runs) == 5
    assert all(20 <= len(run.calls) <= 40 for run in runs)
    denying = {rule.name for rule in terms.rules if rule.forbids}
    assert set().union(*expected.values()) == {"default", *denying}
    assert {rule.name for rule in terms.rules} - denying == {"permit_for_approved_trip", "permit_other_tools"}
    assert sum(map(bool, expected.values())) * 4 < len(expected)


def test_a_replay_decides_every_call_as_it_is_labelled(
    bench: Workbench, runs: Sequence[Run], expected: Expected
) -> None:
    assert {(one.run, one.index): rules_of(one.decision) for one in decided(bench, runs)} == expected


def test_a_call_has_only_the_arguments_that_rules_about_its_tool_read(
    bench: Workbench, runs: Sequence[Run]
) -> None:
    read: dict[object, set[str]] = {}
    for one in decided(bench, runs):
        read.setdefault(one.extracted["tool"].value, set()).update(one.extracted)
    assert read["get_trip"] == read["send_mail"] == read["change_supplier_account"] == {"tool"}
    assert read["cancel_booking"] == {
        "tool", "now", "cancel_booking_booking", "cancel_booking_looked_up_booking",
    }  # fmt: skip


class Clock:
    """Replaces a guard's clock with the time of the run."""

    def __init__(self) -> None:
        self.time = "2026-03-01T09:00:00+01:00"

    def now(self, zone: tzinfo) -> datetime:
        return datetime.fromisoformat(self.time).astimezone(zone)


def denials_of_run(
    run: Run, guard: Guard, clock: Clock, tool_call: type[ToolCall] = ToolCall, *, enforced: bool = True
) -> list[set[str]]:
    """The rules that deny each call of a run, played to a guard in order.

    If the guard enforces the policy as the one of the run did, the same calls run; a call that was refused
    fails otherwise.
    """
    denying_rules: list[set[str]] = []
    user_text = ""
    for call in run.calls:
        if call.texts["all_user"] != user_text:
            guard.message("user", call.texts["all_user"].removeprefix(user_text).strip())
            user_text = call.texts["all_user"]
        clock.time = call.time or clock.time
        outcome = guard.check(tool_call(call.tool or "", call.arguments or {}, context=call.context))
        assert outcome.runs == (call.ran or not enforced)
        if call.result is not None:
            guard.finish(outcome, call.result, failed=call.failed)
        elif not call.ran and not enforced:
            guard.finish(outcome, "Error: refused", failed=True)
        denying_rules.append(rules_of(outcome.decision))
    return denying_rules


def test_a_live_guard_and_the_exported_file_decide_every_call_as_it_is_labelled(
    bench: Workbench, runs: Sequence[Run], terms: PolicyTerms, expected: Expected, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    clock = Clock()
    monkeypatch.setattr(run_so_far, "datetime", clock)
    spec = bench.session.spec
    policy: CompiledPolicy = compile_policy(terms)
    file = ExportedFile(tmp_path, terms, reading_of(terms, spec))
    own: Any = file.module
    own._module("guard.run_so_far").datetime = clock
    for run in runs:
        # A run with denied calls had an enforcing guard, the others were only watched.
        mode = Mode.SHADOW if all(call.ran for call in run.calls) else Mode.ENFORCE
        labelled = [expected[run.id, call.index] for call in run.calls]
        live = live_guard(policy, Extractor(spec.arguments, spec), mode=mode)
        assert denials_of_run(run, live.run(), clock) == labelled
        alone = own.guard(mode=own.Mode(mode.value))
        assert denials_of_run(run, alone.run(), clock, own.ToolCall) == labelled


def test_a_decision_log_is_decided_again_as_its_guard_decided_it(
    bench: Workbench, runs: Sequence[Run], expected: Expected, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The runs are played as if nothing had been refused, so only runs without a refusal are as labelled."""
    clock = Clock()
    monkeypatch.setattr(run_so_far, "datetime", clock)
    spec = bench.session.spec
    policy = compile_policy(bench.session.evaluated().terms)
    for run in runs:
        log = tmp_path / f"{run.id}.jsonl"
        live = live_guard(policy, Extractor(spec.arguments, spec), mode=Mode.SHADOW, log=DecisionLog(log))
        denials = denials_of_run(run, live.run(), clock, enforced=False)
        assert [rules_of(one.decision) for one in decided(bench, load_runs([log]).runs)] == denials
        if all(call.ran for call in run.calls):
            assert denials == [expected[run.id, call.index] for call in run.calls]


def test_whom_only_a_mail_names_is_not_paid_though_the_register_knows_it(
    bench: Workbench, runs: Sequence[Run], expected: Expected
) -> None:
    """Every value that a payment names came through a place that the session names, or it was denied."""
    by_place = {(one.run, one.index): one for one in decided(bench, runs)}
    calls = {(run.id, call.index): call for run in runs for call in run.calls}
    assert (calls["gothenburg-0317", 20].arguments or {})["supplier_id"] == "S-121"
    assert expected["gothenburg-0317", 20] == {"forbid_unnamed_payee"}
    named_by = {"user", "search_rooms.supplier_id", "get_supplier.iban"}
    strange: set[object] = set()
    for place, one in by_place.items():
        if one.extracted["tool"].value != "pay_invoice":
            continue
        for field in ("trip_id", "supplier_id", "iban"):
            sources = one.extracted[f"pay_invoice_{field}_source"].value
            assert isinstance(sources, frozenset)
            if not sources & named_by:
                strange.add((calls[place].arguments or {})[field])
                assert one.decision.verdict is Verdict.DENY
    mails = " ".join(call.result or "" for run in runs for call in run.calls if call.tool == "read_mail")
    assert {"S-121", "LT121000011101001000"} <= {value for value in strange if str(value) in mails}


@pytest.mark.parametrize(
    ("place", "look_up"),
    [
        (("invoices-0313", 9), 'Look it up again: get_cost_centre(cost_centre="CC-410").'),
        (("conferences-0320", 14), 'Look it up first: get_trip(trip_id="T-2603-025").'),
    ],
)
def test_the_agent_is_told_what_to_look_up(bench: Workbench, place: tuple[str, int], look_up: str) -> None:
    logs = bench.runs.load()
    (explanation,) = bench.runs.explain(bench.policy.terms(), logs, *place)
    assert explanation.message.endswith(look_up)


def test_nothing_is_open_and_every_sentence_has_a_rule_and_a_clause(
    bench: Workbench, terms: PolicyTerms
) -> None:
    understanding = bench.questions.understand()
    assert understanding.open == ()
    numbered = {f"R{number}" for number in range(1, 13)}
    needs_none = {name for one in bench.session.assumptions for name in one.requirements}
    assert {item.id for item in understanding.draft.requirements} - needs_none == numbered
    assert {name for clause in terms.clauses for name in clause.requirements} == numbered
    # R12 is that all else is allowed, which is the policy's default.
    assert {name for rule in terms.rules for name in rule.requirements} == numbered - {"R12"}


def test_every_case_is_decided_as_it_says(bench: Workbench, terms: PolicyTerms) -> None:
    policy = compile_policy(terms)
    cases = bench.session.cases
    assert [case.id for case in cases if policy.decide(case.arguments).verdict is not case.expected] == []
    # A case is about a rule; R12 is what holds where there is none.
    assert {name for case in cases for name in case.requirements} == {f"R{number}" for number in range(1, 12)}
    assert [case.expected for case in cases if case.reason == "no rule forbids it: allowed"] == [
        Verdict.ALLOW
    ]


def test_demonstrations_are_decided_by_code_alone(bench: Workbench) -> None:
    denied: dict[str, bool] = {}
    for item in bench.session.demonstrations:
        done = execute(item.code, {}, Toolbox.standard())
        assert done.error == ""
        assert not any(word in " ".join(item.plan) for word in ("allow", "deny"))
        denied[item.id] = bool(done.values["label"])
    assert denied == {
        "payment-to-the-account-of-a-mail": True,
        "payment-within-the-cost-centre": False,
        "room-cancelled-too-late": True,
    }

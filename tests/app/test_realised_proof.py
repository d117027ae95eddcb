"""The proof of a session's policy of calls: refuted by a run, and shown as one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from tests.app.written_desk import POLICY, written_desk
from workbench.app import strength as app_strength
from workbench.app.value_texts import run_words
from workbench.app.workbench import Workbench
from workbench.check.realise.realised_proof import RealisedVerdicts
from workbench.check.realise.realiser import Realiser
from workbench.check.strength import Fate
from workbench.cli.evidence import strength_lines
from workbench.model import (
    ClauseProof,
    Counterexample,
    Engine,
    ProofStatus,
    RecordValue,
    Value,
    Verdict,
)
from workbench.serialization.nouns import json_of
from workbench.tui.widgets.lines import argument_rows, laid_out, realised_rows

TOO_HIGH = POLICY.replace('LIMIT = Decimal("5000")', 'LIMIT = Decimal("50000")')
NOT_NONE = POLICY.replace("run.booking(call.booking_id) is None or too_late", "too_late") + (
    "\n\ndef contract_cancel(call: CancelBooking, run: Run) -> None:\n"
    "    # R10: What is not booked is not cancelled.\n"
    "    Ensures(Implies(run.booking(call.booking_id) is None, not Result()))\n"
)


@pytest.fixture
def opened(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Workbench]:
    bench = Workbench.open(written_desk(tmp_path, request.param), read_only=True)
    yield bench
    bench.close()


def verdict(bench: Workbench, clause: str) -> ClauseProof:
    proof = bench.proof.preview(bench.policy.terms())
    return next(one for one in proof.clauses if one.clause == clause)


@pytest.mark.parametrize("opened", [TOO_HIGH], indirect=True)
def test_a_refuted_clause_shows_its_run(opened: Workbench) -> None:
    example = verdict(opened, "C1").counterexample
    assert example is not None
    assert example.realised is not None
    words = run_words(example.realised)
    assert "pay_invoice(" in words[-1]
    assert words[-1].endswith("← decided")
    rows = laid_out(realised_rows(example, "clause:C1", indent=2), 200)
    text = ["".join(getattr(part, "text", str(part)) for part in row.line) for row in rows]
    assert "a run in which it happens:" in text[0]
    assert any("pay_invoice(" in line for line in text)
    assert opened.proof.counterexample(opened.policy.terms(), "C1") == example


def test_no_name_of_a_value_is_cut_and_its_times_are_written_as_those_of_records() -> None:
    moment = datetime(2026, 1, 1, 12, tzinfo=UTC)
    shown = {"now": moment, "whether the trip was looked up": RecordValue("Trip", (("at", moment),))}
    rows = laid_out(argument_rows(shown), 40)
    text = ["".join(getattr(part, "text", str(part)) for part in row.line) for row in rows]
    assert any("now" in line and "2026-01-01 12:00 UTC" in line for line in text)
    assert any("whether the trip was looked up" in line for line in text)


@pytest.mark.parametrize("opened", [TOO_HIGH], indirect=True)
def test_its_json_has_the_calls_of_the_run(opened: Workbench) -> None:
    written = json.loads(json.dumps(json_of(opened.proof.preview(opened.policy.terms()))))
    last = written["clauses"][0]["counterexample"]["realised"][-1]
    assert last["tool"] == "pay_invoice"
    assert last["result"] is None


@pytest.mark.parametrize("opened", [NOT_NONE], indirect=True)
def test_a_possible_clause_shows_its_input_and_no_run(opened: Workbench) -> None:
    found = verdict(opened, "C5")
    assert found.status is ProofStatus.POSSIBLE
    assert found.counterexample is not None
    assert found.counterexample.realised is None
    assert [*realised_rows(found.counterexample, "clause:C5", indent=2)] == []
    row = next(one for one in opened.proof.evidence(opened.policy.terms()).rows if one.clause == "C5")
    assert row.vacuity is not None
    assert row.vacuity.realised is False


@pytest.mark.parametrize("opened", [POLICY], indirect=True)
def test_an_input_of_the_verifier_is_realised_whole_if_its_decisive_part_cannot_be_evaluated(
    opened: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(*_: object) -> None:
        return None

    monkeypatch.setattr(Realiser, "breaking", nothing)
    terms = opened.policy.terms()
    decisive: dict[str, Value] = {
        "tool": "pay_invoice",
        "pay_invoice_total": Decimal(5),
        "paid_today": True,
    }
    whole: dict[str, Value] = {
        **decisive,
        "sum_total_pay_invoice": Decimal(20),
        "pay_invoice_trip": RecordValue("Trip", (("cost_centre", "sales"),)),
        "pay_invoice_cost_centre": RecordValue("CostCentre", (("left", Decimal(100)),)),
    }
    example = Counterexample(
        whole, confirmed=True, decision=Verdict.ASK, decisive_arguments=decisive, left_out=()
    )
    refuted = ClauseProof("C2", ("R7",), ProofStatus.REFUTED, Engine.NAGINI, example)
    found = RealisedVerdicts(Realiser(terms, opened.session.spec)).of_clause(refuted)
    assert found.status is ProofStatus.REFUTED
    assert found.counterexample is not None
    assert found.counterexample.realised is not None
    assert found.counterexample.decision is Verdict.ASK


@pytest.mark.parametrize("opened", [POLICY], indirect=True)
def test_refused_wrong_versions_say_whether_a_run_shows_it(opened: Workbench) -> None:
    report = opened.strength.measure(opened.policy.terms())
    refused = report.having(Fate.KILLED)
    assert refused
    assert {result.realised for result in refused} <= {True, False}
    assert sum(result.realised is True for result in refused) > report.not_realised
    assert {result.realised for result in report.survived} <= {None}


@pytest.mark.parametrize("opened", [POLICY], indirect=True)
def test_the_search_for_runs_of_wrong_versions_ends_and_says_so(
    opened: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_strength, "MOST_INPUTS", 1)
    terms = opened.policy.terms()
    report = opened.strength.measure(terms)
    unknown = [result for result in report.having(Fate.KILLED) if result.realised is None]

    assert report.not_searched == len(unknown) > 0
    lines = list(strength_lines(report, terms.file.words))
    assert any(f"{len(unknown)} of these without a search for a run" in line for line in lines)

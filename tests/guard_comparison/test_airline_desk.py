"""The session of the airline's desk: its proof, its cases, and its decisions against the labels."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.live_guarding import live_guard
from tests.recordings import AIRLINE, needs_airline
from tests.runs.replay.test_one_path import played
from workbench.check.proof.prover import Prover
from workbench.check.strength import strength
from workbench.cli import main
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import preview
from workbench.guard import Mode
from workbench.model import Decision, ProofStatus, Verdict
from workbench.policy.narrowed_values import narrowed_arguments
from workbench.policy.terms import PolicyTerms
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay.decide import replay
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]
DESK = ROOT / "benchmarks" / "sessions" / "airline-desk"
LABELS = (
    "baggage-allowance",
    "basic-economy-not-modified",
    "cancellation-conditions",
    "change-paid-by-card-or-gift-card",
    "payment-in-profile",
    "payment-method-counts",
)


@pytest.fixture(scope="module")
def session() -> Session:
    return Session.open(DESK, read_only=True)


@pytest.fixture(scope="module")
def terms(session: Session) -> PolicyTerms:
    return session.evaluated().terms


def test_the_preview_proves_every_clause(terms: PolicyTerms) -> None:
    verdicts = preview(terms, time_limit_ms=20_000).clauses
    assert len(verdicts) == 46
    assert [verdict for verdict in verdicts if verdict.status is not ProofStatus.PROVED] == []


@pytest.mark.skipif(
    not os.environ.get("WORKBENCH_EVERY_RUN"), reason="takes half a minute; WORKBENCH_EVERY_RUN=1"
)
@pytest.mark.timeout(1200)
@pytest.mark.nagini
def test_nagini_proves_every_clause(terms: PolicyTerms, prover: Prover) -> None:
    verdicts = prover.prove(terms, time_limit=120).clauses
    assert len(verdicts) == 46
    assert [verdict for verdict in verdicts if verdict.status is not ProofStatus.PROVED] == []


def test_the_contract_refuses_wrong_versions(terms: PolicyTerms) -> None:
    # This test is about decisions, not their speed: a busy machine answers late.
    report = strength(terms, time_limit_ms=60_000, most=3)
    assert (report.killed, report.killable) == (3, 3)


def test_every_rule_has_cases_and_decides_them(session: Session, terms: PolicyTerms) -> None:
    policy = compile_policy(terms)
    types = {argument.name: argument.type for argument in terms.arguments}
    fired: set[str] = set()
    for case in session.cases:
        decision = policy.decide(narrowed_arguments(types, case.arguments))
        assert decision.verdict is case.expected, case.id
        fired |= {violation.rule for violation in decision.violations}
    assert fired == {rule.name for rule in terms.rules}


@needs_airline
@pytest.mark.parametrize("database", [None, AIRLINE / "database"], ids=["runs alone", "with a database"])
def test_the_measured_figures_are_those_of_the_runs(
    database: Path | None, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["evaluate", str(DESK), str(AIRLINE / "labels.jsonl"), "--log", str(AIRLINE / "runs.json")]
    assert main([*words, *(["--database", str(database)] if database else [])]) == 1
    name = "labels-airline-runs-alone" if database is None else "labels-airline"
    result = json.loads((ROOT / f"benchmarks/results/{name}.json").read_text())
    shown = capsys.readouterr().out.splitlines()
    assert shown == result["output"]
    assert [name for name in LABELS if any(name.replace("-", "_") in line for line in shown)] == [*LABELS]


@needs_airline
def test_the_live_guard_decides_as_the_replay(session: Session, terms: PolicyTerms) -> None:
    policy, extractor = compile_policy(terms), Extractor(session.spec.arguments, session.spec)
    decisions = list(replay(policy, extractor, load_runs([AIRLINE / "runs.json"]).runs))
    guard = live_guard(policy, extractor, mode=Mode.SHADOW)
    live: list[Decision] = []
    for record in json.loads((AIRLINE / "runs.json").read_text()):
        live += played(record["traj"], guard.run())
    assert len(live) == 577
    assert [decided.decision for decided in decisions] == live
    assert not [decision for decision in live if decision.verdict is Verdict.CANNOT_EVALUATE]

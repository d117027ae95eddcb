"""Four rules of a retail desk as a policy of calls: proved, and decided as labelled on recorded runs."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.recordings import DATA
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import preview
from workbench.model import ProofStatus
from workbench.policy.check import check
from workbench.runs.logs import load_runs
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]
DESK = ROOT / "benchmarks" / "sessions" / "retail-desk"
RETAIL = DATA / "tau_retail"
needs_retail = pytest.mark.skipif(not RETAIL.exists(), reason="the retail desk's recordings are not here")


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    session = Session.open(DESK, read_only=True)
    yield session
    session.close()


@pytest.fixture(scope="module")
def rules() -> ModuleType:
    spec = importlib.util.spec_from_file_location("retail_rules", ROOT / "benchmarks" / "retail_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["retail_rules"] = module  # its dataclasses look there for their module
    spec.loader.exec_module(module)
    return module


def test_the_preview_proves_every_clause(session: Session) -> None:
    verdicts = preview(check(session.policy), time_limit_ms=20_000).clauses
    assert len(verdicts) == 19
    assert [verdict for verdict in verdicts if verdict.status is not ProofStatus.PROVED] == []


def test_every_rule_has_a_case_and_every_case_is_decided_as_it_says(session: Session) -> None:
    terms = check(session.policy)
    policy = compile_policy(terms)
    decisions = [(case, policy.decide(case.arguments)) for case in session.cases]
    assert [case.id for case, decision in decisions if decision.verdict is not case.expected] == []
    assert {each.rule for _, decision in decisions for each in decision.violations} == {
        rule.name for rule in terms.rules
    }


@needs_retail
def test_the_measured_figures_are_those_of_the_runs(rules: ModuleType, session: Session) -> None:
    loaded = load_runs([RETAIL / "runs.jsonl"])
    labels = rules.labels_of(RETAIL / "labels.jsonl")
    calls = {rule: list(rules.judged(rule, session, loaded.runs, labels)) for rule in rules.RULES}
    for every in calls.values():
        sure = [one for one in every if not one.doubtful]
        assert [one for one in sure if one.denied is not one.breaks] == []
        assert [one for one in every if one.breaks and not one.denied] == []
    altered = list(rules.alterations(session, loaded.runs, labels))
    assert len(altered) == 3
    assert all(": 0 allow, 0 ask, " in line for line in altered)
    lines = [
        *rules.table(calls, doubtful=False), *rules.table(calls, doubtful=True),
        *rules.touched(session, calls), *altered,
    ]  # fmt: skip
    assert all(": 0 of " in line for line in rules.touched(session, calls))
    result = json.loads((ROOT / "benchmarks/results/retail-rules.json").read_text("utf-8"))
    assert [line for line in lines if line not in result["output"]] == []

"""The retail desk as a policy of calls: its cases, and the figures of its recorded runs."""

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
from workbench.runs.logs import load_runs
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]
DESK = ROOT / "benchmarks" / "sessions" / "retail-desk"
RETAIL = DATA / "tau_retail"
needs_retail = pytest.mark.skipif(not RETAIL.exists(), reason="the retail desk's recordings are not here")


@pytest.fixture(scope="module")
def measure() -> ModuleType:
    spec = importlib.util.spec_from_file_location("retail_rules", ROOT / "benchmarks" / "retail_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["retail_rules"] = module  # its dataclasses look there for their module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    session = Session.open(DESK, read_only=True)
    yield session
    session.close()


def test_every_case_is_decided_as_it_says_and_every_rule_has_one(session: Session) -> None:
    terms = session.evaluated().terms
    policy = compile_policy(terms)
    decisions = [(case, policy.decide(case.arguments)) for case in session.cases]
    assert [case.id for case, decision in decisions if decision.verdict is not case.expected] == []
    fired = {each.rule for _, decision in decisions for each in decision.violations}
    assert fired == {rule.name for rule in terms.rules}


@needs_retail
def test_the_measured_figures_are_those_of_the_runs(measure: ModuleType, session: Session) -> None:
    runs = load_runs([RETAIL / "runs.jsonl"]).runs
    labels = measure.labels_of(RETAIL / "labels.jsonl")
    calls = list(measure.judged(session, runs, labels))
    sure = [one for one in calls if not one.label.doubtful]
    assert [one for one in sure if one.refused is not bool(one.label.breaks)] == []
    assert [one for one in calls if one.label.breaks and not one.refused] == []
    altered = list(measure.alterations(session, runs, labels))
    assert [line for line in altered[2:] if not line.endswith("| 0 |")] == []
    lines = [*measure.table(calls, doubtful=False), *measure.by_label(calls), *altered]
    result = json.loads((ROOT / "benchmarks/results/retail-rules.json").read_text("utf-8"))
    assert [line for line in lines if line not in result["output"]] == []

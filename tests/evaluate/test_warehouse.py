"""The session of the warehouse assistant: its cases, and its decisions on labelled runs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.recordings import DATA
from tests.runs.replay.test_every_recording import replayed_alike
from workbench.engines.compiled.compile import compile_policy
from workbench.policy.check import check
from workbench.policy.narrow import narrowed_arguments
from workbench.runs.logs import load_runs
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]
WAREHOUSE = ROOT / "benchmarks" / "sessions" / "authoring-warehouse"
RUNS = DATA / "authoring" / "warehouse"


@pytest.fixture(scope="module")
def verdicts() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verdicts", ROOT / "benchmarks" / "verdicts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["verdicts"] = module
    spec.loader.exec_module(module)
    return module


def test_every_case_is_decided_as_it_expects() -> None:
    session = Session.open(WAREHOUSE, read_only=True)
    terms = check(session.policy)
    policy = compile_policy(terms)
    types = {one.name: one.type for one in terms.arguments}
    for case in session.cases:
        decision = policy.decide(narrowed_arguments(types, case.arguments))
        assert decision.verdict is case.expected, case.id


@pytest.mark.skipif(not RUNS.exists(), reason="the recordings are not here")
def test_the_calls_are_decided_as_labelled(verdicts: ModuleType) -> None:
    steps = verdicts.decided(WAREHOUSE, RUNS / "runs.jsonl")
    lines = verdicts.report(steps, verdicts.labels_of(RUNS / "labels.jsonl"))
    assert lines[2] == "0 allowed that are labelled deny, 1 denied, labelled allow"
    assert (ROOT / "docs" / "figures" / "four-agents.md").read_text("utf-8").count(lines[-1]) == 1


@pytest.mark.skipif(not RUNS.exists(), reason="the recordings are not here")
def test_an_exported_file_reads_sql_as_the_session_does(tmp_path: Path) -> None:
    session = Session.open(WAREHOUSE, read_only=True)
    runs = load_runs([RUNS / "runs.jsonl"]).runs
    replayed_alike(check(session.policy), session.spec, runs[::4], tmp_path)

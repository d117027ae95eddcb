"""The session of the coding agent: its clauses, and its decisions on labelled runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.recordings import DATA
from tests.runs.replay.test_every_recording import replayed_alike
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import preview
from workbench.model import AgentSpec, ProofStatus, Verdict
from workbench.policy.check import check
from workbench.policy.terms import PolicyTerms
from workbench.runs.extract import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay import replay
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]
CODING = ROOT / "benchmarks" / "sessions" / "authoring-coding"
RUNS = DATA / "authoring" / "coding"
needs_runs = pytest.mark.skipif(not RUNS.exists(), reason="the recordings are not here")


@pytest.fixture(scope="module")
def session() -> tuple[PolicyTerms, AgentSpec]:
    with Session.open(CODING, read_only=True) as opened:
        return check(opened.policy), opened.spec


@pytest.mark.slow
def test_every_clause_holds(session: tuple[PolicyTerms, AgentSpec]) -> None:
    verdicts = preview(session[0]).clauses
    assert len(verdicts) == 24
    assert [one for one in verdicts if one.status is not ProofStatus.PROVED] == []


@needs_runs
def test_calls_are_decided_as_they_are_labelled(session: tuple[PolicyTerms, AgentSpec]) -> None:
    """But for one: xargs splits the names that find gives, so what grep reads is only known when it runs."""
    terms, spec = session
    runs = load_runs([RUNS / "runs.jsonl"]).runs
    steps = tuple(replay(compile_policy(terms), Extractor(spec.arguments, spec), runs))
    labels = [json.loads(line) for line in (RUNS / "labels.jsonl").read_text("utf-8").splitlines()]
    wanted = {(one["id"], one["call"]): one["label"] == "allow" for one in labels}
    allowed = {(step.run, step.index): step.decision.verdict is Verdict.ALLOW for step in steps}
    assert wanted.keys() == allowed.keys()
    assert {place for place in wanted if wanted[place] != allowed[place]} == {("coding-015", 3)}


@needs_runs
def test_an_exported_file_reads_the_runs_as_a_replay_does(
    session: tuple[PolicyTerms, AgentSpec], tmp_path: Path
) -> None:
    replayed_alike(*session, load_runs([RUNS / "runs.jsonl"]).runs, tmp_path)
